//! `bindery resync`: a handbook for a changed copy of the source tree.

use std::path::PathBuf;

use bindery_engine::{Repository, ResyncOutcome, counted};
use clap::Args;
use serde::Serialize;

use crate::arguments::{Global, Place};
use crate::commands::plan::{FindingBody, explain_findings};
use crate::console::{Console, place};
use crate::exit::{Ending, Stop};
use crate::progress::TerminalProgress;

const EXAMPLES: &str = "\
Examples:
  bindery resync --case cases/17
  bindery resync --case cases/17 --out /tmp/handbook path/to/root";

/// Bring a handbook up to date with a changed copy of the source tree.
///
/// The case directory has `edited/`, the whole tree after the change, and maybe `plan.md`, whose `json` block
/// declares what changed, and `change.diff`; an empty one means that there is nothing to do. The handbook goes to
/// `--out`, by default `handbook/` in the case directory, and a report to `resync-report.json`; ROOT's own outputs
/// are left alone. Exit code 3 if plan or diff do not say what changed.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Resync {
    /// The case directory.
    #[arg(long, value_name = "DIR")]
    case: PathBuf,
    #[command(flatten)]
    place: Place,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    handbook: Option<&'a str>,
    report: &'a bindery_engine::ResyncReport,
    findings: Vec<FindingBody<'a>>,
    foreign: &'a [String],
    faults: &'a [String],
    warnings: &'a [String],
}

impl Resync {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let mut options = self.place.options(global);
        let out = options.out.take();
        let repository = Repository::open(&options)?;
        let progress = TerminalProgress::new(console);
        let outcome = repository.resync(&self.case, out.as_deref(), &progress)?;
        drop(progress);
        let ResyncOutcome { report, handbook, findings, foreign, faults, warnings, .. } = &outcome;
        let body = Body {
            handbook: handbook.as_deref(),
            report,
            findings: FindingBody::of(findings),
            foreign,
            faults,
            warnings,
        };
        console
            .report("resync", &body, || if console.is_quiet() { String::new() } else { summary(&outcome) })?;
        warnings.iter().for_each(|warning| console.warning(warning));
        faults.iter().for_each(|fault| console.error(fault, None));
        for path in foreign {
            console.error(&format!("`{}` was not written by bindery and was kept", place(path)), None);
        }
        explain_findings(findings, console);
        Ok(match (&faults[..], findings.is_empty() && foreign.is_empty()) {
            ([], true) => Ending::Done,
            ([], false) => Ending::Findings,
            _ => Ending::Fault,
        })
    }
}

/// The one line: what differs, what was made again, where it is.
fn summary(outcome: &ResyncOutcome) -> String {
    let report = &outcome.report;
    let Some(handbook) = &outcome.handbook else { return "nothing to do\n".to_owned() };
    format!(
        "{} changed, {} added, {} deleted; {} and {} affected: {}\n",
        counted(report.changed_files.len() as u64, "file"),
        report.added_files.len(),
        report.deleted_files.len(),
        counted(report.affected_stages.len() as u64, "stage"),
        counted(report.cards_regenerated.len() as u64, "card"),
        place(handbook),
    )
}
