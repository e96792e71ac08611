//! `bindery callers`: who calls a function, method or type.

use bindery_engine::Repository;
use clap::Args;

use crate::arguments::Global;
use crate::commands::symbol::Lookup;
use crate::console::Console;
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery callers Queue.push
  bindery callers os.getpid            also for names outside the repository
  bindery callers push --format json | jq -r '.symbols[].calls[].id'";

/// List the calls that lead to a function, method or type, with file and line.
///
/// Only calls that follow from what is written are known; `phase1/dropped-calls.json` lists the rest.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Callers {
    #[command(flatten)]
    lookup: Lookup,
}

impl Callers {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        self.lookup.run("callers", global, console, Repository::callers)
    }
}
