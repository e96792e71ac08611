//! Plans: a change written down as Markdown before it is made.
//!
//! A plan is a summary, `### EDIT n` blocks (file, place, `old` text, `new` text) and one JSON block that
//! declares which symbols the edits modify, add and remove:
//!
//! - [`Plan::parse`] reads one, with every problem of its form and the line it stands on.
//! - [`resolve_edits`] holds its edits against the files they name and gives the files as they will be.
//! - [`Draft`] writes the skeleton of one.
//! - [`changed_in_diff`] reads which files a unified diff touches, for cases that come with one.
//!
//! Everything is a function of bytes. This crate must never touch the disk or know a language: whether a
//! declared symbol exists, and which pages change, is for the façade to say.

mod diff;
mod document;
mod draft;
mod edits;
mod lines;
mod problem;
#[cfg(test)]
mod tests;

pub use diff::{DiffChange, changed_in_diff};
pub use document::{Block, Declarations, Edit, Plan};
pub use draft::{Draft, Passage, Target, fence};
pub use edits::{Content, FileEdit, PlacedEdit, Resolved, occurs_once, resolve_edits};
pub use problem::Problem;

/// A plan of more bytes is not read: no person or model writes one, and every edit holds whole passages twice.
pub const LARGEST_PLAN: usize = 16 * 1024 * 1024;

/// Lines of context an `old` block has on each side of what changes, where the file has them.
pub const CONTEXT_LINES: usize = 3;
