use bindery_source::ContentHash;

use crate::fs::{FileSystem, Stat};
use crate::{ErrorKind, Operation, StoreError, StoreResult};

/// How often a file that moves under our eyes is read again before we give up on it.
const ATTEMPTS: usize = 4;

/// Bytes per step when a file is only hashed.
const HASH_STEP: u64 = 1 << 20;

/// A file's bytes, and the stat they belong to: the same before and after the reading.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileRead {
    /// The contents.
    pub bytes: Vec<u8>,
    /// The stat of exactly these contents.
    pub stat: Stat,
}

/// Reads a regular file. A file that changes during the reading is read again, a few times; then that is
/// the error ([`ErrorKind::ChangedDuringRead`]). [`ErrorKind::NotFound`]: it vanished.
pub fn read_file(file_system: &dyn FileSystem, path: &[u8]) -> StoreResult<FileRead> {
    settled(file_system, path, |file, stat| {
        // One byte more than the stat says: a file that grew between the two calls shows it.
        let bytes = file.read_at(0, stat.size.saturating_add(1))?;
        let complete = bytes.len() as u64 == stat.size;
        Ok(complete.then_some(FileRead { bytes, stat }))
    })
}

/// The hash of a regular file's contents, without holding more than a megabyte of them.
pub fn hash_file(file_system: &dyn FileSystem, path: &[u8]) -> StoreResult<(ContentHash, Stat)> {
    settled(file_system, path, |file, stat| {
        let mut hasher = blake3::Hasher::new();
        let mut offset = 0;
        while offset < stat.size {
            let bytes = file.read_at(offset, HASH_STEP)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            hasher.update(&bytes);
            offset += bytes.len() as u64;
        }
        Ok((offset == stat.size).then(|| (ContentHash(*hasher.finalize().as_bytes()), stat)))
    })
}

/// The first `length` bytes of a regular file, fewer if it is shorter: for `#!` lines.
pub fn read_head(file_system: &dyn FileSystem, path: &[u8], length: u64) -> StoreResult<Vec<u8>> {
    file_system.open(path)?.read_at(0, length)
}

/// Runs `attempt` between two equal stats of the opened file, again if they differ or it says none.
fn settled<T>(
    file_system: &dyn FileSystem,
    path: &[u8],
    attempt: impl Fn(&dyn crate::fs::OpenFile, Stat) -> StoreResult<Option<T>>,
) -> StoreResult<T> {
    for _ in 0..ATTEMPTS {
        let file = file_system.open(path)?;
        let before = file.stat()?;
        let value = attempt(&*file, before)?;
        if let Some(value) = value
            && file.stat()? == before
        {
            return Ok(value);
        }
    }
    Err(StoreError::new(ErrorKind::ChangedDuringRead, Operation::Read, file_system.shown(path)))
}
