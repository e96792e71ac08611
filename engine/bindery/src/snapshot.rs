//! The files of one build as resolution sees them: what changed in memory, the rest in the segments.
//!
//! Nothing is loaded before it is asked for. A blob that cannot be read any more is remembered as
//! [`Lost`]; the build then starts over from an empty state, because the cache may vanish at any time.

use std::sync::{Arc, OnceLock};

use bindery_db::Source;
use bindery_facts::{FileFacts, Manifest, Summary, decode};
use bindery_graph::{Contents, IndexedUnit, Key, Lookup, Provided, Resolution, Rules, Unit};
use bindery_source::{ContentHash, Language, RepoPath};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blobs::{Blobs, Lost};
use crate::files::Files;
use crate::piece::PER_PIECE;
use crate::relation::Relation;
use crate::state::{FileRecord, InputKind, Status};

/// See the module's page.
pub(crate) struct Snapshot {
    blobs: Arc<Blobs>,
    files: Files,
    old_offers: Relation,
    changed: FxHashSet<u32>,
    fresh_offers: FxHashMap<u64, Vec<u32>>,
    units: Units,
}

impl Snapshot {
    /// `files` as they are now, with the units this run read anew; `changed` slots offer what `fresh_offers` says (key digest, slot), all
    /// others what `old_offers` says.
    pub(crate) fn new(
        blobs: Arc<Blobs>,
        files: Files,
        fresh: Vec<(u32, Arc<Unit>)>,
        old_offers: Relation,
        changed: FxHashSet<u32>,
        fresh_offers: impl IntoIterator<Item = (u64, u32)>,
    ) -> Self {
        let mut by_key: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for (key, slot) in fresh_offers {
            by_key.entry(key).or_default().push(slot);
        }
        let units = Units::new(files.length());
        for (slot, unit) in fresh {
            let rules = rules_of(unit.language());
            units.get_or_load(slot, || Some(IndexedUnit::new(unit, rules)));
        }
        Self { blobs, files, old_offers, changed, fresh_offers: by_key, units }
    }

    /// The record of a slot.
    pub(crate) fn file(&self, slot: u32) -> Option<&FileRecord> {
        self.files.get(slot, &self.blobs)
    }

    /// Where facts and resolutions lie.
    pub(crate) fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// What other files can see of a file.
    pub(crate) fn unit(&self, slot: u32) -> Option<&Arc<Unit>> {
        self.loaded(slot).map(IndexedUnit::unit)
    }

    /// The slot of a path.
    pub(crate) fn slot(&self, path: &RepoPath) -> Option<u32> {
        self.files.slot(path, &self.blobs)
    }

    /// Slots and records of all scanned source files, in path order.
    pub(crate) fn scanned(&self) -> Vec<(u32, &FileRecord)> {
        let mut scanned: Vec<_> =
            self.files.iter(&self.blobs).filter(|(_, file)| file.is_scanned()).collect();
        scanned.sort_unstable_by(|(_, a), (_, b)| a.path.cmp(&b.path));
        scanned
    }

    /// The offers as the state knew them.
    pub(crate) fn old_offers(&self) -> &Relation {
        &self.old_offers
    }

    /// The facts of a scanned file.
    pub(crate) fn facts(&self, slot: u32) -> Result<Arc<FileFacts>, Lost> {
        let file = self.file(slot).ok_or(Lost)?;
        let Status::Scanned { summary, rest, .. } = &file.status else { return Err(Lost) };
        let mut facts: FileFacts = decode(&self.blobs.read(rest).ok_or(Lost)?).map_err(|_| Lost)?;
        // A unit that is there for look-ups has it already; its index costs too much to be made for this alone.
        facts.summary = match self.units.loaded(slot).map(|unit| &unit.unit().contents) {
            Some(Contents::Source(summary)) => summary.clone(),
            _ => Arc::new(decode(&self.blobs.read(summary).ok_or(Lost)?).map_err(|_| Lost)?),
        };
        Ok(Arc::new(facts))
    }

    /// The resolution the state has of a scanned file.
    pub(crate) fn resolution(&self, slot: u32) -> Result<Arc<Resolution>, Lost> {
        self.file(slot).and_then(|file| self.blobs.resolution(file)).map(Arc::new).ok_or(Lost)
    }

    fn loaded(&self, slot: u32) -> Option<&IndexedUnit> {
        self.units.get_or_load(slot, || {
            let file = self.file(slot)?;
            match load_unit(&self.blobs, file) {
                Ok(unit) => unit.map(|unit| {
                    let rules = rules_of(unit.language());
                    IndexedUnit::new(Arc::new(unit), rules)
                }),
                Err(Lost) => {
                    self.blobs.note_lost();
                    None
                }
            }
        })
    }
}

impl Lookup for Snapshot {
    fn provided(&self, key: &Key) -> Arc<[Provided]> {
        let digest = key.digest().0;
        let kept =
            self.old_offers.slots(digest, &self.blobs).iter().filter(|slot| !self.changed.contains(slot));
        let fresh = self.fresh_offers.get(&digest).into_iter().flatten();
        let mut units: Vec<&IndexedUnit> = kept.chain(fresh).filter_map(|slot| self.loaded(*slot)).collect();
        units.sort_unstable_by(|a, b| a.unit().path.cmp(&b.unit().path));
        let mut provided = Vec::new();
        for unit in units {
            unit.provide(key, &mut provided);
        }
        provided.into()
    }
}

impl Source for Snapshot {
    fn facts(&self, path: &RepoPath, _content: ContentHash) -> Option<Arc<FileFacts>> {
        let facts = self.slot(path).ok_or(Lost).and_then(|slot| self.facts(slot));
        if facts.is_err() {
            self.blobs.note_lost();
        }
        facts.ok()
    }
}

/// The files that were looked at, by slot.
struct Units(Vec<OnceLock<Box<UnitsOfPiece>>>);

type UnitsOfPiece = [OnceLock<Option<IndexedUnit>>; PER_PIECE];

impl Units {
    fn new(length: usize) -> Self {
        Self((0..length.div_ceil(PER_PIECE)).map(|_| OnceLock::new()).collect())
    }

    fn loaded(&self, slot: u32) -> Option<&IndexedUnit> {
        let slot = slot as usize;
        self.0.get(slot / PER_PIECE)?.get()?[slot % PER_PIECE].get()?.as_ref()
    }

    fn get_or_load(&self, slot: u32, load: impl FnOnce() -> Option<IndexedUnit>) -> Option<&IndexedUnit> {
        let slot = slot as usize;
        let piece = self.0.get(slot / PER_PIECE)?;
        let piece = piece.get_or_init(|| Box::new(std::array::from_fn(|_| OnceLock::new())));
        piece[slot % PER_PIECE].get_or_init(load).as_ref()
    }
}

/// What other files can see of a file, from the blobs; none for an input that offers nothing.
pub(crate) fn load_unit(blobs: &Blobs, file: &FileRecord) -> Result<Option<Unit>, Lost> {
    let contents = match (file.kind, &file.status) {
        (InputKind::Source(_), Status::Scanned { summary, .. }) => {
            let summary: Summary = decode(&blobs.read(summary).ok_or(Lost)?).map_err(|_| Lost)?;
            Contents::Source(Arc::new(summary))
        }
        (InputKind::Manifest(language), Status::Data(data)) => {
            let manifest: Manifest = decode(&blobs.read(data).ok_or(Lost)?).map_err(|_| Lost)?;
            Contents::Manifest(language, Arc::new(manifest))
        }
        _ => return Ok(None),
    };
    Ok(Some(Unit { path: file.path.clone(), contents }))
}

/// The rules of a language whose adapter read the file.
pub(crate) fn rules_of(language: Language) -> &'static dyn Rules {
    bindery_languages::for_language(language)
        .expect("inputs are selected by the registry's own languages, and another build starts anew")
        .rules
}
