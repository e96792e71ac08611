//! Bindery inside a `build.rs`: the handbook of a crate at its compile time.
//!
//! ```text
//! // build.rs
//! fn main() {
//!     bindery_build::Handbook::of_package().write();
//! }
//!
//! // src/lib.rs
//! #![doc = include_str!(concat!(env!("OUT_DIR"), "/handbook/overview.md"))]
//! include!(concat!(env!("OUT_DIR"), "/handbook.rs"));
//! ```
//!
//! Everything is written below `OUT_DIR`, and only if it changed, so that a second `cargo build` runs nothing.
//!
//! The engine parses large and doubtful files in processes of their own, because a parser must be able to die
//! without taking the build along. The build script itself is started again as such a process; [`Handbook::write`]
//! serves it, and so must be the first thing a build script does, or [`serve_parse_worker_if_asked`] before it.
//!
//! This crate goes through `bindery-engine` and knows neither salsa nor a parser. Start reading at [`Handbook`].

mod cargo;
mod constants;
mod handbook;

pub use handbook::{Built, Handbook};

use std::env;
use std::ffi::OsString;

/// The first argument of a process that is to be a parse worker. Cargo starts build scripts without any.
const PARSE_WORKER: &str = "__parse-worker";

/// Serves as a parse worker and ends the process if [`worker_command`] started it; otherwise does nothing.
///
/// Call it first: whatever a build script does before, each of its workers does again.
pub fn serve_parse_worker_if_asked() {
    if env::args_os().nth(1).is_some_and(|argument| argument == PARSE_WORKER) {
        bindery_engine::serve_parse_worker();
    }
}

/// What to give the engine as `Options::worker`: this program again, as a parse worker.
///
/// None if the system does not say where the running program lies; without it the engine parses in process.
pub fn worker_command() -> Option<Vec<OsString>> {
    let program = env::current_exe().ok()?;
    Some(vec![program.into(), PARSE_WORKER.into()])
}
