//! Rust: bytes to facts ([`ADAPTER`]) and facts to edges.
//!
//! This crate must never look at more than one file's syntax at a time; what other files say is asked
//! for through `bindery_graph::Lookup`. Start reading at `adapter` for syntax, at `rules` for resolution.

mod adapter;
mod manifest;
mod rules;

use bindery_facts::{FileFacts, Manifest};
use bindery_source::Language;
use bindery_syntax::Adapter;

pub use rules::{RULES, RustRules};

/// The adapter of Rust.
pub static ADAPTER: RustAdapter = RustAdapter;

/// Reads Rust sources and `Cargo.toml`.
pub struct RustAdapter;

impl Adapter for RustAdapter {
    fn language(&self) -> Language {
        Language::Rust
    }

    fn grammar(&self) -> tree_sitter::Language {
        tree_sitter_rust::LANGUAGE.into()
    }

    fn type_kinds(&self) -> &'static [&'static str] {
        &["struct", "enum", "trait", "alias", "other"]
    }

    fn call_node_kinds(&self) -> &'static [&'static str] {
        &["call_expression", "struct_expression"]
    }

    fn call_nodes_in_splices(&self, source: &str, tree: &tree_sitter::Tree) -> u32 {
        adapter::call_nodes_in_macros(source, tree)
    }

    fn facts(&self, source: &str, tree: &tree_sitter::Tree) -> FileFacts {
        adapter::facts(source, tree)
    }

    fn manifest_names(&self) -> &'static [&'static str] {
        &["Cargo.toml"]
    }

    fn manifest(&self, _file_name: &str, text: &str) -> Manifest {
        manifest::read(text)
    }
}
