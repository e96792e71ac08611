//! The table of known inputs, with what is asked of it without looking at every record.

use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::FileCounts;
use bindery_source::{ContentHash, RepoPath};
use serde::{Deserialize, Serialize};

use crate::blobs::{Blob, Blobs};
use crate::piece::{PER_PIECE, Piece, Slots, Writable};
use crate::relation::{Part, Relation};
use crate::state::{FileRecord, InputKind, Retired, Status};

/// See the module's page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    slots: Slots<FileRecord>,
    /// By piece of `slots`: the bytes its records use of each segment; none while that is not known.
    usage: Vec<Option<Usage>>,
    /// Hash of a path → its slot.
    paths: Relation,
    /// Key of facts → the slots of the files that have them.
    facts: Relation,
    extra: Extra,
}

/// Bytes by segment.
type Usage = BTreeMap<u64, u64>;

/// What follows from all records, kept up to date with each.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Extra {
    /// Slots to be used again.
    free: Vec<u32>,
    totals: FileCounts,
    /// Files the next run must look at although nothing moved.
    provisional: BTreeSet<u32>,
    /// Manifests and READMEs that were read.
    data: BTreeSet<u32>,
}

/// How a table is found again.
#[derive(Serialize, Deserialize)]
pub(crate) struct Stored {
    slots: (usize, Vec<Blob>),
    usage: Vec<Usage>,
    paths: (usize, Vec<Blob>),
    facts: (usize, Vec<Blob>),
    extra: Extra,
}

impl Files {
    /// The record in a slot.
    pub(crate) fn get(&self, slot: u32, blobs: &Blobs) -> Option<&FileRecord> {
        self.slots.get(slot, blobs)
    }

    /// The slot of a path.
    pub(crate) fn slot(&self, path: &RepoPath, blobs: &Blobs) -> Option<u32> {
        let slots = self.paths.slots(path_key(path), blobs);
        slots.iter().copied().find(|slot| self.get(*slot, blobs).is_some_and(|file| file.path == *path))
    }

    /// Every record by slot. Reads everything.
    pub(crate) fn iter<'a>(&'a self, blobs: &'a Blobs) -> impl Iterator<Item = (u32, &'a FileRecord)> {
        self.slots.iter(blobs)
    }

    /// The facts under a key that some file has.
    pub(crate) fn with_facts(&self, key: ContentHash, blobs: &Blobs) -> Option<Retired> {
        let slots = self.facts.slots(facts_key(key), blobs).iter();
        slots.filter_map(|slot| self.get(*slot, blobs)?.as_retired()).find(|facts| facts.key == key)
    }

    /// One more than the highest slot ever used.
    pub(crate) fn length(&self) -> usize {
        self.slots.length()
    }

    /// The number of records.
    pub(crate) fn count(&self) -> usize {
        self.slots.length() - self.extra.free.len()
    }

    /// Counts of all of them.
    pub(crate) fn totals(&self) -> &FileCounts {
        &self.extra.totals
    }

    /// The manifests and READMEs, ascending by slot.
    pub(crate) fn data<'a>(&'a self, blobs: &'a Blobs) -> impl Iterator<Item = &'a FileRecord> {
        self.extra.data.iter().filter_map(|slot| self.get(*slot, blobs))
    }

    /// The files the next run must look at although nothing moved.
    pub(crate) fn provisional<'a>(&'a self, blobs: &'a Blobs) -> impl Iterator<Item = &'a FileRecord> {
        self.extra.provisional.iter().filter_map(|slot| self.get(*slot, blobs))
    }

    /// Whether there is such a file.
    pub(crate) fn is_provisional(&self) -> bool {
        !self.extra.provisional.is_empty()
    }

    /// Frees the slots in `gone` and enters the records; the answer has each record's slot. A slot that becomes
    /// free here is not used again here, so that in one run a slot means one file.
    pub(crate) fn update(&mut self, gone: &[u32], records: Vec<FileRecord>, blobs: &Blobs) -> Vec<u32> {
        let mut changes = Changes::default();
        let mut slots = Vec::with_capacity(records.len());
        for record in records {
            let slot = self.slot(&record.path, blobs).or_else(|| self.extra.free.pop());
            let slot = slot.unwrap_or(self.slots.length() as u32);
            changes.removed(slot, self.get(slot, blobs));
            changes.added(slot, &record);
            self.enter(slot, Some(record), blobs);
            slots.push(slot);
        }
        for slot in gone {
            changes.removed(*slot, self.get(*slot, blobs));
            self.enter(*slot, None, blobs);
        }
        self.extra.free.extend(gone);
        self.paths = self.paths.patched(changes.gone_paths, changes.new_paths, blobs);
        self.facts = self.facts.patched(changes.gone_facts, changes.new_facts, blobs);
        slots
    }

    fn enter(&mut self, slot: u32, record: Option<FileRecord>, blobs: &Blobs) {
        if let Some(old) = self.slots.get(slot, blobs) {
            count(&mut self.extra.totals, old, |count, by| *count = count.saturating_sub(by));
        }
        if let Some(new) = &record {
            count(&mut self.extra.totals, new, |count, by| *count += by);
        }
        self.note(slot, record.as_ref());
        self.slots.set(slot, record, blobs);
    }

    fn note(&mut self, slot: u32, record: Option<&FileRecord>) {
        let extra = &mut self.extra;
        let put = |set: &mut BTreeSet<u32>, is_in: bool| {
            if is_in {
                set.insert(slot)
            } else {
                set.remove(&slot)
            };
        };
        put(&mut extra.provisional, record.is_some_and(FileRecord::is_provisional));
        put(&mut extra.data, record.is_some_and(FileRecord::is_data));
        let piece = slot as usize / PER_PIECE;
        if self.usage.len() <= piece {
            self.usage.resize(piece + 1, None);
        }
        self.usage[piece] = None;
    }

    /// Changes what a record says of its resolution, its callers or its faults, but not what it is.
    pub(crate) fn edit(&mut self, slot: u32, blobs: &Blobs, edit: impl FnOnce(&mut FileRecord)) {
        let Some(record) = self.slots.get_mut(slot, blobs) else { return };
        edit(record);
        let record = record.clone();
        self.note(slot, Some(&record));
    }

    /// Bytes its records use of each segment.
    pub(crate) fn used(&self, blobs: &Blobs) -> Usage {
        let mut used = Usage::new();
        for piece in 0..self.slots.pieces.len() {
            for (segment, bytes) in self.usage_of(piece, blobs) {
                *used.entry(segment).or_default() += bytes;
            }
        }
        used
    }

    fn usage_of(&self, piece: usize, blobs: &Blobs) -> Usage {
        if let Some(Some(usage)) = self.usage.get(piece) {
            return usage.clone();
        }
        let mut usage = Usage::new();
        for blob in self.slots.pieces[piece].get(blobs).iter().flatten().flat_map(FileRecord::blobs) {
            *usage.entry(blob.place().segment).or_default() += blob.place().length_on_disk();
        }
        usage
    }

    /// The blobs of its records that lie in `segments`.
    pub(crate) fn blobs_in(&self, segments: &BTreeSet<u64>, blobs: &Blobs) -> Vec<Blob> {
        let pieces = self.pieces_using(segments, blobs);
        let records = pieces.iter().flat_map(|piece| self.slots.pieces[*piece].get(blobs).iter().flatten());
        let is_in = |blob: &Blob| segments.contains(&blob.place().segment);
        records.flat_map(FileRecord::blobs).filter(is_in).collect()
    }

    fn pieces_using(&self, segments: &BTreeSet<u64>, blobs: &Blobs) -> Vec<usize> {
        let uses =
            |piece: &usize| self.usage_of(*piece, blobs).keys().any(|segment| segments.contains(segment));
        (0..self.slots.pieces.len()).filter(uses).collect()
    }

    /// Follows blobs to their new places. `segments` are those something moved out of.
    pub(crate) fn relocate(&mut self, moved: &BTreeMap<Blob, Blob>, segments: &BTreeSet<u64>, blobs: &Blobs) {
        for piece in self.pieces_using(segments, blobs) {
            for record in self.slots.pieces[piece].get_mut(blobs).iter_mut().flatten() {
                record.relocate(moved);
            }
            self.usage[piece] = None;
        }
    }

    /// The pieces of its records.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Option<Blob>> + '_ {
        self.slots.pieces.iter().map(Piece::blob)
    }

    /// The parts of its relations.
    pub(crate) fn relations(&self) -> impl Iterator<Item = &Piece<Part>> {
        self.paths.parts.iter().chain(&self.facts.parts)
    }

    pub(crate) fn each_piece(&mut self, with: &mut dyn FnMut(&mut dyn Writable)) {
        self.paths.parts.iter_mut().chain(&mut self.facts.parts).for_each(|piece| with(piece));
        self.slots.pieces.iter_mut().for_each(|piece| with(piece));
    }

    /// How to find it again; none while a piece lies nowhere.
    pub(crate) fn stored(&self, blobs: &Blobs) -> Option<Stored> {
        Some(Stored {
            slots: self.slots.stored()?,
            usage: (0..self.slots.pieces.len()).map(|piece| self.usage_of(piece, blobs)).collect(),
            paths: self.paths.stored()?,
            facts: self.facts.stored()?,
            extra: self.extra.clone(),
        })
    }

    /// From what [`Files::stored`] gave; none if it does not fit together.
    pub(crate) fn from_stored(stored: Stored) -> Option<Self> {
        Some(Self {
            slots: Slots::from_stored(stored.slots),
            usage: stored.usage.into_iter().map(Some).collect(),
            paths: Relation::from_stored(stored.paths)?,
            facts: Relation::from_stored(stored.facts)?,
            extra: stored.extra,
        })
    }
}

/// What an update does to the two relations.
#[derive(Default)]
struct Changes {
    gone_paths: Vec<(u64, u32)>,
    new_paths: Vec<(u64, u32)>,
    gone_facts: Vec<(u64, u32)>,
    new_facts: Vec<(u64, u32)>,
}

impl Changes {
    fn removed(&mut self, slot: u32, record: Option<&FileRecord>) {
        let Some(record) = record else { return };
        self.gone_paths.push((path_key(&record.path), slot));
        self.gone_facts.extend(record.as_retired().map(|facts| (facts_key(facts.key), slot)));
    }

    fn added(&mut self, slot: u32, record: &FileRecord) {
        self.new_paths.push((path_key(&record.path), slot));
        self.new_facts.extend(record.as_retired().map(|facts| (facts_key(facts.key), slot)));
    }
}

fn path_key(path: &RepoPath) -> u64 {
    first_bytes(ContentHash::of(path.as_str().as_bytes()))
}

fn facts_key(key: ContentHash) -> u64 {
    first_bytes(key)
}

fn first_bytes(hash: ContentHash) -> u64 {
    let (first, _) = hash.0.split_first_chunk::<8>().expect("a hash has 32 bytes");
    u64::from_be_bytes(*first)
}

/// Adds what a record counts for, or takes it away again.
fn count(totals: &mut FileCounts, file: &FileRecord, change: impl Fn(&mut u64, u64)) {
    if !matches!(file.kind, InputKind::Source(_) | InputKind::OtherLanguage(_)) {
        return;
    }
    match &file.status {
        Status::LeftOut(reason) => {
            if let Some(word) = reason.word() {
                change(totals.skipped.entry(word.to_owned()).or_default(), 1);
            }
            return;
        }
        Status::Scanned { .. } => {
            change(&mut totals.scanned, 1);
            change(&mut totals.partial, u64::from(file.first_error.is_some()));
        }
        Status::Unparsable(_) | Status::Failed(_) => change(&mut totals.unparsable, 1),
        Status::Unreadable(_) => change(&mut totals.unreadable, 1),
        Status::Data(_) => {}
    }
    change(&mut totals.selected, 1);
}
