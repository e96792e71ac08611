//! The handbook on one page.

use maud::{Markup, PreEscaped, html};

use super::links::{Place, stage_anchor};
use super::shell::Shell;
use super::stage::Section;
use super::start::{extent, introduction, left_over};
use super::text::finish;
use super::{register, tree};
use crate::pages::{IndexPage, OverviewPage, RegisterPage, StagePage};

const PLACE: Place<'static> = Place::Single;

/// Renders one stage as a section of the single page.
pub fn single_section(page: &StagePage, link_template: &str) -> String {
    let section = Section { page, place: PLACE, template: link_template, level: 2 };
    let markup = html! {
        section.stage id=(stage_anchor(&page.page)) { (section.introduction()) (section.body()) }
    };
    finish(markup)
}

/// Renders the single page around its stages, as [`single_section`] rendered them, in reading order.
pub fn render_single(
    overview: &OverviewPage,
    index: &IndexPage,
    registers: Option<&RegisterPage>,
    sections: &[String],
) -> String {
    let main = html! {
        (introduction(overview, PLACE))
        p.muted { (extent(index)) }
        @for section in sections { (PreEscaped(section)) }
        @if let Some(page) = registers { (register_section(page)) }
        (left_over(index))
    };
    let tree = Some(tree::sidebar(&index.entries, PLACE));
    let (name, title) = (overview.name.as_str(), overview.name.as_str());
    finish(Shell { place: PLACE, name, title, tree, main }.document())
}

fn register_section(page: &RegisterPage) -> Markup {
    html! {
        section #registers {
            h2 { "State registers" }
            (register::table(page, PLACE))
        }
    }
}
