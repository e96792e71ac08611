//! Bindery inside a `build.rs`: the handbook of a crate at its compile time.
//!
//! A build script has no `bindery` binary beside it, yet the engine parses large and doubtful files in
//! processes of their own, because a parser must be able to die without taking the build along. So the build
//! script itself is started again as such a process, and its first line must say what to do then:
//!
//! ```text
//! fn main() {
//!     bindery_build::serve_parse_worker_if_asked();
//!     // … the rest of the build script
//! }
//! ```
//!
//! That pair, [`serve_parse_worker_if_asked`] and [`worker_command`], is what this crate holds. Everything else
//! a build script, a hook or a CI job needs has its place here too; it must go through `bindery-engine` and know
//! neither salsa nor a parser.

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
