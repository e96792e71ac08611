//! Go: bytes to facts ([`ADAPTER`]) and facts to edges ([`RULES`]).
//!
//! This crate must never look at more than one file's syntax at a time; what other files say is asked
//! for through `bindery_graph::Lookup`. Start reading at `adapter` for syntax, at `rules` for resolution.
//! The literate cases of `fixtures/go` are the specification of both.

mod adapter;
mod manifest;
mod rules;

use bindery_facts::{FileFacts, Manifest};
use bindery_source::Language;
use bindery_syntax::Adapter;

pub use rules::{GoRules, RULES};

/// The adapter of Go.
pub static ADAPTER: GoAdapter = GoAdapter;

/// Reads Go sources, `go.mod` and `go.work`.
pub struct GoAdapter;

impl Adapter for GoAdapter {
    fn language(&self) -> Language {
        Language::Go
    }

    fn grammar(&self) -> tree_sitter::Language {
        tree_sitter_go::LANGUAGE.into()
    }

    fn type_kinds(&self) -> &'static [&'static str] {
        &["struct", "interface", "alias", "other"]
    }

    fn call_node_kinds(&self) -> &'static [&'static str] {
        &["call_expression", "composite_literal", "type_conversion_expression"]
    }

    fn facts(&self, source: &str, tree: &tree_sitter::Tree) -> FileFacts {
        adapter::facts(source, tree)
    }

    fn manifest_names(&self) -> &'static [&'static str] {
        &["go.mod", "go.work"]
    }

    fn manifest(&self, _file_name: &str, text: &str) -> Manifest {
        manifest::read(text)
    }
}
