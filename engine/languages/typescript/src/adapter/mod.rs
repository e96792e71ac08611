//! From a syntax tree to facts.
//!
//! [`reader`] walks the tree once and hands each node to the file of its concern: [`declarations`] and
//! [`containers`] collect what is declared, [`bindings`] what is bound to names, [`modules`] what is
//! imported and exported, [`expressions`] and [`sites`] lower expressions and calls, [`types`] reads
//! written types, [`jsdoc`] those in comments. [`finish`] puts together what needs the whole file.
//! [`newer_syntax`] rewrites what the grammar does not know yet.

mod bindings;
mod containers;
mod declarations;
mod expressions;
mod finish;
mod jsdoc;
mod kinds;
mod modules;
mod newer_syntax;
mod reader;
mod sites;
pub(crate) mod types;
mod values;

use bindery_facts::{FileFacts, Language, Manifest};
use bindery_syntax::{Adapter, FlatTree, NoSplice};

use crate::manifest;
use reader::Reader;

/// The member that calling a value of an interface runs.
pub(crate) const CALL_MEMBER: &str = "()";

/// Reads one dialect.
pub struct ScriptAdapter {
    language: Language,
}

impl ScriptAdapter {
    pub(crate) const fn new(language: Language) -> Self {
        Self { language }
    }
}

impl Adapter for ScriptAdapter {
    fn language(&self) -> Language {
        self.language
    }

    fn grammar(&self) -> tree_sitter::Language {
        match self.language {
            Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            _ => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        }
    }

    fn type_kinds(&self) -> &'static [&'static str] {
        match self.language {
            Language::JavaScript => &["class"],
            _ => &["class", "interface", "enum", "alias"],
        }
    }

    fn call_node_kinds(&self) -> &'static [&'static str] {
        &["call_expression", "new_expression"]
    }

    /// Components and decorators, which are calls only by what they name.
    fn call_nodes_in_splices(&self, source: &str, tree: &tree_sitter::Tree) -> u32 {
        let mut cursor = tree.walk();
        let mut count = 0;
        loop {
            count += u32::from(is_implied_call(source, cursor.node()));
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return count;
                }
            }
        }
    }

    fn rewritten(&self, source: &str, has_errors: bool) -> Option<String> {
        match self.language {
            Language::JavaScript => None,
            language => newer_syntax::rewritten(source, language == Language::Tsx, has_errors),
        }
    }

    fn facts(&self, source: &str, tree: &tree_sitter::Tree) -> FileFacts {
        let tables = match self.language {
            Language::JavaScript => &kinds::JAVASCRIPT,
            Language::Tsx => &kinds::TSX,
            _ => &kinds::TYPESCRIPT,
        };
        let flat = FlatTree::new(tables, tree, &mut NoSplice);
        let mut reader = Reader::new(self.language, source, &flat);
        flat.walk(&mut reader);
        reader.finish()
    }

    fn manifest_names(&self) -> &'static [&'static str] {
        // One dialect reads them for all.
        match self.language {
            Language::TypeScript => manifest::NAMES,
            _ => &[],
        }
    }

    fn manifest(&self, file_name: &str, text: &str) -> Manifest {
        manifest::read(file_name, text)
    }
}

fn is_implied_call(source: &str, node: tree_sitter::Node<'_>) -> bool {
    match node.kind() {
        "jsx_opening_element" | "jsx_self_closing_element" => {
            node.child_by_field_name("name").is_some_and(|name| {
                matches!(name.kind(), "identifier" | "member_expression")
                    && is_component(source.get(name.byte_range()).unwrap_or_default())
            })
        }
        "decorator" => node.named_child(0).is_some_and(|inner| inner.kind() != "call_expression"),
        _ => false,
    }
}

/// Whether a JSX element's name is that of a component: a capital first or a dot inside.
fn is_component(name: &str) -> bool {
    name.starts_with(char::is_uppercase) || name.contains('.')
}
