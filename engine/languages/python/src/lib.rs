//! Python: how its files are read and how its names resolve.
//!
//! [`PythonAdapter`] turns one file's syntax tree into facts and must never look at another file. What
//! the language's rules say about names across files stands in `rules`. The literate cases of
//! `fixtures/python` are the specification of both. Start reading at [`PythonAdapter`].

mod adapter;
mod manifest;
mod rules;

pub use adapter::PythonAdapter;
pub use rules::PythonRules;

/// The adapter of Python.
pub static ADAPTER: PythonAdapter = PythonAdapter;

/// The resolution rules of Python.
pub static RULES: PythonRules = PythonRules;
