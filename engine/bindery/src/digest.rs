//! One pass over the files that were resolved again: what each contributes to the whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use bindery_facts::{Name, encode};
use bindery_graph::{MODULE_NAME, Symbol};
use bindery_handbook::{FileView, file_state, sketch};
use bindery_source::{ContentHash, RepoPath};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::analysis::Analysis;
use crate::blobs::{Batches, Blob, Blobs, Lost};
use crate::relink::edges;
use crate::snapshot::Snapshot;
use crate::state::FileRecord;
use crate::structure::Sketched;

/// One caller of a function of some file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct Caller {
    /// The function called.
    callee: Name,
    /// The slot of the calling file.
    slot: u32,
    /// The calling function; `<module>` outside functions.
    function: Name,
}

/// What one file contributes.
struct Contribution {
    slot: u32,
    sketched: Sketched,
    /// Whom it calls, by the callee's file.
    calls: Vec<(RepoPath, Caller)>,
}

/// Updates the sketches and callers in the analysis' state. Returns whether a sketch differs in anything
/// that shows in the stages.
pub(crate) fn digest(analysis: &mut Analysis, blobs: &Arc<Blobs>) -> Result<bool, Lost> {
    let snapshot = analysis.snapshot.clone();
    let mut slots: Vec<u32> = analysis.resolved.iter().chain(&analysis.changed).copied().collect();
    slots.sort_unstable();
    slots.dedup();
    slots.retain(|slot| snapshot.file(*slot).is_some_and(|file| file.is_scanned()));
    let contributions: Vec<Contribution> =
        slots.par_iter().map(|slot| contribution(&snapshot, *slot)).collect::<Result<_, Lost>>()?;
    let sketches_changed = update_sketches(analysis, &contributions, blobs);
    update_callers(analysis, blobs, contributions)?;
    Ok(sketches_changed)
}

fn contribution(snapshot: &Snapshot, slot: u32) -> Result<Contribution, Lost> {
    let file = snapshot.file(slot).ok_or(Lost)?;
    let (facts, resolution) = (snapshot.facts(slot)?, snapshot.resolution(slot)?);
    let view = FileView { path: &file.path, facts: &facts, resolution: &resolution };
    let mut calls: Vec<(RepoPath, Caller)> = edges(&resolution)
        .map(|(site, symbol)| {
            let caller = facts.bodies.sites.get(site).and_then(|site| site.caller);
            let function = caller.and_then(|caller| facts.summary.decls.get(caller.0 as usize));
            let function = function.map_or(Name::new_static(MODULE_NAME), |decl| decl.qualname.clone());
            (symbol.path.clone(), Caller { callee: symbol.qualname.clone(), slot, function })
        })
        .collect();
    calls.sort_unstable();
    calls.dedup();
    Ok(Contribution { slot, sketched: Sketched { sketch: sketch(&view), state: file_state(&view) }, calls })
}

fn update_sketches(analysis: &mut Analysis, contributions: &[Contribution], blobs: &Blobs) -> bool {
    let files = &analysis.state.files;
    let sketches = &mut analysis.state.sketches;
    let mut changed = false;
    for slot in &analysis.changed {
        let is_scanned = files.get(*slot, blobs).is_some_and(FileRecord::is_scanned);
        if !is_scanned && sketches.get(*slot, blobs).is_some() {
            sketches.set(*slot, None, blobs);
            changed = true;
        }
    }
    for contribution in contributions {
        let encoded = encode(&contribution.sketched);
        let stored = sketches.get(contribution.slot, blobs);
        if stored == Some(&encoded) {
            continue;
        }
        let old: Option<Sketched> = stored.and_then(|stored| bindery_facts::decode(stored).ok());
        changed |= old.is_none_or(|old| old.digest() != contribution.sketched.digest());
        sketches.set(contribution.slot, Some(encoded), blobs);
    }
    changed
}

fn update_callers(
    analysis: &mut Analysis,
    blobs: &Arc<Blobs>,
    contributions: Vec<Contribution>,
) -> Result<(), Lost> {
    let resolved: FxHashSet<u32> = contributions.iter().map(|contribution| contribution.slot).collect();
    let mut fresh: FxHashMap<RepoPath, Vec<Caller>> = FxHashMap::default();
    for (path, caller) in contributions.into_iter().flat_map(|contribution| contribution.calls) {
        if analysis.callers_changed.contains_key(&path) {
            fresh.entry(path).or_default().push(caller);
        }
    }
    let snapshot = &analysis.snapshot;
    let is_current =
        |slot: u32| !resolved.contains(&slot) && snapshot.file(slot).is_some_and(|file| file.is_scanned());
    let batches = Batches::new(blobs);
    analysis.callers_changed.par_iter().try_for_each(|(path, _)| {
        let Some(slot) = snapshot.slot(path) else { return Ok(()) };
        let mut callers = match snapshot.file(slot).and_then(|file| file.callers) {
            Some(blob) => read_callers(blobs, &blob)?,
            None => Vec::new(),
        };
        callers.retain(|caller| is_current(caller.slot));
        callers.extend(fresh.get(path).into_iter().flatten().cloned());
        callers.sort_unstable();
        let blob = encode(&callers);
        batches.add(slot, vec![(ContentHash::of(&blob), blob)]);
        Ok(())
    })?;
    for (slot, places) in batches.finish() {
        analysis.state.files.edit(slot, blobs, |file| file.callers = places.first().copied());
    }
    Ok(())
}

fn read_callers(blobs: &Blobs, blob: &Blob) -> Result<Vec<Caller>, Lost> {
    bindery_facts::decode(&blobs.read(blob).ok_or(Lost)?).map_err(|_| Lost)
}

/// The callers of a file's functions, by the callee's qualname, sorted.
pub(crate) fn callers_of_file(
    analysis: &Analysis,
    blobs: &Blobs,
    path: &RepoPath,
) -> Result<BTreeMap<Name, Vec<Symbol>>, Lost> {
    let mut callers: BTreeMap<Name, Vec<Symbol>> = BTreeMap::new();
    let slot = analysis.snapshot.slot(path).ok_or(Lost)?;
    let Some(blob) = analysis.state.files.get(slot, blobs).and_then(|file| file.callers) else {
        return Ok(callers);
    };
    for caller in read_callers(blobs, &blob)? {
        let path = analysis.snapshot.file(caller.slot).ok_or(Lost)?.path.clone();
        callers.entry(caller.callee).or_default().push(Symbol { path, qualname: caller.function });
    }
    for list in callers.values_mut() {
        list.sort_unstable();
        list.dedup();
    }
    Ok(callers)
}
