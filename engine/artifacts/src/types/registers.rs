use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{RegisterId, StageId, Version};

/// The state that more than one stage touches.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Registers {
    /// The format version.
    pub version: Version<1>,
    /// Sorted by id.
    pub registers: Vec<Register>,
}

/// One piece of shared state.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Register {
    /// Its id.
    pub id: RegisterId,
    /// What it means; empty if no text could be had.
    pub semantics: String,
    /// The stages that touch it, sorted.
    pub stages: Vec<StageId>,
    /// Where it is read, sorted.
    pub reads: Vec<StateUse>,
    /// Where it is written, sorted.
    pub writes: Vec<StateUse>,
}

/// A place that reads or writes state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StateUse {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The id of the node it stands in.
    pub symbol: String,
}
