//! The Markdown pages: from what is shown to text.
//!
//! Each page is a function of a *page model*, a plain value that holds exactly what the page shows:
//! the engine hashes the model and renders only what it has not rendered before. A model names
//! symbols of other files by id and link, never by line, so that an edit above a function leaves all
//! other pages alone.
//!
//! Links inside the handbook lead to anchors of our own ([`anchor`]), which follow from path and
//! qualname alone: a page can link to a symbol without knowing the file. All text of the repository
//! passes the escaping sinks of `bindery_artifacts::escape`.
//!
//! Start reading at [`stage_page_model`].

mod anchor;
mod links;
mod model;
mod overview;
mod prose_unit;
mod stage;
mod stage_model;
#[cfg(test)]
pub(crate) mod tests;

pub use anchor::{file_anchor, register_anchor, symbol_anchor};
pub use links::{PageLinks, map_links, page_links};
pub use model::{
    CalleeReference, FileCard, FunctionEntry, GroupSection, IndexEntry, IndexPage, LinkedReference,
    OverviewPage, PageLink, ProseOfFunction, RegisterPage, RegisterRow, RegisterTouch, SourceLink, StagePage,
    StageTie, SubstageEntry, TypeEntry,
};
pub use overview::{
    STAMP_END, STAMP_FIELD, render_index, render_overview, render_register, with_stamp, without_stamp,
};
pub use prose_unit::{ProseUnit, prose_units, unit_key};
pub use stage::render_stage;
pub(crate) use stage::role_words;
pub use stage_model::{
    StageContext, StageFile, default_link_template, file_card, index_page_model, overview_page_model,
    page_names, register_page_model, stage_page_model,
};
