use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::{
    DirEntry, FileKind, FileSystem, LockAttempt, MemoryFileSystem, OpenFile, Stat, components, join,
    split_parent,
};
use crate::{ErrorKind, Operation, StoreError, StoreResult, found, read_file};

/// Another file system as it would be after writes that only this value knows: what is written, renamed and
/// removed stays in memory. It answers what a build *would* do.
///
/// A directory that something was written in has a stat of its own, so that whoever remembers the one below
/// lists it again. Only files can be renamed.
pub struct OverlayFileSystem {
    below: Arc<dyn FileSystem>,
    above: MemoryFileSystem,
    /// Paths of `below` that were removed, with everything below them.
    removed: Mutex<BTreeSet<Vec<u8>>>,
}

impl OverlayFileSystem {
    /// Nothing is written yet.
    pub fn over(below: Arc<dyn FileSystem>) -> Self {
        let above = MemoryFileSystem::new();
        // Times above and below are compared with each other.
        if let Ok(since) = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
            above.set_clock(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX / 2));
        }
        Self { below, above, removed: Mutex::default() }
    }

    /// Puts a file there, whatever the permissions below say, creating missing parents.
    pub fn write(&self, path: &[u8], bytes: &[u8]) {
        self.above.write(path, bytes);
    }

    fn removed(&self) -> MutexGuard<'_, BTreeSet<Vec<u8>>> {
        self.removed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether what `below` has at `path` is not to be seen.
    fn is_removed(&self, path: &[u8]) -> bool {
        let removed = self.removed();
        let ends = (0..=path.len()).filter(|end| *end == path.len() || path[*end] == b'/');
        !removed.is_empty() && ends.into_iter().any(|end| removed.contains(&path[..end]))
    }

    fn is_above(&self, path: &[u8]) -> StoreResult<bool> {
        Ok(path.is_empty() || found(self.above.lstat(path))?.is_some())
    }

    fn error<T>(&self, kind: ErrorKind, operation: Operation, path: &[u8]) -> StoreResult<T> {
        Err(StoreError::new(kind, operation, self.shown(path)))
    }

    /// Whether something has the name `path`, which must be one below the root.
    fn exists(&self, operation: Operation, path: &[u8]) -> StoreResult<bool> {
        match components(path) {
            Some(names) if !names.is_empty() => Ok(found(self.lstat(path))?.is_some()),
            _ => self.error(ErrorKind::InvalidPath, operation, path),
        }
    }

    /// Makes the directory that is to hold `path` exist above, if it is one.
    fn raise_parent(&self, operation: Operation, path: &[u8]) -> StoreResult<()> {
        let parent = split_parent(path).0;
        match self.lstat(parent)?.kind {
            FileKind::Directory => self.above.directory(parent),
            FileKind::Symlink => return self.error(ErrorKind::SymlinkInPath, operation, path),
            _ => return self.error(ErrorKind::NotADirectory, operation, path),
        }
        Ok(())
    }

    /// Makes the file at `path` exist above.
    fn raise(&self, path: &[u8]) -> StoreResult<()> {
        if self.is_above(path)? {
            return Ok(());
        }
        let read = read_file(self, path)?;
        self.raise_parent(Operation::Write, path)?;
        self.above.create_file(path, &read.bytes)?;
        self.above.set_mode(path, read.stat.mode)
    }

    fn take_away(&self, path: &[u8]) -> StoreResult<()> {
        self.above.remove(path);
        if !self.is_removed(path) && found(self.below.lstat(path))?.is_some() {
            // The directory's own stat is another one from now on.
            self.above.directory(split_parent(path).0);
            self.removed().insert(path.to_vec());
        }
        Ok(())
    }
}

impl FileSystem for OverlayFileSystem {
    fn shown(&self, path: &[u8]) -> String {
        self.below.shown(path)
    }

    fn lstat(&self, path: &[u8]) -> StoreResult<Stat> {
        match (path.is_empty(), found(self.above.lstat(path))?) {
            (false, Some(stat)) => Ok(stat),
            _ if self.is_removed(path) => self.error(ErrorKind::NotFound, Operation::Stat, path),
            _ => self.below.lstat(path),
        }
    }

    fn device(&self, _path: &[u8]) -> StoreResult<u64> {
        self.below.device(b"")
    }

    fn read_link(&self, path: &[u8]) -> StoreResult<Vec<u8>> {
        match self.is_above(path)? || self.is_removed(path) {
            true => self.above.read_link(path),
            false => self.below.read_link(path),
        }
    }

    fn list(&self, path: &[u8]) -> StoreResult<Vec<DirEntry>> {
        let is_above = self.is_above(path)?;
        let mut entries = if is_above { self.above.list(path)? } else { Vec::new() };
        let below = match (is_above, self.is_removed(path)) {
            (true, true) => Vec::new(),
            (true, false) => found(self.below.list(path))?.unwrap_or_default(),
            (false, true) => return self.error(ErrorKind::NotFound, Operation::List, path),
            (false, false) => self.below.list(path)?,
        };
        let names: BTreeSet<Vec<u8>> = entries.iter().map(|entry| entry.name.clone()).collect();
        let is_seen =
            |entry: &DirEntry| !names.contains(&entry.name) && !self.is_removed(&join(path, &entry.name));
        entries.extend(below.into_iter().filter(is_seen));
        Ok(entries)
    }

    fn open(&self, path: &[u8]) -> StoreResult<Box<dyn OpenFile>> {
        match self.is_above(path)? {
            true => self.above.open(path),
            false if self.is_removed(path) => self.error(ErrorKind::NotFound, Operation::Read, path),
            false => self.below.open(path),
        }
    }

    fn create_file(&self, path: &[u8], bytes: &[u8]) -> StoreResult<()> {
        if self.exists(Operation::Write, path)? {
            return self.error(ErrorKind::AlreadyExists, Operation::Write, path);
        }
        self.raise_parent(Operation::Write, path)?;
        self.above.create_file(path, bytes)
    }

    fn set_mode(&self, path: &[u8], mode: u32) -> StoreResult<()> {
        self.raise(path)?;
        self.above.set_mode(path, mode)
    }

    fn sync(&self, path: &[u8]) -> StoreResult<()> {
        self.lstat(path).map(drop)
    }

    fn rename(&self, from: &[u8], to: &[u8]) -> StoreResult<()> {
        if !self.exists(Operation::Rename, from)? {
            return self.error(ErrorKind::NotFound, Operation::Rename, from);
        }
        if self.lstat(from)?.kind != FileKind::File {
            return self.error(ErrorKind::NotARegularFile, Operation::Rename, from);
        }
        if from == to {
            return Ok(());
        }
        self.exists(Operation::Rename, to)?;
        if found(self.lstat(to))?.is_some_and(|stat| stat.kind == FileKind::Directory) {
            return self.error(ErrorKind::IsADirectory, Operation::Rename, to);
        }
        self.raise(from)?;
        self.raise_parent(Operation::Rename, to)?;
        self.above.rename(from, to)?;
        self.take_away(from)
    }

    fn create_directory(&self, path: &[u8]) -> StoreResult<()> {
        if self.exists(Operation::CreateDirectory, path)? {
            return self.error(ErrorKind::AlreadyExists, Operation::CreateDirectory, path);
        }
        self.raise_parent(Operation::CreateDirectory, path)?;
        self.above.create_directory(path)
    }

    fn remove_file(&self, path: &[u8]) -> StoreResult<()> {
        self.exists(Operation::Remove, path)?;
        match self.lstat(path)?.kind {
            FileKind::Directory => self.error(ErrorKind::IsADirectory, Operation::Remove, path),
            _ => self.take_away(path),
        }
    }

    fn remove_directory(&self, path: &[u8]) -> StoreResult<()> {
        self.exists(Operation::Remove, path)?;
        match self.list(path)?.is_empty() {
            false => self.error(ErrorKind::DirectoryNotEmpty, Operation::Remove, path),
            true => self.take_away(path),
        }
    }

    fn try_lock(&self, path: &[u8], holder: &[u8]) -> StoreResult<LockAttempt> {
        self.raise_parent(Operation::Lock, path)?;
        self.above.try_lock(path, holder)
    }
}
