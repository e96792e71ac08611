//! The files Bindery reads and writes: their types, schemas, validation and canonical text, and the
//! sinks that repository text must pass to get into any of them.
//!
//! Three parts, each on its own: the types (one per file, at the root of this crate), reading
//! ([`mod@read`], which names file, line, what was found and what is allowed) and writing ([`mod@write`],
//! one text for one value). Text of the repository enters an output only through [`escape`], and
//! file names made from it only through [`names`].
//!
//! This crate must never touch the disk, know a language, a parser, the pipeline or salsa. Start
//! reading at [`Kind`], the list of files with a schema.

pub mod escape;
pub mod files;
mod kind;
pub mod names;
pub mod read;
pub mod sarif;
mod types;
pub mod wording;
pub mod write;

pub use kind::{Artifact, Kind, SCHEMA_NAMES, Syntax, schema};
pub use types::*;
