//! Facts and resolutions on disk, by place and key; in memory where the disk cannot be written.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bindery_facts::{FileFacts, decode};
use bindery_graph::Resolution;
use bindery_source::ContentHash;
use bindery_store::{BlobRef, ContentStore};
use serde::{Deserialize, Serialize};

use crate::state::{FileRecord, Status};

/// Blobs are written in batches of about this many bytes, each one segment: large enough for few files,
/// small enough that a full build holds little.
const BATCH_BYTES: usize = 16 << 20;

/// Fewer bytes than this wait for what else the run writes.
const WORTH_A_SEGMENT: usize = 1 << 20;

/// Where a blob lies and the key it must have there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct Blob {
    segment: u64,
    offset: u64,
    length: u64,
    key: ContentHash,
}

impl Blob {
    /// The segment name of blobs that only this process has; no segment on disk has it.
    pub(crate) const IN_MEMORY: u64 = u64::MAX;

    /// The segment it lies in, if that is one on disk.
    pub(crate) fn segment(&self) -> Option<u64> {
        (self.segment != Self::IN_MEMORY).then_some(self.segment)
    }

    pub(crate) fn place(&self) -> BlobRef {
        BlobRef { segment: self.segment, offset: self.offset, length: self.length }
    }

    pub(crate) fn key(&self) -> ContentHash {
        self.key
    }

    pub(crate) fn at(place: BlobRef, key: ContentHash) -> Self {
        Self { segment: place.segment, offset: place.offset, length: place.length, key }
    }
}

/// A blob the state names is not there or damaged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lost;

/// Reads and writes blobs. Few new bytes wait in memory for [`Blobs::flush`], so that a run that changes
/// little writes one segment; so do all where the disk cannot be written.
pub(crate) struct Blobs {
    store: ContentStore,
    waiting: Mutex<Vec<(ContentHash, Vec<u8>)>>,
    lost: AtomicBool,
    in_memory: AtomicBool,
}

impl Blobs {
    pub(crate) fn new(store: ContentStore) -> Self {
        Self {
            store,
            waiting: Mutex::default(),
            lost: AtomicBool::new(false),
            in_memory: AtomicBool::new(false),
        }
    }

    /// From now on new blobs are kept in memory, where nobody takes them away. A run that does so leaves no state.
    pub(crate) fn keep_in_memory(&self) {
        self.in_memory.store(true, Ordering::Relaxed);
    }

    /// Whether they are.
    pub(crate) fn are_in_memory(&self) -> bool {
        self.in_memory.load(Ordering::Relaxed)
    }

    /// The store behind.
    pub(crate) fn store(&self) -> &ContentStore {
        &self.store
    }

    /// The blob's bytes; none if they are not there any more, or not what was written.
    pub(crate) fn read(&self, blob: &Blob) -> Option<Vec<u8>> {
        match blob.segment() {
            None => self.waiting().get(usize::try_from(blob.offset).ok()?).map(|(_, bytes)| bytes.clone()),
            Some(_) => self.store.read_blob(&blob.place(), blob.key),
        }
    }

    /// The facts of a scanned file.
    pub(crate) fn facts(&self, file: &FileRecord) -> Option<FileFacts> {
        let Status::Scanned { summary, rest, .. } = &file.status else { return None };
        let mut facts: FileFacts = decode(&self.read(rest)?).ok()?;
        facts.summary = Arc::new(decode(&self.read(summary)?).ok()?);
        Some(facts)
    }

    /// The resolution of a scanned file.
    pub(crate) fn resolution(&self, file: &FileRecord) -> Option<Resolution> {
        let Status::Scanned { resolution, .. } = &file.status else { return None };
        decode(&self.read(resolution.as_ref()?)?).ok()
    }

    /// Keeps blobs, on disk at once if they are many and it can be written.
    pub(crate) fn write(&self, blobs: Vec<(ContentHash, Vec<u8>)>) -> Vec<Blob> {
        let is_large = blobs.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() >= WORTH_A_SEGMENT;
        match (is_large && !self.are_in_memory()).then(|| self.store.append_blobs(&blobs)).flatten() {
            Some(places) => {
                places.into_iter().zip(&blobs).map(|(place, (key, _))| Blob::at(place, *key)).collect()
            }
            None => {
                let mut waiting = self.waiting();
                let mut keep = |(key, bytes): (ContentHash, Vec<u8>)| {
                    let (offset, length) = (waiting.len() as u64, bytes.len() as u64);
                    waiting.push((key, bytes));
                    Blob { segment: Blob::IN_MEMORY, offset, length, key }
                };
                blobs.into_iter().map(&mut keep).collect()
            }
        }
    }

    /// Writes what waits in memory; where each of it lies now. None: it cannot be written and still waits.
    pub(crate) fn flush(&self) -> Option<BTreeMap<Blob, Blob>> {
        if self.are_in_memory() {
            return None;
        }
        let mut waiting = self.waiting();
        let places = self.store.append_blobs(&waiting)?;
        let moved = waiting.iter().enumerate().zip(places).map(|((offset, (key, bytes)), place)| {
            let (offset, length, key) = (offset as u64, bytes.len() as u64, *key);
            (Blob { segment: Blob::IN_MEMORY, offset, length, key }, Blob::at(place, key))
        });
        let moved = moved.collect();
        waiting.clear();
        Some(moved)
    }

    /// Remembers that something the state names could not be read.
    pub(crate) fn note_lost(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    /// Whether everything asked for so far could be read.
    pub(crate) fn check_lost(&self) -> Result<(), Lost> {
        if self.lost.load(Ordering::Relaxed) { Err(Lost) } else { Ok(()) }
    }

    /// Forgets what waits in memory and what was lost, for a run that starts over without a state.
    pub(crate) fn start_over(&self) {
        self.waiting().clear();
        self.lost.store(false, Ordering::Relaxed);
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<(ContentHash, Vec<u8>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Collects blobs of many threads into batches; `T` says whose they are.
pub(crate) struct Batches<'a, T> {
    blobs: &'a Blobs,
    waiting: Mutex<(usize, Waiting<T>)>,
    done: Mutex<Vec<(T, Vec<Blob>)>>,
}

/// Owners with their blobs, not yet written.
type Waiting<T> = Vec<(T, Vec<(ContentHash, Vec<u8>)>)>;

impl<'a, T: Send> Batches<'a, T> {
    pub(crate) fn new(blobs: &'a Blobs) -> Self {
        Self { blobs, waiting: Mutex::new((0, Vec::new())), done: Mutex::default() }
    }

    /// Adds the blobs of one owner; may write a batch.
    pub(crate) fn add(&self, owner: T, blobs: Vec<(ContentHash, Vec<u8>)>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.0 += blobs.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        waiting.1.push((owner, blobs));
        if waiting.0 >= BATCH_BYTES {
            let batch = std::mem::take(&mut *waiting).1;
            drop(waiting);
            self.write(batch);
        }
    }

    /// Writes what is left; every owner with its blobs, in no particular order.
    pub(crate) fn finish(self) -> Vec<(T, Vec<Blob>)> {
        let rest = std::mem::take(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner).1);
        self.write(rest);
        self.done.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, batch: Waiting<T>) {
        if batch.is_empty() {
            return;
        }
        let (owners, blobs): (Vec<(T, usize)>, Vec<_>) =
            batch.into_iter().map(|(owner, blobs)| ((owner, blobs.len()), blobs)).unzip();
        let mut places = self.blobs.write(blobs.into_iter().flatten().collect()).into_iter();
        let written = owners.into_iter().map(|(owner, count)| (owner, places.by_ref().take(count).collect()));
        self.done.lock().unwrap_or_else(PoisonError::into_inner).extend(written);
    }
}
