use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{StageId, Version};

/// The prose about the system and its stages.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Narration {
    /// The format version.
    pub version: Version<1>,
    /// The language the prose is written in.
    pub lang: ProseLanguage,
    /// About the whole; empty if none could be had.
    pub system_overview: String,
    /// About each stage; empty if none could be had.
    pub stage_summaries: BTreeMap<StageId, String>,
}

/// A language prose is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProseLanguage {
    /// English.
    #[default]
    En,
    /// Chinese.
    Zh,
}
