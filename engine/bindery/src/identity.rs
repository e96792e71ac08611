//! The ids of symbols as artifacts and pages show them.

use std::collections::BTreeMap;

use bindery_graph::Symbol;
use bindery_source::{RepoPath, module_path};

/// Gives ids; clashes between files are settled by the smaller path (handbook §3).
#[derive(Clone, Copy)]
pub(crate) struct Ids<'a> {
    /// Ids that several files declare, and the path that keeps each.
    pub(crate) clashes: &'a BTreeMap<String, RepoPath>,
}

impl Ids<'_> {
    /// `<module path>.<qualname>`, with `@<path>` for all but one of several files that declare it.
    pub(crate) fn id(&self, symbol: &Symbol) -> String {
        let id = format!("{}.{}", module_path(&symbol.path), symbol.qualname);
        match self.clashes.get(&id) {
            Some(keeper) if *keeper != symbol.path => format!("{id}@{}", symbol.path),
            _ => id,
        }
    }
}
