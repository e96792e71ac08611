//! How a run ends, and the exit code that says so (handbook §2).

use std::process::ExitCode;

use bindery_engine::{Failure, FailureKind};

use crate::console::Console;

/// The end of a command that did what it was asked to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Ending {
    /// Nothing to report: 0.
    Done,
    /// The answer holds findings: 3.
    Findings,
    /// A part failed through our fault or the machine's, the rest was done: 1.
    Fault,
}

/// The end of a command that stopped before it was done.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It could not go on.
    Failure(Failure),
    /// Whoever read stdout has seen enough: 0.
    StdoutClosed,
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Prints what is left to say and gives the exit code.
pub(crate) fn report(result: Result<Ending, Stop>, console: &Console) -> ExitCode {
    match result {
        Ok(Ending::Done) | Err(Stop::StdoutClosed) => ExitCode::SUCCESS,
        Ok(Ending::Fault) => code_from(1),
        Ok(Ending::Findings) => code_from(3),
        Err(Stop::Failure(failure)) => {
            console.failure(&failure);
            code_from(code_of(failure.kind))
        }
    }
}

fn code_of(kind: FailureKind) -> i32 {
    match kind {
        FailureKind::Machine => 1,
        FailureKind::Usage => 2,
        FailureKind::Findings => 3,
        FailureKind::Interrupted(signal) => 128 + signal,
    }
}

/// The exit code `code`; one no process can have is our fault.
pub(crate) fn code_from(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
