//! TypeScript, TSX, JavaScript and JSX: how their files are read and how their names resolve.
//!
//! One adapter per dialect turns a file's syntax tree into facts and must never look at another file;
//! one rule set serves them all, because a file of one dialect may import any other. What the
//! language's rules say about names across files stands in `rules`. The literate cases of
//! `fixtures/typescript` and `fixtures/javascript` are the specification of both. Start reading at
//! [`ScriptAdapter`].

mod adapter;
mod manifest;
mod rules;

pub use adapter::ScriptAdapter;
pub use rules::ScriptRules;

use bindery_facts::Language;

/// The adapter of TypeScript.
pub static TYPESCRIPT: ScriptAdapter = ScriptAdapter::new(Language::TypeScript);

/// The adapter of TypeScript with JSX.
pub static TSX: ScriptAdapter = ScriptAdapter::new(Language::Tsx);

/// The adapter of JavaScript, JSX included.
pub static JAVASCRIPT: ScriptAdapter = ScriptAdapter::new(Language::JavaScript);

/// The resolution rules of all dialects.
pub static RULES: ScriptRules = ScriptRules;

// What facts and rules have to agree on, in words that no program can spell.

/// The object whose members are what a file exports.
const EXPORTS: &str = "<exports>";
/// The member of [`EXPORTS`] that stands for all of them (`module.exports = x`, `export = x`).
const WHOLE: &str = "=";
/// Behind a function's name: the object whose members its instances have.
const PROTOTYPE: &str = ".prototype";
/// Behind a function's name: the object that holds its properties.
const PROPERTIES: &str = ".properties";
/// First segment of a path to a declaration of the file, by qualname.
const DECL: &str = "<decl>";
/// First segment of a path to an instance of a class of the file, by qualname.
const THIS: &str = "<this>";
/// First segment of a path to what a module is when it is required, by specifier.
const REQUIRE: &str = "<require>";
/// First segment of a path to the promise of a module, by specifier.
const IMPORT: &str = "<import>";
/// The operator of what a call proves of its first argument.
const PROVEN: &str = "is";
/// The name of what is spread into an object literal.
const SPREAD: &str = "...";
/// The mark of a file that is a module: it imports or exports, so that its names are its own.
const MODULE_MARK: &str = "module";
