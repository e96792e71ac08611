//! From one file's bytes to its facts: the adapter interface, the guards and limits of parsing, and
//! what all adapters share (signatures, raw callee text, doc comments, a cursor walk).
//!
//! This crate must never look at another file, know salsa, or touch the disk. Start reading at
//! [`Adapter`].

mod allocator;
mod decode;
pub mod doc_comment;
mod flat_tree;
mod guard;
mod limits;
mod marks;
mod parse;
mod qualname;
pub mod text;
mod worker;

pub use allocator::exit_when_over_limit;
pub use decode::{NotText, SourceText};
pub use flat_tree::*;
pub use guard::{Refusal, Route, WORKER_BRACKET_DEPTH, WORKER_FILE_BYTES, WORKER_OPEN_ANGLES, route};
pub use limits::Limits;
pub use marks::{is_lfs_pointer, is_marked_generated, is_minified};
pub use parse::{
    Cancelled, Cost, Exceeded, Parsed, Stop, new_parser, parse, parse_observed, parse_source, parse_tree,
};
pub use qualname::{Claim, Prefix, Spelling, unique_qualnames};
pub use worker::{
    OVER_MEMORY_EXIT, OVER_WORK_EXIT, PARSER_DIED, PackedFacts, Verdict, WorkerAnswer, WorkerEnd,
    WorkerRequest, judge,
};

use bindery_facts::{FileFacts, Manifest};
use bindery_source::Language;

/// What Bindery knows of a language's syntax. One value per language, in the language's own crate.
pub trait Adapter: Sync {
    /// The language.
    fn language(&self) -> Language;

    /// The grammar.
    fn grammar(&self) -> tree_sitter::Language;

    /// Whether the facts are read off precisely, or by patterns (the generic tier).
    fn is_precise(&self) -> bool {
        true
    }

    /// The kinds of types the adapter extracts, in the words of `bindery_facts::DeclKind::type_kind`.
    fn type_kinds(&self) -> &'static [&'static str];

    /// The node kinds that are call sites; a test counts them independently of the walk.
    fn call_node_kinds(&self) -> &'static [&'static str];

    /// How many call sites the adapter found in text that the grammar leaves unparsed (macro
    /// arguments), so that a test can tell them from those it counts in the tree.
    fn call_nodes_in_splices(&self, source: &str, tree: &tree_sitter::Tree) -> u32 {
        let _ = (source, tree);
        0
    }

    /// A text that the grammar has errors in, or misreads, in words that it knows, if the adapter has any: as many
    /// bytes, with the same line ends, so that a position means the same in both. Its tree is taken if it has fewer
    /// errors or none.
    fn rewritten(&self, source: &str, has_errors: bool) -> Option<String> {
        let _ = (source, has_errors);
        None
    }

    /// Reads the facts off a tree. `source` is the text the tree was parsed from (or what that was
    /// rewritten from): valid UTF-8, no BOM, LF line ends.
    fn facts(&self, source: &str, tree: &tree_sitter::Tree) -> FileFacts;

    /// File names of package manifests and tool configurations that resolution reads as data.
    fn manifest_names(&self) -> &'static [&'static str];

    /// Reads such a file; never executes anything.
    fn manifest(&self, file_name: &str, text: &str) -> Manifest;
}
