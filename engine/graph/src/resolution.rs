use bindery_facts::{DeclIndex, Name};
use bindery_source::{Digest64, RepoPath};
use serde::{Deserialize, Serialize};

/// A symbol anywhere in the set: the file and the qualname in it. Stable under every edit that does
/// not rename or move the symbol itself.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Symbol {
    /// The file.
    pub path: RepoPath,
    /// [`bindery_facts::Decl::qualname`].
    pub qualname: Name,
}

/// What a call resolved to.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Callee {
    /// A function of the set.
    Function(Symbol),
    /// A type of the set that is constructed without a constructor of its own: the synthetic
    /// `<type id>.<new>`.
    New(Symbol),
    /// An enum variant of the set, synthetic.
    Variant(Symbol),
    /// Something an import names that is outside the set.
    Boundary {
        /// The module path in the language's own spelling (`std::mem`, `os.path`).
        specifier: Name,
        /// The type, if it is a member of one, else empty.
        class: Name,
        /// The name called.
        name: Name,
    },
}

/// Why a callee follows (handbook §3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the handbook's table of call types defines each of these words")]
pub enum CallType {
    InternalFunc,
    InternalConstructor,
    SelfMethod,
    SelfAttrMethod,
    ParamMethod,
    Boundary,
    BoundaryConstructor,
}

/// Why no callee follows (handbook §3); the first that fits, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the handbook's list of dropped categories defines each of these words")]
pub enum DropReason {
    StringLiteralMethod,
    Builtin,
    InheritedMethod,
    SelfAttrUnknown,
    LocalVarMethod,
    BareName,
}

/// The outcome of one call site: edges (more than one only to alternatives of conditional
/// compilation) or one reason.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// Resolved; never empty.
    Edges(CallType, Vec<Callee>),
    /// Listed in `dropped-calls.json`.
    Dropped(DropReason),
}

/// A base type as far as it resolved, in source order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the sentence on each variant names its fields")]
pub enum Supertype {
    /// A type of the set.
    Type(Symbol),
    /// A type an import names outside the set: specifier and name.
    Boundary { specifier: Name, name: Name },
    /// Neither: as written.
    Written(Name),
}

/// State that a function reads or writes.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct StateAccess {
    /// Whose state: a type (`name` is its attribute), or a file with an empty qualname (`name` is its
    /// module variable).
    pub owner: Symbol,
    /// The attribute or variable.
    pub name: Name,
    /// The index of the access in the file's [`bindery_facts::Bodies::accesses`].
    pub access: u32,
    /// Through the receiver of a method of the type itself.
    pub through_self: bool,
}

/// What resolving one file gives; a pure function of the file's facts and path and of the items it
/// looked up.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Resolution {
    /// One outcome for each call site, in the order of [`bindery_facts::Bodies::sites`].
    pub outcomes: Vec<Outcome>,
    /// The accesses that lead to state of the set.
    pub accesses: Vec<StateAccess>,
    /// For each type declaration that has any: its base types.
    pub supertypes: Vec<(DeclIndex, Vec<Supertype>)>,
    /// The files this file's imports lead to, sorted, itself excluded.
    pub imported_files: Vec<RepoPath>,
    /// The digest of every key looked up, sorted, misses included. Packed, only the first 48 bits of each
    /// are kept: enough to find it among what all files look up, and nothing makes random bits smaller.
    #[serde(with = "packed_needs")]
    pub needs: Vec<Digest64>,
}

mod packed_needs {
    use bindery_source::Digest64;
    use serde::{Deserialize, Deserializer, Serializer};

    /// The bits that are left out.
    const LEFT_OUT: u32 = 16;

    pub(super) fn serialize<S: Serializer>(needs: &[Digest64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(needs.iter().map(|need| need.0 >> LEFT_OUT))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Digest64>, D::Error> {
        let needs = Vec::<u64>::deserialize(deserializer)?;
        Ok(needs.into_iter().map(|need| Digest64(need << LEFT_OUT)).collect())
    }
}
