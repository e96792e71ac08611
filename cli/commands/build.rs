//! `bindery build`: the whole pipeline, incrementally.

use std::fs;
use std::path::{Path, PathBuf};

use std::collections::BTreeMap;

use bindery_engine::{
    BuildOutcome, Failure, Options, PlannedRequest, ProseReport, QueryCounts, QueryKind, Repository,
    RunReport, Source, counted, grouped,
};
use clap::Args;
use serde::Serialize;

use crate::arguments::{Effort, Global, Place};
use crate::console::{Console, field, phrase, place};
use crate::depfile::depfile;
use crate::exit::{Ending, Stop};
use crate::progress::TerminalProgress;

const EXAMPLES: &str = "\
Examples:
  bindery build
  bindery build path/to/repository --work-dir /tmp/work --out /tmp/work/handbook
  bindery build --config 'depth = \"deep\"' --out .bindery/deep
  bindery build --staged --stage                 in a pre-commit hook
  bindery build --stages queue,worker --out part     a job of a CI matrix
  bindery build --dry-run                        what a narrator of yours would be asked
  bindery build --report report.json --trace trace.json
  bindery build --depfile docs.stamp.d           for Make and Ninja: what `docs.stamp` depends on
  BINDERY_LOG=bindery_engine=debug bindery build";

/// Bring the handbook and the phase artifacts up to date, redoing only what changes reach.
///
/// Prints one line: what was parsed, resolved, rendered and written. Files in the handbook's directory
/// that Bindery did not write are kept and named, with exit code 3.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Build {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    effort: Effort,
    /// Analyse what git's index holds, as the next commit would take it, instead of the files on disk.
    #[arg(long)]
    staged: bool,
    /// With `--staged`: bring the handbook in git's index up to date too, and nothing else there.
    #[arg(long, requires = "staged")]
    stage: bool,
    /// Write the pages of these stages only, ids with commas between them; needs `--out`.
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    stages: Vec<String>,
    /// List the requests that would be sent to the narrator; send nothing and write no output.
    #[arg(long)]
    dry_run: bool,
    /// Let source text be sent to the narrator, for this run.
    ///
    /// The narrator is the one of your own configuration that the repository names. `allow_send = true` there
    /// says it for all runs.
    #[arg(long)]
    allow_send: bool,
    /// Remove prose of a narrator that nothing asks for any more from where it is kept.
    #[arg(long)]
    prune_prose: bool,
    /// Force everything written to the disk before the run ends.
    #[arg(long)]
    durable: bool,
    /// Take over a file that Bindery did not write; PATH is relative to the handbook's directory.
    #[arg(long, value_name = "PATH")]
    overwrite: Vec<String>,
    /// Write what was done, and why, as JSON to FILE (`bindery schema run-report`).
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write what was read to FILE, as a rule of Make's for FILE without its last extension.
    ///
    /// Ninja reads it with `deps = gcc`. Directories stand for the names in them, but for those that a run
    /// itself changes.
    #[arg(long, value_name = "FILE", conflicts_with = "staged")]
    depfile: Option<PathBuf>,
    /// Append what was rendered, and why, as Markdown to FILE: the summary of a CI job.
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
}

#[derive(Serialize)]
struct Body<'a> {
    handbook: &'a str,
    foreign: &'a [String],
    staged: &'a [String],
    faults: &'a [String],
    warnings: &'a [String],
    report: &'a RunReport,
}

impl Build {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let repository = Repository::open(&self.options(global))?;
        let progress = TerminalProgress::new(console);
        if self.dry_run {
            let planned = repository.planned_requests(&progress)?;
            drop(progress);
            return list(&planned, console);
        }
        let outcome = repository.build(&progress)?;
        drop(progress);
        if let Some(file) = &self.report {
            write_report(file, &outcome.report)?;
        }
        if let Some(file) = &self.summary {
            append_summary(file, &outcome.report)?;
        }
        if let Some(file) = &self.depfile {
            write_depfile(file, &repository, console)?;
        }
        explain(&outcome, console);
        print(&outcome, console)?;
        Ok(match (&outcome.faults[..], &outcome.foreign[..]) {
            ([], []) => Ending::Done,
            ([], _) => Ending::Findings,
            _ => Ending::Fault,
        })
    }

    pub(crate) fn options(&self, global: &Global) -> Options {
        let mut options = self.effort.options(&self.place, global);
        if self.staged {
            options.source = Source::Index;
        }
        options.stage = self.stage;
        options.stages = self.stages.clone();
        options.durable = self.durable;
        options.allow_send = self.allow_send;
        options.prune_prose = self.prune_prose;
        options.overwrite = self.overwrite.clone();
        options
    }

    pub(crate) fn trace_file(&self) -> Option<&Path> {
        self.effort.trace.as_deref()
    }
}

#[derive(Serialize)]
struct RequestBody<'a> {
    unit: &'a str,
    digest: &'a str,
    bytes: u64,
}

#[derive(Serialize)]
struct RequestsBody<'a> {
    requests: Vec<RequestBody<'a>>,
}

/// One line a request, and their number and size.
fn list(planned: &[PlannedRequest], console: &Console) -> Result<Ending, Stop> {
    let body = |request: &'_ PlannedRequest| -> String {
        format!("{}  {:>9}  {}\n", &request.digest[..16], grouped(request.bytes), field(&request.unit))
    };
    let requests = planned.iter().map(|request| RequestBody {
        unit: &request.unit,
        digest: &request.digest,
        bytes: request.bytes,
    });
    console.report("requests", &RequestsBody { requests: requests.collect() }, || {
        let bytes = planned.iter().map(|request| request.bytes).sum();
        let total = format!("{}, {}\n", counted(planned.len() as u64, "request"), counted(bytes, "byte"));
        planned.iter().map(body).chain((!console.is_quiet()).then_some(total)).collect()
    })?;
    Ok(Ending::Done)
}

fn write_report(file: &Path, report: &RunReport) -> Result<(), Failure> {
    let mut json =
        serde_json::to_string_pretty(report).expect("a report has string keys only, which serde_json writes");
    json.push('\n');
    fs::write(file, json)
        .map_err(|error| Failure::machine(format!("cannot write the report `{}`: {error}", file.display())))
}

fn write_depfile(file: &Path, repository: &Repository, console: &Console) -> Result<(), Failure> {
    let inputs = repository.inputs();
    if inputs.files.is_empty() && inputs.listed.is_empty() {
        return Err(Failure::machine(
            "what was read is not known, because the work directory cannot be written",
        ));
    }
    let depfile = depfile(file, &inputs).ok_or_else(|| {
        Failure::usage(format!("a depfile cannot name the target of `{}`", file.display()))
            .with_hint("the target is the file's name without its last extension")
    })?;
    for path in &depfile.left_out {
        console.warning(&format!("`{}` cannot be named in a depfile", place(&path.to_string_lossy())));
    }
    fs::write(file, depfile.text)
        .map_err(|error| Failure::machine(format!("cannot write the depfile `{}`: {error}", file.display())))
}

fn append_summary(file: &Path, report: &RunReport) -> Result<(), Failure> {
    use std::io::Write;
    let opened = fs::OpenOptions::new().create(true).append(true).open(file);
    let written = opened.and_then(|mut file| file.write_all(bindery_engine::summary(report).as_bytes()));
    written
        .map_err(|error| Failure::machine(format!("cannot write the summary `{}`: {error}", file.display())))
}

/// Everything that belongs on stderr.
pub(super) fn explain(outcome: &BuildOutcome, console: &Console) {
    let report = &outcome.report;
    for warning in &outcome.warnings {
        console.warning(warning);
    }
    for fault in &outcome.faults {
        console.error(fault, None);
    }
    for path in &outcome.foreign {
        let message = format!("`{}` was not written by bindery and was kept", place(path));
        let name = path.strip_prefix(&outcome.handbook).unwrap_or(path).trim_start_matches('/');
        console.error(&message, Some(&format!("`--overwrite {name}` takes it over")));
    }
    if !outcome.staged.is_empty() {
        console
            .note(&format!("{} put into git's index", counted(outcome.staged.len() as u64, "handbook file")));
    }
    for note in notes(report) {
        console.note(&note);
    }
    if console.verbosity() > 0 {
        details(report, console.verbosity() > 1).iter().for_each(|line| console.detail(line));
    }
}

/// What the pages do not tell: files that gave no facts.
fn notes(report: &RunReport) -> Vec<String> {
    let files = &report.files;
    let mut notes: Vec<String> = report.prose.iter().flat_map(prose_notes).collect();
    let without_facts = files.unparsable + files.unreadable;
    if without_facts > 0 {
        let files = counted(without_facts, "file");
        notes.push(format!(
            "{files} gave no facts: `phase1/scan-coverage.json` in the work directory says why"
        ));
    }
    let skipped: Vec<String> = files
        .skipped
        .iter()
        .filter(|(_, number)| **number > 0)
        .map(|(reason, number)| format!("{} {reason}", grouped(*number)))
        .collect();
    if !skipped.is_empty() {
        notes.push(format!("left out: {} (`bindery status --skipped` lists them)", skipped.join(", ")));
    }
    notes
}

/// What a model did not write, by reason; `-v` and the report name the units.
fn prose_notes(prose: &ProseReport) -> Vec<String> {
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    prose.missing.iter().for_each(|missing| *reasons.entry(&missing.reason).or_default() += 1);
    let mut notes: Vec<String> = reasons
        .into_iter()
        .map(|(reason, number)| format!("{} of prose missing: {}", counted(number, "unit"), field(reason)))
        .collect();
    if prose.unused > 0 {
        let kept = counted(prose.unused, "answer");
        notes.push(format!("{kept} that nothing asks for any more kept: `--prune-prose` removes them"));
    }
    notes
}

fn details(report: &RunReport, with_units: bool) -> Vec<String> {
    let missing = report.prose.iter().flat_map(|prose| &prose.missing);
    let mut lines: Vec<String> = missing
        .map(|missing| format!("{:<13} {}: {}", "no prose", field(&missing.unit), field(&missing.reason)))
        .collect();
    for (phase, microseconds) in report.microseconds.iter().filter(|(_, microseconds)| **microseconds > 0) {
        lines.push(format!("{:<13} {:>9.1} ms", word(phase), *microseconds as f64 / 1000.0));
    }
    for (query, counts) in report.queries.iter().filter(|(_, counts)| **counts != QueryCounts::default()) {
        let [computed, reused, loaded] = [counts.computed, counts.reused, counts.loaded].map(grouped);
        lines.push(format!("{:<13} {computed:>9} computed, {reused} reused, {loaded} loaded", word(query)));
    }
    for unit in report.recomputed.iter().filter(|_| with_units) {
        let cause = unit.because_of.as_ref().map(|path| format!(" ({})", field(path))).unwrap_or_default();
        lines.push(format!(
            "{:<13} {}: {}{cause}",
            word(&unit.query),
            field(&unit.unit),
            phrase(&word(&unit.reason))
        ));
    }
    lines
}

/// The word an enum of the report is written with.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

pub(super) fn print(outcome: &BuildOutcome, console: &Console) -> Result<(), Stop> {
    let BuildOutcome { report, handbook, foreign, staged, faults, warnings } = outcome;
    let text = || match console.is_quiet() {
        true => String::new(),
        false => summary(report, handbook),
    };
    console.report("build", &Body { handbook, foreign, staged, faults, warnings, report }, text)
}

/// The one line: what was parsed, resolved, rendered, written.
fn summary(report: &RunReport, handbook: &str) -> String {
    let computed = |query| report.queries.get(&query).map_or(0, |counts| counts.computed);
    let (pages, artifacts) = (report.pages, report.artifacts);
    let removed = match pages.removed + artifacts.removed {
        0 => String::new(),
        number => format!(", removed {}", grouped(number)),
    };
    format!(
        "parsed {} of {}, resolved {}, rendered {}, wrote {} and {}{removed}: {}\n",
        grouped(computed(QueryKind::Facts)),
        counted(report.files.selected, "file"),
        grouped(computed(QueryKind::Resolution)),
        counted(computed(QueryKind::Page), "page"),
        counted(pages.written, "handbook file"),
        counted(artifacts.written, "artifact"),
        place(handbook),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindery_engine::RunReport;

    #[test]
    fn the_summary_says_what_was_done() {
        let mut report = RunReport::empty("0.1.0");
        report.files.selected = 1_018;
        report.queries.entry(QueryKind::Facts).or_default().computed = 1;
        report.queries.entry(QueryKind::Resolution).or_default().computed = 3;
        report.queries.entry(QueryKind::Page).or_default().computed = 2;
        (report.pages.written, report.artifacts.written) = (2, 5);
        let expected = "parsed 1 of 1,018 files, resolved 3, rendered 2 pages, wrote 2 handbook files and 5 artifacts: docs\n";
        assert_eq!(summary(&report, "docs"), expected);
        report.pages.removed = 1;
        assert!(summary(&report, "docs").ends_with("5 artifacts, removed 1: docs\n"));
    }

    #[test]
    fn files_without_facts_are_noted() {
        let mut report = RunReport::empty("0.1.0");
        assert_eq!(notes(&report), Vec::<String>::new());
        report.files.unparsable = 1;
        report.files.skipped = [("ignored".to_owned(), 0), ("vendored".to_owned(), 1_200)].into();
        let expected = [
            "1 file gave no facts: `phase1/scan-coverage.json` in the work directory says why",
            "left out: 1,200 vendored (`bindery status --skipped` lists them)",
        ];
        assert_eq!(notes(&report), expected);
    }
}
