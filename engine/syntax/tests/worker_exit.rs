//! A worker whose parser passes a limit between two callbacks ends at once, and its exit code says which.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the exit of a process can only be seen from another process, and the two must tell each other apart"
)]

mod raw_grammar;

use std::process::{Command, ExitStatus};

use bindery_syntax::{Limits, OVER_MEMORY_EXIT, OVER_WORK_EXIT, exit_when_over_limit, parse};
use raw_grammar::{PYTHON, RUST};

const WORKER: &str = "BINDERY_TEST_WORKER";

/// Runs this test again in a process of its own, which is then the worker.
fn worker_that_parses(language: &str) -> ExitStatus {
    let mut command = Command::new(std::env::current_exe().expect("a test knows its own program"));
    command.args(["--exact", "the_exit_code_says_which_limit"]).env(WORKER, language);
    command.output().expect("a test can start itself").status
}

#[test]
fn the_exit_code_says_which_limit() {
    if let Ok(language) = std::env::var(WORKER) {
        exit_when_over_limit(std::process::exit);
        let little_memory = Limits { memory_base: 1 << 20, memory_per_byte: 0, ..Limits::default() };
        match language.as_str() {
            // Takes 17,000 allocations a byte: with callbacks alone this would go on for seconds.
            "rust" => parse(&RUST, ")*".repeat(2_000).as_bytes(), &Limits::default()),
            _ => parse(&PYTHON, "a(b, c)\n".repeat(20_000).as_bytes(), &little_memory),
        };
        panic!("these parses end the process");
    }
    assert_eq!(worker_that_parses("rust").code(), Some(OVER_WORK_EXIT));
    assert_eq!(worker_that_parses("python").code(), Some(OVER_MEMORY_EXIT));
}
