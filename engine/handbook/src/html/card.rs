//! The card of one file: what it is, its types, its functions with callers and callees.

use bindery_artifacts::Role;
use bindery_artifacts::wording::counted;
use bindery_source::{RepoPath, module_path};
use maud::{Markup, html};

use super::links::{Place, source};
use super::stage::Section;
use super::text::{heading, paragraph, prose, qualname};
use crate::pages::{
    CalleeReference, FileCard, FunctionEntry, LinkedReference, PageLink, SourceLink, TypeEntry, role_words,
};

/// References that are shown at once; the others can be unfolded.
const SHOWN: usize = 12;

/// A file's card.
pub(super) fn file_card(card: &FileCard, section: &Section<'_>) -> Markup {
    // Ids of the same file are shown without what they share with the card's own path.
    let module = format!("{}.", module_path(&RepoPath::new(&card.path)));
    html! {
        article.card id=(card.anchor) {
            (heading(section.level + 2, &html! {
                a href=(source(section.template, &card.path, 1, 1)) { code { (card.path) } }
            }))
            (prose("purpose", "purpose", &card.path, &card.purpose))
            @if let Some(description) = &card.description {
                (prose("description", "description", &card.path, description))
            }
            (marks(card, section))
            (types(&card.types, section))
            (functions(&card.functions, section, &module))
        }
    }
}

fn marks(card: &FileCard, section: &Section<'_>) -> Markup {
    let has_role = card.role != Role::Other;
    let has_lifecycle = card.lifecycle != "none";
    html! {
        @if has_role || has_lifecycle || !card.also.is_empty() {
            ul.marks {
                @if has_role { li { span.hidden { "Role: " } span.badge { (role_words(card.role)) } } }
                @if has_lifecycle { li { span.muted { "Lifecycle: " } (card.lifecycle) } }
                @if !card.also.is_empty() { li { (also(&card.also, section)) } }
            }
        }
        @if let Some(line) = card.first_error {
            p.note {
                b { "Incomplete: " }
                "the parser did not understand the file from line " (line) " on; what is listed here is real, "
                "but something may be missing."
            }
        }
    }
}

fn also(stages: &[PageLink], section: &Section<'_>) -> Markup {
    html! {
        span.muted { "Also used by " }
        @for (at, link) in stages.iter().enumerate() {
            @if at > 0 { ", " }
            a href=(section.place.stage(&link.page)) { (link.title) }
        }
    }
}

fn lines(link: &SourceLink, template: &str) -> Markup {
    html! {
        a.lines href=(source(template, &link.path, link.line, link.end_line)) {
            @if link.line == link.end_line { "line " (link.line) }
            @else { "lines " (link.line) "–" (link.end_line) }
        }
    }
}

fn types(types: &[TypeEntry], section: &Section<'_>) -> Markup {
    html! {
        @if !types.is_empty() {
            (heading(section.level + 3, &html! { "Types" }))
            ul.types {
                @for entry in types {
                    li id=(entry.anchor) {
                        span.kind { (entry.kind) } " " (qualname(&entry.qualname)) " "
                        (lines(&entry.source, section.template))
                        (paragraph("doc", &entry.doc))
                    }
                }
            }
        }
    }
}

fn functions(functions: &[FunctionEntry], section: &Section<'_>, module: &str) -> Markup {
    html! {
        @if !functions.is_empty() {
            (heading(section.level + 3, &html! { "Functions" }))
            div.functions { @for entry in functions { (function(entry, section, module)) } }
        }
    }
}

/// The anchor is inside of what is folded away: browsers unfold it when a link leads there.
fn function(entry: &FunctionEntry, section: &Section<'_>, module: &str) -> Markup {
    let called: Vec<&LinkedReference> = entry.callees.iter().filter_map(internal).collect();
    let outside: Vec<&str> = entry.callees.iter().filter_map(boundary).collect();
    let place = section.place;
    html! {
        details.function {
            summary {
                (qualname(&entry.qualname))
                @if !entry.doc.is_empty() { " " span.doc { (entry.doc) } }
                " " span.count { (counted(entry.callers.len() as u64, "caller")) }
            }
            div.detail id=(entry.anchor) {
                pre { code { (entry.signature) } }
                p { "Declared in " (lines(&entry.source, section.template)) }
                (function_prose(entry))
                dl {
                    dt { "Called by" }
                    dd { (references(&entry.callers.iter().collect::<Vec<_>>(), |item| reference(item, place, module))) }
                    dt { "Calls" }
                    dd { (references(&called, |item| reference(item, place, module))) }
                    @if !outside.is_empty() {
                        dt { "Calls outside" }
                        dd { (references(&outside, |id| html! { code { (id) } })) }
                    }
                }
            }
        }
    }
}

/// What a model wrote; what it left empty is left out.
fn function_prose(entry: &FunctionEntry) -> Markup {
    html! {
        @if let Some(prose) = &entry.prose {
            (paragraph("prose", &prose.text.purpose))
            (paragraph("prose", &prose.text.data_flow))
            (paragraph("prose", &prose.text.relations))
        }
    }
}

fn internal(callee: &CalleeReference) -> Option<&LinkedReference> {
    match callee {
        CalleeReference::Internal(reference) => Some(reference),
        CalleeReference::Boundary(_) => None,
    }
}

fn boundary(callee: &CalleeReference) -> Option<&str> {
    match callee {
        CalleeReference::Internal(_) => None,
        CalleeReference::Boundary(id) => Some(id.strip_prefix("boundary:").unwrap_or(id)),
    }
}

/// An empty list is said, not left out.
fn references<T: Copy>(items: &[T], show: impl Fn(T) -> Markup) -> Markup {
    let (first, more) = items.split_at(items.len().min(SHOWN));
    let list = |items: &[T]| html! { ul.references { @for item in items { li { (show(*item)) } } } };
    html! {
        @if items.is_empty() { span.muted { "none found" } } @else { (list(first)) }
        @if !more.is_empty() { details.more { summary { (more.len()) " more" } (list(more)) } }
    }
}

fn reference(reference: &LinkedReference, place: Place<'_>, module: &str) -> Markup {
    let shown = reference.id.strip_prefix(module).unwrap_or(&reference.id);
    html! {
        @match place.reference(reference) {
            Some(href) => a href=(href) { code { (shown) } },
            None => code { (shown) },
        }
    }
}
