//! Library data: what typing needs to know of a language's built-in and standard types, as text.
//!
//! One declaration a line; the indentation says what stands inside what. Types are written alike for
//! all languages:
//!
//! ```text
//! prelude Option Vec Iterator           names available without an import
//! mod std::collections                  what follows lives in this module
//! struct HashMap<K, V>                  or: class interface trait enum alias
//!   fn new() -> Self                    without `self`: belongs to the type
//!   fn get(self, Q) -> Option<V>
//! impl<K, V> IntoIterator for HashMap<K, V>
//!   type Item = (K, V)
//! fn drop(T)                            a function of the module
//! ```
//!
//! The text becomes an ordinary [`Summary`] of one virtual file named [`LIBRARY`], so that look-up,
//! inheritance and substitution treat library declarations like any other; only classification tells
//! them apart.
