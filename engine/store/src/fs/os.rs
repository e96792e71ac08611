use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::{DirEntry, FileKind, FileSystem, LockAttempt, LockGuard, OpenFile, Stat, components};
use super::{join, split_parent};
use crate::{ErrorKind, Operation, StoreError, StoreResult};

/// The operating system's file system below one opened directory.
///
/// The root itself may be reached through symbolic links (the user named it); below it nothing is
/// followed. On Linux one `openat2` call per open enforces that; where the kernel has no `openat2`, and
/// elsewhere, the components are opened one by one.
#[derive(Debug)]
pub struct OsFileSystem {
    root: OwnedFd,
    shown_root: PathBuf,
}

impl OsFileSystem {
    /// Opens an existing directory as a root. Messages show paths starting with `root` as given here.
    pub fn open(root: &Path) -> StoreResult<Self> {
        let name = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = rustix::fs::open(name, flags, Mode::empty()).map_err(|errno| {
            let kind = kind_of(errno);
            StoreError::new(kind, Operation::List, root.to_string_lossy()).with_detail(text_of(kind, errno))
        })?;
        Ok(Self { root: descriptor, shown_root: root.to_path_buf() })
    }

    /// Like [`OsFileSystem::open`], creating the directory and its parents first where they are missing.
    pub fn create(root: &Path) -> StoreResult<Self> {
        std::fs::create_dir_all(root).map_err(|error| {
            let errno = Errno::from_io_error(&error).unwrap_or(Errno::IO);
            let kind = kind_of(errno);
            StoreError::new(kind, Operation::CreateDirectory, root.to_string_lossy())
                .with_detail(text_of(kind, errno))
        })?;
        Self::open(root)
    }

    fn error(&self, operation: Operation, path: &[u8], errno: Errno) -> StoreError {
        let kind = kind_of(errno);
        StoreError::new(kind, operation, self.shown(path)).with_detail(text_of(kind, errno))
    }

    fn checked<'a>(&self, operation: Operation, path: &'a [u8]) -> StoreResult<&'a [u8]> {
        match components(path) {
            Some(_) => Ok(path),
            None => Err(StoreError::new(ErrorKind::InvalidPath, operation, self.shown(path))),
        }
    }

    fn open_at(&self, operation: Operation, path: &[u8], flags: OFlags) -> StoreResult<OwnedFd> {
        let path = self.checked(operation, path)?;
        open_beneath(&self.root, path, flags | OFlags::CLOEXEC)
            .map_err(|errno| self.error(operation, path, errno))
    }

    /// The opened parent directory of `path`, and the last component.
    fn parent<'a>(&self, operation: Operation, path: &'a [u8]) -> StoreResult<(OwnedFd, &'a [u8])> {
        let (directory, name) = split_parent(self.checked(operation, path)?);
        if name.is_empty() {
            return Err(StoreError::new(ErrorKind::InvalidPath, operation, self.shown(path)));
        }
        let opened = self.open_at(operation, directory, OFlags::RDONLY | OFlags::DIRECTORY);
        opened.map(|parent| (parent, name)).map_err(|error| StoreError { path: self.shown(path), ..error })
    }
}

impl FileSystem for OsFileSystem {
    fn shown(&self, path: &[u8]) -> String {
        let below = Path::new(std::ffi::OsStr::from_bytes(path));
        let plain_root = self.shown_root.as_os_str().is_empty() || self.shown_root == Path::new(".");
        match (path.is_empty(), plain_root) {
            (true, true) => ".".to_owned(),
            (true, false) => self.shown_root.to_string_lossy().into_owned(),
            (false, true) => below.to_string_lossy().into_owned(),
            (false, false) => self.shown_root.join(below).to_string_lossy().into_owned(),
        }
    }

    fn lstat(&self, path: &[u8]) -> StoreResult<Stat> {
        let path = self.checked(Operation::Stat, path)?;
        let name = if path.is_empty() { b"." } else { path };
        // Parents are resolved by the kernel here, links included: the gate asks this for every known
        // file, and learns from the parent's own entry if that has become a link. Nothing is opened.
        match rustix::fs::statat(&self.root, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(stat_of(&stat)),
            Err(errno) => Err(self.error(Operation::Stat, path, errno)),
        }
    }

    fn device(&self, path: &[u8]) -> StoreResult<u64> {
        let path = self.checked(Operation::Stat, path)?;
        let name = if path.is_empty() { b"." } else { path };
        let stat = rustix::fs::statat(&self.root, name, AtFlags::SYMLINK_NOFOLLOW);
        #[allow(clippy::unnecessary_cast, reason = "the field's type differs between systems")]
        stat.map(|stat| stat.st_dev as u64).map_err(|errno| self.error(Operation::Stat, path, errno))
    }

    fn read_link(&self, path: &[u8]) -> StoreResult<Vec<u8>> {
        let (parent, name) = self.parent(Operation::ReadLink, path)?;
        let target = rustix::fs::readlinkat(&parent, name, Vec::new());
        target.map(|text| text.into_bytes()).map_err(|errno| self.error(Operation::ReadLink, path, errno))
    }

    fn list(&self, path: &[u8]) -> StoreResult<Vec<DirEntry>> {
        let directory = self.open_at(Operation::List, path, OFlags::RDONLY | OFlags::DIRECTORY)?;
        let fail = |errno| self.error(Operation::List, path, errno);
        let mut entries = Vec::new();
        for entry in Dir::read_from(&directory).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                let kind = match entry.file_type() {
                    FileType::Unknown => self.lstat(&join(path, name))?.kind,
                    known => file_kind(known),
                };
                entries.push(DirEntry { name: name.to_vec(), kind });
            }
        }
        Ok(entries)
    }

    fn open(&self, path: &[u8]) -> StoreResult<Box<dyn OpenFile>> {
        // NONBLOCK: opening a FIFO must not wait for a writer. NOCTTY: nor may a terminal become ours.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let descriptor = self.open_at(Operation::Read, path, flags)?;
        let file = OsFile { descriptor, shown: self.shown(path) };
        match file.stat()?.kind {
            FileKind::File => Ok(Box::new(file)),
            FileKind::Directory => Err(StoreError::new(ErrorKind::IsADirectory, Operation::Read, file.shown)),
            _ => Err(StoreError::new(ErrorKind::NotARegularFile, Operation::Read, file.shown)),
        }
    }

    fn create_file(&self, path: &[u8], bytes: &[u8]) -> StoreResult<()> {
        let (parent, name) = self.parent(Operation::Write, path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let descriptor = rustix::fs::openat(&parent, name, flags, Mode::from_raw_mode(0o666))
            .map_err(|errno| self.error(Operation::Write, path, errno))?;
        File::from(descriptor).write_all(bytes).map_err(|error| {
            self.error(Operation::Write, path, Errno::from_io_error(&error).unwrap_or(Errno::IO))
        })
    }

    fn set_mode(&self, path: &[u8], mode: u32) -> StoreResult<()> {
        let descriptor = self.open_at(Operation::Write, path, OFlags::RDONLY | OFlags::NONBLOCK)?;
        rustix::fs::fchmod(&descriptor, Mode::from_raw_mode(mode as rustix::fs::RawMode))
            .map_err(|errno| self.error(Operation::Write, path, errno))
    }

    fn sync(&self, path: &[u8]) -> StoreResult<()> {
        let descriptor = self.open_at(Operation::Sync, path, OFlags::RDONLY | OFlags::NONBLOCK)?;
        rustix::fs::fsync(&descriptor).map_err(|errno| self.error(Operation::Sync, path, errno))
    }

    fn rename(&self, from: &[u8], to: &[u8]) -> StoreResult<()> {
        let (from_parent, from_name) = self.parent(Operation::Rename, from)?;
        let (to_parent, to_name) = self.parent(Operation::Rename, to)?;
        rustix::fs::renameat(&from_parent, from_name, &to_parent, to_name)
            .map_err(|errno| self.error(Operation::Rename, to, errno))
    }

    fn create_directory(&self, path: &[u8]) -> StoreResult<()> {
        let (parent, name) = self.parent(Operation::CreateDirectory, path)?;
        rustix::fs::mkdirat(&parent, name, Mode::from_raw_mode(0o777))
            .map_err(|errno| self.error(Operation::CreateDirectory, path, errno))
    }

    fn remove_file(&self, path: &[u8]) -> StoreResult<()> {
        let (parent, name) = self.parent(Operation::Remove, path)?;
        rustix::fs::unlinkat(&parent, name, AtFlags::empty())
            .map_err(|errno| self.error(Operation::Remove, path, errno))
    }

    fn remove_directory(&self, path: &[u8]) -> StoreResult<()> {
        let (parent, name) = self.parent(Operation::Remove, path)?;
        rustix::fs::unlinkat(&parent, name, AtFlags::REMOVEDIR)
            .map_err(|errno| self.error(Operation::Remove, path, errno))
    }

    fn try_lock(&self, path: &[u8], holder: &[u8]) -> StoreResult<LockAttempt> {
        let fail = |errno| self.error(Operation::Lock, path, errno);
        let (parent, name) = self.parent(Operation::Lock, path)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&parent, name, flags, Mode::from_raw_mode(0o666)).map_err(fail)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {
                // Who holds it is only for messages: a full disk must not keep us from locking. A file with
                // another name somewhere is not ours to write: that name may lie outside the directory.
                if rustix::fs::fstat(&file).is_ok_and(|stat| stat.st_nlink == 1) {
                    let _ = rustix::fs::ftruncate(&file, 0);
                    let _ = rustix::io::pwrite(&file, holder, 0);
                }
                Ok(LockAttempt::Acquired(Box::new(OsLock { _file: file })))
            }
            Err(Errno::WOULDBLOCK) => {
                let mut text = Vec::with_capacity(1024);
                rustix::io::pread(&file, rustix::buffer::spare_capacity(&mut text), 0).map_err(fail)?;
                Ok(LockAttempt::HeldBy(text))
            }
            Err(errno) => Err(fail(errno)),
        }
    }
}

/// The kernel lets go of the lock when the descriptor is closed, at the latest when the process ends.
/// Child processes do not inherit it (`CLOEXEC`).
struct OsLock {
    _file: OwnedFd,
}

impl LockGuard for OsLock {}

struct OsFile {
    descriptor: OwnedFd,
    shown: String,
}

impl OsFile {
    fn error(&self, operation: Operation, errno: Errno) -> StoreError {
        let kind = kind_of(errno);
        StoreError::new(kind, operation, self.shown.clone()).with_detail(text_of(kind, errno))
    }
}

impl OpenFile for OsFile {
    fn stat(&self) -> StoreResult<Stat> {
        let stat = rustix::fs::fstat(&self.descriptor);
        stat.map(|stat| stat_of(&stat)).map_err(|errno| self.error(Operation::Stat, errno))
    }

    fn read_at(&self, offset: u64, length: u64) -> StoreResult<Vec<u8>> {
        let held = self.stat()?.size.saturating_sub(offset).min(length);
        let wanted = usize::try_from(held).map_err(|_| self.error(Operation::Read, Errno::FBIG))?;
        let mut bytes = Vec::with_capacity(wanted);
        while bytes.len() < wanted {
            let position = offset + bytes.len() as u64;
            let spare = rustix::buffer::spare_capacity(&mut bytes);
            match rustix::io::pread(self.descriptor.as_fd(), spare, position) {
                Ok(0) => break,
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(self.error(Operation::Read, errno)),
            }
        }
        bytes.truncate(wanted);
        Ok(bytes)
    }
}

/// Opens `path` below `root` without following any link.
#[cfg(target_os = "linux")]
fn open_beneath(root: &OwnedFd, path: &[u8], flags: OFlags) -> rustix::io::Result<OwnedFd> {
    use rustix::fs::ResolveFlags;
    let name = if path.is_empty() { b"." } else { path };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    loop {
        match rustix::fs::openat2(root, name, flags, Mode::empty(), resolve) {
            Err(Errno::NOSYS | Errno::PERM) => return open_by_components(root, path, flags),
            // EAGAIN: something below the root was renamed meanwhile and the kernel could not be sure.
            Err(Errno::INTR | Errno::AGAIN) => {}
            result => return result,
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn open_beneath(root: &OwnedFd, path: &[u8], flags: OFlags) -> rustix::io::Result<OwnedFd> {
    open_by_components(root, path, flags)
}

pub(super) fn open_by_components(root: &OwnedFd, path: &[u8], flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let (directory, name) = split_parent(path);
    let step = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut current = rustix::fs::openat(root, ".", step, Mode::empty())?;
    for component in directory.split(|&byte| byte == b'/').filter(|part| !part.is_empty()) {
        current = rustix::fs::openat(&current, component, step, Mode::empty())?;
    }
    let name = if name.is_empty() { b"." } else { name };
    rustix::fs::openat(&current, name, flags | OFlags::NOFOLLOW, Mode::empty())
}

#[allow(clippy::unnecessary_cast, reason = "the fields' types differ between systems")]
fn stat_of(stat: &rustix::fs::Stat) -> Stat {
    Stat {
        size: u64::try_from(stat.st_size).unwrap_or(0),
        mtime: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        ctime: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        inode: stat.st_ino as u64,
        kind: file_kind(FileType::from_raw_mode(stat.st_mode)),
        mode: stat.st_mode as u32 & 0o7777,
    }
}

fn nanoseconds(seconds: i64, fraction: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(fraction)
}

fn file_kind(kind: FileType) -> FileKind {
    match kind {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Symlink,
        _ => FileKind::Special,
    }
}

fn kind_of(errno: Errno) -> ErrorKind {
    match errno {
        Errno::NOENT => ErrorKind::NotFound,
        Errno::EXIST => ErrorKind::AlreadyExists,
        Errno::ACCESS | Errno::PERM => ErrorKind::PermissionDenied,
        Errno::NOTDIR => ErrorKind::NotADirectory,
        Errno::ISDIR => ErrorKind::IsADirectory,
        Errno::NOTEMPTY => ErrorKind::DirectoryNotEmpty,
        Errno::LOOP | Errno::XDEV => ErrorKind::SymlinkInPath,
        Errno::NXIO | Errno::NODEV => ErrorKind::NotARegularFile,
        Errno::NOSPC | Errno::DQUOT => ErrorKind::NoSpace,
        Errno::ROFS => ErrorKind::ReadOnly,
        Errno::MFILE | Errno::NFILE => ErrorKind::TooManyOpenFiles,
        Errno::NAMETOOLONG => ErrorKind::NameTooLong,
        _ => ErrorKind::Io,
    }
}

fn text_of(kind: ErrorKind, errno: Errno) -> String {
    match kind {
        ErrorKind::Io => std::io::Error::from(errno).to_string(),
        _ => String::new(),
    }
}
