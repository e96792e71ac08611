//! The exports of phase 1: `graph.json`, `functions.csv`, `graph.dot`, `dropped-calls.json` and
//! `scan-coverage.json`.
//!
//! They are made in two steps of pure functions. [`fragment`] turns one file into finished lines, so
//! that files can be worked on side by side and an unchanged file's lines be kept. [`assemble`] sorts
//! the lines of all files into the exports and fills in what only all files together know: who calls
//! whom from elsewhere, the names outside the set, the counts.
//!
//! A fragment depends on nothing but its own file's view and the ids of the symbols that view names.
//! Start reading at [`fragment`].

mod assemble;
mod fragment;
mod naming;

pub use assemble::{Export, ScanMetadata, assemble};
pub use fragment::{FileFragment, fragment};

#[cfg(test)]
mod tests;
