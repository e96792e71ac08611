//! `bindery skill`: the handbook as a package that agents load.

use bindery_engine::{Repository, SkillOutcome, counted};
use clap::Args;
use serde::Serialize;

use crate::arguments::{Global, Place};
use crate::console::{Console, place};
use crate::exit::{Ending, Stop};
use crate::progress::TerminalProgress;

const EXAMPLES: &str = "\
Examples:
  bindery skill                        to `skill/` in the work directory
  bindery skill --out ~/.skills/app    where agents look for it
  bindery validate .bindery/skill --source .";

/// Write the handbook as a SKILL package: when to use it, where to look, the pages and the agent index.
///
/// With `--out`, the package goes to that directory. Files there that Bindery did not write are kept and named, with
/// exit code 3.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Skill {
    #[command(flatten)]
    place: Place,
}

#[derive(Serialize)]
struct Body<'a> {
    directory: &'a str,
    written: u64,
    removed: u64,
    foreign: &'a [String],
}

impl Skill {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let mut options = self.place.options(global);
        let out = options.out.take();
        let repository = Repository::open(&options)?;
        let progress = TerminalProgress::new(console);
        let outcome = repository.skill(out.as_deref(), &progress)?;
        drop(progress);
        for path in &outcome.foreign {
            console.error(&format!("`{}` was not written by bindery and was kept", place(path)), None);
        }
        let SkillOutcome { directory, written, removed, foreign } = &outcome;
        let body = Body { directory, written: *written, removed: *removed, foreign };
        console.report("skill", &body, || text(&outcome))?;
        Ok(if foreign.is_empty() { Ending::Done } else { Ending::Findings })
    }
}

fn text(outcome: &SkillOutcome) -> String {
    let removed = match outcome.removed {
        0 => String::new(),
        removed => format!(", removed {removed}"),
    };
    format!("wrote {}{removed}: {}\n", counted(outcome.written, "file"), place(&outcome.directory))
}
