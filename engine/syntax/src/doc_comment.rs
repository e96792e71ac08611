//! Doc comments as plain text.

use crate::text::folded;

/// The most characters kept of a file's own doc comment.
const FILE_DOC_LIMIT: usize = 2_000;

/// The first paragraph of a doc text on one line; none if there is no text.
pub fn first_paragraph(doc: &str) -> Option<String> {
    let lines = doc.lines().map(str::trim);
    let paragraph: Vec<&str> =
        lines.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty()).collect();
    (!paragraph.is_empty()).then(|| folded(&paragraph.join(" ")))
}

/// The leading paragraphs of a file's doc text, lines kept, as many as fit 2,000 characters and at
/// least a part of the first; none if there is no text.
pub fn leading_paragraphs(doc: &str) -> Option<String> {
    let mut out = String::new();
    for paragraph in doc.trim().split("\n\n").map(|part| part.trim_matches('\n')) {
        let length = out.chars().count() + paragraph.chars().count() + 2;
        if !out.is_empty() && length > FILE_DOC_LIMIT {
            break;
        }
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        out.extend(paragraph.chars().take(FILE_DOC_LIMIT));
    }
    (!out.is_empty()).then_some(out)
}

/// Takes the common indentation off all lines but the first, and white space off every line's end,
/// as Python's `inspect.cleandoc` describes it.
pub fn dedented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let margin = text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let mut lines = text.lines();
    let mut out = lines.next().unwrap_or_default().trim().to_owned();
    for line in lines {
        out.push('\n');
        out.push_str(line.get(margin..).unwrap_or_default().trim_end());
    }
    out.trim_matches('\n').to_owned()
}

/// The text of a block comment's inside: each line without the white space and the one `*` that lead
/// it, where all lines but the first have one.
pub fn without_stars(inside: &str) -> String {
    let starred =
        inside.lines().skip(1).all(|line| line.trim().is_empty() || line.trim_start().starts_with('*'));
    if !starred {
        return dedented(inside);
    }
    let mut lines = Vec::new();
    for (number, line) in inside.lines().enumerate() {
        let line = if number == 0 { line.trim() } else { line.trim().trim_start_matches('*') };
        lines.push(line.strip_prefix(' ').unwrap_or(line));
    }
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs() {
        assert_eq!(first_paragraph("\n One\n two.\n\nThree"), Some("One two.".to_owned()));
        assert_eq!(first_paragraph(" \n"), None);
        assert_eq!(leading_paragraphs("a\nb\n\nc\n"), Some("a\nb\n\nc".to_owned()));
        let long = format!("{}\n\nsecond", "x".repeat(1_995));
        assert_eq!(leading_paragraphs(&long).map(|doc| doc.len()), Some(1_995));
    }

    #[test]
    fn stars_and_indentation_go() {
        assert_eq!(without_stars(" One\n * two\n *\n *   three\n "), "One\ntwo\n\n  three");
        assert_eq!(without_stars("One\n    * item\n  text"), "One\n  * item\ntext");
        assert_eq!(dedented("One\n\n    two\n      three\n    "), "One\n\ntwo\n  three");
    }
}
