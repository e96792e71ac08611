use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::{Finding, Rule, Source, Texts};

/// Links and anchors of one page, as a Markdown reader sees them.
#[derive(Default)]
pub(super) struct Page {
    /// Targets with the lines they stand on.
    pub(super) links: Vec<(String, u32)>,
    anchors: BTreeSet<String>,
}

/// Reads a page.
pub(super) fn read(text: &str) -> Page {
    let mut page = Page::default();
    // Pages of large stages have thousands of links: the line of each is looked up, not counted.
    let line_ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                let line = line_ends.partition_point(|end| *end < range.start) as u32 + 1;
                page.links.push((dest_url.to_string(), line));
            }
            Event::InlineHtml(html) | Event::Html(html) => {
                let ids = html.split("id=\"").skip(1).filter_map(|rest| rest.split('"').next());
                page.anchors.extend(ids.map(str::to_owned));
            }
            _ => {}
        }
    }
    page
}

/// Every link of every page leads somewhere.
pub(super) fn check(texts: &Texts<'_>, source: Option<&Source<'_>>, findings: &mut Vec<Finding>) {
    let is_page = |path: &&str| path.ends_with(".md");
    let pages: BTreeMap<&str, Page> =
        texts.keys().copied().filter(is_page).map(|path| (path, read(texts[path]))).collect();
    for (path, page) in &pages {
        for (target, line) in &page.links {
            if let Some((rule, message)) = problem(path, target, texts, &pages, source) {
                findings.push(Finding::new(rule, path, Some(*line), message));
            }
        }
    }
}

fn problem(
    path: &str,
    target: &str,
    texts: &Texts<'_>,
    pages: &BTreeMap<&str, Page>,
    source: Option<&Source<'_>>,
) -> Option<(Rule, String)> {
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, at)| (file, Some(at)));
    // Elsewhere on the web is not ours to ask.
    if file.contains("://") || file.starts_with("mailto:") {
        return None;
    }
    let nowhere = || Some((Rule::LinkTarget, format!("the link `{target}` leads nowhere")));
    let place = match file {
        "" => Place::Inside(path.to_owned()),
        file => resolve(path, &percent_decoded(file)),
    };
    match place {
        Place::Inside(place) if !texts.contains_key(place.as_str()) => nowhere(),
        Place::Inside(place) => {
            let anchor = percent_decoded(anchor.filter(|anchor| !anchor.is_empty())?);
            let is_there = pages.get(place.as_str()).is_some_and(|page| page.anchors.contains(&anchor));
            (!is_there).then(|| (Rule::LinkAnchor, format!("`{place}` has no anchor `{anchor}`")))
        }
        Place::Outside(place) => match source {
            Some(source) if !(source.has)(&place) => nowhere(),
            _ => None,
        },
    }
}

/// Where a link leads.
enum Place {
    Inside(String),
    /// Begins with `../`.
    Outside(String),
}

fn resolve(page: &str, target: &str) -> Place {
    let mut segments: Vec<&str> = page.split('/').collect();
    segments.pop();
    let mut above = 0;
    for segment in target.split('/') {
        match segment {
            "" | "." => {}
            ".." => match segments.pop() {
                Some(_) => {}
                None => above += 1,
            },
            segment => segments.push(segment),
        }
    }
    match above {
        0 => Place::Inside(segments.join("/")),
        above => Place::Outside(format!("{}{}", "../".repeat(above), segments.join("/"))),
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        let code = others.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match (first, code.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = &others[2..];
            }
            (byte, _) => {
                bytes.push(*byte);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
