//! The vocabulary of places: repository paths, content hashes and languages.
//!
//! Everything here is a plain value. This crate must never read a file, ask the environment or know
//! any other crate of the workspace. Start reading at [`RepoPath`].

mod hash;
mod language;
mod path;

pub use hash::{ContentHash, Digest64, KeyHasher};
pub use language::Language;
pub use path::{RepoPath, module_path};

/// The name of a symbol, attribute, parameter or module, as the source spells it.
pub type Name = smol_str::SmolStr;
