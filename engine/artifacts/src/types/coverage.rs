use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Version;

/// The files the scan could not turn into facts, and why.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScanCoverage {
    /// The format version.
    pub version: Version<1>,
    /// Counts.
    pub metadata: CoverageMetadata,
    /// Sorted by path; empty: every scanned file parsed cleanly.
    pub files: Vec<FileProblem>,
}

/// Counts of a scan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CoverageMetadata {
    /// A reproducible time: `SOURCE_DATE_EPOCH`, the last commit's, or 1970.
    pub generated_at: String,
    /// Files that reached the graph.
    pub n_scanned: u64,
    /// Entries of `files`.
    pub n_unparsed: u64,
    /// Entries of `files` per reason.
    pub by_reason: ProblemCounts,
}

/// Files per reason; none may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProblemCounts {
    /// Parsed with errors.
    pub partial: u64,
    /// Not parsed.
    pub unparsable: u64,
    /// Not read.
    pub unreadable: u64,
}

impl ProblemCounts {
    /// Counts the reasons of `problems`.
    pub fn of<'a>(problems: impl IntoIterator<Item = &'a FileProblem>) -> Self {
        let mut counts = Self::default();
        for problem in problems {
            match problem.reason {
                ProblemKind::Partial => counts.partial += 1,
                ProblemKind::Unparsable => counts.unparsable += 1,
                ProblemKind::Unreadable => counts.unreadable += 1,
            }
        }
        counts
    }
}

/// A file without facts, or without all of them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileProblem {
    /// The file.
    pub file: String,
    /// What happened.
    pub reason: ProblemKind,
    /// The message, limit or line behind it.
    pub detail: String,
}

/// What happened to a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProblemKind {
    /// Its facts are real but not complete: the tree has an error or a missing node.
    Partial,
    /// It was read but gave no tree.
    Unparsable,
    /// It was listed but could not be read.
    Unreadable,
}
