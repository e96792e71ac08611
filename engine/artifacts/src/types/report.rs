use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Version;

/// `run.json`: what the last run in this work directory was, and what it left behind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunRecord {
    /// The format version.
    pub version: Version<1>,
    /// The version of Bindery.
    pub tool: String,
    /// The commit that was checked out, if there is one.
    pub commit: Option<String>,
    /// When the run ended, in UTC.
    pub finished_at: String,
    /// What the phase artifacts in the work directory stand for.
    pub artifacts: ExportState,
    /// The handbook's stamp.
    pub stamp: Option<String>,
}

/// What the phase artifacts in a work directory stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExportState {
    /// They were never written.
    None,
    /// They are those of this run.
    Current,
    /// They are those of an earlier run.
    Stale,
}

/// `--report`: the work a run did, and why.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunReport {
    /// What kind of report it is.
    pub kind: ReportKind,
    /// The format version.
    pub version: Version<1>,
    /// The version of Bindery.
    pub tool: String,
    /// What was found on disk.
    pub files: FileCounts,
    /// The work of each kind of query; none is missing.
    pub queries: BTreeMap<QueryKind, QueryCounts>,
    /// What happened to the handbook's pages.
    pub pages: OutputCounts,
    /// What happened to the phase artifacts.
    pub artifacts: OutputCounts,
    /// What became of the prose a model writes; none if the narrator is the built-in one.
    pub prose: Option<ProseReport>,
    /// Cache entries that `--verify` or the sample recheck found to differ.
    pub replaced_cache_entries: u64,
    /// Microseconds of each phase; none is missing.
    pub microseconds: BTreeMap<Phase, u64>,
    /// Everything that was computed anew, sorted by query and unit.
    pub recomputed: Vec<Recomputed>,
}

/// The word that marks the report of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReportKind {
    /// The report of a run.
    #[default]
    RunReport,
}

impl RunReport {
    /// A report of nothing, with every query kind and phase present.
    pub fn empty(tool: &str) -> Self {
        Self {
            kind: ReportKind::RunReport,
            version: Version,
            tool: tool.to_owned(),
            files: FileCounts::default(),
            queries: QueryKind::ALL.iter().map(|kind| (*kind, QueryCounts::default())).collect(),
            pages: OutputCounts::default(),
            artifacts: OutputCounts::default(),
            prose: None,
            replaced_cache_entries: 0,
            microseconds: Phase::ALL.iter().map(|phase| (*phase, 0)).collect(),
            recomputed: Vec::new(),
        }
    }
}

/// What became of the prose a model writes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProseReport {
    /// The narrator's name.
    pub narrator: String,
    /// The units the handbook has.
    pub units: u64,
    /// Units whose answer was there.
    pub reused: u64,
    /// Units that were answered in this run.
    pub received: u64,
    /// Answers nothing asks for any more; they are kept.
    pub unused: u64,
    /// The units that are empty, sorted.
    pub missing: Vec<MissingProse>,
}

/// A unit of prose that could not be had.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MissingProse {
    /// The unit: its kind and what it is about.
    pub unit: String,
    /// Why.
    pub reason: String,
}

/// What was found on disk.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileCounts {
    /// Files chosen for analysis.
    pub selected: u64,
    /// Files whose bytes were read.
    pub read: u64,
    /// Files that gave facts.
    pub scanned: u64,
    /// Files whose tree has errors.
    pub partial: u64,
    /// Files that gave no tree.
    pub unparsable: u64,
    /// Files that could not be read.
    pub unreadable: u64,
    /// Files left out, by reason.
    pub skipped: BTreeMap<String, u64>,
}

/// How the results of one kind of query were had.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QueryCounts {
    /// Worked out in this run.
    pub computed: u64,
    /// Known to be unchanged without looking.
    pub reused: u64,
    /// Taken from the cache.
    pub loaded: u64,
}

/// What happened to files that are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutputCounts {
    /// Written.
    pub written: u64,
    /// Already there with the same bytes.
    pub kept: u64,
    /// Removed because nothing stands for them any more.
    pub removed: u64,
}

/// The kinds of results a run works out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum QueryKind {
    /// The facts of a file's bytes.
    Facts,
    /// What a package manifest or tool configuration says.
    Manifest,
    /// What a file offers to others.
    Offers,
    /// Where a file's calls lead.
    Resolution,
    /// The card of a file.
    Card,
    /// A file's part of the phase-1 artifacts.
    Fragment,
    /// The stages.
    Skeleton,
    /// The stage of each file.
    Assignment,
    /// Groups and reading order of a stage.
    Organization,
    /// The state that stages share.
    Registers,
    /// A unit of prose.
    Prose,
    /// A page of the handbook.
    Page,
}

impl QueryKind {
    /// Every kind, in the order of the pipeline.
    pub const ALL: [QueryKind; 12] = [
        QueryKind::Facts,
        QueryKind::Manifest,
        QueryKind::Offers,
        QueryKind::Resolution,
        QueryKind::Card,
        QueryKind::Fragment,
        QueryKind::Skeleton,
        QueryKind::Assignment,
        QueryKind::Organization,
        QueryKind::Registers,
        QueryKind::Prose,
        QueryKind::Page,
    ];
}

/// The phases of a run, for timing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Phase {
    /// Reading the state of the last run.
    State,
    /// Finding out what changed on disk.
    Scan,
    /// Parsing changed files.
    Parse,
    /// Resolving calls.
    Resolve,
    /// Cards, stages, registers, prose.
    Derive,
    /// Rendering pages.
    Render,
    /// Assembling phase artifacts.
    Export,
    /// Writing outputs and state.
    Write,
    /// The whole process.
    Total,
}

impl Phase {
    /// Every phase, in the order they run.
    pub const ALL: [Phase; 9] = [
        Phase::State,
        Phase::Scan,
        Phase::Parse,
        Phase::Resolve,
        Phase::Derive,
        Phase::Render,
        Phase::Export,
        Phase::Write,
        Phase::Total,
    ];
}

/// One result that was computed anew.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Recomputed {
    /// What kind of result.
    pub query: QueryKind,
    /// Of what: a path, a page, a stage.
    pub unit: String,
    /// Why.
    pub reason: Reason,
    /// The input that changed, if there is one to name: a path or a symbol.
    pub because_of: Option<String>,
}

/// Why a result was computed anew.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    /// There is no usable state of an earlier run.
    NoState,
    /// The state was written by another build of Bindery.
    ToolChanged,
    /// A key of the configuration changed.
    ConfigurationChanged,
    /// The unit is new.
    Added,
    /// The file moved to this path.
    Moved,
    /// The file's bytes changed.
    ContentChanged,
    /// A package manifest or tool configuration changed.
    ManifestChanged,
    /// A name it asks for is offered differently, or by others, than before.
    NeedChanged,
    /// An id in it clashes with another file's, or does so no longer.
    IdClashChanged,
    /// The facts it is drawn from changed.
    FactsChanged,
    /// Where the calls it is drawn from lead changed.
    ResolutionChanged,
    /// The callers it shows changed.
    CallersChanged,
    /// Line numbers of another file that it shows changed.
    LinesChanged,
    /// The stages changed.
    StagesChanged,
    /// Prose it shows changed.
    ProseChanged,
    /// A README or other text the narrator reads changed.
    NarratorInputChanged,
    /// The cache has no entry for it.
    CacheMiss,
    /// The cache's entry was damaged.
    CacheDamaged,
    /// `--verify` was asked for.
    Verification,
    /// Its output was missing or different on disk.
    OutputChanged,
}
