//! Supervised child processes for work that may hang, eat memory or crash: parsing.
//!
//! A worker is the same binary, started with an argument that makes it call [`serve`]. Requests and
//! answers are opaque bytes in frames with length and checksum over stdin and stdout. The pool notices
//! death and silence, kills, restarts, and never leaves a child behind: a worker ends itself when its
//! stdin closes, also in the middle of its work, so even `kill -9` of the parent cleans up.

mod child;
mod frame;
mod pool;
mod serve;

pub use pool::{Answer, Ending, PATIENCE, WorkerCommand, WorkerPool, patience_with};
pub use serve::{end_worker, serve};
