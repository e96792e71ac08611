use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{DirEntry, FileSystem, LockAttempt, OpenFile, Stat};
use crate::{ErrorKind, Operation, StoreError, StoreResult};

/// What goes wrong, and at which call (the first call is number 1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Nothing: calls are only counted.
    None,
    /// One call fails this way; the calls after it work again.
    FailCall(u64, ErrorKind),
    /// This call and all later ones fail this way: a disk that stays full or broken.
    FailFrom(u64, ErrorKind),
    /// Like [`Fault::FailFrom`], but only calls that write are counted and fail: a full or read-only disk.
    FailWritesFrom(u64, ErrorKind),
    /// The machine stops at this *write* call (create, set mode, rename, sync, remove, create directory): a file being
    /// created is left half-filled, and every later call of any kind fails.
    CrashAtWrite(u64),
}

/// A file system that works until it does not. Wrap a [`super::MemoryFileSystem`] in it, run the code under
/// test, look at the wrapped one afterwards, and run again on that with no fault.
pub struct FaultFileSystem {
    inner: Arc<dyn FileSystem>,
    fault: Fault,
    calls: Arc<AtomicU64>,
    writes: Arc<AtomicU64>,
}

enum Verdict {
    Pass,
    Fail(ErrorKind),
    /// The call in which the crash happens.
    Crash,
}

impl FaultFileSystem {
    /// Wraps `inner`.
    pub fn new(inner: Arc<dyn FileSystem>, fault: Fault) -> Self {
        Self { inner, fault, calls: Arc::default(), writes: Arc::default() }
    }

    /// Calls of any kind so far.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    /// Calls that write so far: create, set mode, rename, sync, remove, create directory.
    pub fn writes(&self) -> u64 {
        self.writes.load(Ordering::SeqCst)
    }

    fn judge(&self, is_write: bool) -> Verdict {
        judge(self.fault, &self.calls, &self.writes, is_write)
    }

    fn read<T>(
        &self,
        operation: Operation,
        path: &[u8],
        call: impl FnOnce() -> StoreResult<T>,
    ) -> StoreResult<T> {
        match self.judge(false) {
            Verdict::Pass => call(),
            Verdict::Fail(kind) => Err(self.error(kind, operation, path)),
            Verdict::Crash => Err(self.error(ErrorKind::Io, operation, path)),
        }
    }

    fn write(
        &self,
        operation: Operation,
        path: &[u8],
        call: impl FnOnce() -> StoreResult<()>,
    ) -> StoreResult<()> {
        match self.judge(true) {
            Verdict::Pass => call(),
            Verdict::Fail(kind) => Err(self.error(kind, operation, path)),
            Verdict::Crash => Err(self.error(ErrorKind::Io, operation, path)),
        }
    }

    fn error(&self, kind: ErrorKind, operation: Operation, path: &[u8]) -> StoreError {
        StoreError::new(kind, operation, self.inner.shown(path)).with_detail("injected")
    }
}

fn judge(fault: Fault, calls: &AtomicU64, writes: &AtomicU64, is_write: bool) -> Verdict {
    let call = calls.fetch_add(1, Ordering::SeqCst) + 1;
    let write = match is_write {
        true => writes.fetch_add(1, Ordering::SeqCst) + 1,
        false => writes.load(Ordering::SeqCst),
    };
    match fault {
        Fault::FailCall(at, kind) if call == at => Verdict::Fail(kind),
        Fault::FailFrom(at, kind) if call >= at => Verdict::Fail(kind),
        Fault::FailWritesFrom(at, kind) if is_write && write >= at => Verdict::Fail(kind),
        Fault::CrashAtWrite(at) if is_write && write == at => Verdict::Crash,
        Fault::CrashAtWrite(at) if write >= at => Verdict::Fail(ErrorKind::Io),
        _ => Verdict::Pass,
    }
}

impl FileSystem for FaultFileSystem {
    fn shown(&self, path: &[u8]) -> String {
        self.inner.shown(path)
    }

    fn lstat(&self, path: &[u8]) -> StoreResult<Stat> {
        self.read(Operation::Stat, path, || self.inner.lstat(path))
    }

    fn device(&self, path: &[u8]) -> StoreResult<u64> {
        self.read(Operation::Stat, path, || self.inner.device(path))
    }

    fn read_link(&self, path: &[u8]) -> StoreResult<Vec<u8>> {
        self.read(Operation::ReadLink, path, || self.inner.read_link(path))
    }

    fn list(&self, path: &[u8]) -> StoreResult<Vec<DirEntry>> {
        self.read(Operation::List, path, || self.inner.list(path))
    }

    fn open(&self, path: &[u8]) -> StoreResult<Box<dyn OpenFile>> {
        let inner = self.read(Operation::Read, path, || self.inner.open(path))?;
        Ok(Box::new(FaultFile {
            inner,
            shown: self.inner.shown(path),
            fault: self.fault,
            calls: self.calls.clone(),
            writes: self.writes.clone(),
        }))
    }

    fn create_file(&self, path: &[u8], bytes: &[u8]) -> StoreResult<()> {
        match self.judge(true) {
            Verdict::Pass => self.inner.create_file(path, bytes),
            Verdict::Fail(ErrorKind::NoSpace) | Verdict::Crash => {
                // What a crash or a full disk leaves: the name, and some of the bytes.
                self.inner.create_file(path, &bytes[..bytes.len() / 2])?;
                let kind = match self.fault {
                    Fault::CrashAtWrite(_) => ErrorKind::Io,
                    _ => ErrorKind::NoSpace,
                };
                Err(self.error(kind, Operation::Write, path))
            }
            Verdict::Fail(kind) => Err(self.error(kind, Operation::Write, path)),
        }
    }

    fn set_mode(&self, path: &[u8], mode: u32) -> StoreResult<()> {
        self.write(Operation::Write, path, || self.inner.set_mode(path, mode))
    }

    fn sync(&self, path: &[u8]) -> StoreResult<()> {
        self.write(Operation::Sync, path, || self.inner.sync(path))
    }

    fn rename(&self, from: &[u8], to: &[u8]) -> StoreResult<()> {
        self.write(Operation::Rename, to, || self.inner.rename(from, to))
    }

    fn create_directory(&self, path: &[u8]) -> StoreResult<()> {
        self.write(Operation::CreateDirectory, path, || self.inner.create_directory(path))
    }

    fn remove_file(&self, path: &[u8]) -> StoreResult<()> {
        self.write(Operation::Remove, path, || self.inner.remove_file(path))
    }

    fn remove_directory(&self, path: &[u8]) -> StoreResult<()> {
        self.write(Operation::Remove, path, || self.inner.remove_directory(path))
    }

    fn try_lock(&self, path: &[u8], holder: &[u8]) -> StoreResult<LockAttempt> {
        // Locking creates a file, so it counts as writing: a read-only disk refuses it.
        match self.judge(true) {
            Verdict::Pass => self.inner.try_lock(path, holder),
            Verdict::Fail(kind) => Err(self.error(kind, Operation::Lock, path)),
            Verdict::Crash => Err(self.error(ErrorKind::Io, Operation::Lock, path)),
        }
    }
}

struct FaultFile {
    inner: Box<dyn OpenFile>,
    shown: String,
    fault: Fault,
    calls: Arc<AtomicU64>,
    writes: Arc<AtomicU64>,
}

impl FaultFile {
    fn judged(&self, operation: Operation) -> StoreResult<()> {
        let kind = match judge(self.fault, &self.calls, &self.writes, false) {
            Verdict::Pass => return Ok(()),
            Verdict::Fail(kind) => kind,
            Verdict::Crash => ErrorKind::Io,
        };
        Err(StoreError::new(kind, operation, self.shown.clone()).with_detail("injected"))
    }
}

impl OpenFile for FaultFile {
    fn stat(&self) -> StoreResult<Stat> {
        self.judged(Operation::Stat)?;
        self.inner.stat()
    }

    fn read_at(&self, offset: u64, length: u64) -> StoreResult<Vec<u8>> {
        self.judged(Operation::Read)?;
        self.inner.read_at(offset, length)
    }
}
