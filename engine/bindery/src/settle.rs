//! From new resolutions to what they change: where they lie, who needs which key, whose callers differ.
//!
//! Resolutions come in chunks and are let go of one chunk at a time: all of them together are as large as
//! everything else a full build holds (450 MB at 22,553 files).

use std::collections::BTreeMap;

use bindery_facts::{FileFacts, Name, encode};
use bindery_graph::{Resolution, Symbol};
use bindery_source::{ContentHash, RepoPath};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::InputChange;
use crate::blobs::{Batches, Blob, Blobs, Lost};
use crate::files::Files;
use crate::relink::{Fresh, edges};
use crate::snapshot::Snapshot;
use crate::state::FileRecord;

/// See the module's page.
pub(crate) struct Settling<'a> {
    blobs: &'a Blobs,
    old_files: &'a Files,
    snapshot: &'a Snapshot,
    inputs: &'a BTreeMap<RepoPath, InputChange>,
    batches: Batches<'a, u32>,
    settled: Settled,
    /// Files whose callers changed, with the caller to name: one that is an input first, then by path.
    first: FxHashMap<RepoPath, (bool, RepoPath)>,
}

/// What came of all resolutions of a run.
#[derive(Default)]
pub(crate) struct Settled {
    /// The slots that were resolved.
    pub(crate) resolved: FxHashSet<u32>,
    /// Where their resolutions lie.
    pub(crate) places: Vec<(u32, Vec<Blob>)>,
    /// (key digest, slot) of what was needed before by those and by files that are gone.
    pub(crate) needed: Vec<(u64, u32)>,
    /// The same of what is needed now.
    pub(crate) needs: Vec<(u64, u32)>,
    /// The files into which an edge was gained, lost or changed, each with a file the edge comes from.
    pub(crate) callers_changed: FxHashMap<RepoPath, RepoPath>,
}

/// What one file contributes.
struct One {
    path: RepoPath,
    needed: Vec<u64>,
    callees: Vec<RepoPath>,
}

impl<'a> Settling<'a> {
    /// `snapshot` has the files as they are now, `old_files` as they were.
    pub(crate) fn new(
        old_files: &'a Files,
        snapshot: &'a Snapshot,
        inputs: &'a BTreeMap<RepoPath, InputChange>,
    ) -> Self {
        let blobs = snapshot.blobs();
        let (settled, first) = (Settled::default(), FxHashMap::default());
        Self { blobs, old_files, snapshot, inputs, batches: Batches::new(blobs), settled, first }
    }

    /// Takes leave of those of the `touched` files that have no facts any more.
    pub(crate) fn forget_gone(&mut self, touched: &[u32]) -> Result<(), Lost> {
        let is_gone = |slot: &u32| !self.snapshot.file(*slot).is_some_and(FileRecord::is_scanned);
        let gone: Vec<u32> = touched.iter().copied().filter(is_gone).collect();
        let ones = gone.par_iter().map(|slot| self.compare(*slot, None)).collect::<Result<Vec<_>, Lost>>()?;
        gone.into_iter().zip(ones).for_each(|(slot, one)| self.note(slot, one));
        Ok(())
    }

    /// Takes some new resolutions, each with its file's slot.
    pub(crate) fn take(&mut self, resolutions: &[Fresh]) -> Result<(), Lost> {
        let ones = resolutions
            .par_iter()
            .map(|(slot, resolution)| {
                let blob = encode(&**resolution);
                self.batches.add(*slot, vec![(ContentHash::of(&blob), blob)]);
                self.compare(*slot, Some(resolution))
            })
            .collect::<Result<Vec<_>, Lost>>()?;
        for ((slot, resolution), one) in resolutions.iter().zip(ones) {
            self.settled.resolved.insert(*slot);
            self.settled.needs.extend(resolution.needs.iter().map(|key| (key.0, *slot)));
            self.note(*slot, one);
        }
        Ok(())
    }

    /// Everything together.
    pub(crate) fn finish(mut self) -> Settled {
        self.settled.places = self.batches.finish();
        let first = self.first.into_iter();
        self.settled.callers_changed = first.map(|(callee, (_, caller))| (callee, caller)).collect();
        self.settled
    }

    /// What a file needed, and the files whose callers change by its new resolution; none for a file that is gone.
    fn compare(&self, slot: u32, new: Option<&Resolution>) -> Result<Option<One>, Lost> {
        let old_file = self.old_files.get(slot, self.blobs).filter(|file| file.is_scanned());
        match (old_file, new) {
            (Some(file), _) => {
                let old = self.blobs.resolution(file).ok_or(Lost)?;
                let before = Ends::new(&self.blobs.facts(file).ok_or(Lost)?, &old);
                let after = match new {
                    Some(resolution) => Ends::new(&*self.snapshot.facts(slot)?, resolution),
                    None => Ends::default(),
                };
                let needed = old.needs.iter().map(|key| key.0).collect();
                Ok(Some(One { path: file.path.clone(), needed, callees: before.differing(&after) }))
            }
            // It has no old edges: every file it calls gained a caller.
            (None, Some(resolution)) => {
                let path = self.snapshot.file(slot).ok_or(Lost)?.path.clone();
                let mut callees: Vec<RepoPath> =
                    edges(resolution).map(|(_, symbol)| symbol.path.clone()).collect();
                callees.sort_unstable();
                callees.dedup();
                Ok(Some(One { path, needed: Vec::new(), callees }))
            }
            (None, None) => Ok(None),
        }
    }

    fn note(&mut self, slot: u32, one: Option<One>) {
        let Some(One { path, needed, callees }) = one else { return };
        self.settled.needed.extend(needed.into_iter().map(|key| (key, slot)));
        let rank = (!self.inputs.contains_key(&path), path);
        for callee in callees {
            let first = self.first.entry(callee).or_insert_with(|| rank.clone());
            if rank < *first {
                first.clone_from(&rank);
            }
        }
    }
}

/// The edges of a file as the pages of its callees show them: callee and calling function, with counts.
#[derive(Default)]
struct Ends(BTreeMap<(Symbol, Name), usize>);

impl Ends {
    fn new(facts: &FileFacts, resolution: &Resolution) -> Self {
        let mut ends = BTreeMap::new();
        for (site, symbol) in edges(resolution) {
            let caller = facts.bodies.sites.get(site).and_then(|site| site.caller);
            let caller = caller.and_then(|caller| facts.summary.decls.get(caller.0 as usize));
            let caller = caller.map_or_else(Name::default, |decl| decl.qualname.clone());
            *ends.entry((symbol.clone(), caller)).or_default() += 1;
        }
        Self(ends)
    }

    /// The files whose functions are called otherwise in `other`.
    fn differing(&self, other: &Self) -> Vec<RepoPath> {
        let only = |a: &Self, b: &Self| {
            let differ = a.0.iter().filter(|(end, count)| b.0.get(*end) != Some(count));
            differ.map(|((symbol, _), _)| symbol.path.clone()).collect::<Vec<_>>()
        };
        let mut paths = only(self, other);
        paths.extend(only(other, self));
        paths
    }
}
