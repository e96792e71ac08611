use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Version;

/// Every call whose callee does not follow from what is written, by category.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DroppedCalls<'a> {
    /// The format version.
    pub version: Version<1>,
    /// Counts.
    pub metadata: DroppedMetadata,
    /// The calls of each category, sorted by caller, line, raw text; equal rows are all kept.
    pub edges_by_category: ByCategory<Vec<DroppedCall<'a>>>,
}

/// Counts of dropped calls.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DroppedMetadata {
    /// A reproducible time: `SOURCE_DATE_EPOCH`, the last commit's, or 1970.
    pub generated_at: String,
    /// All of them.
    pub total_dropped: u64,
    /// Per category.
    pub by_category: ByCategory<u64>,
}

/// One value per category; none may be missing.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ByCategory<T> {
    /// No receiver: nothing in scope answers, or the callee is computed.
    pub bare_name: T,
    /// The language's own functions, and members of literals and of types that need no import.
    pub builtin: T,
    /// A member of a base type outside the set.
    pub inherited_method: T,
    /// Another receiver, whose type does not follow.
    pub local_var_method: T,
    /// The receiver is the method's own or reached through it.
    pub self_attr_unknown: T,
    /// A member of a string literal.
    pub string_literal_method: T,
}

impl<T> ByCategory<T> {
    /// The value of one category.
    pub fn get_mut(&mut self, category: DropCategory) -> &mut T {
        match category {
            DropCategory::BareName => &mut self.bare_name,
            DropCategory::Builtin => &mut self.builtin,
            DropCategory::InheritedMethod => &mut self.inherited_method,
            DropCategory::LocalVarMethod => &mut self.local_var_method,
            DropCategory::SelfAttrUnknown => &mut self.self_attr_unknown,
            DropCategory::StringLiteralMethod => &mut self.string_literal_method,
        }
    }
}

/// Why a callee does not follow, in the order the categories are written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "`ByCategory` documents each of these words")]
pub enum DropCategory {
    BareName,
    Builtin,
    InheritedMethod,
    LocalVarMethod,
    SelfAttrUnknown,
    StringLiteralMethod,
}

impl DropCategory {
    /// Every category, in the order they are written.
    pub const ALL: [DropCategory; 6] = [
        DropCategory::BareName,
        DropCategory::Builtin,
        DropCategory::InheritedMethod,
        DropCategory::LocalVarMethod,
        DropCategory::SelfAttrUnknown,
        DropCategory::StringLiteralMethod,
    ];

    /// The word used in the artifact.
    pub fn name(self) -> &'static str {
        match self {
            DropCategory::BareName => "bare_name",
            DropCategory::Builtin => "builtin",
            DropCategory::InheritedMethod => "inherited_method",
            DropCategory::LocalVarMethod => "local_var_method",
            DropCategory::SelfAttrUnknown => "self_attr_unknown",
            DropCategory::StringLiteralMethod => "string_literal_method",
        }
    }
}

/// One dropped call.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DroppedCall<'a> {
    /// The node the call stands in.
    pub caller: Cow<'a, str>,
    /// The last name of the callee expression.
    pub callee_raw: Cow<'a, str>,
    /// Whether the call is awaited.
    pub is_await: bool,
    /// The line the callee's name stands on.
    pub line: u32,
    /// The callee expression, argument lists as `(…)`.
    pub raw: Cow<'a, str>,
}
