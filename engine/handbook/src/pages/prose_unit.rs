//! Prose on a page stands between comment markers, so that it can be found again.

use bindery_artifacts::escape::Markdown;

use crate::naming::short_hash;

const OPEN: &str = "<!-- bindery:prose ";
const OPEN_END: &str = " -->\n";
const CLOSE: &str = "\n<!-- /bindery:prose -->\n";

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
pub(crate) fn unit_key(subject: &str) -> String {
    short_hash(subject, 16)
}

/// Adds a paragraph of prose with its markers; an empty text leaves an empty unit.
pub(crate) fn push_unit(page: &mut Markdown, kind: &'static str, subject: &str, text: &str) {
    page.markup(OPEN).markup(kind).markup(" ").text(&unit_key(subject)).markup(OPEN_END);
    page.text(text).markup(CLOSE);
}

/// Every unit of a page, in order.
pub fn prose_units(page: &str) -> Vec<ProseUnit> {
    let mut units = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once(OPEN) {
        let Some((head, body)) = after.split_once(OPEN_END) else { break };
        let Some((markdown, behind)) = body.split_once(CLOSE) else { break };
        if let Some((kind, key)) = head.split_once(' ') {
            let [kind, key, markdown] = [kind, key, markdown].map(str::to_owned);
            units.push(ProseUnit { kind, key, markdown });
        }
        rest = behind;
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
}
