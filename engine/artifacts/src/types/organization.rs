use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Role, StageId, Version};

/// The groups and the reading order inside each stage.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Organization {
    /// Size.
    pub metadata: OrganizedMetadata,
    /// The stages that have files.
    pub stages: BTreeMap<StageId, OrganizedStage>,
    /// Counts.
    pub coverage: OrganizedCoverage,
}

/// The size of an organization.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrganizedMetadata {
    /// The format version.
    pub version: Version<1>,
    /// Entries of `stages`.
    pub n_stages: u64,
}

/// One stage from the inside.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrganizedStage {
    /// The stage's title.
    pub title: String,
    /// Files that belong together, in reading order.
    pub groups: Vec<OrganizedGroup>,
    /// All files in reading order, across groups.
    pub ordered_files: Vec<String>,
}

/// Files that belong together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrganizedGroup {
    /// What they share.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// The files in reading order.
    pub files: Vec<OrganizedFile>,
}

/// A file in its group.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrganizedFile {
    /// The file.
    pub file: String,
    /// The card's purpose.
    pub purpose: String,
    /// The card's role.
    pub role: Role,
    /// Functions in it.
    pub n_functions: u64,
}

/// How complete an organization is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrganizedCoverage {
    /// Files with a stage.
    pub n_files: u64,
    /// Files in a group.
    pub n_organized: u64,
}
