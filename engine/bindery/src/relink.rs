//! From changed files to exactly the files that must be resolved again, and their new resolutions.
//!
//! A changed file's old and new offers are compared key by key; whoever asked for a key that differs is
//! affected, misses included. Everything else keeps its resolution, and is not even loaded.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bindery_artifacts::Reason;
use bindery_db::{Database, Executed, FileChange, Resolved};
use bindery_facts::FileFacts;
use bindery_graph::{
    Callee, DropReason, Key, Offer, Outcome, Resolution, Symbol, Unit, offered_keys, offers,
};
use bindery_source::{Digest64, RepoPath};

use crate::analysis::Stop;
use crate::blobs::{Blobs, Lost};
use crate::relation::{Relation, as_kept};
use crate::snapshot::{Snapshot, rules_of};

/// What a change of one file does to the keys it offers.
pub(crate) struct Delta {
    /// The file's slot.
    pub(crate) slot: u32,
    /// The file.
    pub(crate) path: RepoPath,
    /// Whether others could see something of it before.
    pub(crate) was_known: bool,
    /// Keys whose items differ, in key order. Without earlier needs only the ids, for clashes.
    changed: Vec<Key>,
    /// The digest of every key offered before, each once.
    then: Vec<u64>,
    /// The digest of every key offered now, each once.
    now: Vec<u64>,
}

impl Delta {
    /// Compares what others could see of a file before with what they can see now; none stands for a
    /// file that is not there or cannot be analysed. `anyone_asked` is false if no file was resolved before.
    pub(crate) fn new(
        slot: u32,
        path: RepoPath,
        before: Option<&Unit>,
        after: Option<&Unit>,
        anyone_asked: bool,
    ) -> Self {
        let digests = |keys: &[Key]| {
            let mut digests: Vec<u64> = keys.iter().map(|key| key.digest().0).collect();
            digests.sort_unstable();
            digests
        };
        let (then, now, mut changed) = match (before, after) {
            // Nothing to compare with: every key is new, whatever its items show.
            (None, Some(after)) => {
                let keys = offered_keys(after, rules_of(after.language()));
                (Vec::new(), digests(&keys), keys)
            }
            _ => {
                let (before, after) = (offered(before), offered(after));
                let keys = |offers: &[Offer]| {
                    let mut keys: Vec<Key> = offers.iter().map(|offer| offer.key.clone()).collect();
                    keys.dedup();
                    digests(&keys)
                };
                (keys(&before), keys(&after), changed_keys(&before, &after))
            }
        };
        if !anyone_asked {
            changed.retain(|key| matches!(key, Key::Id(_)));
        }
        Self { slot, path, was_known: before.is_some(), changed, then, now }
    }

    /// (key digest, slot) of every key offered now.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.now.iter().map(|key| (*key, self.slot))
    }

    /// The relation of offers after these changes.
    fn applied(deltas: &[Delta], offers: &Relation, blobs: &Blobs) -> Relation {
        let pairs = |keys: fn(&Delta) -> &[u64]| {
            deltas.iter().flat_map(|delta| keys(delta).iter().map(|key| (*key, delta.slot))).collect()
        };
        patched(offers, pairs(|delta| &delta.then), pairs(|delta| &delta.now), blobs)
    }
}

fn offered(unit: Option<&Unit>) -> Vec<Offer> {
    let Some(unit) = unit else { return Vec::new() };
    offers(unit, rules_of(unit.language()))
}

/// The keys under which the two lists, both sorted by key and item, show different items. Where an item
/// stands in its file does not matter, the order among the items of one key does.
fn changed_keys(before: &[Offer], after: &[Offer]) -> Vec<Key> {
    let mut shown: BTreeMap<&Key, (Vec<Digest64>, Vec<Digest64>)> = BTreeMap::new();
    for offer in before {
        shown.entry(&offer.key).or_default().0.push(offer.fingerprint);
    }
    for offer in after {
        shown.entry(&offer.key).or_default().1.push(offer.fingerprint);
    }
    shown.into_iter().filter(|(_, (old, new))| old != new).map(|(key, _)| key.clone()).collect()
}

/// Why a file was resolved again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cause {
    /// The kind of reason.
    pub(crate) reason: Reason,
    /// The changed file behind it and the key that led from there, where it is another file.
    pub(crate) because_of: Option<(RepoPath, String)>,
}

/// The outcome of [`relink`].
pub(crate) struct Relinked {
    /// What panicked, by slot; its calls are all listed as dropped.
    pub(crate) faults: BTreeMap<u32, String>,
    /// Why each of them was computed.
    pub(crate) causes: BTreeMap<RepoPath, Cause>,
    /// Key digest → slots that offer it, now.
    pub(crate) offers: Relation,
    /// Ids several files declare, now, and the path that keeps each.
    pub(crate) clashes: BTreeMap<String, RepoPath>,
    /// The queries that ran.
    pub(crate) executed: Vec<Executed>,
}

/// A new resolution, with its file's slot.
pub(crate) type Fresh = (u32, Arc<Resolution>);

/// Files resolved together. A chunk's resolutions are let go of before the next one's are made; what several
/// chunks ask for is answered anew in each.
const CHUNK: usize = 4096;

/// Computes what follows from `deltas`, and hands the new resolutions to `take`, in path order and some at a
/// time. The snapshot already has the new files and offers.
pub(crate) fn relink(
    snapshot: &Arc<Snapshot>,
    deltas: &[Delta],
    old_needs: &Relation,
    old_clashes: &BTreeMap<String, RepoPath>,
    take: &mut dyn FnMut(&[Fresh]) -> Result<(), Stop>,
) -> Result<Relinked, Stop> {
    let offers = Delta::applied(deltas, snapshot.old_offers(), snapshot.blobs());
    let causes = affected(snapshot, deltas, old_needs);
    let files: Vec<&(RepoPath, u32)> = causes.keys().collect();
    let (mut faults, mut executed) = (BTreeMap::new(), Vec::new());
    for chunk in files.chunks(CHUNK) {
        let resolutions = resolutions(snapshot, chunk, &mut faults, &mut executed)?;
        snapshot.blobs().check_lost()?;
        take(&resolutions)?;
    }
    let clashes = clashes(snapshot, deltas, &offers, old_clashes);
    snapshot.blobs().check_lost()?;
    let causes = causes.into_iter().map(|((path, _), cause)| (path, cause)).collect();
    Ok(Relinked { faults, causes, offers, clashes, executed })
}

fn resolutions(
    snapshot: &Arc<Snapshot>,
    files: &[&(RepoPath, u32)],
    faults: &mut BTreeMap<u32, String>,
    executed: &mut Vec<Executed>,
) -> Result<Vec<Fresh>, Lost> {
    let mut db = Database::new(snapshot.clone());
    let paths: Vec<RepoPath> = files.iter().map(|(path, _)| path.clone()).collect();
    let content = |slot: u32| snapshot.file(slot).and_then(|file| file.content);
    let changes =
        files.iter().filter_map(|(path, slot)| Some(FileChange::Set(path.clone(), content(*slot)?)));
    db.apply(changes.collect::<Vec<_>>(), &[]);
    let mut resolutions = Vec::with_capacity(files.len());
    for ((_, slot), (_, resolved)) in files.iter().zip(db.resolutions(&paths)) {
        let resolution = match resolved {
            Resolved::Done(resolution) => resolution,
            Resolved::FactsLost => return Err(Lost),
            Resolved::Panicked(message) => {
                faults.insert(*slot, message);
                Arc::new(unresolved(&*snapshot.facts(*slot)?))
            }
        };
        resolutions.push((*slot, resolution));
    }
    executed.extend(db.take_executed());
    Ok(resolutions)
}

/// The resolution of a file whose resolution failed: nothing is guessed, nothing is lost.
fn unresolved(facts: &FileFacts) -> Resolution {
    let outcomes = vec![Outcome::Dropped(DropReason::BareName); facts.bodies.sites.len()];
    Resolution { outcomes, ..Resolution::default() }
}

/// The files to resolve again, in path order, with one cause for each: its own change, else the first file by
/// path that changed a key it needs, and the first such key.
fn affected(snapshot: &Snapshot, deltas: &[Delta], old_needs: &Relation) -> BTreeMap<(RepoPath, u32), Cause> {
    let mut causes = BTreeMap::new();
    let scanned = |slot: u32| snapshot.file(slot).filter(|file| file.is_scanned());
    for delta in deltas {
        if scanned(delta.slot).is_some() {
            let reason = if delta.was_known { Reason::ContentChanged } else { Reason::Added };
            causes.insert((delta.path.clone(), delta.slot), Cause { reason, because_of: None });
        }
    }
    let mut by_path: Vec<&Delta> = deltas.iter().collect();
    by_path.sort_by(|a, b| a.path.cmp(&b.path));
    for delta in by_path {
        for key in &delta.changed {
            for slot in old_needs.slots(key.digest().0, snapshot.blobs()) {
                if let Some(file) = scanned(*slot) {
                    causes.entry((file.path.clone(), *slot)).or_insert_with(|| Cause {
                        reason: Reason::NeedChanged,
                        because_of: Some((delta.path.clone(), key.to_string())),
                    });
                }
            }
        }
    }
    causes
}

/// Brings the table of clashing ids up to date for the id keys that changed.
fn clashes(
    snapshot: &Snapshot,
    deltas: &[Delta],
    offers: &Relation,
    old: &BTreeMap<String, RepoPath>,
) -> BTreeMap<String, RepoPath> {
    use bindery_graph::Lookup;
    let mut clashes = old.clone();
    for key in deltas.iter().flat_map(|delta| &delta.changed) {
        let Key::Id(id) = key else { continue };
        // Two keys of one digest are told apart by asking the files themselves.
        let declaring: BTreeSet<RepoPath> = match offers.slots(key.digest().0, snapshot.blobs()) {
            [] | [_] => BTreeSet::new(),
            _ => snapshot.provided(key).iter().map(|provided| provided.path().clone()).collect(),
        };
        match declaring.first() {
            Some(keeper) if declaring.len() > 1 => clashes.insert(id.clone(), keeper.clone()),
            _ => clashes.remove(id),
        };
    }
    clashes
}

/// `relation` with the pairs that are only in `now`, without those that are only in `then`. What was read back
/// has only those bits of a key that a relation keeps.
pub(crate) fn patched(
    relation: &Relation,
    mut then: Vec<(u64, u32)>,
    mut now: Vec<(u64, u32)>,
    blobs: &Blobs,
) -> Relation {
    for pairs in [&mut then, &mut now] {
        pairs.iter_mut().for_each(|(key, _)| *key = as_kept(*key));
        pairs.sort_unstable();
    }
    let gone = then.iter().filter(|pair| now.binary_search(pair).is_err()).copied().collect();
    now.retain(|pair| then.binary_search(pair).is_err());
    relation.patched(gone, now, blobs)
}

/// Every edge to a symbol of the set, with the index of its call site.
pub(crate) fn edges(resolution: &Resolution) -> impl Iterator<Item = (usize, &Symbol)> {
    resolution.outcomes.iter().enumerate().flat_map(|(site, outcome)| {
        let callees: &[Callee] = match outcome {
            Outcome::Edges(_, callees) => callees,
            Outcome::Dropped(_) => &[],
        };
        callees.iter().filter_map(move |callee| match callee {
            Callee::Function(symbol) | Callee::New(symbol) | Callee::Variant(symbol) => Some((site, symbol)),
            Callee::Boundary { .. } => None,
        })
    })
}
