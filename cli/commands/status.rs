//! `bindery status`: what a build would do now.

use std::collections::BTreeMap;

use bindery_engine::{Repository, Skipped, StatusOutcome, grouped};
use clap::Args;
use serde::Serialize;

use crate::arguments::{Global, Place};
use crate::commands::check::{StaleBody, stale_line};
use crate::console::{Console, field, phrase};
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery status
  bindery status --skipped
  bindery status --format json | jq -r '.inputs[].path'";

/// Say what changed, what a build would redo, and which files are left out.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Status {
    #[command(flatten)]
    place: Place,
    /// List the files that are left out, by reason.
    #[arg(long)]
    skipped: bool,
}

#[derive(Serialize)]
struct Body<'a> {
    inputs: Vec<InputBody<'a>>,
    resolved: Vec<ResolvedBody<'a>>,
    outputs: Vec<StaleBody<'a>>,
    skipped: BTreeMap<&'a str, SkippedBody<'a>>,
}

#[derive(Serialize)]
struct InputBody<'a> {
    path: &'a str,
    change: &'a str,
}

#[derive(Serialize)]
struct ResolvedBody<'a> {
    path: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct SkippedBody<'a> {
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    paths: Option<&'a [String]>,
}

impl Status {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let repository = Repository::open(&self.place.options(global))?;
        let outcome = repository.status(self.skipped)?;
        console.report("status", &self.body(&outcome), || text(&outcome))?;
        Ok(Ending::Done)
    }

    fn body<'a>(&self, outcome: &'a StatusOutcome) -> Body<'a> {
        let skipped = |skipped: &'a Skipped| SkippedBody {
            count: skipped.count,
            paths: self.skipped.then_some(&skipped.paths[..]),
        };
        Body {
            inputs: outcome.inputs.iter().map(|(path, change)| InputBody { path, change }).collect(),
            resolved: outcome.resolved.iter().map(|(path, reason)| ResolvedBody { path, reason }).collect(),
            outputs: StaleBody::of(&outcome.outputs),
            skipped: outcome
                .skipped
                .iter()
                .map(|(reason, files)| (reason.as_str(), skipped(files)))
                .collect(),
        }
    }
}

fn text(outcome: &StatusOutcome) -> String {
    let mut sections = Vec::new();
    if outcome.inputs.is_empty() && outcome.outputs.is_empty() {
        sections.push("up to date\n".to_owned());
    }
    let inputs = outcome.inputs.iter().map(|(path, change)| format!("{change:<8}  {}\n", field(path)));
    sections.extend(section("changed inputs", inputs));
    let resolved =
        outcome.resolved.iter().map(|(path, reason)| format!("{}: {}\n", field(path), phrase(reason)));
    sections.extend(section("files to resolve again", resolved));
    sections.extend(section("outputs to write or remove", outcome.outputs.iter().map(stale_line)));
    sections.extend(section("left out", outcome.skipped.iter().flat_map(skipped_lines)));
    sections.join("\n")
}

fn section(title: &str, rows: impl Iterator<Item = String>) -> Option<String> {
    let rows: String = rows.map(|row| format!("  {row}")).collect();
    (!rows.is_empty()).then(|| format!("{title}\n{rows}"))
}

fn skipped_lines((reason, skipped): (&String, &Skipped)) -> Vec<String> {
    let head = format!("{} {}\n", grouped(skipped.count), field(reason));
    let paths = skipped.paths.iter().map(|path| format!("  {}\n", field(path)));
    std::iter::once(head).chain(paths).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_without_rows_are_left_out() {
        assert_eq!(text(&StatusOutcome::default()), "up to date\n");
        let skipped = Skipped { count: 1_500, paths: vec!["vendor/a.py".to_owned()] };
        let outcome = StatusOutcome {
            inputs: vec![("src/a.py".to_owned(), "changed")],
            skipped: [("vendored".to_owned(), skipped)].into(),
            ..StatusOutcome::default()
        };
        let expected =
            "changed inputs\n  changed   src/a.py\n\nleft out\n  1,500 vendored\n    vendor/a.py\n";
        assert_eq!(text(&outcome), expected);
    }
}
