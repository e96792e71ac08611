//! Prose on a page stands between comment markers, so that it can be found again: on lines of its own, or within
//! a line where a table or list leaves no other way.

use bindery_artifacts::escape::Markdown;

use crate::naming::short_hash;

const OPEN: &str = "<!-- bindery:prose ";
const OPEN_END: &str = " -->\n";
const CLOSE: &str = "\n<!-- /bindery:prose -->\n";
const INLINE_OPEN_END: &str = " -->";
const INLINE_CLOSE: &str = "<!-- /bindery:prose -->";

/// What stands before a unit within a line. Everything up to the marker is ours on such lines: a register's id has
/// only letters, digits and `-`.
const INLINE_PREFIXES: [&str; 5] =
    ["  - Purpose: ", "  - Data flow: ", "  - Relations: ", "| <a id=\"", "| [`reg-"];

/// A piece of prose found on a page.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ProseUnit {
    /// What it is about (`stage-summary`, `purpose`).
    pub kind: String,
    /// 16 hexadecimal digits that stand for the subject, see [`unit_key`].
    pub key: String,
    /// The text as it stands on the page, escaped.
    pub markdown: String,
}

/// The key of a unit: the hash of what it is about, since an id or path could close the comment.
pub fn unit_key(subject: &str) -> String {
    short_hash(subject, 16)
}

/// Adds a paragraph of prose with its markers; an empty text leaves an empty unit.
pub(crate) fn push_unit(page: &mut Markdown, kind: &'static str, subject: &str, text: &str) {
    page.markup(OPEN).markup(kind).markup(" ").text(&unit_key(subject)).markup(OPEN_END);
    page.text(text).markup(CLOSE);
}

/// Adds prose with its markers within a line.
pub(crate) fn push_inline_unit(page: &mut Markdown, kind: &'static str, subject: &str, text: &str) {
    page.markup(OPEN).markup(kind).markup(" ").text(&unit_key(subject)).markup(INLINE_OPEN_END);
    page.text(text).markup(INLINE_CLOSE);
}

fn inline_unit(line: &str) -> Option<ProseUnit> {
    let rest = INLINE_PREFIXES.iter().find_map(|prefix| line.strip_prefix(prefix))?;
    let (_, behind) = rest.split_once(OPEN)?;
    let (head, behind) = behind.split_once(INLINE_OPEN_END)?;
    let (kind, key) = head.split_once(' ')?;
    let (markdown, _) = behind.split_once(INLINE_CLOSE)?;
    Some(ProseUnit { kind: kind.to_owned(), key: key.to_owned(), markdown: markdown.to_owned() })
}

/// Every unit of a page, in order.
///
/// Markers count only at the start of a line, or behind what only we write there: text of the repository never
/// stands in such places with its `<` as it is, not even in code.
pub fn prose_units(page: &str) -> Vec<ProseUnit> {
    let mut units: Vec<ProseUnit> = Vec::new();
    let mut is_open = false;
    for line in page.lines() {
        let head = line.strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(OPEN_END.trim_end()));
        if let Some((kind, key)) = head.and_then(|head| head.split_once(' ')) {
            units.push(ProseUnit { kind: kind.to_owned(), key: key.to_owned(), markdown: String::new() });
            is_open = true;
        } else if let Some(unit) = inline_unit(line).filter(|_| !is_open) {
            units.push(unit);
        } else if line == CLOSE.trim() {
            is_open = false;
        } else if let (true, Some(unit)) = (is_open, units.last_mut()) {
            unit.markdown.push_str(line);
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_found_again_and_text_cannot_end_them() {
        let mut page = Markdown::new();
        push_unit(&mut page, "purpose", "a --> b", "Says <!-- /bindery:prose --> twice.");
        push_unit(&mut page, "purpose", "b", "");
        let units = prose_units(page.as_str());
        assert_eq!(units.len(), 2);
        assert_eq!(units[0].key, unit_key("a --> b"));
        assert_eq!(units[0].markdown, "Says &lt;\\!-- /bindery:prose --&gt; twice.");
        assert_eq!(units[1].markdown, "");
    }

    #[test]
    fn units_within_a_line_are_found_where_we_put_them() {
        let mut page = Markdown::new();
        page.markup("| <a id=\"reg-a\"></a>`reg-a` | ");
        push_inline_unit(&mut page, "register-semantics", "reg-a", "Holds | all <b>.");
        page.markup(" | x |\n  - Purpose: ");
        push_inline_unit(&mut page, "function-purpose", "a.f", "Runs.");
        page.markup("\n- `<!-- bindery:prose purpose 0 -->x<!-- /bindery:prose -->`\n");
        let units = prose_units(page.as_str());
        let found: Vec<(&str, &str)> =
            units.iter().map(|unit| (unit.kind.as_str(), unit.markdown.as_str())).collect();
        let expected = [("register-semantics", "Holds \\| all &lt;b&gt;."), ("function-purpose", "Runs.")];
        assert_eq!(found, expected);
    }
}
