//! `plan`: a change that is checked, foreseen and carried out as a whole.
//!
//! What a plan would change is found out by building twice over an overlay: the tree as it is, and the tree with
//! the edits in it. Nothing is written; what the last build knew is used. Start reading at
//! [`Repository::plan_check`]; [`effect`] is what a change does to symbols and pages, `draft.rs` writes the skeleton
//! of a plan.

mod draft;
pub(crate) mod effect;
mod files;
pub(crate) mod outcome;

use core::time::Duration;

use bindery_plan::{Plan, Problem, Resolved, resolve_edits};
use bindery_store::{ErrorKind, Holder, Replacement, WorkDir, replace_all};

use crate::options::{Progress, Quiet};
use crate::outcome::Failure;
use crate::repository::Repository;
use effect::{Change, View};
use files::PlanFiles;
use outcome::{PlanApplyOutcome, PlanCheckOutcome, PlanFinding, PlannedEdit};

/// A plan held against the repository.
struct Checked {
    plan: Plan,
    edits: Resolved,
    files: PlanFiles,
    findings: Vec<Problem>,
    /// What it would do; none if there are findings.
    foreseen: Option<Foreseen>,
}

/// The repository before, and what the edits would change.
struct Foreseen {
    before: View,
    change: Change,
}

impl Repository {
    /// Holds a plan against the repository and foresees what it would change. `name` is what findings call it.
    pub fn plan_check(
        &self,
        name: &str,
        plan: &[u8],
        progress: &dyn Progress,
    ) -> Result<PlanCheckOutcome, Failure> {
        Ok(self.checked(plan, progress)?.outcome(name))
    }

    /// Carries a plan out if a check of it is clean: all edits or none. Then compares what changed with what was
    /// declared and foreseen; what differs is reported, and stays.
    pub fn plan_apply(
        &self,
        name: &str,
        plan: &[u8],
        progress: &dyn Progress,
    ) -> Result<PlanApplyOutcome, Failure> {
        let work = WorkDir::open(self.work.clone())?;
        let _lock = work.lock(&Holder::this_process("bindery plan apply"))?;
        let warnings = self.undo_interrupted_plan()?;
        let checked = self.checked(plan, progress)?;
        let mut outcome = PlanApplyOutcome {
            check: checked.outcome(name),
            written: Vec::new(),
            mismatches: Vec::new(),
            warnings,
        };
        let Some(foreseen) = &checked.foreseen else { return Ok(outcome) };
        let changes = checked.replacements();
        replace_all(&*self.file_system, &self.work, &changes).map_err(refused)?;
        outcome.written = checked.edits.files.keys().cloned().collect();
        let (run, computed) = self.computed(&Quiet)?;
        let after = View::of(&run, &computed, &checked.edited(), &checked.declared())?;
        let actual = foreseen.before.change_to(&after);
        outcome.mismatches = foreseen.change.differences_to(&actual);
        if let Some(declarations) = &checked.plan.declarations {
            outcome.mismatches.extend(messages(actual.against(&declarations.value)));
        }
        Ok(outcome)
    }

    /// Undoes what a `plan apply` that was killed left half done. The caller holds the lock of the work directory.
    /// What happened, for people.
    pub(crate) fn undo_interrupted_plan(&self) -> Result<Vec<String>, Failure> {
        let Some(undone) = bindery_store::undo_interrupted(&*self.file_system, &self.work)? else {
            return Ok(Vec::new());
        };
        let restored =
            |path: &String| format!("`{path}` has its old contents again: applying a plan was interrupted");
        let kept = |path: &String| {
            format!("`{path}` was changed since applying a plan was interrupted, and is left as it is")
        };
        Ok(undone.restored.iter().map(restored).chain(undone.kept.iter().map(kept)).collect())
    }

    /// The same for commands that do not take the lock: if it is free, and as well as it goes.
    pub(crate) fn undo_if_nobody_applies(&self, work: &WorkDir) {
        if !bindery_store::is_interrupted(&self.work) {
            return;
        }
        let lock = work.lock_within(&Holder::this_process("bindery"), Duration::ZERO);
        match lock.map_err(Failure::from).and_then(|_lock| self.undo_interrupted_plan()) {
            Ok(undone) => undone.iter().for_each(|message| tracing::warn!("{message}")),
            Err(failure) => tracing::warn!("an interrupted plan is not undone: {failure}"),
        }
    }

    fn checked(&self, bytes: &[u8], progress: &dyn Progress) -> Result<Checked, Failure> {
        let plan = Plan::parse(bytes);
        let mut files = PlanFiles::default();
        let edits = resolve_edits(&plan, |path| files.content(self, path));
        let mut findings = plan.problems.clone();
        findings.extend(plan.declaration_problems.iter().cloned());
        findings.extend(plan.missing_parts());
        findings.extend(edits.problems.iter().cloned());
        let mut checked = Checked { plan, edits, files, findings, foreseen: None };
        let (overlaid, overlay) = self.in_memory();
        let (edited, declared) = (checked.edited(), checked.declared());
        let before = View::take(&overlaid, &edited, &declared, progress)?;
        checked.findings.extend(checked.wrong_declarations(&before));
        if checked.findings.is_empty() {
            for (path, edit) in &checked.edits.files {
                overlay.write(checked.files.raw(path), &edit.after);
            }
            let after = View::take(&overlaid, &edited, &declared, progress)?;
            let change = before.change_to(&after);
            checked.foreseen = Some(Foreseen { before, change });
        }
        checked.findings.sort();
        Ok(checked)
    }
}

fn messages(mismatches: Vec<effect::Mismatch>) -> Vec<String> {
    mismatches.into_iter().map(|mismatch| mismatch.message).collect()
}

fn refused(error: bindery_store::StoreError) -> Failure {
    match error.kind {
        ErrorKind::ChangedDuringRead => {
            Failure::findings(format!("`{}` changed since it was checked; nothing was written", error.path))
        }
        _ => Failure::machine(error),
    }
}

impl Checked {
    /// The paths of the edits, as artifacts spell them.
    fn edited(&self) -> Vec<String> {
        self.edits.files.keys().cloned().collect()
    }

    fn declared(&self) -> Vec<String> {
        let declarations = self.plan.declarations.iter().map(|declarations| &declarations.value);
        declarations
            .flat_map(|value| [&value.will_modify, &value.will_add, &value.will_remove])
            .flatten()
            .cloned()
            .collect()
    }

    /// Declared symbols that are not there although they must be, or are although they must not.
    fn wrong_declarations(&self, before: &View) -> Vec<Problem> {
        let Some(declarations) = &self.plan.declarations else { return Vec::new() };
        let value = &declarations.value;
        let mut wrong = Vec::new();
        let must_be = [("will_modify", &value.will_modify, true), ("will_remove", &value.will_remove, true)];
        for (key, names, must_exist) in must_be.into_iter().chain([("will_add", &value.will_add, false)]) {
            for (at, name) in names.iter().enumerate() {
                let message = match (before.has(name), must_exist) {
                    (false, true) => format!("`{key}` names `{name}`, and nothing is called that"),
                    (true, false) => format!("`{key}` names `{name}`, which is there already"),
                    _ => continue,
                };
                wrong.push(Problem { line: declarations.line(key, at), message, hint: None });
            }
        }
        wrong
    }

    fn replacements(&self) -> Vec<Replacement> {
        let replacement = |(path, edit): (&String, &bindery_plan::FileEdit)| Replacement {
            path: self.files.raw(path).to_vec(),
            before: edit.before.clone(),
            after: edit.after.clone(),
        };
        self.edits.files.iter().map(replacement).collect()
    }

    fn outcome(&self, name: &str) -> PlanCheckOutcome {
        let finding = |problem: &Problem| PlanFinding {
            file: name.to_owned(),
            line: problem.line,
            message: problem.message.clone(),
            hint: problem.hint.clone(),
        };
        let edit = |edit: &bindery_plan::PlacedEdit| PlannedEdit {
            number: edit.number,
            file: edit.file.clone(),
            lines: edit.lines,
            changes: edit.changes,
        };
        let change = self.foreseen.as_ref().map(|foreseen| &foreseen.change);
        let declarations = self.plan.declarations.as_ref().filter(|_| !self.edits.files.is_empty());
        PlanCheckOutcome {
            findings: self.findings.iter().map(finding).collect(),
            edits: self.edits.edits.iter().map(edit).collect(),
            warnings: change.zip(declarations).map_or_else(Vec::new, |(change, declarations)| {
                messages(change.against(&declarations.value))
            }),
            effect: change.map(Change::outcome),
        }
    }
}
