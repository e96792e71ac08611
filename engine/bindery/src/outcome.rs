//! What the façade's calls give back: plain values that a command prints.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use bindery_artifacts::RunReport;
use bindery_artifacts::sarif::{SarifFinding, SarifRule, sarif_log};
pub use bindery_handbook::validate::{Finding, Rule};

/// What kind of problem ended a call; decides the exit code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// Our fault or the machine's: exit code 1.
    Machine,
    /// The call cannot mean anything: exit code 2.
    Usage,
    /// Something the user wrote is wrong: exit code 3.
    Findings,
    /// SIGINT or SIGTERM came: exit code 128 + the signal's number.
    Interrupted(i32),
}

/// A call that could not do what it was asked to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// What kind of problem.
    pub kind: FailureKind,
    /// What went wrong, lower case, no final stop, paths in backticks; several lines for several findings.
    pub message: String,
    /// What the user can do, if we know.
    pub hint: Option<String>,
}

impl Failure {
    /// Our fault or the machine's.
    pub fn machine(message: impl fmt::Display) -> Self {
        Self { kind: FailureKind::Machine, message: message.to_string(), hint: None }
    }

    /// A call that cannot mean anything.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self { kind: FailureKind::Usage, message: message.to_string(), hint: None }
    }

    /// Something the user wrote is wrong.
    pub fn findings(message: impl fmt::Display) -> Self {
        Self { kind: FailureKind::Findings, message: message.to_string(), hint: None }
    }

    /// What is wrong in a file that was read, one line for each finding.
    pub(crate) fn of_findings(findings: &[bindery_artifacts::read::Finding]) -> Self {
        let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
        let hint = findings.iter().find_map(|finding| finding.problem.nearest());
        let failure = Self::findings(lines.join("\n"));
        match hint {
            Some(nearest) => failure.with_hint(format!("did you mean `{nearest}`?")),
            None => failure,
        }
    }

    /// The cache lost, twice in a row, what had just been written to it.
    pub(crate) fn cache_lost() -> Self {
        Self::machine("the `cache` directory loses what was just written to it")
            .with_hint("remove it, or check the disk")
    }

    /// The user or the system asked to stop.
    pub(crate) fn interrupted(signal: bindery_store::Signal) -> Self {
        let number = i32::from(signal.exit_code()) - 128;
        Self { kind: FailureKind::Interrupted(number), message: "interrupted".to_owned(), hint: None }
    }

    /// With what the user can do.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// What a build did.
#[derive(Clone, Debug)]
pub struct BuildOutcome {
    /// The work done and why, for `--report` and the summary line.
    pub report: RunReport,
    /// Where the handbook lies, as the user would type it.
    pub handbook: String,
    /// Files in the handbook directory that are not ours and were kept: exit code 3.
    pub foreign: Vec<String>,
    /// Files of the handbook that were put into git's index or taken out of it, from the root.
    pub staged: Vec<String>,
    /// Units that failed through a fault of ours (a panic, a parser that died twice): exit code 1.
    pub faults: Vec<String>,
    /// What is worth a line on stderr and changes no exit code (cache unavailable).
    pub warnings: Vec<String>,
}

/// What `skill` wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkillOutcome {
    /// Where the package lies, as the user would type it.
    pub directory: String,
    /// Files written.
    pub written: u64,
    /// Files removed.
    pub removed: u64,
    /// Files there that are not ours and were kept: exit code 3.
    pub foreign: Vec<String>,
}

/// What `validate` found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValidateOutcome {
    /// The directory, as given.
    pub directory: String,
    /// Whether it is a SKILL package; else it is a handbook.
    pub is_package: bool,
    /// How many files were looked at.
    pub files: u64,
    /// What does not hold, by file and line: exit code 3.
    pub findings: Vec<Finding>,
}

impl ValidateOutcome {
    /// The findings as a SARIF 2.1.0 log, files relative to where the directory was named from.
    pub fn sarif(&self) -> String {
        let rules: Vec<SarifRule<'_>> =
            Rule::ALL.iter().map(|rule| SarifRule { id: rule.id(), sentence: rule.sentence() }).collect();
        let directory = self.directory.trim_end_matches('/');
        let files: Vec<String> = self
            .findings
            .iter()
            .map(|finding| match directory {
                "" | "." => finding.file.clone(),
                directory => format!("{directory}/{}", finding.file),
            })
            .collect();
        let findings: Vec<SarifFinding<'_>> = self
            .findings
            .iter()
            .zip(&files)
            .map(|(finding, file)| SarifFinding {
                rule: finding.rule.id(),
                file,
                line: finding.line,
                message: &finding.message,
            })
            .collect();
        sarif_log(crate::VERSION, &rules, &findings)
    }
}

/// A request that would be sent to a narrator.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PlannedRequest {
    /// The unit of prose: its kind and what it is about.
    pub unit: String,
    /// The digest of what is shown, by which the answer is kept.
    pub digest: String,
    /// Bytes of facts and source text it shows.
    pub bytes: u64,
}

/// How one output differs from what a build would write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Staleness {
    /// The output's path in the handbook or work directory, as the user would type it.
    pub path: String,
    /// What is the matter with it.
    pub state: OutputState,
    /// A unified diff from what is there to what should be; only if asked for, text outputs only.
    pub diff: Option<String>,
}

/// What is the matter with an output.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum OutputState {
    /// It is not there.
    Missing,
    /// Its bytes differ.
    Outdated,
    /// It is ours and stands for nothing any more.
    Leftover,
    /// It is not ours and stands where an output belongs.
    Foreign,
}

/// What a check found; anything in `stale` is exit code 3.
#[derive(Clone, Debug)]
pub struct CheckOutcome {
    /// The version that wrote the handbook, if it was another one.
    pub written_by: Option<String>,
    /// What differs, sorted by path.
    pub stale: Vec<Staleness>,
    /// As in [`BuildOutcome::faults`].
    pub faults: Vec<String>,
    /// As in [`BuildOutcome::warnings`].
    pub warnings: Vec<String>,
}

/// What a build would do now.
#[derive(Clone, Debug, Default)]
pub struct StatusOutcome {
    /// Changed, added and removed inputs, sorted, with a word each (`added`, `changed`, `removed`).
    pub inputs: Vec<(String, &'static str)>,
    /// Files that would be resolved again, with the reason in words.
    pub resolved: Vec<(String, String)>,
    /// Outputs that would be written or removed.
    pub outputs: Vec<Staleness>,
    /// Files left out, by reason, with their paths; counts are always there, paths only if asked for.
    pub skipped: BTreeMap<String, Skipped>,
}

/// Files left out for one reason.
#[derive(Clone, Debug, Default)]
pub struct Skipped {
    /// How many.
    pub count: u64,
    /// Which, sorted; empty unless asked for.
    pub paths: Vec<String>,
}

/// Why an output or file is as it is: the inputs behind it and what it reaches.
#[derive(Clone, Debug, Default)]
pub struct WhyOutcome {
    /// What was asked about, as we understood it (`page stage-core.md`, `file src/a.rs`).
    pub subject: String,
    /// Whether it would be redone now.
    pub is_stale: bool,
    /// From it back to the changed inputs: the shortest chain, one step a line, or what it is made from.
    pub from: Vec<String>,
    /// From it forward: what depends on it.
    pub to: Vec<String>,
}

/// A symbol found by name, with what it calls or who calls it where that was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolOutcome {
    /// The graph id.
    pub id: String,
    /// `function`, `method` … or `type:class` ….
    pub kind: String,
    /// The file.
    pub file: String,
    /// First and last line; 0 for a boundary.
    pub lines: (u32, u32),
    /// The declaration head.
    pub signature: String,
    /// The stage of its file.
    pub stage: String,
    /// Callers or callees, sorted: where the call stands and the other end's id.
    pub calls: Vec<CallOutcome>,
}

/// One call between two symbols.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CallOutcome {
    /// The id of the other end.
    pub id: String,
    /// The file the call stands in.
    pub file: String,
    /// The line the call stands on.
    pub line: u32,
    /// The call type's word.
    pub call_type: String,
    /// The callee as written.
    pub raw: String,
}

/// What the cache holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CacheOutcome {
    /// Where it lies.
    pub path: String,
    /// Entries in it.
    pub entries: u64,
    /// Bytes on disk, state included.
    pub bytes: u64,
    /// Bytes nothing refers to any more.
    pub unused_bytes: u64,
    /// Entries found damaged (`verify`) or removed (`gc`, `clear`).
    pub affected: u64,
}

/// What differs between the handbooks of two states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AffectedOutcome {
    /// The ids of the stages whose pages show something else, sorted.
    pub stages: Vec<String>,
    /// The files whose cards differ, sorted.
    pub cards: Vec<String>,
    /// The handbook's files that differ, the stamp left out, sorted.
    pub pages: Vec<String>,
}

/// A function or a type.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Declared {
    /// The graph id.
    pub id: String,
    /// `function`, or the word for its kind of type.
    pub kind: String,
    /// The name inside its file.
    pub qualname: String,
    /// The declaration head.
    pub signature: String,
    /// The file.
    pub file: String,
    /// Its first line.
    pub line: u32,
}

/// A function or a type that has another place now.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Moved {
    /// Where it was.
    pub before: Declared,
    /// Where it is.
    pub after: Declared,
}

/// That one function calls another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The id of the caller.
    pub caller: String,
    /// The id of the callee.
    pub callee: String,
    /// Whether the callee is inside the set.
    pub is_internal: bool,
}

impl Edge {
    pub(crate) fn renamed(mut self, names: &BTreeMap<&str, &str>) -> Self {
        for end in [&mut self.caller, &mut self.callee] {
            if let Some(name) = names.get(end.as_str()) {
                (*name).clone_into(end);
            }
        }
        self
    }
}

/// What changed in meaning between two states; each list is sorted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiffOutcome {
    /// Functions and types that are new.
    pub added: Vec<Declared>,
    /// Those that are gone, as they were.
    pub removed: Vec<Declared>,
    /// Those whose file or module is another one now.
    pub moved: Vec<Moved>,
    /// Those with another signature or kind now.
    pub changed: Vec<Declared>,
    /// Calls that are new.
    pub gained: Vec<Edge>,
    /// Calls that are gone, with the names that moved ends have now.
    pub lost: Vec<Edge>,
    /// Functions that call each other in a circle which a gained call closes.
    pub cycles: Vec<Vec<String>>,
    /// What shows it.
    pub affected: AffectedOutcome,
}

/// What a build read, as absolute paths, sorted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inputs {
    /// Every file: sources, manifests, READMEs, ignore files, the configuration, the skeleton; with a narrator that
    /// is not built in, committed prose and the user's own configuration.
    pub files: Vec<PathBuf>,
    /// The directories in the root that hold such files; what appears in them may be read next time.
    pub directories: Vec<PathBuf>,
    /// Every directory whose names were read, the root included, but for those in which the work directory or the
    /// handbook lies: a build may change these.
    pub listed: Vec<PathBuf>,
    /// The environment variables that count.
    pub variables: &'static [&'static str],
}

/// The page of a stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// The stage's id.
    pub stage: String,
    /// Its title.
    pub title: String,
    /// The page's name in the handbook.
    pub file: String,
}
