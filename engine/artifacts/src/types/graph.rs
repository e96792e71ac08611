use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FileProblem, Version};

/// The call graph: every function, every type, and every call that could be resolved.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Graph<'a> {
    /// The format version.
    pub version: Version<1>,
    /// How the graph came about, and its size.
    pub metadata: GraphMetadata,
    /// Functions and the names outside the set that they call, by id.
    pub nodes: BTreeMap<String, Node<'a>>,
    /// One entry for each resolved call site, sorted by caller, line, callee, raw text.
    pub edges: Vec<Edge<'a>>,
    /// For each type id: its attributes, and the methods that read and write them through the receiver.
    pub self_attrs: BTreeMap<String, BTreeMap<String, AttributeUse>>,
    /// Type declarations, by id.
    pub types: BTreeMap<String, TypeNode<'a>>,
}

/// How a graph came about, and its size.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GraphMetadata {
    /// A reproducible time: `SOURCE_DATE_EPOCH`, the last commit's, or 1970.
    pub generated_at: String,
    /// The one language scanned, or `multi`.
    pub language: String,
    /// Always `.`: every path is relative to the analysed root.
    pub source_root: String,
    /// The files that were read and parsed, sorted.
    pub scanned_files: Vec<String>,
    /// Functions of the set, synthetic nodes not counted.
    pub n_internal_functions: u64,
    /// Names outside the set that are called.
    pub n_boundary_nodes: u64,
    /// Entries of `edges`.
    pub n_edges: u64,
    /// What an edge promises.
    pub policy: String,
    /// The files that gave no facts or not all of them, sorted; empty: every scanned file parsed cleanly.
    #[serde(default)]
    pub unparsed_files: Vec<FileProblem>,
}

/// A node of the call graph.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Node<'a> {
    /// A function of the set.
    Internal(InternalNode<'a>),
    /// A name outside the set.
    Boundary(BoundaryNode<'a>),
}

/// A function of the set, or a synthetic node that stands for calls without one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InternalNode<'a> {
    /// `<module path>.<qualname>`.
    pub id: Cow<'a, str>,
    /// The function's own name.
    pub name: Cow<'a, str>,
    /// Enclosing names and the name, joined with `.`.
    pub qualname: Cow<'a, str>,
    /// The file it stands in.
    pub file: Cow<'a, str>,
    /// First line of the declaration, attributes included.
    pub line_start: u32,
    /// Last line of the declaration.
    pub line_end: u32,
    /// The declaration's head on one line.
    pub signature: Cow<'a, str>,
    /// Whether it is declared asynchronous.
    pub is_async: bool,
    /// Whether it is a member of a type.
    pub is_method: bool,
    /// The qualname of the type it is a member of.
    pub class_name: Option<Cow<'a, str>>,
    /// Decorators and attributes as written, in source order.
    pub decorators: Vec<Cow<'a, str>>,
    /// Tells it from a boundary node.
    pub kind: InternalKind,
    /// Whether no declaration of a function stands behind it (module level, implied constructor, variant).
    pub synthetic: bool,
    /// Attributes it reads through its receiver, sorted.
    pub self_attrs_read: Vec<Cow<'a, str>>,
    /// Attributes it writes through its receiver, sorted.
    pub self_attrs_written: Vec<Cow<'a, str>>,
    /// The written type of each parameter that has one.
    pub param_types: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
    /// Different nodes it calls.
    pub n_callees: u64,
    /// Different nodes that call it.
    pub n_callers: u64,
}

/// The word that marks an internal node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InternalKind {
    /// A node inside the set.
    #[default]
    Internal,
}

/// The word that marks a boundary node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BoundaryKind {
    /// A node outside the set.
    #[default]
    Boundary,
}

/// A name outside the set that an import leads to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BoundaryNode<'a> {
    /// `boundary:` and the qualname.
    pub id: Cow<'a, str>,
    /// The name that is called.
    pub name: Cow<'a, str>,
    /// The module path, the type if there is one, and the name, joined with `.`.
    pub qualname: Cow<'a, str>,
    /// The module path in the language's own spelling.
    pub module: Cow<'a, str>,
    /// The type the name is a member of, or empty.
    pub class_name: Cow<'a, str>,
    /// Tells it from an internal node.
    pub kind: BoundaryKind,
    /// Always 0.
    pub n_callees: u64,
    /// Different nodes that call it.
    pub n_callers: u64,
}

/// One resolved call site.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Edge<'a> {
    /// The node the call stands in.
    pub caller_id: Cow<'a, str>,
    /// The node that is called.
    pub callee_id: Cow<'a, str>,
    /// Whether the call is awaited.
    pub is_await: bool,
    /// Why the callee follows.
    pub call_type: CallType,
    /// The line the callee's name stands on.
    pub line: u32,
    /// The callee expression, argument lists as `(…)`.
    pub raw: Cow<'a, str>,
}

/// Why a callee follows from what is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallType {
    /// A function in scope, or one named through its type or module.
    InternalFunc,
    /// A type of the set is constructed.
    InternalConstructor,
    /// Called on the receiver or through the base type.
    SelfMethod,
    /// Called on an attribute of the receiver whose type is known.
    SelfAttrMethod,
    /// Called on a value whose type follows from what is written.
    ParamMethod,
    /// A name that an import leads out of the set for.
    Boundary,
    /// A type outside the set is constructed.
    BoundaryConstructor,
}

/// Who uses an attribute through the receiver.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AttributeUse {
    /// Ids of the nodes that read it, sorted.
    pub read_in: Vec<String>,
    /// Ids of the nodes that write it, sorted.
    pub written_in: Vec<String>,
}

/// A type declaration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TypeNode<'a> {
    /// `<module path>.<qualname>`.
    pub id: Cow<'a, str>,
    /// The type's own name.
    pub name: Cow<'a, str>,
    /// Enclosing names and the name, joined with `.`.
    pub qualname: Cow<'a, str>,
    /// The file it stands in.
    pub file: Cow<'a, str>,
    /// First line of the declaration, attributes included.
    pub line_start: u32,
    /// Last line of the declaration.
    pub line_end: u32,
    /// The declaration's head on one line.
    pub signature: Cow<'a, str>,
    /// What the declaration is.
    pub type_kind: TypeKind,
    /// Base types in source order: type id, else boundary id, else the name as written.
    pub supertypes: Vec<Cow<'a, str>>,
}

/// The closed vocabulary of types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TypeKind {
    /// A class.
    Class,
    /// An interface.
    Interface,
    /// A struct.
    Struct,
    /// A record.
    Record,
    /// An enum.
    Enum,
    /// A trait.
    Trait,
    /// An alias.
    Alias,
    /// A declaration the vocabulary has no word for (a union, a defined type).
    Other,
}
