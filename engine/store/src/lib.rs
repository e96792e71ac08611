//! The only crate that touches the disk, the clock, the environment, other processes and git.
//!
//! It carries bytes and paths and does not know what they mean: no language, no query engine, no format
//! but its own. Unix only: paths are bytes, links are refused by the kernel.
//!
//! Where to start reading:
//! - [`fs`]: the file system trait and its implementations; everything below is written against it.
//! - [`select`]: which files of a repository count.
//! - [`changed_since`]: the gate that finds out that nothing changed.
//! - [`WorkDir`], [`ContentStore`]: the cache and the state between runs.
//! - [`outputs`]: writing the handbook and the exports without losing anybody's file.
//! - [`replace_all`]: several of the user's files replaced, all or none.
//! - [`workers`]: child processes for dangerous work.

mod cache;
mod environment;
mod error;
pub mod fs;
mod gate;
mod git;
mod lock;
pub mod outputs;
mod place;
mod reading;
mod resources;
pub mod select;
mod signals;
mod stamp;
#[cfg(test)]
mod tests;
mod transaction;
mod user_files;
mod watch;
mod work_dir;
pub mod workers;
mod writing;

pub use cache::{BlobRef, Commit, ContentStore, HeadVersion, StoreCheck, StoreStats};
pub use environment::Environment;
pub use error::{ErrorKind, Operation, StoreError, StoreResult, found};
pub use gate::{EntryChange, GateMode, KnownEntry, changed_since};
pub use git::{GitCommit, GitLocation};
pub use lock::{HeldLock, Holder};
pub use place::{Directory, DiskPath, native_path};
pub use reading::{FileRead, hash_file, read_file, read_head};
pub use resources::{Stopwatch, peak_memory, peak_memory_of_children, prefer_small_pages, unix_time};
pub use signals::{Interrupt, Signal};
pub use stamp::RacyStamp;
pub use transaction::{Replacement, Undone, is_interrupted, replace_all, undo_interrupted};
pub use user_files::{exists, read_user_file, remove_user_file, write_user_file, write_user_program};
pub use watch::Watcher;
pub use work_dir::{LOCK_WAIT, WorkDir};
pub use writing::{Durability, create_directories, write_atomically};
