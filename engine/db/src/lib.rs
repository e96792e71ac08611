//! The salsa database: which derived values depend on which inputs, within one process.
//!
//! Inputs are one content hash per file and one value per lookup key. A key's input is made when it is
//! first asked for, filled from the [`Source`] the database was opened with: in a cold process that
//! reads the state on disk, so only what the affected files ask for ever becomes an input. Facts are
//! fetched by content hash inside the query and dropped after it, which keeps a full build's memory flat. Whoever changes a file tells
//! the database which keys changed ([`Database::apply`]); salsa then re-runs exactly the resolutions
//! that asked for them. What ran is in [`Database::take_executed`].
//!
//! This is the only crate that knows salsa. It must never touch the disk or the clock. Start reading
//! at [`Database`].

mod database;
mod queries;

pub use database::{Database, Executed, FileChange, Source};
pub use queries::Resolved;
