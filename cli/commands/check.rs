//! `bindery check`: whether the handbook is what a build would write.

use std::path::Path;

use bindery_engine::{CheckOutcome, OutputState, Repository, Source, Staleness, counted};
use clap::Args;
use serde::Serialize;

use crate::arguments::{Effort, Global, Place};
use crate::console::{Console, field, lines, place};
use crate::exit::{Ending, Stop};
use crate::progress::TerminalProgress;

const EXAMPLES: &str = "\
Examples:
  bindery check
  bindery check --diff
  bindery check --staged               in a pre-commit hook
  bindery check --format json | jq -r '.stale[].path'";

/// Say whether the handbook is what a build would write; write nothing.
///
/// Exit code 3 and a list if it is not. The cache may be filled meanwhile.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Check {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    effort: Effort,
    /// Analyse what git's index holds, and compare with the handbook there, instead of the files on disk.
    #[arg(long)]
    staged: bool,
    /// Show the difference as text, from what is there to what should be.
    #[arg(long)]
    diff: bool,
}

/// An output that is not as it should be, as JSON reports show it.
#[derive(Serialize)]
pub(super) struct StaleBody<'a> {
    path: &'a str,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<&'a str>,
}

impl<'a> StaleBody<'a> {
    pub(super) fn of(stale: &'a [Staleness]) -> Vec<Self> {
        let body = |stale: &'a Staleness| Self {
            path: &stale.path,
            state: state_word(stale.state),
            diff: stale.diff.as_deref(),
        };
        stale.iter().map(body).collect()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    is_fresh: bool,
    written_by: Option<&'a str>,
    stale: Vec<StaleBody<'a>>,
    faults: &'a [String],
    warnings: &'a [String],
}

impl Check {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let mut options = self.effort.options(&self.place, global);
        if self.staged {
            options.source = Source::IndexAlone;
        }
        let repository = Repository::open(&options)?;
        let progress = TerminalProgress::new(console);
        let outcome = repository.check(self.diff, &progress)?;
        drop(progress);
        print(&outcome, console)?;
        explain(&outcome, self.staged, console);
        Ok(match (&outcome.faults[..], &outcome.stale[..]) {
            ([], []) => Ending::Done,
            ([], _) => Ending::Findings,
            _ => Ending::Fault,
        })
    }

    pub(crate) fn trace_file(&self) -> Option<&Path> {
        self.effort.trace.as_deref()
    }
}

fn print(outcome: &CheckOutcome, console: &Console) -> Result<(), Stop> {
    let body = Body {
        is_fresh: outcome.stale.is_empty(),
        written_by: outcome.written_by.as_deref(),
        stale: StaleBody::of(&outcome.stale),
        faults: &outcome.faults,
        warnings: &outcome.warnings,
    };
    console.report("check", &body, || text(outcome, console.is_quiet()))
}

fn text(outcome: &CheckOutcome, is_quiet: bool) -> String {
    let mut text = String::new();
    if let Some(version) = &outcome.written_by {
        let ours = env!("CARGO_PKG_VERSION");
        text.push_str(&format!("written by bindery {}, this is {ours}\n", field(version)));
    }
    for stale in &outcome.stale {
        text.push_str(&stale_line(stale));
        text.push_str(&lines(stale.diff.as_deref().unwrap_or_default()));
    }
    if outcome.stale.is_empty() && !is_quiet {
        text.push_str("up to date\n");
    }
    text
}

fn explain(outcome: &CheckOutcome, is_staged: bool, console: &Console) {
    for warning in &outcome.warnings {
        console.warning(warning);
    }
    for fault in &outcome.faults {
        console.error(fault, None);
    }
    if !outcome.stale.is_empty() {
        let number = counted(outcome.stale.len() as u64, "file");
        let hint = match is_staged {
            true => "`bindery build --staged --stage` writes and stages them",
            false => "`bindery build` writes them",
        };
        console.error(&format!("{number} not as a build would write them"), Some(hint));
    }
}

/// `outdated  handbook/core.md`.
pub(super) fn stale_line(stale: &Staleness) -> String {
    format!("{:<8}  {}\n", state_word(stale.state), place(&stale.path))
}

fn state_word(state: OutputState) -> &'static str {
    match state {
        OutputState::Missing => "missing",
        OutputState::Outdated => "outdated",
        OutputState::Leftover => "leftover",
        OutputState::Foreign => "foreign",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_named_before_the_list() {
        let stale = |path: &str, state, diff: Option<&str>| Staleness {
            path: path.to_owned(),
            state,
            diff: diff.map(str::to_owned),
        };
        let outcome = CheckOutcome {
            written_by: Some("0.0.7".to_owned()),
            stale: vec![
                stale("handbook/a.md", OutputState::Missing, None),
                stale("handbook/b.md", OutputState::Outdated, Some("-old\n+new\u{1b}\n")),
            ],
            faults: Vec::new(),
            warnings: Vec::new(),
        };
        let expected = format!(
            "written by bindery 0.0.7, this is {}\nmissing   handbook/a.md\noutdated  handbook/b.md\n-old\n+new\\u{{1b}}\n",
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(text(&outcome, false), expected);
    }
}
