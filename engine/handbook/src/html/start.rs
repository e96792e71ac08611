//! The site's start page: what the whole is, its map, the tree of its stages.

use bindery_artifacts::wording::counted;
use maud::{Markup, html};

use super::links::Place;
use super::shell::Shell;
use super::stage_map;
use super::text::{finish, paragraph, prose};
use super::tree::{file_list, stage_tree};
use crate::pages::{IndexPage, OverviewPage};

const PLACE: Place<'static> = Place::Page("");

/// Renders the start page of the site.
pub fn render_start(overview: &OverviewPage, index: &IndexPage) -> String {
    let main = html! {
        (introduction(overview, PLACE))
        section aria-labelledby="all-stages" {
            h2 #all-stages { "All stages" }
            (stage_tree(&index.entries, PLACE))
        }
        (left_over(index))
    };
    let (name, title) = (overview.name.as_str(), overview.name.as_str());
    finish(Shell { place: PLACE, name, title, tree: None, main }.document())
}

/// What stands at the start in both forms.
pub(super) fn introduction(page: &OverviewPage, place: Place<'_>) -> Markup {
    html! {
        header.intro {
            h1 { (page.name) }
            (prose("lead", "system-overview", "", &page.overview))
        }
        section aria-labelledby="map-heading" {
            h2 #map-heading { "Map" }
            (stage_map::stage_map(page, place))
            @if page.has_registers {
                p { a href=(place.registers()) { "State registers" } " list the state that several stages share." }
            }
        }
    }
}

/// The files that are on no page.
pub(super) fn left_over(index: &IndexPage) -> Markup {
    let unassigned = index.unassigned.iter().map(|file| (file.as_str(), ""));
    let unscanned = index.unscanned.iter().map(|(file, reason)| (file.as_str(), reason.as_str()));
    html! {
        (file_list("Files without a stage", unassigned))
        (file_list("Files that could not be read", unscanned))
        @if index.entries.is_empty() { (paragraph("muted", "There is no stage with files.")) }
    }
}

/// How many stages and files the tree holds.
pub(super) fn extent(index: &IndexPage) -> String {
    let files =
        index.entries.iter().filter(|entry| entry.depth == 0).map(|entry| u64::from(entry.files)).sum();
    let stages = counted(index.entries.len() as u64, "stage");
    format!("{stages}, {}", counted(files, "file"))
}
