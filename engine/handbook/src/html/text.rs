//! Pieces of text that several pages show.

use bindery_artifacts::escape::visible;
use maud::{Markup, PreEscaped, html};

use crate::pages::unit_key;

/// The text of a finished page: characters that nobody can see, or that reorder what is seen, are shown as
/// escapes. Our own markup holds none, so those of a page are all the repository's.
pub(super) fn finish(page: Markup) -> String {
    let text = page.into_string();
    let text = if text.contains('\r') { text.replace('\r', "\\u{d}") } else { text };
    let mut text = visible(&text).into_owned();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// A paragraph of prose between markers, by which it can be found again; empty if there is none.
pub(super) fn prose(class: &str, kind: &'static str, subject: &str, text: &str) -> Markup {
    let open = format!("<!--bindery:prose {kind} {}-->", unit_key(subject));
    html! {
        p class=(class) { (PreEscaped(open)) (text) (PreEscaped("<!--/bindery:prose-->")) }
    }
}

/// A paragraph, if there is anything to say.
pub(super) fn paragraph(class: &str, text: &str) -> Markup {
    html! {
        @if !text.trim().is_empty() { p class=(class) { (text) } }
    }
}

/// A heading of level 1 to 6.
pub(super) fn heading(level: u8, content: &Markup) -> Markup {
    html! {
        @match level {
            1 => h1 { (content) },
            2 => h2 { (content) },
            3 => h3 { (content) },
            4 => h4 { (content) },
            5 => h5 { (content) },
            _ => h6 { (content) },
        }
    }
}

/// A qualname with its last name standing out.
pub(super) fn qualname(name: &str) -> Markup {
    let head = name.find('(').unwrap_or(name.len());
    let (owner, own) = name.split_at(name[..head].rfind('.').map_or(0, |dot| dot + 1));
    html! { code.name { (owner) b { (own) } } }
}

/// An id or path that may go on in the next line after any of its parts.
pub(super) fn breakable(id: &str) -> Markup {
    html! { @for part in id.split_inclusive(['.', '/', ':']) { (part) wbr; } }
}
