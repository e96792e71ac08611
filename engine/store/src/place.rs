use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use bindery_source::RepoPath;
use serde::{Deserialize, Serialize};

use crate::fs::{FileSystem, join};

/// Where a file lies: its spelling in artifacts, and the bytes the disk knows it by where those differ
/// (names that are not UTF-8). The spelling alone does not lead back: `a%FF` may be either.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DiskPath {
    spelling: RepoPath,
    raw: Option<Arc<[u8]>>,
}

impl DiskPath {
    /// Takes the bytes of a relative path.
    pub fn from_raw(raw: &[u8]) -> Self {
        let spelling = RepoPath::from_bytes(raw);
        let raw = (spelling.as_str().as_bytes() != raw).then(|| Arc::from(raw));
        Self { spelling, raw }
    }

    /// Puts back together what [`DiskPath::path`] and [`DiskPath::raw_if_different`] gave.
    pub fn from_parts(spelling: RepoPath, raw: Option<&[u8]>) -> Self {
        Self { spelling, raw: raw.map(Arc::from) }
    }

    /// The spelling used in artifacts.
    pub fn path(&self) -> &RepoPath {
        &self.spelling
    }

    /// The bytes for the file system.
    pub fn raw(&self) -> &[u8] {
        self.raw.as_deref().unwrap_or(self.spelling.as_str().as_bytes())
    }

    /// The bytes for the file system where they are not simply those of the spelling.
    pub fn raw_if_different(&self) -> Option<&[u8]> {
        self.raw.as_deref()
    }
}

impl fmt::Debug for DiskPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.spelling, f)
    }
}

/// The bytes of a path as the system's own type.
pub fn native_path(raw: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(raw))
}

/// A directory of a file system, by its path below the root: where the work directory, the handbook, an
/// export live. The directory need not exist.
#[derive(Clone)]
pub struct Directory {
    file_system: Arc<dyn FileSystem>,
    base: Vec<u8>,
}

impl Directory {
    /// The directory `base` below the root of `file_system` (`b""` is the root itself).
    pub fn new(file_system: Arc<dyn FileSystem>, base: &[u8]) -> Self {
        Self { file_system, base: base.to_vec() }
    }

    /// The directory `name` inside this one.
    pub fn subdirectory(&self, name: &str) -> Self {
        Self { file_system: self.file_system.clone(), base: self.path(name.as_bytes()) }
    }

    /// The same path on another file system.
    pub fn on(&self, file_system: Arc<dyn FileSystem>) -> Self {
        Self { file_system, base: self.base.clone() }
    }

    /// The file system it lies on, shared.
    pub fn shared_file_system(&self) -> &Arc<dyn FileSystem> {
        &self.file_system
    }

    /// The file system it lies on.
    pub fn file_system(&self) -> &dyn FileSystem {
        &*self.file_system
    }

    /// Its own path below the root of the file system.
    pub fn base(&self) -> &[u8] {
        &self.base
    }

    /// The path, below the root of the file system, of `relative` inside this directory.
    pub fn path(&self, relative: &[u8]) -> Vec<u8> {
        match relative {
            [] => self.base.clone(),
            _ => join(&self.base, relative),
        }
    }

    /// `relative` as messages show it.
    pub fn shown(&self, relative: &[u8]) -> String {
        self.file_system.shown(&self.path(relative))
    }
}

impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Directory({})", self.shown(b""))
    }
}
