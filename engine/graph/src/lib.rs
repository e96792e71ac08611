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

mod indexed_unit;
mod lookup;
mod resolution;
mod rules;
mod unit;

pub use indexed_unit::IndexedUnit;
pub use lookup::{Lookup, MapLookup, Recorder};
pub use resolution::*;
pub use rules::{Rules, resolve};
pub use unit::{Contents, Item, Key, MODULE_NAME, Offer, Provided, Unit, offers};

pub use bindery_facts::Name;
