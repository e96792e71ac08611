//! What git's history says of files that change together, read as far as it is new.

use std::collections::{BTreeMap, BTreeSet};

use bindery_handbook::agent::{CoChange, CoChanges, HistoryDepth};
use bindery_source::RepoPath;
use serde::{Deserialize, Serialize};

use crate::repository::Repository;
use crate::structure::Structure;

/// Commits that are looked at, merges left out.
const MOST_COMMITS: usize = 1_000;

/// A commit of more files than this says nothing of any two of them.
const MOST_FILES: usize = 50;

/// Where the history stands.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Head {
    /// HEAD's id; none without commits, or if history is not used.
    pub(crate) id: Option<String>,
    /// The commits where a shallow clone cuts it off.
    pub(crate) cut: Vec<String>,
}

/// The commits of a history by id, newest first, each with the paths it changed below the root; none for one
/// that changed too many, or whose parents a shallow clone does not have: git shows it as if it had added every file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Commits {
    pub(crate) head: Head,
    commits: Vec<(String, BTreeSet<String>)>,
}

/// What the pages show of it.
#[derive(Debug, Default)]
pub(crate) struct History {
    depth: HistoryDepth,
    pairs: BTreeMap<u32, Vec<CoChange>>,
}

impl History {
    pub(crate) fn depth(&self) -> HistoryDepth {
        self.depth
    }

    /// What it says of a stage's files.
    pub(crate) fn of(&self, stage: u32) -> (HistoryDepth, &[CoChange]) {
        (self.depth, self.pairs.get(&stage).map_or(&[], Vec::as_slice))
    }

    /// Counts the commits.
    pub(crate) fn new(commits: &Commits, structure: &Structure) -> Self {
        let depth = match &commits.head {
            Head { id: None, .. } => return Self::default(),
            Head { cut, .. } if cut.is_empty() => HistoryDepth::Full,
            Head { .. } => HistoryDepth::Shallow,
        };
        let stage_of = |path: &str| structure.stage_of(&RepoPath::new(path));
        let is_known = |path: &str| structure.place(&RepoPath::new(path)).is_some();
        let counts = CoChanges::count(commits.commits.iter().map(|(_, paths)| paths), &is_known);
        Self { depth, pairs: counts.by_group(&stage_of) }
    }
}

impl Repository {
    /// Where the history stands, if it is used.
    pub(crate) fn history_head(&self) -> Head {
        let is_wanted = self.configuration.history.unwrap_or(self.configuration.out.is_none());
        let is_shown = self.configuration.formats.contains(&bindery_artifacts::Format::Agent);
        match self.git().filter(|_| is_wanted && is_shown) {
            Some(git) => Head { id: git.head_id(), cut: git.shallow_commits() },
            None => Head::default(),
        }
    }

    /// The commits up to `head`. Only those are read that `before` does not have. Without a git that can tell,
    /// there is no history.
    pub(crate) fn commits(&self, head: Head, before: &Commits) -> Commits {
        if head == before.head {
            return before.clone();
        }
        let none = Commits::default();
        let (Some(git), Some(id)) = (self.git(), &head.id) else { return none };
        let Ok(ids) = git.commits_before(id, MOST_COMMITS) else { return none };
        let was_cut = |id: &String| before.head.cut.contains(id);
        let mut known: BTreeMap<&str, &BTreeSet<String>> = before
            .commits
            .iter()
            .filter(|(id, _)| !was_cut(id))
            .map(|(id, paths)| (id.as_str(), paths))
            .collect();
        let is_fresh = |id: &&str| !known.contains_key(id) && !head.cut.iter().any(|cut| cut == id);
        let fresh: Vec<&str> = ids.iter().map(String::as_str).filter(is_fresh).collect();
        let Ok(read) = git.changed_paths(&self.root, &fresh) else { return none };
        let read: BTreeMap<String, BTreeSet<String>> =
            read.into_iter().map(|(id, paths)| (id, told(paths))).collect();
        known.extend(read.iter().map(|(id, paths)| (id.as_str(), paths)));
        let paths = |id: &String| known.get(id.as_str()).map_or_else(BTreeSet::new, |paths| (*paths).clone());
        let commits = ids.iter().map(|id| (id.clone(), paths(id))).collect();
        Commits { head, commits }
    }
}

/// The paths a commit changed, as the handbook spells them.
fn told(paths: Vec<Vec<u8>>) -> BTreeSet<String> {
    if paths.len() > MOST_FILES {
        return BTreeSet::new();
    }
    paths.iter().map(|path| RepoPath::from_bytes(path).to_string()).collect()
}
