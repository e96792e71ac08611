//! Java: how its files are read and how its names resolve.
//!
//! [`JavaAdapter`] turns one file's syntax tree into facts and must never look at another file. What the
//! language says about names across files stands in `rules`. The literate cases of `fixtures/java` are
//! the specification of both; "JLS" in comments is the Java Language Specification, Java SE 21 edition.
//! Start reading at [`JavaAdapter`].

mod adapter;
mod manifest;
mod rules;

pub use adapter::JavaAdapter;
pub use rules::JavaRules;

/// The adapter of Java.
pub static ADAPTER: JavaAdapter = JavaAdapter;

/// The resolution rules of Java.
pub static RULES: JavaRules = JavaRules;
