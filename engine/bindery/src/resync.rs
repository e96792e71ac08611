//! `resync`: a handbook for a changed copy of the source tree.
//!
//! A case directory holds `edited/`, the whole source tree as it is after the change, and maybe `plan.md` and
//! `change.diff`. The root's tree on disk is what it is compared with, and what the root's last build knew is used;
//! the root's own outputs are read only. The handbook is the one that a build of `edited/` with the root's
//! configuration would write in the root's place, links included.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bindery_artifacts::write::artifact_text;
use bindery_artifacts::{QueryKind, ResyncReport, StageId, Version};
use bindery_plan::{Declarations, DiffChange, Plan, changed_in_diff};
use bindery_source::{ContentHash, RepoPath};
use bindery_store::fs::{FileKind, FileSystem, OsFileSystem};
use bindery_store::{Directory, WorkDir, found, read_file, write_atomically};

use crate::compare::{Side, beside};
use crate::options::Progress;
use crate::outcome::{AffectedOutcome, Failure};
use crate::plan::effect::{Mismatch, View};
use crate::plan::outcome::{PlanFinding, ResyncOutcome};
use crate::repository::{Repository, normal};

const EDITED: &str = "edited";
const PLAN: &str = "plan.md";
const DIFF: &str = "change.diff";
const REPORT: &str = "resync-report.json";
const HANDBOOK: &str = "handbook";

/// A case directory, read.
struct Case {
    path: PathBuf,
    disk: Arc<dyn FileSystem>,
    declarations: Option<Declarations>,
    diff: Option<String>,
    findings: Vec<PlanFinding>,
}

/// The inputs that differ, by path.
type Inputs = BTreeMap<String, DiffChange>;

impl Repository {
    /// Brings the handbook in `out` (`handbook/` in the case directory without it) up to date with the case's
    /// `edited/`, and writes `resync-report.json` to the case directory.
    pub fn resync(
        &self,
        case: &Path,
        out: Option<&Path>,
        progress: &dyn Progress,
    ) -> Result<ResyncOutcome, Failure> {
        let mut case = Case::read(self, case)?;
        if case.diff.as_deref().is_some_and(|diff| diff.trim().is_empty()) {
            let report = ResyncReport { skipped: true, ..empty_report() };
            case.write(self, &report)?;
            return Ok(case.outcome(report, None));
        }
        if let Ok(work) = WorkDir::open(self.work.clone()) {
            self.undo_if_nobody_applies(&work);
        }
        let (before, after) = self.sides(&case, out)?;
        let (report, mismatches) = beside(&before, &after, |before, after, affected| {
            Ok((case.report(before, after, affected)?, case.declaration_mismatches(before, after)?))
        })?;
        for (line, message) in mismatches {
            case.finding(PLAN, line, message);
        }
        case.compare_diff(&before, &after, &report)?;
        let built = after.build(progress)?;
        case.write(self, &report)?;
        let mut outcome = case.outcome(report, Some(built.handbook));
        outcome.parsed = built.report.queries.get(&QueryKind::Facts).map_or(0, |counts| counts.computed);
        (outcome.foreign, outcome.faults, outcome.warnings) = (built.foreign, built.faults, built.warnings);
        Ok(outcome)
    }

    /// The root and the edited tree, with one work directory in memory over the root's.
    fn sides(&self, case: &Case, out: Option<&Path>) -> Result<(Repository, Repository), Failure> {
        let edited = case.path.join(EDITED);
        let sources: Arc<dyn FileSystem> = Arc::new(OsFileSystem::open(&edited)?);
        let out = match (out, &self.environment.current_directory) {
            (Some(out), Some(here)) => normal(&here.join(out)),
            (Some(out), None) => out.to_owned(),
            (None, _) => case.path.join(HANDBOOK),
        };
        let handbook = Directory::new(Arc::new(OsFileSystem::create(&out)?), b"");
        let (mut before, _) = self.in_memory();
        // A case inside the root is no part of it.
        if let Ok(inside) = case.path.strip_prefix(&self.root)
            && let Some(inside) = inside.to_str().filter(|inside| !inside.is_empty())
        {
            before.configuration.exclude.push(format!("/{}/**", globset::escape(inside)));
        }
        let mut after = self.for_tree(sources, edited, handbook);
        after.work = before.work.clone();
        Ok((before, after))
    }
}

fn empty_report() -> ResyncReport {
    ResyncReport {
        version: Version,
        skipped: false,
        changed_files: Vec::new(),
        added_files: Vec::new(),
        deleted_files: Vec::new(),
        affected_stages: Vec::new(),
        cards_regenerated: Vec::new(),
        narrated: false,
    }
}

impl Case {
    fn read(repository: &Repository, case: &Path) -> Result<Self, Failure> {
        let path = match &repository.environment.current_directory {
            Some(here) => normal(&here.join(case)),
            None => case.to_owned(),
        };
        let disk: Arc<dyn FileSystem> = Arc::new(OsFileSystem::open(&path).map_err(Failure::usage)?);
        let edited = found(disk.lstat(EDITED.as_bytes()))?;
        if edited.is_none_or(|edited| edited.kind != FileKind::Directory) {
            return Err(Failure::findings(format!("`{}` has no directory `{EDITED}`", case.display()))
                .with_hint("it holds the whole source tree as it is after the change"));
        }
        let read = |name: &str| -> Result<Option<Vec<u8>>, Failure> {
            Ok(found(read_file(&*disk, name.as_bytes()))?.map(|read| read.bytes))
        };
        let diff = read(DIFF)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let plan = read(PLAN)?.map(|bytes| Plan::parse(&bytes)).unwrap_or_default();
        let mut case = Self { path, disk, declarations: None, diff, findings: Vec::new() };
        for problem in &plan.declaration_problems {
            case.finding(PLAN, problem.line, problem.message.clone());
        }
        case.declarations = plan.declarations;
        Ok(case)
    }

    fn finding(&mut self, file: &str, line: u32, message: String) {
        let file = self.disk.shown(file.as_bytes());
        self.findings.push(PlanFinding { file, line, message, hint: None });
    }

    /// What differs, widened by what is declared.
    fn report(
        &self,
        before: &Side<'_>,
        after: &Side<'_>,
        affected: AffectedOutcome,
    ) -> Result<ResyncReport, Failure> {
        let inputs = differing_inputs(before, after);
        let of = |wanted: DiffChange| -> Vec<String> {
            inputs.iter().filter(|(_, change)| **change == wanted).map(|(path, _)| path.clone()).collect()
        };
        let names = self.declared_names();
        let declared = View::of(&after.run, &after.computed, &[], &names)?;
        let mut cards: BTreeSet<String> = affected.cards.into_iter().collect();
        cards.extend(declared.files_of_names().map(RepoPath::to_string));
        let mut stages: BTreeSet<String> = affected.stages.into_iter().collect();
        for path in
            inputs.keys().map(|path| RepoPath::new(path)).chain(cards.iter().map(|path| RepoPath::new(path)))
        {
            for side in [before, after] {
                let structure = &side.computed.structure;
                stages.extend(
                    structure.stage_of(&path).map(|at| structure.skeleton.stages[at as usize].id.to_string()),
                );
            }
        }
        // A card that is gone was not made again, and a stage that is gone is none.
        cards.retain(|path| after.computed.structure.place(&RepoPath::new(path)).is_some());
        let is_there = |id: &String| {
            after.computed.structure.skeleton.stages.iter().any(|stage| stage.id.as_str() == id)
        };
        Ok(ResyncReport {
            changed_files: of(DiffChange::Changed),
            added_files: of(DiffChange::Added),
            deleted_files: of(DiffChange::Deleted),
            affected_stages: stages
                .iter()
                .filter(|id| is_there(id))
                .filter_map(|id| StageId::new(id).ok())
                .collect(),
            cards_regenerated: cards.into_iter().collect(),
            ..empty_report()
        })
    }

    fn declared_names(&self) -> Vec<String> {
        let declared = self.declarations.iter().map(|declarations| &declarations.value);
        declared.flat_map(|value| [&value.will_modify, &value.will_add]).flatten().cloned().collect()
    }

    /// Where the declarations are not what changed, by line of the plan.
    fn declaration_mismatches(
        &self,
        before: &Side<'_>,
        after: &Side<'_>,
    ) -> Result<Vec<(u32, String)>, Failure> {
        let Some(declarations) = &self.declarations else { return Ok(Vec::new()) };
        let files: Vec<String> = differing_inputs(before, after).into_keys().collect();
        let view = |side: &Side<'_>| View::of(&side.run, &side.computed, &files, &[]);
        let mismatches = view(before)?.change_to(&view(after)?).against(&declarations.value);
        let line = |mismatch: &Mismatch| match mismatch.entry {
            Some((key, at)) => declarations.line(key, at),
            None => declarations.block_line(),
        };
        Ok(mismatches.into_iter().map(|mismatch| (line(&mismatch), mismatch.message)).collect())
    }

    /// Where the diff does not name what changed. Files that are no input of a handbook are looked at if the diff
    /// names them.
    fn compare_diff(
        &mut self,
        before: &Repository,
        after: &Repository,
        report: &ResyncReport,
    ) -> Result<(), Failure> {
        let Some(text) = self.diff.clone() else { return Ok(()) };
        let named = match changed_in_diff(&text) {
            Ok(named) => named,
            Err(problem) => {
                self.finding(DIFF, problem.line, problem.message);
                return Ok(());
            }
        };
        for (path, (change, line)) in &named {
            let bytes = |repository: &Repository| {
                found(read_file(&*repository.file_system, path.as_bytes()))
                    .ok()
                    .flatten()
                    .map(|read| read.bytes)
            };
            let actual = match (bytes(before), bytes(after)) {
                (None, Some(_)) => Some(DiffChange::Added),
                (Some(_), None) => Some(DiffChange::Deleted),
                (Some(one), Some(other)) if one != other => Some(DiffChange::Changed),
                _ => None,
            };
            if actual != Some(*change) {
                let message =
                    format!("the diff says `{path}` is {}, and it is {}", word(Some(*change)), word(actual));
                self.finding(DIFF, *line, message);
            }
        }
        let lists = [
            (&report.changed_files, DiffChange::Changed),
            (&report.added_files, DiffChange::Added),
            (&report.deleted_files, DiffChange::Deleted),
        ];
        for (paths, change) in lists {
            for path in paths.iter().filter(|path| !named.contains_key(*path)) {
                self.finding(
                    DIFF,
                    1,
                    format!("`{path}` is {}, and the diff does not name it", word(Some(change))),
                );
            }
        }
        Ok(())
    }

    fn write(&self, repository: &Repository, report: &ResyncReport) -> Result<(), Failure> {
        let bytes = artifact_text(report);
        Ok(write_atomically(&*self.disk, REPORT.as_bytes(), &bytes, repository.durability())?)
    }

    fn outcome(mut self, report: ResyncReport, handbook: Option<String>) -> ResyncOutcome {
        self.findings.sort();
        let (foreign, faults, warnings) = (Vec::new(), Vec::new(), Vec::new());
        ResyncOutcome { report, handbook, parsed: 0, findings: self.findings, foreign, faults, warnings }
    }
}

fn word(change: Option<DiffChange>) -> &'static str {
    match change {
        Some(DiffChange::Added) => "added",
        Some(DiffChange::Changed) => "changed",
        Some(DiffChange::Deleted) => "deleted",
        None => "the same",
    }
}

/// The inputs (sources, manifests, READMEs) that are not the same on both sides.
fn differing_inputs(before: &Side<'_>, after: &Side<'_>) -> Inputs {
    let inputs = |side: &Side<'_>| -> BTreeMap<String, Option<ContentHash>> {
        let files = side.computed.analysis.state.files.iter(side.computed.analysis.snapshot.blobs());
        files.map(|(_, file)| (file.path.to_string(), file.content)).collect()
    };
    let (before, after) = (inputs(before), inputs(after));
    let mut differing = Inputs::new();
    for path in before.keys().chain(after.keys()) {
        let change = match (before.get(path), after.get(path)) {
            (None, _) => DiffChange::Added,
            (_, None) => DiffChange::Deleted,
            (one, other) if one != other => DiffChange::Changed,
            _ => continue,
        };
        differing.insert(path.clone(), change);
    }
    differing
}
