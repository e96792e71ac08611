//! What plans, cases and skeletons that are mended give back: plain values that a command prints.

use bindery_artifacts::ResyncReport;

/// Something wrong in a plan or a case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PlanFinding {
    /// The file it stands in, as the user named it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
    /// What can be done about it.
    pub hint: Option<String>,
}

/// An edit of a plan, found in its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedEdit {
    /// Its number.
    pub number: u32,
    /// The file.
    pub file: String,
    /// First and last line of its text in the file; (0, 0) for a file that is created.
    pub lines: (u32, u32),
    /// Whether it changes anything.
    pub changes: bool,
}

/// How a file of the handbook changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PageChange {
    /// It is there only after.
    Added,
    /// It has other bytes.
    Changed,
    /// It is there only before.
    Removed,
}

impl PageChange {
    /// The word reports use.
    pub fn word(self) -> &'static str {
        match self {
            PageChange::Added => "added",
            PageChange::Changed => "changed",
            PageChange::Removed => "removed",
        }
    }
}

/// What a change does; every list is sorted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EffectOutcome {
    /// Ids of symbols whose own text is another one.
    pub modified: Vec<String>,
    /// Ids of symbols that are there only after.
    pub added: Vec<String>,
    /// Ids of symbols that are there only before.
    pub removed: Vec<String>,
    /// Ids of the stages whose pages change.
    pub stages: Vec<String>,
    /// Files of the handbook that change.
    pub pages: Vec<(String, PageChange)>,
}

/// What a check of a plan found; anything in `findings` is exit code 3.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanCheckOutcome {
    /// What is wrong, by line.
    pub findings: Vec<PlanFinding>,
    /// The edits that were found in their files, by number.
    pub edits: Vec<PlannedEdit>,
    /// Where the declarations and the edits do not say the same; no reason not to apply the plan.
    pub warnings: Vec<String>,
    /// What the plan would do; none if there are findings.
    pub effect: Option<EffectOutcome>,
}

/// What applying a plan did; findings in `check` and anything in `mismatches` are exit code 3.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanApplyOutcome {
    /// The check before. With findings nothing was written.
    pub check: PlanCheckOutcome,
    /// The files written, sorted.
    pub written: Vec<String>,
    /// Where what changed is not what was declared or foreseen.
    pub mismatches: Vec<String>,
    /// What an interrupted run before left, and what was done about it.
    pub warnings: Vec<String>,
}

/// What a resync did; anything in `findings` or `foreign` is exit code 3, in `faults` 1.
#[derive(Clone, PartialEq, Debug)]
pub struct ResyncOutcome {
    /// What was written to the case directory.
    pub report: ResyncReport,
    /// Where the handbook lies; none if there was nothing to do.
    pub handbook: Option<String>,
    /// How many files were parsed; all others were known.
    pub parsed: u64,
    /// Where the plan or the diff of the case do not say what changed.
    pub findings: Vec<PlanFinding>,
    /// As in a build.
    pub foreign: Vec<String>,
    /// As in a build.
    pub faults: Vec<String>,
    /// As in a build.
    pub warnings: Vec<String>,
}

/// Something in a committed skeleton that does not fit today's facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DoctorFinding {
    /// `gone`, `unassigned`, `too-large` or `out-of-order`.
    pub kind: &'static str,
    /// The id of the stage.
    pub stage: String,
    /// Its line in the skeleton; 1 for a stage that is not there yet.
    pub line: u32,
    /// What is the matter.
    pub message: String,
}

/// What holding a committed skeleton against today's facts came to. Findings that were not mended are exit code 3.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkeletonDoctorOutcome {
    /// The skeleton's path.
    pub path: String,
    /// What does not fit.
    pub findings: Vec<DoctorFinding>,
    /// The smallest change that mends it, as a unified diff with the reason at the head of each hunk; empty if nothing
    /// is wrong, or if a person wrote the skeleton.
    pub patch: String,
    /// Whether a person wrote it, who alone changes it.
    pub is_users: bool,
    /// Whether the patch was applied.
    pub is_written: bool,
}
