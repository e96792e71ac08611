//! What git's history adds: files that change together.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::cells::Row;

/// How much of git's history was used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum HistoryDepth {
    /// None.
    #[default]
    None,
    /// What the repository holds is only the newest part of it.
    Shallow,
    /// As far back as is looked at.
    Full,
}

impl HistoryDepth {
    /// The word on the pages.
    pub fn word(self) -> &'static str {
        match self {
            HistoryDepth::None => "none",
            HistoryDepth::Shallow => "shallow",
            HistoryDepth::Full => "full",
        }
    }
}

/// Pairs are shown if they changed together in at least this many commits.
pub const LEAST_SUPPORT: u32 = 3;

/// Pairs of a stage that are shown at most.
const MOST_PAIRS: usize = 40;

/// A file of a stage and another one that changed in the same commits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct CoChange {
    /// The file of the stage.
    pub path: String,
    /// The other one.
    pub with: String,
    /// In how many commits both changed.
    pub support: u32,
    /// In how many of a hundred commits that changed `path` the other one changed too, rounded down.
    pub confidence: u32,
}

impl CoChange {
    pub(super) fn row(&self) -> String {
        let mut row = Row::default();
        row.path(&self.path).path(&self.with).number(self.support.into());
        format!("{}\t{}%", row.finish(), self.confidence)
    }
}

/// Which files changed together in a list of commits.
#[derive(Clone, Debug, Default)]
pub struct CoChanges {
    alone: BTreeMap<String, u32>,
    together: BTreeMap<(String, String), u32>,
}

impl CoChanges {
    /// Counts commits, each given by the paths it changed. `is_shown` says which paths count.
    pub fn count<'c>(
        commits: impl IntoIterator<Item = &'c BTreeSet<String>>,
        is_shown: &dyn Fn(&str) -> bool,
    ) -> Self {
        let mut counts = Self::default();
        for commit in commits {
            let paths: Vec<&String> = commit.iter().filter(|path| is_shown(path)).collect();
            for (at, path) in paths.iter().enumerate() {
                *counts.alone.entry((*path).clone()).or_default() += 1;
                for other in &paths[at + 1..] {
                    *counts.together.entry(((*path).clone(), (*other).clone())).or_default() += 1;
                }
            }
        }
        counts.together.retain(|_, support| *support >= LEAST_SUPPORT);
        counts
    }

    /// The pairs of each group of files that `group_of` makes, the strongest first.
    pub fn by_group(&self, group_of: &dyn Fn(&str) -> Option<u32>) -> BTreeMap<u32, Vec<CoChange>> {
        let mut groups: BTreeMap<u32, Vec<CoChange>> = BTreeMap::new();
        for ((one, other), support) in &self.together {
            for (path, with) in [(one, other), (other, one)] {
                let Some(group) = group_of(path) else { continue };
                let confidence = 100 * support / self.alone[path];
                let pair = CoChange { path: path.clone(), with: with.clone(), support: *support, confidence };
                groups.entry(group).or_default().push(pair);
            }
        }
        for pairs in groups.values_mut() {
            pairs.sort_by(|a, b| {
                (b.support, b.confidence).cmp(&(a.support, a.confidence)).then_with(|| a.cmp(b))
            });
            pairs.truncate(MOST_PAIRS);
        }
        groups
    }
}
