//! `bindery watch`: a build after each change.

use bindery_engine::{BuildOutcome, Failure};
use clap::Args;

use super::build::{explain, print};
use crate::arguments::{Effort, Global, Place};
use crate::console::Console;
use crate::exit::{Ending, Stop};
use crate::progress::TerminalProgress;

const EXAMPLES: &str = "\
Examples:
  bindery watch                        until Ctrl-C
  bindery watch --format json          an object for each build";

/// Build, and build again after each burst of changes, until Ctrl-C.
///
/// Phase artifacts are left as they are, unless `artifacts` is set. One line for each build that did something.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Watch {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    effort: Effort,
}

impl Watch {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let mut options = self.effort.options(&self.place, global);
        if self.effort.artifacts.is_none() {
            options.overrides.push("artifacts = \"none\"".to_owned());
        }
        let progress = TerminalProgress::new(console);
        let mut stopped = None;
        let mut built = |outcome: Result<BuildOutcome, Failure>| {
            let said = match outcome {
                Ok(outcome) => {
                    explain(&outcome, console);
                    print(&outcome, console)
                }
                Err(failure) => {
                    console.failure(&failure);
                    Ok(())
                }
            };
            stopped = said.err();
            stopped.is_none()
        };
        bindery_engine::watch(&options, &progress, &mut built)?;
        stopped.map_or(Ok(Ending::Done), Err)
    }
}
