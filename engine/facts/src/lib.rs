//! What is read off one file's bytes: declarations, imports, variables, expressions, call sites.
//!
//! A [`FileFacts`] is a pure function of bytes and language; the path stays out, so a renamed or
//! copied file keeps its facts. It has two halves. The [`Summary`] is position-free and is all that
//! other files may ever see: editing a body leaves it equal. The [`Bodies`] hold what happens inside
//! functions, with positions. [`DeclText`] runs parallel to the declarations and is for display.
//!
//! Expressions are lowered into one small language-neutral tree ([`Expr`]), types into another
//! ([`TypeExpr`]); resolution never sees a syntax tree. This crate must never know a parser, a
//! language's rules, or the disk. Start reading at [`FileFacts`].

mod body;
mod codec;
mod expr;
mod pack;
mod stored;
mod summary;

pub use bindery_source::{Language, Name};
pub use body::*;
pub use codec::{DecodeError, decode, encode};
pub use expr::*;
pub use summary::*;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Everything known of one file from its own bytes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FileFacts {
    /// The position-free half, the only one other files may look into.
    pub summary: Arc<Summary>,
    /// Display data of each declaration, parallel to `summary.decls`.
    pub texts: Vec<DeclText>,
    /// The position-bearing half.
    pub bodies: Bodies,
    /// The file's own doc comment (module docstring, `//!`): its first paragraphs, markers removed.
    pub doc: Option<String>,
    /// Lines in the file; a last line without a line feed counts.
    pub line_count: u32,
    /// The line (from 1) of the first error or missing node, if the tree has one: the file is *partial*.
    pub first_error: Option<u32>,
    /// Whether the file is a program's start: `if __name__ == "__main__"`, `fn main`.
    pub is_entry_point: bool,
    /// Whether the file is nothing but tests by the language's own marks (`#[cfg(test)]` on the file,
    /// a test framework's class), apart from what its path says.
    pub is_test: bool,
}

/// What a page shows of a declaration; parallel to [`Summary::decls`].
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct DeclText {
    /// First line of the declaration's own span, attributes and decorators included, from 1.
    pub line_start: u32,
    /// Last line of the span, from 1.
    pub line_end: u32,
    /// The line the name stands on, from 1.
    pub name_line: u32,
    /// The declaration head on one line, white space folded, at most 300 characters ending in `…`
    /// if cut, the name always in it (see `bindery_syntax::signature`).
    pub signature: String,
    /// The doc comment's first paragraph, markers removed, one line.
    pub doc: Option<String>,
}
