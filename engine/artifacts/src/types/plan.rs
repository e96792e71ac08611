use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a plan says it does to the symbols of the repository: the `json` block of a plan. Each entry is a
/// qualname (`Engine.spin`), a name or a whole id.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanDeclarations {
    /// Symbols that are there before and after, with another text.
    #[serde(default)]
    pub will_modify: Vec<String>,
    /// Symbols that are there only after.
    #[serde(default)]
    pub will_add: Vec<String>,
    /// Symbols that are there only before.
    #[serde(default)]
    pub will_remove: Vec<String>,
}
