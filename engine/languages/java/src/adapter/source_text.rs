//! What is read off the text itself: comments, and the documentation before a declaration.

use std::ops::Range;

use bindery_syntax::doc_comment::without_stars;

/// The comments inside a part of the source, each to be replaced by nothing.
pub(super) fn comments(source: &str, range: Range<u32>) -> Vec<(Range<u32>, &'static str)> {
    let text = source.get(range.start as usize..range.end as usize).unwrap_or_default();
    let mut found = Vec::new();
    if !text.contains("//") && !text.contains("/*") {
        return found;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text.as_bytes()[at..];
        let length = match rest {
            [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => block_length(rest),
            [quote @ (b'"' | b'\''), ..] => {
                at += quoted_length(rest, *quote);
                continue;
            }
            _ => {
                at += 1;
                continue;
            }
        };
        let start = range.start + at as u32;
        found.push((start..start + length as u32, ""));
        at += length;
    }
    found
}

fn block_length(text: &[u8]) -> usize {
    text.windows(2).skip(2).position(|pair| pair == b"*/").map_or(text.len(), |at| at + 4)
}

fn quoted_length(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            byte if byte == quote || byte == b'\n' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// The documentation comment that stands before the declaration at byte `start`, markers removed, up to
/// its first block tag. Other comments may stand between.
pub(super) fn doc_before(source: &str, start: u32) -> Option<String> {
    let mut before = source.get(..start as usize)?;
    loop {
        before = before.trim_end();
        if let Some(open) = before.strip_suffix("*/") {
            let begin = open.rfind("/*")?;
            // `/**/` is an empty comment that is no documentation.
            if let Some(doc) = open[begin..].strip_prefix("/**") {
                return Some(plain_text(&without_stars(doc))).filter(|doc| !doc.is_empty());
            }
            before = &before[..begin];
            continue;
        }
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        if !before[line..].trim_start().starts_with("//") {
            return None;
        }
        before = &before[..line];
    }
}

/// Javadoc text without inline tags, HTML elements and block tags; a paragraph element is a blank line.
fn plain_text(doc: &str) -> String {
    let main = doc.lines().take_while(|line| !line.trim_start().starts_with('@'));
    let text = main.collect::<Vec<_>>().join("\n");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['{', '<', '}']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (shown, length) = markup(rest);
        out.push_str(shown);
        rest = &rest[length..];
    }
    out.push_str(rest);
    let paragraphs = out.split("\n\n").map(|paragraph| paragraph.trim_matches('\n'));
    let paragraphs: Vec<&str> = paragraphs.filter(|paragraph| !paragraph.trim().is_empty()).collect();
    decoded(paragraphs.join("\n\n").trim())
}

/// What a piece of markup at the start of `text` shows, and its length in bytes.
fn markup(text: &str) -> (&str, usize) {
    if let Some(inside) = text.strip_prefix("{@") {
        // The text behind the tag's name stays; the brace that closes it is dropped when it is met.
        let name = inside.find(|c: char| c.is_whitespace() || c == '}').unwrap_or(inside.len());
        let gap = inside[name..].len() - inside[name..].trim_start().len();
        return ("", 2 + name + gap);
    }
    match text.as_bytes() {
        [b'}', ..] => ("", 1),
        [b'<', next, ..] if next.is_ascii_alphabetic() || *next == b'/' => match text.find('>') {
            Some(end) if is_paragraph(&text[1..end]) => ("\n\n", end + 1),
            Some(end) => ("", end + 1),
            None => (&text[..1], 1),
        },
        _ => (&text[..1], 1),
    }
}

fn is_paragraph(element: &str) -> bool {
    let name = element.trim_start_matches('/').split_whitespace().next().unwrap_or_default();
    matches!(name.to_ascii_lowercase().as_str(), "p" | "p/" | "ul" | "ol" | "pre" | "li" | "table" | "br")
}

fn decoded(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_found_outside_strings() {
        let source = "f(\"a//b\", '\"', /* one */ c) // two";
        let found: Vec<&str> = comments(source, 0..source.len() as u32)
            .into_iter()
            .map(|(range, _)| &source[range.start as usize..range.end as usize])
            .collect();
        assert_eq!(found, ["/* one */", "// two"]);
    }

    fn doc(before: &str) -> Option<String> {
        doc_before(before, before.len() as u32)
    }

    #[test]
    fn documentation_before_a_declaration() {
        assert_eq!(doc("/** One.\n * Two.\n *\n * @param x no\n */\n  "), Some("One.\nTwo.".to_owned()));
        assert_eq!(doc("/** A. */\n// note\n/* more */\n"), Some("A.".to_owned()));
        assert_eq!(doc("int x; // A\n"), None);
        assert_eq!(doc("/**/"), None);
        assert_eq!(doc("/* A */"), None);
        assert_eq!(
            doc("/** See {@link Foo the foo} and <b>{@code a}</b> &lt; b.<p>More */"),
            Some("See Foo the foo and a < b.\n\nMore".to_owned())
        );
    }
}
