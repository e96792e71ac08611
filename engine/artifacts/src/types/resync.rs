use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{StageId, Version};

/// What a resync did: `resync-report.json` of a case directory. Every list is sorted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResyncReport {
    /// The format version.
    pub version: Version<1>,
    /// Whether there was nothing to do, because the case has an empty diff.
    pub skipped: bool,
    /// Inputs whose contents differ from the root's.
    pub changed_files: Vec<String>,
    /// Inputs the root does not have.
    pub added_files: Vec<String>,
    /// Inputs of the root that are gone.
    pub deleted_files: Vec<String>,
    /// Stages of those files and of the declared symbols, and stages whose page is another one.
    pub affected_stages: Vec<StageId>,
    /// Files with a card that shows something else than the root's, or of a declared symbol.
    pub cards_regenerated: Vec<String>,
    /// Whether a model was asked for prose.
    pub narrated: bool,
}
