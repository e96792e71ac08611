//! The cache in the work directory: opaque blobs by key, and one opaque state.
//!
//! ```text
//! cache/HEAD                 names the current state and the segments it refers to; replaced by rename
//! cache/lock                 held while anything below is written
//! cache/state-<16 hex>       one state: magic, length, BLAKE3, bytes
//! cache/segments/<16 hex>    immutable: blobs, each with key, length and checksum
//! cache/writers/<name>       one per process that has written segments and not yet committed them; locked
//! ```
//!
//! Nothing is trusted without its checksum, nothing is allocated on the word of a length field, nothing is
//! mapped. Any fault is a miss. Files are complete before they have their names, and a name in `HEAD` is
//! written after the file it names, so a process killed at any point leaves the old state or the new one.
//! What else it leaves is swept under the lock by the next writer.

mod commit;
mod compaction;
mod head;
mod records;
#[cfg(test)]
mod tests;
mod upkeep;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bindery_source::ContentHash;

use crate::fs::{FileSystem, LockAttempt, LockGuard, OpenFile};
use crate::lock::{HeldLock, Holder, acquire};
use crate::work_dir::LOCK_WAIT;
use crate::writing::create_directories;
use crate::{Directory, Durability, StoreError, StoreResult, write_atomically};

pub use commit::Commit;
pub use head::HeadVersion;
pub use records::BlobRef;
pub use upkeep::{StoreCheck, StoreStats};

/// Segments kept open at once, well below the usual limit of 256 to 1,024 descriptors.
const MOST_OPEN_SEGMENTS: usize = 64;

/// The cache. See the module documentation for the files.
///
/// Reading never fails, it misses. The first write that fails puts the store out of use for writing, and is
/// reported once ([`ContentStore::take_warning`]); reading goes on.
pub struct ContentStore {
    directory: Directory,
    durability: Durability,
    open_segments: Mutex<BTreeMap<u64, Arc<dyn OpenFile>>>,
    session: Mutex<Option<WriterSession>>,
    fault: Mutex<Fault>,
}

#[derive(Default)]
enum Fault {
    #[default]
    None,
    Untold(StoreError),
    Told,
}

/// The sign that this process has segments which no state refers to yet.
struct WriterSession {
    path: Vec<u8>,
    _guard: Box<dyn LockGuard>,
}

impl ContentStore {
    /// Uses `cache/` in the work directory. Touches nothing yet.
    pub fn open(work_directory: &Directory, durability: Durability) -> Self {
        Self {
            directory: work_directory.subdirectory("cache"),
            durability,
            open_segments: Mutex::default(),
            session: Mutex::default(),
            fault: Mutex::default(),
        }
    }

    /// Why the store is out of use for writing, the first time this is asked after it happened.
    pub fn take_warning(&self) -> Option<StoreError> {
        let mut fault = locked(&self.fault);
        match std::mem::replace(&mut *fault, Fault::Told) {
            Fault::Untold(error) => Some(error),
            Fault::Told => None,
            Fault::None => {
                *fault = Fault::None;
                None
            }
        }
    }

    /// The blob at `place`, if it is there, whole, and has this key. Anything else is a miss.
    pub fn read_blob(&self, place: &BlobRef, key: ContentHash) -> Option<Vec<u8>> {
        let segment = self.segment(place.segment)?;
        let record = segment.read_at(place.offset, records::record_length(place.length)).ok()?;
        records::payload(record, place.length, key)
    }

    /// Writes blobs into a new segment. None: the store cannot be written. Call it with a few megabytes at a
    /// time; the bytes are copied once.
    pub fn append_blobs(&self, blobs: &[(ContentHash, Vec<u8>)]) -> Option<Vec<BlobRef>> {
        if blobs.is_empty() {
            return Some(Vec::new());
        }
        let segment = records::segment_of(blobs);
        let name = segment.name;
        self.writing(|store| {
            store.begin_session()?;
            create_directories(store.file_system(), &store.path("segments"))?;
            let path = store.segment_path(name);
            write_atomically(store.file_system(), &path, &segment.bytes, store.durability)
        })?;
        Some(segment.places)
    }

    fn file_system(&self) -> &dyn FileSystem {
        self.directory.file_system()
    }

    fn path(&self, relative: &str) -> Vec<u8> {
        self.directory.path(relative.as_bytes())
    }

    fn segment_path(&self, segment: u64) -> Vec<u8> {
        self.path(&format!("segments/{segment:016x}"))
    }

    fn segment(&self, segment: u64) -> Option<Arc<dyn OpenFile>> {
        if let Some(open) = locked(&self.open_segments).get(&segment) {
            return Some(open.clone());
        }
        let opened: Arc<dyn OpenFile> = Arc::from(self.file_system().open(&self.segment_path(segment)).ok()?);
        let mut open = locked(&self.open_segments);
        if open.len() >= MOST_OPEN_SEGMENTS {
            open.clear();
        }
        open.insert(segment, opened.clone());
        Some(opened)
    }

    /// Runs `write` under the lock. None, and out of use from then on, if it or the locking fails.
    fn writing<T>(&self, write: impl FnOnce(&Self) -> StoreResult<T>) -> Option<T> {
        if !matches!(*locked(&self.fault), Fault::None) {
            return None;
        }
        let outcome = self.lock().and_then(|_lock| write(self));
        outcome.map_err(|error| *locked(&self.fault) = Fault::Untold(error)).ok()
    }

    fn lock(&self) -> StoreResult<HeldLock> {
        create_directories(self.file_system(), self.directory.base())?;
        let holder = Holder::this_process("bindery, writing its cache");
        acquire(self.file_system(), &self.path("lock"), &holder, LOCK_WAIT)
    }

    /// Leaves a sign that there are segments of ours which no state refers to. The lock is held.
    fn begin_session(&self) -> StoreResult<()> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let mut session = locked(&self.session);
        if session.is_some() {
            return Ok(());
        }
        create_directories(self.file_system(), &self.path("writers"))?;
        loop {
            let count = COUNTER.fetch_add(1, Ordering::Relaxed);
            let path = self.path(&format!("writers/{:x}-{count:x}", std::process::id()));
            if let LockAttempt::Acquired(guard) = self.file_system().try_lock(&path, b"")? {
                *session = Some(WriterSession { path, _guard: guard });
                return Ok(());
            }
            // The same process number in another container; the next count is free sooner or later.
        }
    }

    fn end_session(&self) {
        if let Some(session) = locked(&self.session).take() {
            // Removed while still locked, so that nobody takes it for the file of a live writer. A file that
            // cannot be removed is unlocked, which says the same.
            let _ = self.file_system().remove_file(&session.path);
        }
    }
}

impl Drop for ContentStore {
    fn drop(&mut self) {
        self.end_session();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
