//! The table of registers.

use maud::{Markup, html};

use super::links::Place;
use super::shell::Shell;
use super::text::finish;
use crate::pages::{RegisterPage, RegisterRow, register_anchor};

/// Renders the table of registers.
pub fn render_register(page: &RegisterPage) -> String {
    let place = Place::Page("register.md");
    let main = html! {
        nav.breadcrumb aria-label="Breadcrumb" {
            ol {
                li { a href=(place.start()) { "Start" } }
                li { span aria-current="page" { "State registers" } }
            }
        }
        header.intro {
            h1 { "State registers" }
            p.lead { "State that more than one stage touches." }
        }
        (table(page, place))
    };
    finish(Shell { place, name: &page.name, title: "State registers", tree: None, main }.document())
}

/// The table alone.
pub(super) fn table(page: &RegisterPage, place: Place<'_>) -> Markup {
    html! {
        div.table {
            table.registers {
                thead {
                    tr {
                        th scope="col" { "Register" }
                        th scope="col" { "Meaning" }
                        th scope="col" { "Stages" }
                    }
                }
                tbody { @for row in &page.rows { (register(row, place)) } }
            }
        }
    }
}

fn register(row: &RegisterRow, place: Place<'_>) -> Markup {
    html! {
        tr id=(register_anchor(&row.id)) {
            th scope="row" { code { (row.id) } }
            td data-label="Meaning" { (row.semantics) }
            td data-label="Stages" {
                ul.ids {
                    @for stage in &row.stages { li { a href=(place.stage(&stage.page)) { (stage.title) } } }
                }
            }
        }
    }
}
