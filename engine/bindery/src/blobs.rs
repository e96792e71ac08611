//! Facts and resolutions on disk, by place and key; in memory where the disk cannot be written.

use std::sync::{Arc, Mutex, PoisonError};

use bindery_facts::{FileFacts, decode};
use bindery_graph::Resolution;
use bindery_source::ContentHash;
use bindery_store::{BlobRef, ContentStore};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::state::{FileRecord, Status};

/// The segment name of blobs that only this process has; no segment on disk has it.
const IN_MEMORY: u64 = u64::MAX;

/// Blobs are written in batches of about this many bytes, each one segment: large enough for few files,
/// small enough that a full build holds little.
const BATCH_BYTES: usize = 16 << 20;

/// Where a blob lies and the key it must have there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct Blob {
    segment: u64,
    offset: u64,
    length: u64,
    key: ContentHash,
}

impl Blob {
    /// The segment it lies in, if that is one on disk.
    pub(crate) fn segment(&self) -> Option<u64> {
        (self.segment != IN_MEMORY).then_some(self.segment)
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

/// Reads blobs, and collects new ones until [`Blobs::flush`].
pub(crate) struct Blobs {
    store: ContentStore,
    memory: Mutex<FxHashMap<u64, Vec<u8>>>,
}

impl Blobs {
    pub(crate) fn new(store: ContentStore) -> Self {
        Self { store, memory: Mutex::default() }
    }

    /// The store behind.
    pub(crate) fn store(&self) -> &ContentStore {
        &self.store
    }

    /// The blob's bytes; none if they are not there any more, or not what was written.
    pub(crate) fn read(&self, blob: &Blob) -> Option<Vec<u8>> {
        match blob.segment() {
            None => self.memory().get(&blob.offset).cloned(),
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

    /// Keeps blobs, on disk if that can be written.
    pub(crate) fn write(&self, blobs: Vec<(ContentHash, Vec<u8>)>) -> Vec<Blob> {
        match self.store.append_blobs(&blobs) {
            Some(places) => {
                places.into_iter().zip(&blobs).map(|(place, (key, _))| Blob::at(place, *key)).collect()
            }
            None => blobs.into_iter().map(|(key, bytes)| self.keep_in_memory(key, bytes)).collect(),
        }
    }

    fn keep_in_memory(&self, key: ContentHash, bytes: Vec<u8>) -> Blob {
        let mut memory = self.memory();
        let (offset, length) = (memory.len() as u64, bytes.len() as u64);
        memory.insert(offset, bytes);
        Blob { segment: IN_MEMORY, offset, length, key }
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, FxHashMap<u64, Vec<u8>>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
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
