use std::fmt::Write;

use super::hidden::{one_line, visible};

super::sink! {
    /// CommonMark with GitHub's tables.
    Markdown
}

impl Markdown {
    /// Adds inline text on one line: fit for paragraphs, headings, list items, link texts and table
    /// cells. Nothing in it is markup.
    pub fn text(&mut self, text: &str) -> &mut Self {
        push_text(&mut self.out, &one_line(text), "\\|");
        self
    }

    /// Adds the value of an attribute of markup of ours, for double quotes around it; also fit for table cells.
    pub fn attribute(&mut self, text: &str) -> &mut Self {
        for c in one_line(text).chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '|' => self.out.push_str("&#124;"),
                _ => self.out.push(c),
            }
        }
        self
    }

    /// Adds a code span, whatever backticks the text holds; nothing for an empty text. Not for table
    /// cells, see [`Markdown::table_code`].
    pub fn code(&mut self, text: &str) -> &mut Self {
        let text = one_line(text);
        if text.is_empty() {
            return self;
        }
        let fence = "`".repeat(longest_run(&text, '`') + 1);
        let padding = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
        for part in [&fence, padding, &text, padding, &fence] {
            self.out.push_str(part);
        }
        self
    }

    /// Adds a code span inside a table cell. A bar would end the cell, and renderers disagree on how a
    /// backslash before it is read, so a text with a bar becomes an HTML element with references.
    pub fn table_code(&mut self, text: &str) -> &mut Self {
        match text.contains('|') {
            true => self.code_element(text),
            false => self.code(text),
        }
    }

    fn code_element(&mut self, text: &str) -> &mut Self {
        self.out.push_str("<code>");
        push_text(&mut self.out, &one_line(text), "&#124;");
        self.out.push_str("</code>");
        self
    }

    /// Adds a heading of level 1 to 6 on lines of its own.
    pub fn heading(&mut self, level: usize, text: &str) -> &mut Self {
        self.out.push_str(&"######"[..level.clamp(1, 6)]);
        self.out.push(' ');
        self.text(text);
        self.out.push_str("\n\n");
        self
    }

    /// Adds a link.
    pub fn link(&mut self, text: &str, target: &LinkTarget) -> &mut Self {
        self.out.push('[');
        self.text(text);
        self.destination(target)
    }

    /// Adds a link whose text is a code span; fit for table cells too. A bracket in the code would be taken
    /// for the end of a reference definition where the link begins a paragraph (``[`]: x`](…)``).
    pub fn code_link(&mut self, text: &str, target: &LinkTarget) -> &mut Self {
        self.out.push('[');
        match text.contains([']', '|']) {
            true => self.code_element(text),
            false => self.code(text),
        };
        self.destination(target)
    }

    fn destination(&mut self, target: &LinkTarget) -> &mut Self {
        self.out.push_str("](");
        self.out.push_str(&target.0);
        self.out.push(')');
        self
    }

    /// Adds a fenced block, whatever fences the text holds. Line ends become line feeds.
    pub fn fenced(&mut self, info: &'static str, text: &str) -> &mut Self {
        let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
        self.out.push_str(&fence);
        self.out.push_str(info);
        self.out.push('\n');
        for line in text.lines() {
            self.out.push_str(&visible(&line.replace('\r', " ")));
            self.out.push('\n');
        }
        self.out.push_str(&fence);
        self.out.push('\n');
        self
    }
}

/// The text that [`Markdown::text`] wrote as `escaped`; none if it writes no text so.
pub fn plain_text_of(escaped: &str) -> Option<String> {
    let mut plain = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(at) = rest.find(['\\', '&']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let references = [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>')];
        let reference = references.iter().find(|(reference, _)| rest.starts_with(reference));
        let (length, c) = match reference {
            Some((reference, c)) => (reference.len(), *c),
            None => (2, rest.strip_prefix('\\')?.chars().next().filter(char::is_ascii)?),
        };
        plain.push(c);
        rest = &rest[length..];
    }
    plain.push_str(rest);
    let mut again = Markdown::new();
    again.text(&plain);
    (again.as_str() == escaped).then_some(plain)
}

/// Where a link leads; holds only characters that no format can take for markup.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LinkTarget(String);

impl LinkTarget {
    /// A relative path, for instance from a page to a source file; `..` segments may lead it.
    pub fn path(path: &str) -> Self {
        let mut out = String::with_capacity(path.len());
        push_percent_encoded(&mut out, path, "/");
        Self(out)
    }

    /// The same target at an anchor, without `#`.
    pub fn with_anchor(mut self, anchor: &str) -> Self {
        self.0.push('#');
        push_percent_encoded(&mut self.0, anchor, "");
        self
    }

    /// A link template of the configuration, filled in. The template's own characters are kept as far
    /// as a URL may hold them; [`crate::Configuration`] admits only templates that are relative or
    /// `http(s)`.
    pub fn from_template(template: &str, path: &str, line: u32, end_line: u32) -> Self {
        let mut out = String::with_capacity(template.len() + path.len());
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            push_percent_encoded(&mut out, &rest[..open], URL_PUNCTUATION);
            rest = &rest[open..];
            rest = match crate::LINK_PLACEHOLDERS.iter().find(|name| rest.starts_with(**name)) {
                Some(name @ &"{path}") => {
                    push_percent_encoded(&mut out, path, "/");
                    &rest[name.len()..]
                }
                Some(name) => {
                    let number = if *name == "{line}" { line } else { end_line };
                    write!(out, "{number}").expect("writing to a string cannot fail");
                    &rest[name.len()..]
                }
                None => {
                    out.push_str("%7B");
                    &rest[1..]
                }
            };
        }
        push_percent_encoded(&mut out, rest, URL_PUNCTUATION);
        Self(out)
    }

    /// The target as it stands in a page.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What may stand in a URL besides letters and digits and cannot end a Markdown destination.
const URL_PUNCTUATION: &str = "/:?#@!$&+,;=%";

fn push_percent_encoded(out: &mut String, text: &str, also_kept: &str) {
    for byte in text.bytes() {
        let c = char::from(byte);
        match c.is_ascii_alphanumeric() || "-._~".contains(c) || (byte.is_ascii() && also_kept.contains(c)) {
            true => out.push(c),
            false => write!(out, "%{byte:02X}").expect("writing to a string cannot fail"),
        }
    }
}

/// Escapes a text that is already on one line. What is special only at the start of a block is
/// escaped at the start of the text, because markup before it (`- `, `> `) may have opened one.
fn push_text(out: &mut String, text: &str, bar: &str) {
    let mut before: Option<char> = None;
    let mut rest = text;
    if let Some(mark) = block_mark(text) {
        out.push_str(&text[..mark]);
        out.push('\\');
        out.push_str(&text[mark..=mark]);
        rest = &text[mark + 1..];
        before = text[mark..].chars().next();
    }
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, next)| *next);
        let is_inside_word =
            || before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric);
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' => out.push_str(bar),
            '_' if is_inside_word() => out.push('_'),
            ':' if rest[at..].starts_with("://") => out.push_str("\\:"),
            '.' if is_after_www(before, &rest[..at]) => out.push_str("\\."),
            '\\' | '`' | '*' | '_' | '[' | ']' | '{' | '}' | '~' | '$' | '#' | '!' | '^' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
        before = Some(c);
    }
}

/// The byte offset of the character that would make the text start a list item, a rule, a definition or
/// a heading's underline.
fn block_mark(text: &str) -> Option<usize> {
    if text.starts_with(['-', '+', '=', ':']) {
        return Some(0);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && text[digits..].starts_with(['.', ')'])).then_some(digits)
}

/// GitHub makes a link of a word that starts with `www.`.
fn is_after_www(before: Option<char>, text: &str) -> bool {
    before.is_some_and(|c| c.eq_ignore_ascii_case(&'w'))
        && text.len() >= 3
        && text.is_char_boundary(text.len() - 3)
        && text[text.len() - 3..].eq_ignore_ascii_case("www")
}

fn longest_run(text: &str, wanted: char) -> usize {
    let mut longest = 0;
    let mut current = 0;
    for c in text.chars() {
        current = if c == wanted { current + 1 } else { 0 };
        longest = longest.max(current);
    }
    longest
}
