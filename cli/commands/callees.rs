//! `bindery callees`: what a function or method calls.

use bindery_engine::Repository;
use clap::Args;

use crate::arguments::Global;
use crate::commands::symbol::Lookup;
use crate::console::Console;
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery callees main
  bindery callees Worker.run --format json | jq -r '.symbols[].calls[].id'";

/// List the calls a function or method makes, with file and line.
///
/// Only calls that follow from what is written are known; `phase1/dropped-calls.json` lists the rest.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Callees {
    #[command(flatten)]
    lookup: Lookup,
}

impl Callees {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        self.lookup.run("callees", global, console, Repository::callees)
    }
}
