use std::convert::Infallible;
use std::mem::take;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use sha2::{Digest, Sha256};

use super::Rule;
use super::page::{Lines, Page};
use super::policy::Policy;

/// What is wrong on one page, with the line.
pub(crate) type Problem = (Rule, u32, String);

/// Reads a page as a browser splits it into tags: links, anchors, what it loads, and whether it runs or may run
/// anything but its own scripts. What those do is held by the page's policy.
pub(crate) fn read(text: &str) -> (Page, Vec<Problem>) {
    let mut reader = Reader::new(Lines::of(text), 1);
    tokenize(text, &mut reader);
    reader.finish()
}

/// Reads tags that stand in a Markdown page, from a line on.
pub(super) fn read_part(html: &str, line: u32, page: &mut Page) {
    let mut reader = Reader::new(Lines::of(html), line);
    reader.page = take(page);
    tokenize(html, &mut reader);
    *page = reader.page;
}

/// Reads what a style sheet loads.
pub(super) fn read_style(text: &str) -> Page {
    let lines = Lines::of(text);
    let loads = style_loads(text).map(|(target, at)| (target.to_owned(), lines.at(at))).collect();
    Page { loads, ..Page::default() }
}

fn tokenize(text: &str, reader: &mut Reader) {
    let mut emitter =
        CallbackEmitter::new(|event: CallbackEvent<'_>, span: Span<usize>| -> Option<Infallible> {
            reader.event(event, span);
            None
        });
    emitter.naively_switch_states(true);
    let Ok(()) = Tokenizer::new_with_emitter(text, emitter).finish();
}

/// A start tag up to its end.
#[derive(Default)]
struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
    line: u32,
}

struct Reader {
    lines: Lines,
    /// The line the text begins on.
    first_line: u32,
    page: Page,
    problems: Vec<Problem>,
    open: Option<Tag>,
    /// The script or style whose text comes next.
    holds: Option<&'static str>,
    policy: Option<Policy>,
    /// The first thing that a policy further down would not have covered.
    uncovered: Option<u32>,
}

impl Reader {
    fn new(lines: Lines, first_line: u32) -> Self {
        Self {
            lines,
            first_line,
            page: Page::default(),
            problems: Vec::new(),
            open: None,
            holds: None,
            policy: None,
            uncovered: None,
        }
    }

    fn event(&mut self, event: CallbackEvent<'_>, span: Span<usize>) {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        match event {
            CallbackEvent::OpenStartTag { name } => {
                let line = self.first_line + self.lines.at(span.start) - 1;
                self.open = Some(Tag { name: text(name), attributes: Vec::new(), line });
            }
            CallbackEvent::AttributeName { name } => {
                if let Some(tag) = &mut self.open {
                    tag.attributes.push((text(name), String::new()));
                }
            }
            CallbackEvent::AttributeValue { value } => {
                if let Some((_, last)) = self.open.as_mut().and_then(|tag| tag.attributes.last_mut()) {
                    *last = text(value);
                }
            }
            CallbackEvent::CloseStartTag { .. } => {
                if let Some(tag) = self.open.take() {
                    self.tag(&tag);
                }
            }
            CallbackEvent::String { value } => {
                if let Some(kind) = self.holds.take() {
                    self.inline(kind, &text(value), span.start);
                }
            }
            CallbackEvent::EndTag { .. } => (self.open, self.holds) = (None, None),
            _ => {}
        }
    }

    fn finish(mut self) -> (Page, Vec<Problem>) {
        match (&self.policy, self.uncovered) {
            (None, _) => self.find(Rule::ContentPolicy, 1, "has no Content-Security-Policy".to_owned()),
            (Some(_), Some(line)) => {
                self.find(Rule::ContentPolicy, line, "stands before the Content-Security-Policy".to_owned());
            }
            (Some(_), None) => {}
        }
        (self.page, self.problems)
    }

    fn find(&mut self, rule: Rule, line: u32, message: String) {
        self.problems.push((rule, line, message));
    }

    fn tag(&mut self, tag: &Tag) {
        let is_link = matches!(tag.name.as_str(), "a" | "area");
        for (name, value) in &tag.attributes {
            match name.as_str() {
                "id" => self.page.add_anchor(value, tag.line),
                "href" | "xlink:href" if is_link => self.page.links.push((value.clone(), tag.line)),
                "href" | "xlink:href" | "src" | "data" | "poster" | "background" | "action"
                | "formaction" | "ping" | "manifest" => self.load(value, tag.line),
                "srcset" | "imagesrcset" => {
                    let candidates = value.split(',').filter_map(|one| one.split_whitespace().next());
                    candidates.for_each(|target| self.load(target, tag.line));
                }
                "style" => style_loads(value).for_each(|(target, _)| self.load(target, tag.line)),
                "srcdoc" => self.find(Rule::ForeignScript, tag.line, "has a page within the page".to_owned()),
                name if name.starts_with("on") => {
                    self.find(Rule::ForeignScript, tag.line, format!("has the handler `{name}`"));
                }
                _ => {}
            }
        }
        match tag.name.as_str() {
            "meta" => self.meta(tag),
            "base" => self.find(Rule::OutsideRequest, tag.line, "has a base that links lead from".to_owned()),
            "script" if !tag.has("src") => self.holds = Some("script"),
            "style" => self.holds = Some("style"),
            _ => {}
        }
    }

    fn load(&mut self, target: &str, line: u32) {
        // Pictures of the page itself ask for nothing.
        if self.policy.is_none() && super::links::scheme(target).as_deref() != Some("data") {
            self.uncovered.get_or_insert(line);
        }
        self.page.loads.push((target.to_owned(), line));
    }

    fn meta(&mut self, tag: &Tag) {
        let content = tag.value("content");
        match tag.value("http-equiv").to_ascii_lowercase().as_str() {
            "content-security-policy" if self.policy.is_none() => {
                let policy = Policy::parse(content);
                for problem in policy.problems() {
                    self.find(Rule::ContentPolicy, tag.line, problem);
                }
                self.policy = Some(policy);
            }
            "refresh" => self.find(Rule::OutsideRequest, tag.line, "leads on by itself".to_owned()),
            _ => {}
        }
    }

    /// The text of a script or style on the page.
    fn inline(&mut self, kind: &'static str, text: &str, offset: usize) {
        let line = self.first_line + self.lines.at(offset) - 1;
        let hash = format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
        match &self.policy {
            None => {
                self.uncovered.get_or_insert(line);
            }
            Some(policy) if policy.names(kind, &hash) => {}
            Some(_) => {
                self.find(Rule::ForeignScript, line, format!("has a {kind} that the policy does not name"));
            }
        }
        if kind == "style" {
            let line = |at| self.first_line + self.lines.at(offset + at) - 1;
            self.page.loads.extend(style_loads(text).map(|(target, at)| (target.to_owned(), line(at))));
        }
    }
}

impl Tag {
    fn has(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|(name, _)| name == attribute)
    }

    fn value(&self, attribute: &str) -> &str {
        let found = self.attributes.iter().find(|(name, _)| name == attribute);
        found.map_or("", |(_, value)| value.as_str())
    }
}

/// What a style sheet loads, with the offsets: the arguments of `url()` and of `@import`.
fn style_loads(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let lower = text.to_ascii_lowercase();
    let mut found: Vec<(&str, usize)> = Vec::new();
    for (at, _) in lower.match_indices("url(") {
        found.push((unquoted(text[at + 4..].split(')').next().unwrap_or_default()), at));
    }
    for (at, _) in lower.match_indices("@import") {
        let argument = text[at + 7..].split(';').next().unwrap_or_default().trim();
        if argument.starts_with(['"', '\'']) {
            found.push((unquoted(argument), at));
        }
    }
    found.into_iter()
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => text[1..].split(quote).next().unwrap_or_default(),
        _ => text,
    }
}
