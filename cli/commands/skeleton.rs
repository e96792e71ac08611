//! `bindery skeleton`: the stages as a file that a person may keep and change.

use bindery_engine::Repository;
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::arguments::{Global, Place};
use crate::console::{Console, place};
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery skeleton draft               print today's draft
  bindery skeleton pin                 write it to the path that `skeleton` in bindery.toml names";

/// Show the stages Bindery would draft, or pin them in a committed file.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Skeleton {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Print the draft as YAML.
    Draft(Place),
    /// Write the draft to the committed skeleton, which is an input from then on.
    Pin(Place),
}

#[derive(Serialize)]
struct Draft<'a> {
    skeleton: &'a str,
}

#[derive(Serialize)]
struct Pinned<'a> {
    path: &'a str,
}

impl Skeleton {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        match &self.action {
            Action::Draft(place) => {
                let skeleton = Repository::open(&place.options(global))?.skeleton_draft()?;
                console.report("skeleton-draft", &Draft { skeleton: &skeleton }, || skeleton.clone())?;
            }
            Action::Pin(at) => {
                let path = Repository::open(&at.options(global))?.skeleton_pin()?;
                console.report("skeleton-pin", &Pinned { path: &path }, || format!("{}\n", place(&path)))?;
            }
        }
        Ok(Ending::Done)
    }
}
