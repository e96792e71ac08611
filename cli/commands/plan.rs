//! `bindery plan`: a change that is written down, checked, foreseen and carried out as a whole.

use std::io::Read;
use std::path::{Path, PathBuf};

use bindery_engine::{
    EffectOutcome, Failure, PlanApplyOutcome, PlanCheckOutcome, PlanFinding, PlannedEdit, Repository, counted,
};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::arguments::{Global, Place};
use crate::console::{Console, field};
use crate::exit::{Ending, Stop};
use crate::progress::TerminalProgress;

const EXAMPLES: &str = "\
Examples:
  bindery plan new Queue.push > plan.md          the form, with today's text, to be filled in
  bindery plan check plan.md                     does it fit, and what will change
  bindery plan check - < plan.md
  bindery plan apply plan.md                     all edits or none";

/// Check a plan of edits, carry it out, or write the form of one.
///
/// A plan is Markdown: a summary, `### EDIT n` sections with a file, an `old` and a `new` block, and one `json`
/// block that declares the symbols which are modified, added and removed.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Plan {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Hold a plan against the files and say what it would change; write nothing.
    Check(WithPlan),
    /// Carry a plan out, all edits or none, and compare what changed with what was foreseen.
    Apply(WithPlan),
    /// Print the form of a plan for symbols and files, with their callers and their text as it is.
    New(New),
}

#[derive(Args, Debug)]
struct WithPlan {
    /// The plan; `-` is stdin.
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    #[command(flatten)]
    place: Place,
}

#[derive(Args, Debug)]
struct New {
    /// Symbols (a name, a qualified name or an id) and files, relative to ROOT. If the last one is a directory, it is
    /// ROOT.
    #[arg(value_name = "TARGET", required = true)]
    targets: Vec<String>,
    /// The work directory: state, cache and exports [default: `.bindery` in ROOT].
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CheckBody<'a> {
    plan: &'a str,
    is_clean: bool,
    findings: Vec<FindingBody<'a>>,
    edits: Vec<EditBody<'a>>,
    effect: Option<EffectBody<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ApplyBody<'a> {
    #[serde(flatten)]
    check: CheckBody<'a>,
    written: &'a [String],
    mismatches: &'a [String],
}

/// A finding with its place, as JSON reports show it.
#[derive(Serialize)]
pub(super) struct FindingBody<'a> {
    file: &'a str,
    line: u32,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EditBody<'a> {
    number: u32,
    file: &'a str,
    line_start: u32,
    line_end: u32,
    changes: bool,
}

#[derive(Serialize)]
struct EffectBody<'a> {
    modified: &'a [String],
    added: &'a [String],
    removed: &'a [String],
    stages: &'a [String],
    pages: Vec<PageBody<'a>>,
}

#[derive(Serialize)]
struct PageBody<'a> {
    path: &'a str,
    change: &'static str,
}

#[derive(Serialize)]
struct NewBody<'a> {
    plan: &'a str,
}

impl Plan {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        match &self.action {
            Action::Check(plan) => plan.check(global, console),
            Action::Apply(plan) => plan.apply(global, console),
            Action::New(new) => new.run(global, console),
        }
    }
}

impl WithPlan {
    /// What findings call the plan, and its bytes.
    fn read(&self) -> Result<(String, Vec<u8>), Failure> {
        let name =
            if self.plan == Path::new("-") { "stdin".to_owned() } else { self.plan.display().to_string() };
        let read = match name.as_str() {
            "stdin" => {
                let mut bytes = Vec::new();
                std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
            }
            _ => std::fs::read(&self.plan),
        };
        let bytes =
            read.map_err(|error| Failure::usage(format!("cannot read the plan `{name}`: {error}")))?;
        Ok((name, bytes))
    }

    fn check(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let (name, bytes) = self.read()?;
        let repository = Repository::open(&self.place.options(global))?;
        let progress = TerminalProgress::new(console);
        let outcome = repository.plan_check(&name, &bytes, &progress)?;
        drop(progress);
        console.report("plan-check", &check_body(&name, &outcome), || check_text(&outcome))?;
        explain(&outcome, console);
        Ok(if outcome.findings.is_empty() { Ending::Done } else { Ending::Findings })
    }

    fn apply(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let (name, bytes) = self.read()?;
        let repository = Repository::open(&self.place.options(global))?;
        let progress = TerminalProgress::new(console);
        let outcome = repository.plan_apply(&name, &bytes, &progress)?;
        drop(progress);
        outcome.warnings.iter().for_each(|warning| console.warning(warning));
        let PlanApplyOutcome { check, written, mismatches, .. } = &outcome;
        let body = ApplyBody { check: check_body(&name, check), written, mismatches };
        console.report("plan-apply", &body, || apply_text(&outcome))?;
        if !check.findings.is_empty() {
            explain(check, console);
            return Ok(Ending::Findings);
        }
        for mismatch in mismatches {
            console.error(mismatch, None);
        }
        Ok(if mismatches.is_empty() { Ending::Done } else { Ending::Findings })
    }
}

impl New {
    fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let mut targets = self.targets.clone();
        let root = targets.pop_if(|last| self.targets.len() > 1 && Path::new(last).is_dir());
        let place =
            Place { root: root.map(PathBuf::from), work_dir: self.work_dir.clone(), ..Place::default() };
        let plan = Repository::open(&place.options(global))?.plan_new(&targets)?;
        console.report("plan-new", &NewBody { plan: &plan }, || plan.clone())?;
        Ok(Ending::Done)
    }
}

fn check_body<'a>(plan: &'a str, outcome: &'a PlanCheckOutcome) -> CheckBody<'a> {
    let edit = |edit: &'a PlannedEdit| EditBody {
        number: edit.number,
        file: &edit.file,
        line_start: edit.lines.0,
        line_end: edit.lines.1,
        changes: edit.changes,
    };
    let effect = |effect: &'a EffectOutcome| EffectBody {
        modified: &effect.modified,
        added: &effect.added,
        removed: &effect.removed,
        stages: &effect.stages,
        pages: effect.pages.iter().map(|(path, change)| PageBody { path, change: change.word() }).collect(),
    };
    CheckBody {
        plan,
        is_clean: outcome.findings.is_empty(),
        findings: FindingBody::of(&outcome.findings),
        edits: outcome.edits.iter().map(edit).collect(),
        effect: outcome.effect.as_ref().map(effect),
        warnings: &outcome.warnings,
    }
}

impl<'a> FindingBody<'a> {
    pub(super) fn of(findings: &'a [PlanFinding]) -> Vec<Self> {
        let body = |finding: &'a PlanFinding| Self {
            file: &finding.file,
            line: finding.line,
            message: &finding.message,
            hint: finding.hint.as_deref(),
        };
        findings.iter().map(body).collect()
    }
}

/// Findings and warnings, on stderr.
fn explain(outcome: &PlanCheckOutcome, console: &Console) {
    explain_findings(&outcome.findings, console);
    outcome.warnings.iter().for_each(|warning| console.warning(warning));
}

/// `plan.md:12: …`, each with its hint.
pub(super) fn explain_findings(findings: &[PlanFinding], console: &Console) {
    for finding in findings {
        let message = format!("{}:{}: {}", finding.file, finding.line, finding.message);
        console.error(&message, finding.hint.as_deref());
    }
}

fn check_text(outcome: &PlanCheckOutcome) -> String {
    let Some(effect) = &outcome.effect else { return String::new() };
    let changing = outcome.edits.iter().filter(|edit| edit.changes).count();
    let edits = counted(outcome.edits.len() as u64, "edit");
    format!("{edits} found, {changing} with changes\n") + &effect_text(effect)
}

fn apply_text(outcome: &PlanApplyOutcome) -> String {
    let Some(effect) = &outcome.check.effect else { return String::new() };
    let mut text = String::new();
    for path in &outcome.written {
        text.push_str(&format!("written  {}\n", field(path)));
    }
    text + &effect_text(effect)
}

/// A line for each symbol, stage and page.
fn effect_text(effect: &EffectOutcome) -> String {
    let mut text = String::new();
    let mut add = |word: &str, kind: &str, name: &str| {
        text.push_str(&format!("{word:<8}  {kind:<6}  {}\n", field(name)));
    };
    effect.modified.iter().for_each(|id| add("modified", "symbol", id));
    effect.added.iter().for_each(|id| add("added", "symbol", id));
    effect.removed.iter().for_each(|id| add("removed", "symbol", id));
    effect.stages.iter().for_each(|id| add("changed", "stage", id));
    effect.pages.iter().for_each(|(path, change)| add(change.word(), "page", path));
    text
}
