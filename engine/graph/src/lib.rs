//! Scoping and resolution: from the facts of one file, and what other files offer, to call edges.
//!
//! A file *offers* (key, item) pairs ([`offers`]); another file's resolution *needs* keys, which it
//! can only get at through a [`Lookup`] and which are recorded there, misses included. An item is
//! position-free, and its fingerprint covers all that a reader of the item can observe. From
//! changed keys follows exactly which files must be resolved again.
//!
//! Import chains, base classes and impl targets are followed from offers as written, on demand, with
//! a visited set against cycles; there is no published intermediate stratum that could go stale.
//!
//! What differs between languages stands behind [`Rules`]; [`resolve`] is the same for all. This
//! crate must never know a parser, salsa or the disk. Start reading at [`resolve`].

mod call;
mod classify;
pub mod defaults;
mod display;
mod generics;
mod indexed_unit;
mod infer;
mod library;
mod locals;
mod lookup;
mod names;
mod resolution;
mod resolve;
mod rules;
mod session;
mod signature;
#[cfg(test)]
mod tests;
mod ty;
mod unit;
mod uses;
mod written;

pub use display::written_text;
pub use generics::{Learned, bound_callable};
pub use indexed_unit::IndexedUnit;
pub use library::{LIBRARY, Library};
pub use lookup::{Lookup, MapLookup, Recorder};
pub use names::LANGUAGE_GUARD;
pub use resolution::*;
pub use resolve::resolve;
pub use rules::{Builtin, CallView, Construction, Namespace, Reach, Rules, Scoping};
pub use session::Session;
pub use signature::Signature;
pub use ty::*;
pub use unit::{Contents, Item, Key, MODULE_NAME, Offer, Provided, Unit, offered_keys, offers};

pub use bindery_facts::Name;
