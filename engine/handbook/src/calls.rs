//! What each function of a file calls, and how symbols of other files are named and found.

use std::collections::{BTreeMap, BTreeSet};

use bindery_facts::DeclIndex;
use bindery_graph::{Callee, Outcome, Symbol};
use bindery_source::RepoPath;

use crate::FileView;

/// The qualname of what runs outside any function.
pub const MODULE_QUALNAME: &str = "<module>";

/// What a per-file step may ask about the rest of the repository. Answers must not contain positions:
/// a page shows other files by name and link only.
#[derive(Clone, Copy)]
pub struct CrossReferences<'a> {
    /// The id of a symbol's node (handbook §3), clashes between files included. Asked for functions,
    /// types, variants, and for [`MODULE_QUALNAME`].
    pub id_of: &'a dyn Fn(&Symbol) -> String,
    /// Who calls a function, sorted, without duplicates; calls outside functions come from
    /// [`MODULE_QUALNAME`]. For a type: who constructs it.
    pub callers_of: &'a dyn Fn(&Symbol) -> Vec<Symbol>,
    /// The page a file's card is on, as a file name in the handbook; none if it is on no page.
    pub page_of: &'a dyn Fn(&RepoPath) -> Option<String>,
}

/// What a function calls.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Calls {
    /// Inside the set.
    pub(crate) internal: BTreeSet<Callee>,
    /// Outside of it, as boundary ids.
    pub(crate) boundary: BTreeSet<String>,
}

/// The calls of a file by the function they stand in; none for the file's own level.
pub(crate) fn calls_by_function(view: &FileView<'_>) -> BTreeMap<Option<u32>, Calls> {
    let mut by_function: BTreeMap<Option<u32>, Calls> = BTreeMap::new();
    for (site, outcome) in view.facts.bodies.sites.iter().zip(&view.resolution.outcomes) {
        let Outcome::Edges(_, callees) = outcome else { continue };
        let calls = by_function.entry(site.caller.map(|DeclIndex(index)| index)).or_default();
        for callee in callees {
            match boundary_id(callee) {
                Some(id) => calls.boundary.insert(id),
                None => calls.internal.insert(callee.clone()),
            };
        }
    }
    by_function
}

/// `boundary:<specifier>.<name>`, with the type in between if it is a member of one.
pub(crate) fn boundary_id(callee: &Callee) -> Option<String> {
    match callee {
        Callee::Boundary { specifier, class, name } if class.is_empty() => {
            Some(format!("boundary:{specifier}.{name}"))
        }
        Callee::Boundary { specifier, class, name } => Some(format!("boundary:{specifier}.{class}.{name}")),
        _ => None,
    }
}

/// The id of a callee inside the set.
pub(crate) fn callee_id(callee: &Callee, references: &CrossReferences<'_>) -> Option<String> {
    match callee {
        Callee::Function(symbol) | Callee::Variant(symbol) => Some((references.id_of)(symbol)),
        Callee::New(symbol) => Some(format!("{}.<new>", (references.id_of)(symbol))),
        Callee::Boundary { .. } => None,
    }
}
