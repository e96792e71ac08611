//! The HTML handbook: from the page models to a site of several pages, or to a single page.
//!
//! Every function here goes from a model of [`crate::pages`] to a text, so that a page is rendered again
//! exactly when what it shows changes. The site's pages show no other stage's title but those their model
//! names: the tree beside them comes from `navigation.js`, the search from one script per stage.
//!
//! Nothing here is requested from anywhere but the site's own directory, and everything can be read without
//! JavaScript. Text of the repository gets into a page only through maud's slots, which escape, and what a
//! reader could not see is made visible on the finished text ([`text::finish`]). Links are built by
//! [`links`] alone.
//!
//! Start reading at [`render_stage`].

mod card;
#[cfg(test)]
mod hostile;
mod layering;
mod links;
mod navigation;
mod policy;
mod register;
mod search;
mod shell;
mod single;
mod stage;
mod stage_map;
mod start;
#[cfg(test)]
pub(crate) mod tests;
mod text;
mod tree;

pub use navigation::navigation;
#[cfg(test)]
pub(crate) use policy::{SINGLE as SINGLE_POLICY, SITE as SITE_POLICY};
pub use register::render_register;
pub use search::search_shard;
pub use single::{render_single, single_section};
pub use stage::render_stage;
pub use start::render_start;

const STYLE: &str = include_str!("assets/style.css");
const SCRIPT: &str = include_str!("assets/bindery.js");

/// The files every site has, by their paths in the site's directory.
pub const fn assets() -> &'static [(&'static str, &'static str)] {
    &[("assets/bindery.js", SCRIPT), ("assets/style.css", STYLE)]
}
