//! What a page of this crate links to and what can be linked to on it, read off its text.

use crate::pages::PageLinks;

/// Reads links and anchors off a page that this crate rendered: text of the repository is escaped there, so
/// ` href="` and ` id="` are always ours.
pub fn page_links(page: &str) -> PageLinks {
    let mut links = PageLinks::default();
    for (at, _) in page.match_indices(" href=\"") {
        links.targets.push(value(&page[at + 7..]));
    }
    for (at, _) in page.match_indices(" id=\"") {
        links.anchors.insert(value(&page[at + 5..]));
    }
    links
}

/// An attribute's value up to its closing quote, its references resolved.
fn value(rest: &str) -> String {
    let value = rest.split('"').next().unwrap_or_default();
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")]
        .iter()
        .fold(value.to_owned(), |value, (reference, meant)| value.replace(reference, meant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_anchors_are_found_and_text_is_not() {
        let page = "<a href=\"x.html?a=1&amp;b#c\" id=\"d\">t</a> href=&quot;no&quot;";
        let links = page_links(page);
        assert_eq!(links.targets, ["x.html?a=1&b#c"]);
        assert_eq!(links.anchors.into_iter().collect::<Vec<_>>(), ["d"]);
    }
}
