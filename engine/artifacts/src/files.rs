//! The names of all files of the work directory and the handbook, at one place.

/// Where the phase-1 exports lie in the work directory.
pub const PHASE1: &str = "phase1";
/// Where the phase-2 exports lie in the work directory.
pub const PHASE2: &str = "phase2";
/// Where the phase-3 exports lie in the work directory.
pub const PHASE3: &str = "phase3";

/// The call graph.
pub const GRAPH: &str = "phase1/graph.json";
/// One row for each function of the set.
pub const FUNCTIONS: &str = "phase1/functions.csv";
/// The call graph for Graphviz.
pub const GRAPH_DOT: &str = "phase1/graph.dot";
/// Calls that could not be resolved.
pub const DROPPED_CALLS: &str = "phase1/dropped-calls.json";
/// Files that gave no facts, or not all of them.
pub const SCAN_COVERAGE: &str = "phase1/scan-coverage.json";

/// The directory of cards; see [`crate::names::card_names`].
pub const CARDS: &str = "phase2/cards";
/// Which files have a described card.
pub const CARD_COVERAGE: &str = "phase2/cards/_coverage.json";
/// The stages.
pub const SKELETON: &str = "phase2/skeleton.yaml";
/// The stage of each file.
pub const ASSIGNMENT: &str = "phase2/assignment.json";
/// Groups and reading order of each stage.
pub const ORGANIZATION: &str = "phase2/organization.yaml";
/// The stage of each function.
pub const MEMBERS: &str = "phase2/members.json";

/// Prose about the system and its stages.
pub const NARRATION: &str = "phase3/narration.json";
/// State that stages share.
pub const REGISTERS: &str = "phase3/registers.json";

/// Prose written by a model, where the configuration names no committed file for it: one answer a line.
pub const PROSE: &str = "phase3/prose.jsonl";
/// Answers of a run that has not ended, one file each.
pub const PENDING_PROSE: &str = "phase3/pending";

/// Commit, time and outcome of the last run.
pub const RUN: &str = "run.json";
/// The configuration, in the root.
pub const CONFIGURATION: &str = "bindery.toml";
/// The user's own configuration, in `bindery/` of the directory for such files.
pub const USER_CONFIGURATION: &str = "config.toml";

/// The exports of phase 1, in the order they are written.
pub const PHASE1_EXPORTS: [&str; 5] = [GRAPH, FUNCTIONS, GRAPH_DOT, DROPPED_CALLS, SCAN_COVERAGE];
