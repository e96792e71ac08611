//! What all pages share: head, top bar, the tree beside the text.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::links::Place;
use super::{SCRIPT, STYLE, policy};

/// An open book, drawn here.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%238c2f39'/%3E%3Cpath d='M16 10c-3-2-6-2-9-2v14c3 0 6 0 9 2 3-2 6-2 9-2V8c-3 0-6 0-9 2zm0 0v14' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E";

/// A page to be put together.
pub(super) struct Shell<'a> {
    /// Where it is.
    pub(super) place: Place<'a>,
    /// The handbook's name; empty if the page does not know it.
    pub(super) name: &'a str,
    /// What the page is called.
    pub(super) title: &'a str,
    /// The tree of stages, if the page carries it.
    pub(super) tree: Option<Markup>,
    /// Everything else.
    pub(super) main: Markup,
}

impl Shell<'_> {
    /// The whole page.
    pub(super) fn document(self) -> Markup {
        let kind = if self.place == Place::Single { "single" } else { "site" };
        html! {
            (DOCTYPE)
            html lang="en" data-bindery=(kind) {
                (self.head())
                body {
                    a.skip href="#main" { "Skip to content" }
                    (self.bar())
                    div.layout {
                        nav #sidebar.sidebar aria-label="Stages" {
                            @if let Some(tree) = &self.tree { (tree) }
                        }
                        main #main tabindex="-1" { (self.main) }
                    }
                }
            }
        }
    }

    fn head(&self) -> Markup {
        html! {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                @match self.place {
                    Place::Single => {
                        meta http-equiv="Content-Security-Policy" content=(*policy::SINGLE);
                        (self.title_and_icon())
                        style { (PreEscaped(STYLE)) }
                        script { (PreEscaped(SCRIPT)) }
                    }
                    Place::Page(_) => {
                        meta http-equiv="Content-Security-Policy" content=(policy::SITE);
                        (self.title_and_icon())
                        link rel="stylesheet" href="assets/style.css";
                        script src="navigation.js" {}
                        script src="assets/bindery.js" {}
                    }
                }
            }
        }
    }

    fn title_and_icon(&self) -> Markup {
        html! {
            title {
                (self.title)
                @if !self.name.is_empty() && self.name != self.title { " · " (self.name) }
            }
            link rel="icon" href=(PreEscaped(ICON));
        }
    }

    fn bar(&self) -> Markup {
        let name = if self.name.is_empty() { "Handbook" } else { self.name };
        html! {
            header.bar {
                button #menu.icon-button type="button" aria-expanded="false" aria-controls="sidebar" {
                    (symbol("M3 6h18M3 12h18M3 18h18")) span.hidden { "Stages" }
                }
                a.brand href=(self.place.start()) {
                    (symbol("M12 6c-3-2-6-2-9-2v14c3 0 6 0 9 2 3-2 6-2 9-2V4c-3 0-6 0-9 2zm0 0v14"))
                    span #brand-name { (name) }
                }
                (search_box())
                button #theme.icon-button type="button" aria-label="Theme: as the system" {
                    (symbol("M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18"))
                }
            }
        }
    }
}

/// The search box, which scripts bring to life; without them it is not shown.
fn search_box() -> Markup {
    html! {
        div.search role="search" {
            label.hidden for="search-input" { "Search symbols, files and stages" }
            input #search-input type="text" role="combobox" aria-expanded="false" aria-controls="search-results"
                aria-autocomplete="list" autocomplete="off" autocapitalize="off" spellcheck="false"
                placeholder="Search symbols, files, stages";
            kbd aria-hidden="true" { "/" }
            div #search-results role="listbox" aria-label="Search results" hidden {}
            p #search-status.hidden role="status" aria-live="polite" {}
        }
    }
}

/// An icon of one stroke on a grid of 24.
fn symbol(path: &'static str) -> Markup {
    html! {
        svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false" {
            path d=(path) fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"
                stroke-linejoin="round" {}
        }
    }
}
