use std::time::Duration;

use crate::fs::{FileKind, FileSystem, join};
use crate::lock::{HeldLock, Holder, acquire};
use crate::writing::{create_directories, is_temporary_name, write_atomically};
use crate::{Directory, Durability, StoreResult, found};

/// How long a second build waits for the first.
pub const LOCK_WAIT: Duration = Duration::from_secs(10);

const CACHEDIR_TAG: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55\n\
# This directory holds a cache that can be rebuilt at any time; see https://bford.info/cachedir/\n";

/// The work directory (`.bindery/`): cache, state, exports, and by default the handbook.
#[derive(Clone, Debug)]
pub struct WorkDir {
    directory: Directory,
}

impl WorkDir {
    /// Creates what is missing of the directory: `.gitignore` with `*`, `cache/CACHEDIR.TAG`. The tag belongs to
    /// the cache, which somebody else may remove at any moment, between two calls of ours too: like every fault
    /// of the cache, a tag that cannot be written is no error.
    pub fn open(directory: Directory) -> StoreResult<Self> {
        create_directories(directory.file_system(), directory.base())?;
        write_if_absent(&directory, b".gitignore", b"*\n")?;
        let _ = create_directories(directory.file_system(), &directory.path(b"cache"))
            .and_then(|()| write_if_absent(&directory, b"cache/CACHEDIR.TAG", CACHEDIR_TAG));
        Ok(Self { directory })
    }

    /// A work directory to read only: nothing is created, nothing need exist.
    pub fn read_only(directory: Directory) -> Self {
        Self { directory }
    }

    /// Where it is.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Takes the lock of the whole directory for a command that writes outputs, waiting [`LOCK_WAIT`] for
    /// another holder, who is named in the error ([`crate::ErrorKind::LockHeld`]). Sweeps what dead writers
    /// left half-written directly in the directory.
    pub fn lock(&self, holder: &Holder) -> StoreResult<HeldLock> {
        self.lock_within(holder, LOCK_WAIT)
    }

    /// Likewise, waiting as long as `wait`.
    pub fn lock_within(&self, holder: &Holder, wait: Duration) -> StoreResult<HeldLock> {
        let file_system = self.directory.file_system();
        let lock = acquire(file_system, &self.directory.path(b"lock"), holder, wait)?;
        sweep(file_system, self.directory.base());
        Ok(lock)
    }
}

/// Removes temporary files directly in `directory`; the caller holds the lock under which they are written,
/// so nobody alive owns them. Failing to remove one is no failure: it is in nobody's way.
pub(crate) fn sweep(file_system: &dyn FileSystem, directory: &[u8]) {
    for entry in file_system.list(directory).unwrap_or_default() {
        if entry.kind == FileKind::File && is_temporary_name(&entry.name) {
            let _ = file_system.remove_file(&join(directory, &entry.name));
        }
    }
}

fn write_if_absent(directory: &Directory, name: &[u8], bytes: &[u8]) -> StoreResult<()> {
    let file_system = directory.file_system();
    let path = directory.path(name);
    match found(file_system.lstat(&path))? {
        Some(_) => Ok(()),
        None => write_atomically(file_system, &path, bytes, Durability::Renamed),
    }
}
