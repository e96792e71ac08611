//! From a Java syntax tree to facts.
//!
//! [`reader`] walks the tree once and hands each node to the file of its concern: [`scopes`] says what is
//! read where, [`declarations`], [`members`] and [`statements`] collect what is declared and bound,
//! [`expressions`] and [`sites`] lower expressions and calls, [`types`] written types. [`finish`] puts
//! together what needs the whole file.
//!
//! # Conventions behind the facts
//!
//! * The package is a mark of the file: `package a.b`.
//! * A static import is a member import: its last segment is looked up in the type before it.
//! * `f(x)` has an [`bindery_facts::Expr::Name`] as callee, which the rules look up among methods only.
//! * `this(…)` and `super(…)` call the member `<init>` of the receiver or of its superclass.
//! * `outer.new Inner()` calls the member `new Inner` of `outer`.
//! * An enum constant is a variant and constructs its enum; its body, like the body of a class instance
//!   creation, is a class named `<anonymous>`.
//! * The components of a record are parameters of the record's declaration and variables in it; their
//!   accessors are no declarations unless written.
//! * A lambda is a closure without a name: its calls belong to the method around it. A method reference
//!   is a closure that calls the method, and no call site.

mod declarations;
mod expressions;
mod finish;
mod kinds;
mod members;
mod reader;
mod scopes;
mod sites;
mod source_text;
mod statements;
mod types;

use bindery_facts::{FileFacts, Language, Manifest};
use bindery_syntax::{Adapter, FlatTree, NoSplice};

use crate::manifest;
use kinds::TABLES;
use reader::Reader;

/// Reads Java.
pub struct JavaAdapter;

impl Adapter for JavaAdapter {
    fn language(&self) -> Language {
        Language::Java
    }

    fn grammar(&self) -> tree_sitter::Language {
        tree_sitter_java::LANGUAGE.into()
    }

    fn type_kinds(&self) -> &'static [&'static str] {
        &["class", "interface", "record", "enum"]
    }

    fn call_node_kinds(&self) -> &'static [&'static str] {
        &[
            "method_invocation",
            "object_creation_expression",
            "explicit_constructor_invocation",
            "enum_constant",
        ]
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
