use std::collections::BTreeMap;

use super::page::Page;
use super::{Files, Finding, Rule, Source, Texts, html, markdown, search};

/// Every link of every page leads somewhere, and what pages load lies beside them.
pub(super) fn check(
    texts: &Texts<'_>,
    files: &Files,
    source: Option<&Source<'_>>,
    findings: &mut Vec<Finding>,
) {
    let pages: BTreeMap<&str, Page> =
        texts.iter().filter_map(|(path, text)| Some((*path, read(path, text, findings)?))).collect();
    let known = Known { pages: &pages, files, source };
    for (path, page) in &pages {
        let mut find =
            |(rule, message), line: u32| findings.push(Finding::new(rule, path, Some(line), message));
        for (target, line) in &page.links {
            known.problem_of_link(path, target).into_iter().for_each(|problem| find(problem, *line));
        }
        for (target, line) in &page.loads {
            known.problem_of_load(path, target).into_iter().for_each(|problem| find(problem, *line));
        }
        for (name, line) in &page.repeated {
            find((Rule::DuplicateId, format!("the place `{name}` is there already")), *line);
        }
    }
}

/// The file as a page; none if nothing in it leads anywhere. What is wrong with it alone is found here.
fn read(path: &str, text: &str, findings: &mut Vec<Finding>) -> Option<Page> {
    let (_, extension) = path.rsplit_once('.')?;
    match extension {
        "md" => Some(markdown::read(text)),
        "html" => {
            let (page, problems) = html::read(text);
            let finding = |(rule, line, message)| Finding::new(rule, path, Some(line), message);
            findings.extend(problems.into_iter().map(finding));
            Some(page)
        }
        "css" => Some(html::read_style(text)),
        "js" => match search::read(path, text)? {
            Ok(page) => Some(page),
            Err(message) => {
                findings.push(Finding::new(Rule::SearchForm, path, None, message));
                None
            }
        },
        _ => None,
    }
}

/// What links can lead to.
struct Known<'k> {
    pages: &'k BTreeMap<&'k str, Page>,
    files: &'k Files,
    source: Option<&'k Source<'k>>,
}

impl Known<'_> {
    fn problem_of_link(&self, path: &str, target: &str) -> Option<(Rule, String)> {
        let nowhere = || Some((Rule::LinkTarget, format!("the link `{target}` leads nowhere")));
        match scheme(target).as_deref() {
            Some("javascript" | "vbscript" | "data") => return nowhere(),
            // Elsewhere on the web is not ours to ask.
            Some(_) => return None,
            None if target.starts_with('/') => return None,
            None => {}
        }
        let (file, anchor) = target.split_once('#').map_or((target, None), |(file, at)| (file, Some(at)));
        let place = match file {
            "" => Place::Inside(path.to_owned()),
            file => resolve(path, &percent_decoded(file)),
        };
        match place {
            Place::Inside(place) if !self.files.contains_key(&place) => nowhere(),
            Place::Inside(place) => {
                let anchor = percent_decoded(anchor.filter(|anchor| !anchor.is_empty())?);
                let anchor = String::from_utf8_lossy(&anchor);
                let is_there =
                    self.pages.get(place.as_str()).is_some_and(|page| page.anchors.contains(&*anchor));
                (!is_there).then(|| (Rule::LinkAnchor, format!("`{place}` has no anchor `{anchor}`")))
            }
            Place::Outside(place) => match self.source {
                Some(source) if !(source.has)(&place) => nowhere(),
                _ => None,
            },
        }
    }

    fn problem_of_load(&self, path: &str, target: &str) -> Option<(Rule, String)> {
        let leaves = || Some((Rule::OutsideRequest, format!("loads `{}` from elsewhere", shortened(target))));
        match scheme(target).as_deref() {
            Some("data") if is_picture(target) => return None,
            Some(_) => return leaves(),
            None if target.starts_with(['/', '\\']) => return leaves(),
            // A place of the page itself: nothing is loaded.
            None if target.starts_with('#') => return self.problem_of_link(path, target),
            None => {}
        }
        let file = target.split(['#', '?']).next().unwrap_or_default();
        match resolve(path, &percent_decoded(file)) {
            Place::Outside(_) => leaves(),
            Place::Inside(place) if self.files.contains_key(&place) => None,
            Place::Inside(place) => {
                Some((Rule::ResourceTarget, format!("loads `{place}`, which is not there")))
            }
        }
    }
}

/// The scheme a browser reads off a target, which skips controls and blanks, in lower case.
pub(crate) fn scheme(target: &str) -> Option<String> {
    let plain: String = target.chars().filter(|c| !c.is_control() && *c != ' ').take(64).collect();
    let (scheme, _) = plain.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    is_scheme.then(|| scheme.to_ascii_lowercase())
}

fn is_picture(target: &str) -> bool {
    target.get(.."data:image/".len()).is_some_and(|start| start.eq_ignore_ascii_case("data:image/"))
}

/// A target for a message: data in it may be long.
fn shortened(target: &str) -> String {
    target.chars().take(120).collect()
}

/// Where a link leads.
enum Place {
    Inside(String),
    /// Begins with `../`; names on disk need not be UTF-8.
    Outside(Vec<u8>),
}

fn resolve(page: &str, target: &[u8]) -> Place {
    let mut segments: Vec<&[u8]> = page.as_bytes().split(|byte| *byte == b'/').collect();
    segments.pop();
    let mut above = 0;
    for segment in target.split(|byte| *byte == b'/') {
        match segment {
            b"" | b"." => {}
            b".." => match segments.pop() {
                Some(_) => {}
                None => above += 1,
            },
            segment => segments.push(segment),
        }
    }
    let path = segments.join(&b'/');
    match above {
        0 => Place::Inside(String::from_utf8_lossy(&path).into_owned()),
        above => Place::Outside([b"../".repeat(above), path].concat()),
    }
}

fn percent_decoded(text: &str) -> Vec<u8> {
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
    bytes
}
