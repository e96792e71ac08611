//! `bindery why`: the chain between an output, a file or a symbol and the inputs behind it.

use bindery_engine::{Repository, WhyOutcome};
use clap::Args;
use serde::Serialize;

use crate::arguments::{Global, Place};
use crate::console::{Console, field};
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery why overview.md              why this page would be written again
  bindery why src/queue.rs             what this file reaches
  bindery why src/queue.rs:40          what stands on this line, and what shows it";

/// Explain why an output or file would be redone: the shortest chain of changes, in both directions.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Why {
    /// A page or artifact, a source file, or a line of one (`path:line`).
    #[arg(value_name = "TARGET")]
    target: String,
    #[command(flatten)]
    place: Place,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    subject: &'a str,
    is_stale: bool,
    from: &'a [String],
    to: &'a [String],
}

impl Why {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let repository = Repository::open(&self.place.options(global))?;
        let outcome = repository.why(&self.target)?;
        let WhyOutcome { subject, is_stale, from, to } = &outcome;
        console.report("why", &Body { subject, is_stale: *is_stale, from, to }, || text(&outcome))?;
        Ok(Ending::Done)
    }
}

fn text(outcome: &WhyOutcome) -> String {
    let state = if outcome.is_stale { "would be redone" } else { "up to date" };
    let mut text = format!("{}: {state}\n", field(&outcome.subject));
    for (title, steps) in [("comes from", &outcome.from), ("reaches", &outcome.to)] {
        if !steps.is_empty() {
            text.push_str(&format!("{title}\n"));
        }
        text.extend(steps.iter().map(|step| format!("  {}\n", field(step))));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_are_shown() {
        let outcome = WhyOutcome {
            subject: "page core.md".to_owned(),
            is_stale: true,
            from: vec!["src/a.rs: changed".to_owned()],
            to: Vec::new(),
        };
        assert_eq!(text(&outcome), "page core.md: would be redone\ncomes from\n  src/a.rs: changed\n");
    }
}
