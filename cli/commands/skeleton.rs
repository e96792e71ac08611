//! `bindery skeleton`: the stages as a file that a person may keep and change.

use std::collections::BTreeSet;

use bindery_engine::{DoctorFinding, Repository};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::arguments::{Global, Place};
use crate::console::{Console, lines, place};
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery skeleton draft               print today's draft
  bindery skeleton pin                 write it to the path that `skeleton` in bindery.toml names
  bindery skeleton doctor              what does not fit any more, and the patch that mends it
  bindery skeleton doctor --write      apply the patch";

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
    /// Hold the committed skeleton against today's facts and print the smallest patch that mends it.
    Doctor(Doctor),
}

/// Stages whose files are gone, files without a stage, stages grown too large, an order that no longer follows the
/// flow. A skeleton that says `draftedBy: user` is only reported on. Exit code 3 if something is left to mend.
#[derive(Args, Debug)]
struct Doctor {
    #[command(flatten)]
    place: Place,
    /// Apply the patch.
    #[arg(long)]
    write: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DoctorBody<'a> {
    path: &'a str,
    findings: Vec<DoctorFindingBody<'a>>,
    patch: &'a str,
    is_written: bool,
}

#[derive(Serialize)]
struct DoctorFindingBody<'a> {
    kind: &'a str,
    stage: &'a str,
    line: u32,
    message: &'a str,
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
            Action::Doctor(doctor) => return doctor.run(global, console),
        }
        Ok(Ending::Done)
    }
}

impl<'a> DoctorFindingBody<'a> {
    fn of(finding: &'a DoctorFinding) -> Self {
        let DoctorFinding { kind, stage, line, message } = finding;
        Self { kind, stage, line: *line, message }
    }
}

impl Doctor {
    fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let outcome = Repository::open(&self.place.options(global))?.skeleton_doctor(self.write)?;
        let body = DoctorBody {
            path: &outcome.path,
            findings: outcome.findings.iter().map(DoctorFindingBody::of).collect(),
            patch: &outcome.patch,
            is_written: outcome.is_written,
        };
        console.report("skeleton-doctor", &body, || lines(&outcome.patch).into_owned())?;
        if outcome.is_written {
            return Ok(Ending::Done);
        }
        // A stage that is to be divided is one piece of news, however many parts it gets.
        let mut said = BTreeSet::new();
        let hint = if outcome.is_users { None } else { Some("`--write` applies the patch") };
        for finding in outcome.findings.iter().filter(|finding| said.insert((finding.line, &finding.message)))
        {
            console.error(&format!("{}:{}: {}", outcome.path, finding.line, finding.message), hint);
        }
        Ok(if outcome.findings.is_empty() { Ending::Done } else { Ending::Findings })
    }
}
