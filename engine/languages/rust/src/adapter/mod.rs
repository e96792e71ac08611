//! Rust source to facts.
//!
//! The way of a file: [`macros`] fills the flat tree and puts readable macro arguments in place of their
//! tokens; [`reader`] walks it once, with one file for each part of the language; names are made unique
//! and unused expressions dropped at the end.
//!
//! # Names
//!
//! `fn f` in `impl T` is `T.f`, in `trait T` too; a nested function `outer.inner`; a variant `Enum.Variant`;
//! a closure bound by `let` is named like a nested function. An impl block is `impl#T` or `impl#Trait for T`,
//! a macro `name!`: both cannot clash with a symbol. Members that share a qualname are told apart by the
//! trait (`T.fmt(Display)`), then by its arguments (`T.from(From<A>)`), then by the whole self type
//! (`T<u8>.f`); types that share a name with a function carry `(type)`, modules `(mod)`; what is left
//! (alternatives under `#[cfg]`) carries `#1`, `#2` ….
//!
//! # Conventions behind the facts
//!
//! * `self` is a parameter, so it is an `Expr::Name`, bound as receiver.
//! * An identifier pattern that begins with an upper-case letter is a constant or variant and binds nothing.
//! * An `async` block is a call without arguments of an async closure: awaiting it gives the body's value.
//! * `vec![…]` is a list display, `[…]` an array display. Other macros are `Expr::MacroCall`.
//! * Declarations and imports inside functions are bindings that hold from byte 0, because their order
//!   does not matter; a glob import is bound under the name `*`.
//! * The invocation of a macro is no call site: what it calls is in its body.

//!
//! # Cost
//!
//! Measured as instructions (callgrind, 16 files of ripgrep and tokio, 270 KB): the walk and the facts
//! take 41 % of what the parse takes, half of it tree-sitter's cursor; reading the arguments of macros
//! takes 18 % more, nearly all of it parsing them.

mod attributes;
mod calls;
mod exprs;
mod imports;
mod items;
mod kinds;
mod macros;
mod patterns;
mod prune;
mod reader;
mod select;
mod types;

use bindery_facts::FileFacts;
use bindery_syntax::FlatTree;

use kinds::TABLES;
use macros::MacroArguments;
use reader::Reader;

/// The facts of a file.
pub(crate) fn facts(source: &str, tree: &tree_sitter::Tree) -> FileFacts {
    let flat = FlatTree::new(&TABLES, tree, &mut MacroArguments::new(source));
    let mut reader = Reader::new(&flat, source);
    flat.walk(&mut reader);
    reader.finish()
}

/// How many calls and struct literals stand inside macros and could be read.
pub(crate) fn call_nodes_in_macros(source: &str, tree: &tree_sitter::Tree) -> u32 {
    let mut macros = MacroArguments::new(source);
    FlatTree::new(&TABLES, tree, &mut macros);
    macros.call_nodes
}
