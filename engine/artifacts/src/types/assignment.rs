use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{StageId, Version};

/// Which stage each file belongs to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Assignment {
    /// The format version.
    pub version: Version<1>,
    /// The stages of each scanned file, by path.
    pub file_stage: BTreeMap<String, Placement>,
    /// The files of each stage, sorted; primary stage only.
    pub buckets: BTreeMap<StageId, Vec<String>>,
    /// Counts.
    pub coverage: AssignmentCoverage,
}

/// Where a file or function belongs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Placement {
    /// The one primary stage, or `unassigned`.
    pub stage: StageId,
    /// Other stages that use it, sorted.
    pub also: Vec<StageId>,
}

/// How complete an assignment of files is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AssignmentCoverage {
    /// Files.
    pub n_files: u64,
    /// Files with a stage.
    pub n_assigned: u64,
    /// The others, sorted.
    pub unassigned: Vec<String>,
}

/// Which stage each function belongs to (`strategy = "member"`).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Members {
    /// The format version.
    pub version: Version<1>,
    /// The stages of each function, by node id.
    pub function_stage: BTreeMap<String, Placement>,
    /// The functions of each stage, sorted; primary stage only.
    pub buckets: BTreeMap<StageId, Vec<String>>,
    /// Counts.
    pub coverage: MemberCoverage,
}

/// How complete an assignment of functions is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemberCoverage {
    /// Functions.
    pub n_functions: u64,
    /// Functions with a stage.
    pub n_assigned: u64,
    /// The others, sorted.
    pub unassigned: Vec<String>,
}
