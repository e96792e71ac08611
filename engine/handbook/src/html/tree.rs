//! The tree of stages, nested as the stages are.

use bindery_artifacts::wording::counted;
use maud::{Markup, PreEscaped, html};

use super::links::Place;
use crate::pages::IndexEntry;

/// Trees of more stages than this are folded at first.
const UNFOLDED: usize = 30;

/// The whole tree with what is known of each stage; parts can be folded away.
pub(super) fn stage_tree(entries: &[IndexEntry], place: Place<'_>) -> Markup {
    level(entries, place, entries.len() <= UNFOLDED)
}

fn level(entries: &[IndexEntry], place: Place<'_>, is_open: bool) -> Markup {
    html! {
        @if !entries.is_empty() {
            ul.tree {
                @for (entry, parts) in children(entries) {
                    li {
                        div.tree-row {
                            a href=(place.stage(&entry.link.page)) { (entry.link.title) }
                            @if entry.crosscut { " " span.badge { "crosscut" } }
                            span.count { (counted(entry.files.into(), "file")) }
                            @if !entry.description.is_empty() { p.muted { (entry.description) } }
                        }
                        @if !parts.is_empty() {
                            details open[is_open] {
                                summary { (counted(children(parts).len() as u64, "part")) }
                                (level(parts, place, is_open))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The tree beside the text: titles alone.
pub(super) fn sidebar(entries: &[IndexEntry], place: Place<'_>) -> Markup {
    html! {
        ul {
            @for (entry, parts) in children(entries) {
                li {
                    a href=(place.stage(&entry.link.page)) { (entry.link.title) }
                    @if !parts.is_empty() { (sidebar(parts, place)) }
                }
            }
        }
    }
}

/// The outermost entries, each with those below it.
fn children(entries: &[IndexEntry]) -> Vec<(&IndexEntry, &[IndexEntry])> {
    let mut found = Vec::new();
    let mut rest = entries;
    while let Some((entry, behind)) = rest.split_first() {
        let below = behind.iter().take_while(|other| other.depth > entry.depth).count();
        found.push((entry, &behind[..below]));
        rest = &behind[below..];
    }
    found
}

/// A list of files, if there are any.
pub(super) fn file_list<'f>(
    title: &'static str,
    files: impl ExactSizeIterator<Item = (&'f str, &'f str)>,
) -> Markup {
    let count = files.len();
    html! {
        @if count > 0 {
            section {
                h2 { (title) }
                details open[count <= 20] {
                    summary { (counted(count as u64, "file")) }
                    ul.files {
                        @for (file, reason) in files {
                            li { code { (file) } @if !reason.is_empty() { (PreEscaped(" — ")) (reason) } }
                        }
                    }
                }
            }
        }
    }
}
