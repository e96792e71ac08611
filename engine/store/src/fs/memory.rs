use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bindery_source::{ContentHash, KeyHasher};

use super::memory_tree::{Content, NodeId, Tree};
use super::split_parent;
use super::{DirEntry, FileKind, FileSystem, LockAttempt, LockGuard, OpenFile, Stat};
use crate::{ErrorKind, Operation, StoreError, StoreResult};

/// A file system in memory whose clock the test holds.
///
/// Clones share one tree, as two processes share one disk; [`MemoryFileSystem::snapshot`] makes an
/// independent copy (contents are shared until they change, so it costs a few allocations per file).
/// The clock moves on by one step (1 ms unless changed) with every change of the tree.
#[derive(Clone)]
pub struct MemoryFileSystem {
    tree: Arc<Mutex<Tree>>,
}

impl Default for MemoryFileSystem {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryFileSystem {
    /// An empty root, at the start of the year 2020.
    pub fn new() -> Self {
        Self { tree: Arc::new(Mutex::new(Tree::empty(1_577_836_800_000_000_000))) }
    }

    /// A tree with these files.
    pub fn with_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let made = Self::new();
        for (path, text) in files {
            made.write(path.as_bytes(), text.as_bytes());
        }
        made
    }

    /// An independent copy of everything but the locks, which no process of the copy holds.
    pub fn snapshot(&self) -> Self {
        let mut tree = self.locked().clone();
        tree.locks.clear();
        Self { tree: Arc::new(Mutex::new(tree)) }
    }

    fn locked(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a file in place, as an editor without temporary files does, creating missing parents. What
    /// stands in the way (a file as parent, a directory of that name) is removed first.
    pub fn write(&self, path: &[u8], bytes: &[u8]) {
        self.locked().put(path, Content::File(bytes.into()));
    }

    /// Creates a symbolic link, likewise.
    pub fn symlink(&self, path: &[u8], target: &[u8]) {
        self.locked().put(path, Content::Symlink(target.into()));
    }

    /// Creates a FIFO, likewise.
    pub fn special(&self, path: &[u8]) {
        self.locked().put(path, Content::Special);
    }

    /// Creates a directory, likewise; an existing one stays as it is.
    pub fn directory(&self, path: &[u8]) {
        let mut tree = self.locked();
        if tree.find(path).is_none_or(|id| tree.nodes[&id].content.kind() != FileKind::Directory) {
            tree.put(path, Content::Directory(BTreeMap::new()));
        }
    }

    /// Gives the file at `from` a second name.
    pub fn hard_link(&self, from: &[u8], to: &[u8]) {
        let mut tree = self.locked();
        if let Some(id) = tree.find(from) {
            let parent = tree.make_parents(to);
            tree.insert(parent, split_parent(to).1, id);
        }
    }

    /// Removes whatever is there, with everything below it.
    pub fn remove(&self, path: &[u8]) {
        let mut tree = self.locked();
        if let Some(parent) = tree.find(split_parent(path).0) {
            let removed = tree.detach(parent, split_parent(path).1);
            tree.release(removed);
        }
    }

    /// Takes away or gives back the permission to read a file or list a directory.
    pub fn set_readable(&self, path: &[u8], readable: bool) {
        let mut tree = self.locked();
        let now = tree.tick();
        if let Some(node) = tree.node_mut(path) {
            node.ctime = now;
            node.mode = match (readable, node.content.kind()) {
                (false, _) => 0,
                (true, FileKind::Directory) => 0o755,
                (true, _) => 0o644,
            };
        }
    }

    /// Sets a file's modification time, as `touch -d` does: its change time becomes now.
    pub fn set_mtime(&self, path: &[u8], mtime: i64) {
        let mut tree = self.locked();
        let now = tree.tick();
        if let Some(node) = tree.node_mut(path) {
            node.mtime = mtime;
            node.ctime = now;
        }
    }

    /// Sets the clock, also backwards.
    pub fn set_clock(&self, now: i64) {
        self.locked().now = now;
    }

    /// What the clock says.
    pub fn clock(&self) -> i64 {
        self.locked().now
    }

    /// Lets time pass.
    pub fn advance(&self, nanoseconds: i64) {
        self.locked().now += nanoseconds;
    }

    /// How far the clock moves with every change; 0 stops it.
    pub fn set_step(&self, nanoseconds: i64) {
        self.locked().step = nanoseconds;
    }

    /// Rounds every time that is recorded down to a multiple of this, as coarse file systems do.
    pub fn set_granularity(&self, nanoseconds: i64) {
        self.locked().granularity = nanoseconds.max(1);
    }

    /// Makes every write fail as on a disk mounted read-only, or undoes that. The methods of this type, as
    /// opposed to those of [`FileSystem`], go on working.
    pub fn set_read_only(&self, read_only: bool) {
        self.locked().read_only = read_only;
    }

    /// The contents of a file.
    pub fn contents(&self, path: &[u8]) -> Option<Arc<[u8]>> {
        let tree = self.locked();
        match &tree.nodes[&tree.find(path)?].content {
            Content::File(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }

    /// All regular files at and below `prefix` (the empty prefix is the root), by full path. A slash at its end
    /// says that it is a directory.
    pub fn files(&self, prefix: &[u8]) -> BTreeMap<Vec<u8>, Arc<[u8]>> {
        let tree = self.locked();
        let (prefix, is_directory) = match prefix.strip_suffix(b"/") {
            Some(directory) => (directory, true),
            None => (prefix, false),
        };
        let mut files = BTreeMap::new();
        tree.visit(prefix, &mut |path, node| {
            if let Content::File(bytes) = &node.content
                && !(is_directory && path == prefix)
            {
                files.insert(path.to_vec(), bytes.clone());
            }
        });
        files
    }

    /// A digest of names, kinds and contents at and below `prefix`, with paths relative to it; times and
    /// permissions are left out. An absent prefix has the digest of an empty directory.
    pub fn digest(&self, prefix: &[u8]) -> ContentHash {
        let tree = self.locked();
        let mut hasher = KeyHasher::new("tree");
        tree.visit(prefix, &mut |path, node| {
            let relative = &path[prefix.len().min(path.len())..];
            if relative.is_empty() {
                return;
            }
            hasher.field("path", relative);
            match &node.content {
                Content::File(bytes) => hasher.field("file", bytes),
                Content::Symlink(target) => hasher.field("link", target),
                Content::Directory(_) => hasher.field("directory", b""),
                Content::Special => hasher.field("special", b""),
            };
        });
        hasher.finish()
    }
}

impl MemoryFileSystem {
    fn failed(&self, operation: Operation, path: &[u8]) -> impl Fn(ErrorKind) -> StoreError {
        let shown = self.shown(path);
        move |kind| StoreError::new(kind, operation, shown.clone())
    }

    fn create(&self, operation: Operation, path: &[u8], content: Content) -> StoreResult<()> {
        let mut tree = self.locked();
        let fail = self.failed(operation, path);
        let parent = tree.writable_parent(path).map_err(&fail)?;
        if tree.child(parent, path).is_some() {
            return Err(fail(ErrorKind::AlreadyExists));
        }
        tree.add(parent, split_parent(path).1, content);
        Ok(())
    }
}

impl FileSystem for MemoryFileSystem {
    fn shown(&self, path: &[u8]) -> String {
        if path.is_empty() { ".".to_owned() } else { String::from_utf8_lossy(path).into_owned() }
    }

    fn lstat(&self, path: &[u8]) -> StoreResult<Stat> {
        let tree = self.locked();
        tree.resolve(path).map(|id| tree.stat(id)).map_err(self.failed(Operation::Stat, path))
    }

    fn device(&self, path: &[u8]) -> StoreResult<u64> {
        self.lstat(path).map(|_| 1)
    }

    fn read_link(&self, path: &[u8]) -> StoreResult<Vec<u8>> {
        let tree = self.locked();
        let fail = self.failed(Operation::ReadLink, path);
        match &tree.nodes[&tree.resolve(path).map_err(&fail)?].content {
            Content::Symlink(target) => Ok(target.to_vec()),
            _ => Err(fail(ErrorKind::Io)),
        }
    }

    fn list(&self, path: &[u8]) -> StoreResult<Vec<DirEntry>> {
        let tree = self.locked();
        let fail = self.failed(Operation::List, path);
        let id = tree.resolve(path).map_err(&fail)?;
        let children = tree.children(id).map_err(&fail)?;
        if tree.nodes[&id].mode & 0o444 == 0 {
            return Err(fail(ErrorKind::PermissionDenied));
        }
        let entry = |(name, child): (&Arc<[u8]>, &NodeId)| DirEntry {
            name: name.to_vec(),
            kind: tree.nodes[child].content.kind(),
        };
        Ok(children.iter().map(entry).collect())
    }

    fn open(&self, path: &[u8]) -> StoreResult<Box<dyn OpenFile>> {
        let opened = self.locked().open(path);
        let (id, bytes) = opened.map_err(self.failed(Operation::Read, path))?;
        Ok(Box::new(MemoryFile { tree: self.tree.clone(), id, bytes, shown: self.shown(path) }))
    }

    fn create_file(&self, path: &[u8], bytes: &[u8]) -> StoreResult<()> {
        self.create(Operation::Write, path, Content::File(bytes.into()))
    }

    fn set_mode(&self, path: &[u8], mode: u32) -> StoreResult<()> {
        let mut tree = self.locked();
        let fail = self.failed(Operation::Write, path);
        tree.writable_parent(path).map_err(&fail)?;
        let id = tree.resolve(path).map_err(&fail)?;
        let now = tree.tick();
        if let Some(node) = tree.nodes.get_mut(&id) {
            (node.mode, node.ctime) = (mode, now);
        }
        Ok(())
    }

    fn sync(&self, path: &[u8]) -> StoreResult<()> {
        let found = self.locked().resolve(path);
        found.map(|_| ()).map_err(self.failed(Operation::Sync, path))
    }

    fn rename(&self, from: &[u8], to: &[u8]) -> StoreResult<()> {
        self.locked().rename(from, to).map_err(self.failed(Operation::Rename, to))
    }

    fn create_directory(&self, path: &[u8]) -> StoreResult<()> {
        self.create(Operation::CreateDirectory, path, Content::Directory(BTreeMap::new()))
    }

    fn remove_file(&self, path: &[u8]) -> StoreResult<()> {
        let mut tree = self.locked();
        let fail = self.failed(Operation::Remove, path);
        let parent = tree.writable_parent(path).map_err(&fail)?;
        let id = tree.child(parent, path).ok_or_else(|| fail(ErrorKind::NotFound))?;
        if tree.nodes[&id].content.kind() == FileKind::Directory {
            return Err(fail(ErrorKind::IsADirectory));
        }
        let removed = tree.detach(parent, split_parent(path).1);
        tree.release(removed);
        Ok(())
    }

    fn remove_directory(&self, path: &[u8]) -> StoreResult<()> {
        let mut tree = self.locked();
        let fail = self.failed(Operation::Remove, path);
        let parent = tree.writable_parent(path).map_err(&fail)?;
        let id = tree.child(parent, path).ok_or_else(|| fail(ErrorKind::NotFound))?;
        if !tree.children(id).map_err(|_| fail(ErrorKind::NotADirectory))?.is_empty() {
            return Err(fail(ErrorKind::DirectoryNotEmpty));
        }
        let removed = tree.detach(parent, split_parent(path).1);
        tree.release(removed);
        Ok(())
    }

    fn try_lock(&self, path: &[u8], holder: &[u8]) -> StoreResult<LockAttempt> {
        let mut tree = self.locked();
        let fail = self.failed(Operation::Lock, path);
        let parent = tree.writable_parent(path).map_err(&fail)?;
        if let Some(other) = tree.locks.get(path) {
            return Ok(LockAttempt::HeldBy(other.clone()));
        }
        match tree.child(parent, path).map(|id| tree.nodes[&id].content.kind()) {
            None => tree.add(parent, split_parent(path).1, Content::File(holder.into())),
            Some(FileKind::File) => tree.put(path, Content::File(holder.into())),
            Some(FileKind::Symlink) => return Err(fail(ErrorKind::SymlinkInPath)),
            Some(_) => return Err(fail(ErrorKind::IsADirectory)),
        }
        tree.locks.insert(path.to_vec(), holder.to_vec());
        Ok(LockAttempt::Acquired(Box::new(MemoryLock { tree: self.tree.clone(), path: path.to_vec() })))
    }
}

struct MemoryLock {
    tree: Arc<Mutex<Tree>>,
    path: Vec<u8>,
}

impl LockGuard for MemoryLock {}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner).locks.remove(&self.path);
    }
}

/// The contents are those at the time of opening; the stat is today's, so that a file rewritten between
/// two calls shows it, as on a real disk.
struct MemoryFile {
    tree: Arc<Mutex<Tree>>,
    id: NodeId,
    bytes: Arc<[u8]>,
    shown: String,
}

impl OpenFile for MemoryFile {
    fn stat(&self) -> StoreResult<Stat> {
        let tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        match tree.nodes.contains_key(&self.id) {
            true => Ok(tree.stat(self.id)),
            false => Err(StoreError::new(ErrorKind::NotFound, Operation::Stat, self.shown.clone())),
        }
    }

    fn read_at(&self, offset: u64, length: u64) -> StoreResult<Vec<u8>> {
        let size = self.bytes.len() as u64;
        let start = offset.min(size);
        let end = start.saturating_add(length).min(size);
        Ok(self.bytes[start as usize..end as usize].to_vec())
    }
}
