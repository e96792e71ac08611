use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Version;

/// `coverage.json` of a SKILL package: what the package was made from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillCoverage {
    /// The format version.
    pub schema_version: Version<1>,
    /// What the files come to.
    pub summary: SkillSummary,
    /// Every file that was read, sorted by path.
    pub files: Vec<CoveredFile>,
}

/// Counts over a SKILL package.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillSummary {
    /// Files that were read.
    pub n_files: u64,
    /// Selected files that could not be read or parsed.
    pub n_unread: u64,
    /// Stages with a page.
    pub n_stages: u64,
}

/// A file that was read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CoveredFile {
    /// Where it lies.
    pub path: String,
    /// The id of its stage; `unassigned` without one.
    pub stage: String,
    /// The SHA-256 of its bytes in hexadecimal digits.
    pub sha256: String,
}
