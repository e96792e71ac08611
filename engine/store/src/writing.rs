use std::sync::atomic::{AtomicU64, Ordering};

use crate::fs::{FileKind, FileSystem, join, split_parent};
use crate::{ErrorKind, Operation, StoreError, StoreResult};

/// How much is done for a file to survive a power cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Durability {
    /// Temporary file and rename: complete or absent whatever happens to the process, at the mercy of the
    /// system if the power fails.
    #[default]
    Renamed,
    /// The file and its directory are forced to the disk too (`--durable`).
    Synced,
}

const TEMPORARY_PREFIX: &[u8] = b".bindery-tmp-";

/// Whether a name is one that [`write_atomically`] gives to files being written. The names are reserved:
/// such a file is a left-over of a dead process to whoever holds the lock of the directory.
pub(crate) fn is_temporary_name(name: &[u8]) -> bool {
    let Some(rest) = name.strip_prefix(TEMPORARY_PREFIX) else { return false };
    !rest.is_empty() && rest.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
}

pub(crate) fn temporary_name() -> Vec<u8> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    [TEMPORARY_PREFIX, format!("{:x}-{count:x}", std::process::id()).as_bytes()].concat()
}

/// Writes `bytes` to `path`, replacing what is there in one step: a reader sees the old contents or the
/// new ones, also if we are killed. The parent directory must exist. On failure the temporary file is
/// removed if that is still possible.
pub fn write_atomically(
    file_system: &dyn FileSystem,
    path: &[u8],
    bytes: &[u8],
    durability: Durability,
) -> StoreResult<()> {
    let (directory, _) = split_parent(path);
    let temporary = join(directory, &temporary_name());
    let written = fill_and_rename(file_system, &temporary, path, bytes, durability);
    if written.is_err() {
        let _ = file_system.remove_file(&temporary);
    }
    // Messages name the file the caller knows, not the temporary one.
    written.map_err(|error| StoreError { path: file_system.shown(path), ..error })
}

fn fill_and_rename(
    file_system: &dyn FileSystem,
    temporary: &[u8],
    path: &[u8],
    bytes: &[u8],
    durability: Durability,
) -> StoreResult<()> {
    file_system.create_file(temporary, bytes)?;
    if durability == Durability::Synced {
        file_system.sync(temporary)?;
    }
    file_system.rename(temporary, path)?;
    match durability {
        Durability::Synced => file_system.sync(split_parent(path).0),
        Durability::Renamed => Ok(()),
    }
}

/// Creates `path` and its missing parents below the root; a link or file in the way is an error.
pub fn create_directories(file_system: &dyn FileSystem, path: &[u8]) -> StoreResult<()> {
    // The usual case first: it is there.
    if path.is_empty() || is_directory(file_system, path)? {
        return Ok(());
    }
    for end in prefix_ends(path) {
        match file_system.create_directory(&path[..end]) {
            Ok(()) => {}
            Err(error) if error.kind == ErrorKind::AlreadyExists => {
                if !is_directory(file_system, &path[..end])? {
                    let shown = file_system.shown(&path[..end]);
                    return Err(StoreError::new(ErrorKind::NotADirectory, Operation::CreateDirectory, shown));
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn is_directory(file_system: &dyn FileSystem, path: &[u8]) -> StoreResult<bool> {
    Ok(crate::found(file_system.lstat(path))?.is_some_and(|stat| stat.kind == FileKind::Directory))
}

/// The lengths of `a`, `a/b`, `a/b/c` in `a/b/c`.
fn prefix_ends(path: &[u8]) -> impl Iterator<Item = usize> {
    (1..=path.len()).filter(|&end| end == path.len() || path[end] == b'/')
}
