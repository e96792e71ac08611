//! Go source to facts.
//!
//! [`reader`] walks the flat tree once, with one file for each part of the language; names are made
//! unique and values that cannot be followed are taken back at the end ([`finish`]).
//!
//! # Names
//!
//! `func f` is `f`, `func (t *T) m` is `T.m`, a member of an interface `I.m`, a type inside a function
//! `f.T`, a function literal bound to a name `f.name`. Several functions of one name in a file (`init`,
//! `_`) carry `#1`, `#2` …. Methods of a type that is declared in another file stand in a block
//! `impl#T`, a struct type without a name is called `<top declaration>.struct#n`: neither is a symbol.
//!
//! # Conventions behind the facts
//!
//! * An import without a name binds `ImportBinding::Own`: the package clause decides. `.` is a glob.
//! * The file's marks are `package name` and, if there is one, `build constraint`.
//! * `map[K]V` is the path `map<K, V>`, `chan T` is `chan<T>`; pointers are references.
//! * A type that is defined by another (`type A B`) has that as its target; so has an alias.
//! * A struct's embedded types are its supertypes as well as fields of their name.
//! * Iterating gives a tuple: what one, and what two loop variables take.
//! * The value of a variable that is assigned again, and of every package variable, stands below the
//!   operation `=`: its type is known, but not which function it is.

mod declarations;
mod docs;
mod expressions;
mod finish;
mod kinds;
mod locals;
mod reader;
mod sites;
mod statements;
mod types;

use bindery_facts::FileFacts;
use bindery_syntax::{FlatTree, NoSplice};

use kinds::TABLES;
use reader::Reader;

/// The facts of a file.
pub(crate) fn facts(source: &str, tree: &tree_sitter::Tree) -> FileFacts {
    let flat = FlatTree::new(&TABLES, tree, &mut NoSplice);
    let mut reader = Reader::new(&flat, source);
    flat.walk(&mut reader);
    reader.finish()
}
