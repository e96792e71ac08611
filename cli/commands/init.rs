//! `bindery init`: a first `bindery.toml`.

use clap::Args;
use serde::Serialize;

use crate::arguments::{Global, Place};
use crate::console::{Console, place};
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery init                                            every key with its meaning, all of them comments
  bindery init --config 'out = \"docs/handbook\"'           a handbook that is committed";

/// Write a `bindery.toml` that explains every key.
///
/// None is needed: every key has a default. One that exists is kept.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Init {
    #[command(flatten)]
    place: Place,
}

#[derive(Serialize)]
struct Body<'a> {
    path: &'a str,
}

impl Init {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let path = bindery_engine::init(&self.place.options(global))?;
        console.report("init", &Body { path: &path }, || format!("{}\n", place(&path)))?;
        console.note("`bindery build` writes the handbook");
        Ok(Ending::Done)
    }
}
