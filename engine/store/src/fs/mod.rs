//! The file system as the rest of Bindery sees it: one small trait and its implementations.
//!
//! Every path is relative to the root an implementation was made with, as raw bytes with `/` between
//! components; the empty path is the root itself. No operation ever follows a symbolic link, neither
//! in the last component nor before it, so nothing below a root can lead outside of it. Whoever wants
//! to follow a link resolves it by hand and checks every step ([`crate::select`] does).
//!
//! - [`OsFileSystem`]: the real thing (Unix).
//! - [`GitFileSystem`]: what git's index or a commit holds, read-only.
//! - [`MemoryFileSystem`]: for tests that build tens of thousands of times.
//! - [`FaultFileSystem`]: wraps another one and fails, or "crashes", at a chosen call.
//! - [`OverlayFileSystem`]: wraps another one and keeps what is written in memory.

mod fault;
mod git;
mod memory;
mod memory_tree;
mod os;
mod overlay;
#[cfg(test)]
mod tests;

pub use fault::{Fault, FaultFileSystem};
pub use git::GitFileSystem;
pub use memory::MemoryFileSystem;
pub use os::OsFileSystem;
pub use overlay::OverlayFileSystem;

use serde::{Deserialize, Serialize};

use crate::StoreResult;

/// What a name in a directory stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, whatever it points to.
    Symlink,
    /// A FIFO, socket or device: never opened.
    Special,
}

/// What the system says about a name without opening it. Two equal values mean, outside the racy window
/// of [`crate::RacyStamp`], that the content did not change either.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stat {
    /// Bytes.
    pub size: u64,
    /// Last change of the content, nanoseconds since 1970; saturates outside 1677–2262.
    pub mtime: i64,
    /// Last change of content, name or attributes, likewise.
    pub ctime: i64,
    /// The file's number on its file system.
    pub inode: u64,
    /// What it is.
    pub kind: FileKind,
    /// The permission bits.
    pub mode: u32,
}

/// One name in a directory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct DirEntry {
    /// The bare name, never `.` or `..`.
    pub name: Vec<u8>,
    /// What it stands for.
    pub kind: FileKind,
}

/// The answer to an attempt to lock.
pub enum LockAttempt {
    /// The lock is ours until the guard is dropped or the process ends, however it ends.
    Acquired(Box<dyn LockGuard>),
    /// Somebody else has it; the bytes are what the holder wrote about itself.
    HeldBy(Vec<u8>),
}

/// A held lock; dropping it lets go.
pub trait LockGuard: Send + Sync {}

/// A regular file opened for reading.
pub trait OpenFile: Send + Sync {
    /// What the system says about the open file, whatever its name stands for by now.
    fn stat(&self) -> StoreResult<Stat>;

    /// Up to `length` bytes from `offset`, fewer only at the end of the file. Allocates no more than
    /// the file holds, whatever `length` says.
    fn read_at(&self, offset: u64, length: u64) -> StoreResult<Vec<u8>>;
}

/// A tree of files below one root.
pub trait FileSystem: Send + Sync {
    /// The path as messages show it.
    fn shown(&self, path: &[u8]) -> String;

    /// Whether it never changes and equal stats mean equal contents, without exception.
    fn is_snapshot(&self) -> bool {
        false
    }

    /// Size, times and kind of what the path itself names.
    fn lstat(&self, path: &[u8]) -> StoreResult<Stat>;

    /// The number of the device `path` lies on: two directories with equal numbers share a clock.
    fn device(&self, path: &[u8]) -> StoreResult<u64>;

    /// Where a symbolic link points, as written.
    fn read_link(&self, path: &[u8]) -> StoreResult<Vec<u8>>;

    /// The names in a directory, in no particular order.
    fn list(&self, path: &[u8]) -> StoreResult<Vec<DirEntry>>;

    /// Opens a regular file; anything else is an error and is not opened, not even for a moment.
    fn open(&self, path: &[u8]) -> StoreResult<Box<dyn OpenFile>>;

    /// Creates a file that must not exist yet, with these contents.
    fn create_file(&self, path: &[u8], bytes: &[u8]) -> StoreResult<()>;

    /// Sets a file's permission bits.
    fn set_mode(&self, path: &[u8], mode: u32) -> StoreResult<()>;

    /// Forces a file or directory to the disk.
    fn sync(&self, path: &[u8]) -> StoreResult<()>;

    /// Gives a file another name, replacing a file or link of that name in one step.
    fn rename(&self, from: &[u8], to: &[u8]) -> StoreResult<()>;

    /// Creates a directory whose parent exists.
    fn create_directory(&self, path: &[u8]) -> StoreResult<()>;

    /// Removes a file or a link, never what a link points to.
    fn remove_file(&self, path: &[u8]) -> StoreResult<()>;

    /// Removes an empty directory.
    fn remove_directory(&self, path: &[u8]) -> StoreResult<()>;

    /// Tries to take the exclusive lock that the file at `path` stands for, creating it if need be,
    /// and leaves `holder` in it for whoever finds it taken.
    fn try_lock(&self, path: &[u8], holder: &[u8]) -> StoreResult<LockAttempt>;
}

/// Splits a path into its components, or none if it could mean something outside the root.
fn components(path: &[u8]) -> Option<Vec<&[u8]>> {
    if path.is_empty() {
        return Some(Vec::new());
    }
    let parts: Vec<&[u8]> = path.split(|&byte| byte == b'/').collect();
    parts.iter().all(|part| is_plain_name(part)).then_some(parts)
}

fn is_plain_name(name: &[u8]) -> bool {
    !name.is_empty() && name != b"." && name != b".." && !name.contains(&0)
}

/// The directory part and the last component of a path.
pub(crate) fn split_parent(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (&[], path),
    }
}

/// `name` inside `directory`, where the empty directory is the root.
pub(crate) fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    if directory.is_empty() {
        return name.to_vec();
    }
    let mut path = Vec::with_capacity(directory.len() + 1 + name.len());
    path.extend_from_slice(directory);
    path.push(b'/');
    path.extend_from_slice(name);
    path
}
