//! Text of a declaration or call as it is shown: folded, shortened, and by line.

use std::ops::Range;

/// The most characters of a signature.
const SIGNATURE_LIMIT: usize = 300;
/// The most characters of a callee's text.
const RAW_LIMIT: usize = 120;

/// Where the lines of a text begin.
pub struct LineTable {
    starts: Vec<u32>,
    count: u32,
}

impl LineTable {
    /// Finds the lines of `text`, whose line ends are line feeds.
    pub fn new(text: &str) -> Self {
        let feeds = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts: Vec<u32> = std::iter::once(0).chain(feeds.map(|(at, _)| at as u32 + 1)).collect();
        let open_line = u32::from(!text.is_empty() && !text.ends_with('\n'));
        let count = starts.len() as u32 - 1 + open_line;
        Self { starts, count }
    }

    /// The line, from 1, that byte position `at` lies on.
    pub fn line(&self, at: u32) -> u32 {
        self.starts.partition_point(|start| *start <= at) as u32
    }

    /// The last line, from 1, of the part of the text that ends before byte position `end`.
    pub fn last_line(&self, start: u32, end: u32) -> u32 {
        self.line(end.saturating_sub(1).max(start))
    }

    /// Lines in the text; a last line without a line feed counts.
    pub fn count(&self) -> u32 {
        self.count
    }
}

/// `text` on one line: every run of white space becomes one space, none at the ends.
pub fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// `source[range]` on one line like [`folded`], with each of `replaced` (sorted, disjoint, inside
/// `range`) written as its replacement: comments as nothing, argument lists as `(…)`.
pub fn folded_with(source: &str, range: Range<u32>, replaced: &[(Range<u32>, &str)]) -> String {
    let mut text = String::new();
    let mut at = range.start;
    for (part, replacement) in replaced {
        if part.start < at || part.end > range.end {
            continue;
        }
        text.push_str(slice(source, at..part.start));
        text.push_str(replacement);
        at = part.end;
    }
    text.push_str(slice(source, at..range.end));
    folded(&text)
}

fn slice(source: &str, range: Range<u32>) -> &str {
    source.get(range.start as usize..range.end as usize).unwrap_or_default()
}

/// A declaration's head on one line, at most 300 characters, the name always in it.
///
/// `attributes` (decorators; may be empty) and `head` are already [`folded`]; `name` stands in `head`.
/// What is too long is cut at the end and closed with `…`. Where that would cut the name, first the
/// attributes are left out, then what stands before the name, and the text begins with `…`.
pub fn signature(attributes: &str, head: &str, name: &str) -> String {
    let name_end = head.find(name).map_or(0, |at| at + name.len());
    let end_in_head = head[..name_end].chars().count();
    let whole = if attributes.is_empty() { head.to_owned() } else { format!("{attributes} {head}") };
    let lead = whole.chars().count() - head.chars().count();
    if whole.chars().count() <= SIGNATURE_LIMIT || lead + end_in_head < SIGNATURE_LIMIT {
        return cut_end(&whole, SIGNATURE_LIMIT);
    }
    if end_in_head + 1 < SIGNATURE_LIMIT {
        return cut_end(&if lead > 0 { format!("…{head}") } else { head.to_owned() }, SIGNATURE_LIMIT);
    }
    cut_end(&format!("…{}", &head[name_end - name.len()..]), SIGNATURE_LIMIT)
}

fn cut_end(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some(_) => {
            let keep = text.char_indices().nth(limit - 1).map_or(0, |(at, _)| at);
            format!("{}…", text[..keep].trim_end())
        }
    }
}

/// A callee's text on one line, at most 120 characters.
///
/// `replaced` as in [`folded_with`]: the caller passes argument lists as `(…)` and comments as nothing.
/// White space before a `.` that continues a chain is dropped. What is too long is cut at the front,
/// because the name called stands at the end.
pub fn raw(source: &str, range: Range<u32>, replaced: &[(Range<u32>, &str)]) -> String {
    raw_after("", source, range, replaced)
}

/// As [`raw`], with the text of what stands before `range`: in a chain of calls each goes on from the
/// text of the one before, instead of from the whole chain again.
pub fn raw_after(before: &str, source: &str, range: Range<u32>, replaced: &[(Range<u32>, &str)]) -> String {
    let rest = folded_with(source, range, replaced).replace(" .", ".").replace(" ?.", "?.");
    let text = format!("{before}{rest}");
    let length = text.chars().count();
    if length <= RAW_LIMIT {
        return text;
    }
    let from = text.char_indices().nth(length - RAW_LIMIT + 1).map_or(0, |(at, _)| at);
    format!("…{}", &text[from..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_an_editor_does() {
        assert_eq!(LineTable::new("").count(), 0);
        assert_eq!(LineTable::new("a").count(), 1);
        assert_eq!(LineTable::new("a\n").count(), 1);
        assert_eq!(LineTable::new("a\n\nb").count(), 3);
        let table = LineTable::new("ab\ncd\n");
        assert_eq!([0, 2, 3, 5].map(|at| table.line(at)), [1, 1, 2, 2]);
        assert_eq!(table.last_line(0, 3), 1, "a part that ends with its line feed ends on that line");
    }

    #[test]
    fn replaced_parts_and_white_space_fold() {
        let source = "a\n  .b(1, 2)\n  .c";
        assert_eq!(raw(source, 0..source.len() as u32, &[(6..12, "(…)")]), "a.b(…).c");
        assert_eq!(folded(" a \n\t b "), "a b");
    }

    #[test]
    fn long_callees_keep_their_end() {
        let source = format!("{}.last", "x".repeat(200));
        let text = raw(&source, 0..source.len() as u32, &[]);
        assert_eq!(text.chars().count(), 120);
        assert!(text.starts_with("…xx") && text.ends_with(".last"));
    }

    #[test]
    fn signatures_always_hold_the_name() {
        assert_eq!(signature("#[inline]", "fn f()", "f"), "#[inline] fn f()");
        let long = format!("fn f({})", "a, ".repeat(200));
        let cut = signature("", &long, "f");
        assert!(cut.starts_with("fn f(a, a") && cut.ends_with('…') && cut.chars().count() <= 300, "{cut}");
        let attribute = format!("#[doc({})]", "x".repeat(300));
        assert_eq!(signature(&attribute, "struct Name;", "Name"), "…struct Name;");
        let buried = format!("extern \"{}\" fn deep()", "C".repeat(400));
        assert_eq!(signature("", &buried, "deep"), "…deep()");
    }
}
