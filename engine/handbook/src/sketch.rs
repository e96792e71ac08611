//! The small record of each file that everything about the whole repository is computed from.
//!
//! Drafting, assignment, reading order, group titles and registers need all files at once, facts of
//! 20,000 files are too much to load for one edit: so each file is reduced to its [`FileSketch`] and
//! its [`StateUse`]s when it is resolved, and only these are kept for all.

use std::collections::BTreeMap;

use bindery_artifacts::Role;
use bindery_facts::{DeclIndex, FileFacts, VariableKind};
use bindery_graph::{Callee, Name, Outcome, Resolution, Symbol};
use bindery_source::{Language, RepoPath};
use serde::{Deserialize, Serialize};

use crate::FileView;
use crate::prose::{file_purpose, first_sentence};
use crate::role::{lifecycle, role};

/// What the whole needs to know of one file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FileSketch {
    /// Where it lies.
    pub path: RepoPath,
    /// Its language.
    pub language: Language,
    /// What it is in the system.
    pub role: Role,
    /// When it is at work, in a few words, or `none`.
    pub lifecycle: Name,
    /// Functions with an id of their own.
    pub function_count: u32,
    /// Type declarations.
    pub type_count: u32,
    /// Whether a program starts here.
    pub is_entry_point: bool,
    /// Whether it is test code by the language's marks or its role.
    pub is_test: bool,
    /// One sentence on what it is for; none if the source does not say.
    pub purpose: Option<String>,
    /// The files its imports lead to, sorted, itself excluded.
    pub imported_files: Vec<RepoPath>,
    /// The other files its calls lead to, sorted, with the number of call sites.
    pub called_files: Vec<(RepoPath, u32)>,
}

impl FileSketch {
    /// Whether a program (not a test) starts here.
    pub fn is_program_entry(&self) -> bool {
        self.is_entry_point && !self.is_test && self.role == Role::Entrypoint
    }

    /// One sentence on what it is for, or the sentence that says that the source does not tell.
    pub fn purpose_or_absence(&self) -> &str {
        self.purpose.as_deref().unwrap_or(crate::prose::NO_DESCRIPTION)
    }
}

/// Reduces a file to its sketch.
pub fn sketch(view: &FileView<'_>) -> FileSketch {
    let FileView { path, facts, resolution } = view;
    let role = role(path, facts, resolution);
    let decls = &facts.summary.decls;
    FileSketch {
        path: (*path).clone(),
        language: facts.summary.language,
        role,
        lifecycle: lifecycle(facts, role).into(),
        function_count: decls.iter().filter(|decl| decl.kind.is_callable()).count() as u32,
        type_count: decls.iter().filter(|decl| decl.kind.type_kind().is_some()).count() as u32,
        is_entry_point: facts.is_entry_point,
        is_test: facts.is_test || role == Role::Test,
        purpose: file_purpose(path, facts).map(|text| first_sentence(&text)),
        imported_files: resolution.imported_files.clone(),
        called_files: called_files(path, resolution),
    }
}

fn called_files(path: &RepoPath, resolution: &Resolution) -> Vec<(RepoPath, u32)> {
    let mut counts: BTreeMap<&RepoPath, u32> = BTreeMap::new();
    for outcome in &resolution.outcomes {
        let Outcome::Edges(_, callees) = outcome else { continue };
        // Alternatives of conditional compilation count for the first: one call is one call.
        if let Some(callee) = callees.iter().find_map(|callee| called_symbol(callee)) {
            *counts.entry(&callee.path).or_default() += 1;
        }
    }
    counts.remove(path);
    counts.into_iter().map(|(path, count)| (path.clone(), count)).collect()
}

/// The symbol of the set that a callee is, if it is one.
pub(crate) fn called_symbol(callee: &Callee) -> Option<&Symbol> {
    match callee {
        Callee::Function(symbol) | Callee::New(symbol) | Callee::Variant(symbol) => Some(symbol),
        Callee::Boundary { .. } => None,
    }
}

/// One read or write of state that could be shared between stages.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct StateUse {
    /// Whose state: a type, or a file with an empty qualname.
    pub owner: Symbol,
    /// The attribute or variable.
    pub name: Name,
    /// Written or read.
    pub is_write: bool,
    /// The line, from 1.
    pub line: u32,
    /// The qualname of the function it stands in; empty at module level.
    pub function: Name,
}

/// What a file does with state, its own and others'.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FileState {
    /// Every read and write, sorted.
    pub uses: Vec<StateUse>,
    /// The state this file declares that can change though no write may be visible (`static mut`,
    /// interior mutability): the qualname of its type, empty for the file's own, and its name. Sorted.
    pub mutable: Vec<(Name, Name)>,
}

/// What a file does with state.
pub fn file_state(view: &FileView<'_>) -> FileState {
    FileState { uses: state_uses(view), mutable: mutable_state(view.facts) }
}

fn state_uses(view: &FileView<'_>) -> Vec<StateUse> {
    let FileView { facts, resolution, .. } = view;
    let mut uses: Vec<StateUse> = resolution
        .accesses
        .iter()
        .filter_map(|found| {
            let access = facts.bodies.accesses.get(found.access as usize)?;
            Some(StateUse {
                owner: found.owner.clone(),
                name: found.name.clone(),
                is_write: access.is_write,
                line: access.line,
                function: qualname(facts, access.caller),
            })
        })
        .collect();
    uses.sort_unstable();
    uses.dedup();
    uses
}

/// Fields of instances count only where a write is seen: they are data unless somebody changes them.
fn mutable_state(facts: &FileFacts) -> Vec<(Name, Name)> {
    let shared = facts.summary.variables.iter().filter(|variable| {
        variable.is_mutable && matches!(variable.kind, VariableKind::Module | VariableKind::Class)
    });
    let mut names: Vec<_> = shared.map(|variable| (variable.owner.clone(), variable.name.clone())).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn qualname(facts: &FileFacts, decl: Option<DeclIndex>) -> Name {
    decl.and_then(|index| facts.summary.decls.get(index.0 as usize))
        .map_or_else(Name::default, |d| d.qualname.clone())
}
