//! The page of one stage, and the same as a section of the single page.

use bindery_artifacts::wording::counted;
use maud::{Markup, html};

use super::card::file_card;
use super::links::{Href, Place, stage_anchor};
use super::shell::Shell;
use super::text::{breakable, finish, heading, paragraph, prose};
use crate::pages::{FileCard, GroupSection, PageLink, RegisterTouch, StagePage};

/// A table of more registers than this is folded at first: the files are what most readers come for.
const UNFOLDED_REGISTERS: usize = 5;

/// A stage that is being rendered.
pub(super) struct Section<'a> {
    pub(super) page: &'a StagePage,
    pub(super) place: Place<'a>,
    /// How links to source files are spelled.
    pub(super) template: &'a str,
    /// The level of the stage's own heading.
    pub(super) level: u8,
}

/// Renders the page of one stage. `link_template` is the one for the site's directory.
pub fn render_stage(page: &StagePage, link_template: &str) -> String {
    let place = Place::Page(&page.page);
    let section = Section { page, place, template: link_template, level: 1 };
    let main = html! {
        (breadcrumb(&page.above, &page.title, place))
        header.intro { (section.introduction()) }
        (section.contents())
        (section.body())
        (section.next())
    };
    finish(Shell { place, name: "", title: &page.title, tree: None, main }.document())
}

fn breadcrumb(above: &[PageLink], title: &str, place: Place<'_>) -> Markup {
    html! {
        nav.breadcrumb aria-label="Breadcrumb" {
            ol {
                li { a href=(place.start()) { "Start" } }
                @for link in above { li { a href=(place.stage(&link.page)) { (link.title) } } }
                li { span aria-current="page" { (title) } }
            }
        }
    }
}

impl Section<'_> {
    /// Title and prose.
    pub(super) fn introduction(&self) -> Markup {
        let page = self.page;
        html! {
            (heading(self.level, &html! { (page.title) }))
            @if page.crosscut { p { span.badge { "crosscut" } " Serves many other stages." } }
            (prose("lead", "stage-summary", &page.id, &page.summary))
            (paragraph("muted", &page.description))
        }
    }

    /// Everything behind the introduction.
    pub(super) fn body(&self) -> Markup {
        html! {
            (self.substages())
            (self.registers())
            @for (at, group) in self.page.groups.iter().enumerate() { (self.group(at, group)) }
        }
    }

    /// The files on the page, if there are enough to lose one's way.
    fn contents(&self) -> Markup {
        let files = self.page.groups.iter().map(|group| group.cards.len()).sum::<usize>();
        html! {
            @if files > 1 {
                nav.toc aria-labelledby="toc-heading" {
                    h2 #toc-heading { "On this page" }
                    @for (at, group) in self.page.groups.iter().enumerate() {
                        p { a href=(self.group_link(at)) { (group.title) } }
                        ul {
                            @for card in &group.cards {
                                li { a href=(Place::anchor(&card.anchor)) { (short_path(card)) } }
                            }
                        }
                    }
                }
            }
        }
    }

    fn substages(&self) -> Markup {
        let parts = &self.page.substages;
        html! {
            @if !parts.is_empty() {
                section {
                    (heading(self.level + 1, &html! { "Sub-stages" }))
                    ul.tiles {
                        @for part in parts {
                            li {
                                a href=(self.place.stage(&part.link.page)) { (part.link.title) }
                                (paragraph("muted", &part.description))
                            }
                        }
                    }
                }
            }
        }
    }

    fn registers(&self) -> Markup {
        let registers = &self.page.registers;
        html! {
            @if !registers.is_empty() {
                section {
                    (heading(self.level + 1, &html! { "State registers" }))
                    details open[registers.len() <= UNFOLDED_REGISTERS] {
                        summary { (counted(registers.len() as u64, "register")) }
                        (self.register_table(registers))
                    }
                }
            }
        }
    }

    fn register_table(&self, registers: &[RegisterTouch]) -> Markup {
        html! {
            div.table {
                table {
                    thead {
                        tr {
                            @for title in ["Register", "Meaning", "Read by", "Written by"] {
                                th scope="col" { (title) }
                            }
                        }
                    }
                    tbody { @for register in registers { (self.register(register)) } }
                }
            }
        }
    }

    fn register(&self, register: &RegisterTouch) -> Markup {
        html! {
            tr {
                th scope="row" { a href=(self.place.register(&register.id)) { code { (register.id) } } }
                td data-label="Meaning" { (register.semantics) }
                td data-label="Read by" { (symbol_ids(&register.readers)) }
                td data-label="Written by" { (symbol_ids(&register.writers)) }
            }
        }
    }

    fn group(&self, at: usize, group: &GroupSection) -> Markup {
        html! {
            section.group id=(self.group_anchor(at)) {
                (heading(self.level + 1, &html! { (group.title) }))
                (paragraph("muted", &group.summary))
                @for card in &group.cards { (file_card(card, self)) }
            }
        }
    }

    /// Titles of groups may be equal, so their places tell them apart.
    fn group_anchor(&self, at: usize) -> String {
        match self.place {
            Place::Page(_) => format!("group-{}", at + 1),
            Place::Single => format!("{}-group-{}", stage_anchor(&self.page.page), at + 1),
        }
    }

    fn group_link(&self, at: usize) -> Href {
        Place::anchor(&self.group_anchor(at))
    }

    fn next(&self) -> Markup {
        html! {
            @if let Some(next) = &self.page.next {
                nav.next aria-label="Reading order" {
                    a rel="next" href=(self.place.stage(&next.page)) {
                        span.muted { "Next" } " " b { (next.title) }
                    }
                }
            }
        }
    }
}

/// The last two names of the path: enough to tell `mod.rs` from `mod.rs`.
fn short_path(card: &FileCard) -> &str {
    let cut = card.path.rmatch_indices('/').nth(1);
    cut.map_or(card.path.as_str(), |(at, _)| &card.path[at + 1..])
}

fn symbol_ids(ids: &[String]) -> Markup {
    html! {
        @if ids.is_empty() { "—" } @else { ul.ids { @for id in ids { li { code { (breakable(id)) } } } } }
    }
}
