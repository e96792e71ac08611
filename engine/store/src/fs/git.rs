use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bindery_source::KeyHasher;

use super::{DirEntry, FileKind, FileSystem, LockAttempt, OpenFile, Stat, split_parent};
use crate::git::{GitEntry, GitEntryKind, ObjectReader};
use crate::{ErrorKind, Operation, StoreError, StoreResult};

/// What git holds, in the index or in a commit, as a file system that nobody can write to.
///
/// Contents are the blobs as stored: no filter and no line-ending rule is applied. A stat is made of the
/// object's id, so that equal stats mean equal contents, always. Submodules are left out.
pub struct GitFileSystem {
    /// What messages put before a path: empty for the index, `REV` for a commit.
    name: String,
    files: BTreeMap<Vec<u8>, (GitEntry, Stat)>,
    directories: BTreeMap<Vec<u8>, (Vec<DirEntry>, Stat)>,
    objects: Mutex<ObjectReader>,
}

impl GitFileSystem {
    pub(crate) fn new(name: String, entries: Vec<GitEntry>, objects: ObjectReader) -> Self {
        let mut children: BTreeMap<Vec<u8>, BTreeMap<Vec<u8>, FileKind>> =
            BTreeMap::from([(Vec::new(), BTreeMap::new())]);
        let mut files = BTreeMap::new();
        for entry in entries {
            let mut kind = match entry.kind {
                GitEntryKind::Symlink => FileKind::Symlink,
                GitEntryKind::File | GitEntryKind::Executable => FileKind::File,
            };
            let mut path = entry.path.as_slice();
            while !path.is_empty() {
                let (parent, name) = split_parent(path);
                children.entry(parent.to_vec()).or_default().insert(name.to_vec(), kind);
                (path, kind) = (parent, FileKind::Directory);
            }
            let stat = file_stat(&entry);
            files.insert(entry.path.clone(), (entry, stat));
        }
        let listed = |(path, names): (Vec<u8>, BTreeMap<Vec<u8>, FileKind>)| {
            let stat = directory_stat(&names);
            let entries = names.into_iter().map(|(name, kind)| DirEntry { name, kind }).collect();
            (path, (entries, stat))
        };
        let directories = children.into_iter().map(listed).collect();
        Self { name, files, directories, objects: Mutex::new(objects) }
    }

    fn error(&self, kind: ErrorKind, operation: Operation, path: &[u8]) -> StoreError {
        StoreError::new(kind, operation, self.shown(path))
    }

    fn read_only<T>(&self, operation: Operation, path: &[u8]) -> StoreResult<T> {
        Err(self.error(ErrorKind::ReadOnly, operation, path))
    }

    fn contents(&self, operation: Operation, path: &[u8], entry: &GitEntry) -> StoreResult<Vec<u8>> {
        let mut objects = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        objects
            .read(&entry.id)
            .map_err(|detail| self.error(ErrorKind::Io, operation, path).with_detail(detail))
    }
}

/// All 20 bytes of the id, or as many of a longer one, stand in the stat.
fn file_stat(entry: &GitEntry) -> Stat {
    let (kind, mode) = match entry.kind {
        GitEntryKind::File => (FileKind::File, 0o644),
        GitEntryKind::Executable => (FileKind::File, 0o755),
        GitEntryKind::Symlink => (FileKind::Symlink, 0o777),
    };
    let number = |digits: std::ops::Range<usize>| {
        entry.id.get(digits).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default()
    };
    Stat {
        size: entry.size,
        mtime: number(16..32).cast_signed(),
        ctime: number(32..40).cast_signed(),
        inode: number(0..16),
        kind,
        mode,
    }
}

/// Another one whenever a name in the directory comes, goes or becomes another kind.
fn directory_stat(names: &BTreeMap<Vec<u8>, FileKind>) -> Stat {
    let mut key = KeyHasher::new("directory");
    for (name, kind) in names {
        key.field("name", name).field("kind", &[*kind as u8]);
    }
    let digest = key.finish().0;
    let number = |at: usize| {
        let bytes: [u8; 8] = digest[at..at + 8].try_into().expect("a range of eight bytes is eight bytes");
        u64::from_le_bytes(bytes)
    };
    Stat {
        size: 0,
        mtime: number(8).cast_signed(),
        ctime: number(16).cast_signed(),
        inode: number(0),
        kind: FileKind::Directory,
        mode: 0o755,
    }
}

struct Blob {
    bytes: Vec<u8>,
    stat: Stat,
}

impl OpenFile for Blob {
    fn stat(&self) -> StoreResult<Stat> {
        Ok(self.stat)
    }

    fn read_at(&self, offset: u64, length: u64) -> StoreResult<Vec<u8>> {
        let size = self.bytes.len() as u64;
        let start = offset.min(size);
        let end = start.saturating_add(length).min(size);
        Ok(self.bytes[start as usize..end as usize].to_vec())
    }
}

impl FileSystem for GitFileSystem {
    fn shown(&self, path: &[u8]) -> String {
        format!("{}:{}", self.name, String::from_utf8_lossy(path))
    }

    fn is_snapshot(&self) -> bool {
        true
    }

    fn lstat(&self, path: &[u8]) -> StoreResult<Stat> {
        let file = self.files.get(path).map(|(_, stat)| *stat);
        let directory = || self.directories.get(path).map(|(_, stat)| *stat);
        file.or_else(directory).ok_or_else(|| self.error(ErrorKind::NotFound, Operation::Stat, path))
    }

    fn device(&self, path: &[u8]) -> StoreResult<u64> {
        self.lstat(path).map(|_| u64::MAX)
    }

    fn read_link(&self, path: &[u8]) -> StoreResult<Vec<u8>> {
        match self.files.get(path) {
            Some((entry, _)) if entry.kind == GitEntryKind::Symlink => {
                self.contents(Operation::ReadLink, path, entry)
            }
            Some(_) => Err(self.error(ErrorKind::Io, Operation::ReadLink, path)),
            None => Err(self.error(ErrorKind::NotFound, Operation::ReadLink, path)),
        }
    }

    fn list(&self, path: &[u8]) -> StoreResult<Vec<DirEntry>> {
        match self.directories.get(path) {
            Some((entries, _)) => Ok(entries.clone()),
            None if self.files.contains_key(path) => {
                Err(self.error(ErrorKind::NotADirectory, Operation::List, path))
            }
            None => Err(self.error(ErrorKind::NotFound, Operation::List, path)),
        }
    }

    fn open(&self, path: &[u8]) -> StoreResult<Box<dyn OpenFile>> {
        let fail = |kind| self.error(kind, Operation::Read, path);
        let Some((entry, stat)) = self.files.get(path) else {
            let is_directory = self.directories.contains_key(path);
            return Err(fail(if is_directory { ErrorKind::IsADirectory } else { ErrorKind::NotFound }));
        };
        if entry.kind == GitEntryKind::Symlink {
            return Err(fail(ErrorKind::SymlinkInPath));
        }
        Ok(Box::new(Blob { bytes: self.contents(Operation::Read, path, entry)?, stat: *stat }))
    }

    fn create_file(&self, path: &[u8], _bytes: &[u8]) -> StoreResult<()> {
        self.read_only(Operation::Write, path)
    }

    fn set_mode(&self, path: &[u8], _mode: u32) -> StoreResult<()> {
        self.read_only(Operation::Write, path)
    }

    fn sync(&self, path: &[u8]) -> StoreResult<()> {
        self.read_only(Operation::Sync, path)
    }

    fn rename(&self, _from: &[u8], to: &[u8]) -> StoreResult<()> {
        self.read_only(Operation::Rename, to)
    }

    fn create_directory(&self, path: &[u8]) -> StoreResult<()> {
        self.read_only(Operation::CreateDirectory, path)
    }

    fn remove_file(&self, path: &[u8]) -> StoreResult<()> {
        self.read_only(Operation::Remove, path)
    }

    fn remove_directory(&self, path: &[u8]) -> StoreResult<()> {
        self.read_only(Operation::Remove, path)
    }

    fn try_lock(&self, path: &[u8], _holder: &[u8]) -> StoreResult<LockAttempt> {
        self.read_only(Operation::Lock, path)
    }
}
