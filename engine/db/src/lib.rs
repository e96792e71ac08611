//! The salsa database: which derived values depend on which inputs, within one process.
//!
//! Inputs are one value per file and one per lookup key. A key's input is made when it is first asked
//! for, filled from the [`Lookup`] the database was opened with: in a cold process that reads the state
//! on disk, so only what the affected files ask for ever becomes an input. Whoever changes a file tells
//! the database which keys changed ([`Database::apply`]); salsa then re-runs exactly the resolutions
//! that asked for them. What ran is in [`Database::take_executed`].
//!
//! This is the only crate that knows salsa. It must never touch the disk or the clock. Start reading
//! at [`Database`].

mod database;
mod queries;

pub use database::{Database, Executed, FileChange};
