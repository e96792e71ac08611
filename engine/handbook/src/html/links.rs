//! Where links lead. Every `href` of a page is a [`Href`], and only this module makes them.

use bindery_artifacts::escape::LinkTarget;
use maud::Render;

use crate::pages::{LinkedReference, register_anchor};

/// The target of a link: relative, an anchor, or `http(s)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Href(String);

impl Render for Href {
    fn render_to(&self, buffer: &mut String) {
        self.0.render_to(buffer);
    }
}

/// Where a text stands, which decides how its links to the rest of the handbook are spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place<'a> {
    /// On a page of the site, by the name of its Markdown page.
    Page(&'a str),
    /// On the single page.
    Single,
}

impl Place<'_> {
    /// A stage, by the name of its Markdown page.
    pub(super) fn stage(self, page: &str) -> Href {
        match self {
            Place::Page(_) => Href(LinkTarget::path(&site_page(page)).as_str().to_owned()),
            Place::Single => Self::anchor(&stage_anchor(page)),
        }
    }

    /// A symbol or file; none if it is on no page.
    pub(super) fn reference(self, reference: &LinkedReference) -> Option<Href> {
        let (page, anchor) = reference.place.as_ref()?;
        Some(match self {
            Place::Page(own) if own != page => {
                Href(LinkTarget::path(&site_page(page)).with_anchor(anchor).as_str().to_owned())
            }
            _ => Self::anchor(anchor),
        })
    }

    /// A register's row.
    pub(super) fn register(self, id: &str) -> Href {
        let anchor = register_anchor(id);
        match self {
            Place::Page(_) => {
                Href(LinkTarget::path("register.html").with_anchor(&anchor).as_str().to_owned())
            }
            Place::Single => Self::anchor(&anchor),
        }
    }

    /// The start page.
    pub(super) fn start(self) -> Href {
        Href(if self == Place::Single { "#main" } else { "index.html" }.to_owned())
    }

    /// The table of registers.
    pub(super) fn registers(self) -> Href {
        Href(if self == Place::Single { "#registers" } else { "register.html" }.to_owned())
    }

    /// A place on the same page.
    pub(super) fn anchor(anchor: &str) -> Href {
        Href(LinkTarget::path("").with_anchor(anchor).as_str().to_owned())
    }
}

/// Lines of a source file. The template may come from anywhere: a scheme other than `http(s)` becomes part
/// of a relative path.
pub(super) fn source(template: &str, path: &str, line: u32, end_line: u32) -> Href {
    let target = LinkTarget::from_template(template, path, line, end_line);
    let target = target.as_str();
    let first = target.split(['/', '?', '#']).next().unwrap_or_default();
    let is_web = ["https://", "http://"].iter().any(|scheme| target.starts_with(scheme));
    Href(match first.contains(':') && !is_web {
        true => format!("./{target}"),
        false => target.to_owned(),
    })
}

/// The page of the site for a Markdown page.
pub(super) fn site_page(page: &str) -> String {
    format!("{}.html", stem(page))
}

/// The name that a stage's files share.
pub(super) fn stem(page: &str) -> &str {
    page.strip_suffix(".md").unwrap_or(page)
}

/// The stage's anchor on the single page. Anchors of symbols, files and registers start otherwise.
pub(super) fn stage_anchor(page: &str) -> String {
    format!("stage-{}", stem(page))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_template_leads_to_a_foreign_scheme() {
        let link = |template| source(template, "a b:c.rs", 3, 5).0;
        assert_eq!(link("../{path}#L{line}-L{end_line}"), "../a%20b%3Ac.rs#L3-L5");
        assert_eq!(link("https://h.org/{path}"), "https://h.org/a%20b%3Ac.rs");
        assert_eq!(link("javascript:alert(1)//{path}"), "./javascript:alert%281%29//a%20b%3Ac.rs");
        assert_eq!(link("JavaScript:{path}"), "./JavaScript:a%20b%3Ac.rs");
        assert_eq!(link("data:text/html,{path}"), "./data:text/html,a%20b%3Ac.rs");
        assert_eq!(link("{path}"), "a%20b%3Ac.rs");
    }

    #[test]
    fn links_within_a_page_are_anchors() {
        let reference = |page: &str| LinkedReference {
            id: "x".to_owned(),
            place: Some((page.to_owned(), "s-x-1".to_owned())),
        };
        let href = |place: Place<'_>, page| place.reference(&reference(page)).map(|href| href.0);
        assert_eq!(href(Place::Page("queue.md"), "queue.md").as_deref(), Some("#s-x-1"));
        assert_eq!(href(Place::Page("queue.md"), "worker.md").as_deref(), Some("worker.html#s-x-1"));
        assert_eq!(href(Place::Single, "worker.md").as_deref(), Some("#s-x-1"));
        assert_eq!(Place::Single.stage("worker.md").0, "#stage-worker");
        assert_eq!(Place::Page("queue.md").stage("worker.md").0, "worker.html");
    }
}
