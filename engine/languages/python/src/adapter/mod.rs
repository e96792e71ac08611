//! From a Python syntax tree to facts.
//!
//! [`reader`] walks the tree once and hands each node to the file of its concern: [`scopes`] says what
//! is read where, [`declarations`], [`statements`] and [`imports`] collect what is declared and bound,
//! [`expressions`] and [`sites`] lower expressions and calls. [`finish`] puts together what needs the
//! whole file. Written types are read from text by [`type_text`].

mod declarations;
mod expressions;
mod finish;
mod imports;
mod kinds;
mod narrowing;
mod reader;
mod scopes;
mod sites;
mod statements;
mod strings;
mod type_comments;
mod type_text;
mod type_variables;
mod values;

use bindery_facts::{FileFacts, Language, Manifest};
use bindery_syntax::{Adapter, FlatTree, NoSplice};

use crate::manifest;
use kinds::TABLES;
use reader::Reader;

/// Reads Python.
pub struct PythonAdapter;

impl Adapter for PythonAdapter {
    fn language(&self) -> Language {
        Language::Python
    }

    fn grammar(&self) -> tree_sitter::Language {
        tree_sitter_python::LANGUAGE.into()
    }

    fn type_kinds(&self) -> &'static [&'static str] {
        &["class", "alias"]
    }

    fn call_node_kinds(&self) -> &'static [&'static str] {
        &["call"]
    }

    fn facts(&self, source: &str, tree: &tree_sitter::Tree) -> FileFacts {
        let flat = FlatTree::new(&TABLES, tree, &mut NoSplice);
        let mut reader = Reader::new(source, &flat);
        flat.walk(&mut reader);
        reader.finish()
    }

    fn manifest_names(&self) -> &'static [&'static str] {
        manifest::NAMES
    }

    fn manifest(&self, file_name: &str, text: &str) -> Manifest {
        manifest::read(file_name, text)
    }
}
