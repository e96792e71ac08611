//! The gate, the racy-edit rule, the work directory, locks, and reading under change.

use std::sync::Arc;
use std::time::Duration;

use crate::fs::{Fault, FaultFileSystem, FileSystem, MemoryFileSystem, OsFileSystem, Stat};
use crate::lock::acquire;
use crate::*;

fn entry(raw: &[u8], stat: Option<Stat>) -> KnownEntry<'_> {
    KnownEntry { raw, stat, smudged: false }
}

#[test]
fn the_gate_reports_exactly_what_moved_in_order() {
    let fs = MemoryFileSystem::with_files([("a", "1"), ("b", "2"), ("c", "3"), ("d/e", "4")]);
    let stat = |path: &[u8]| fs.lstat(path).ok();
    let known = [
        entry(b"a", stat(b"a")),
        entry(b"b", stat(b"b")),
        entry(b"c", stat(b"c")),
        entry(b"d", stat(b"d")),
        entry(b"d/e", stat(b"d/e")),
        entry(b"new", None),
        entry(b"still-missing", None),
    ];
    assert_eq!(changed_since(&fs, &known, GateMode::Stats), []);
    fs.write(b"b", b"9");
    fs.remove(b"d");
    fs.write(b"new", b"");
    let today = |path: &[u8]| fs.lstat(path).unwrap();
    let expected = vec![
        (1, EntryChange::Touched(today(b"b"))),
        (3, EntryChange::Vanished),
        (4, EntryChange::Vanished),
        (5, EntryChange::Appeared(today(b"new"))),
    ];
    assert_eq!(changed_since(&fs, &known, GateMode::Stats), expected);
    let smudged = [KnownEntry { smudged: true, ..known[0] }];
    assert_eq!(changed_since(&fs, &smudged, GateMode::Stats), [(0, EntryChange::Unproven(today(b"a")))]);
    assert_eq!(changed_since(&fs, &known, GateMode::HashEverything).len(), 6);
}

#[test]
fn the_gate_finds_single_changes_among_thousands_on_several_threads() {
    let fs = MemoryFileSystem::new();
    let paths: Vec<String> = (0..3_000).map(|number| format!("d{}/f{number}", number % 7)).collect();
    paths.iter().for_each(|path| fs.write(path.as_bytes(), b""));
    let known: Vec<_> =
        paths.iter().map(|path| entry(path.as_bytes(), fs.lstat(path.as_bytes()).ok())).collect();
    assert_eq!(changed_since(&fs, &known, GateMode::Stats), []);
    for index in [0, 1_499, 1_500, 2_999] {
        fs.write(paths[index].as_bytes(), b"x");
    }
    let changed: Vec<usize> =
        changed_since(&fs, &known, GateMode::Stats).into_iter().map(|(index, _)| index).collect();
    assert_eq!(changed, [0, 1_499, 1_500, 2_999]);
    assert_eq!(changed_since(&fs, &[], GateMode::Stats), []);
}

#[test]
fn what_cannot_be_asked_is_reported_as_such() {
    let memory = MemoryFileSystem::with_files([("a", "")]);
    let stat = memory.lstat(b"a").ok();
    let fs = FaultFileSystem::new(Arc::new(memory), Fault::FailFrom(1, ErrorKind::Io));
    let changes = changed_since(&fs, &[entry(b"a", stat)], GateMode::Stats);
    assert!(matches!(&changes[..], [(0, EntryChange::Unreadable(error))] if error.kind == ErrorKind::Io));
}

fn directory(fs: &MemoryFileSystem, base: &[u8]) -> Directory {
    Directory::new(Arc::new(fs.clone()), base)
}

#[test]
fn edits_within_one_tick_are_never_missed() {
    // The file is read, then written a hundred times with the same size, all within one tick.
    let fs = MemoryFileSystem::with_files([("w/x", ""), ("f", "000")]);
    fs.set_step(0);
    let stamp = RacyStamp::take(&directory(&fs, b"w"), &directory(&fs, b""));
    let before = fs.lstat(b"f").unwrap();
    for number in 0..100 {
        fs.write(b"f", format!("{number:03}").as_bytes());
        let known = [KnownEntry { raw: b"f", stat: Some(before), smudged: stamp.smudges(&before) }];
        let changes = changed_since(&fs, &known, GateMode::Stats);
        assert_eq!(changes.len(), 1, "write {number} would be missed");
    }
}

#[test]
fn old_files_are_believed_and_young_or_future_ones_are_not() {
    let fs = MemoryFileSystem::with_files([("w/x", ""), ("old", "1")]);
    fs.advance(1_000_000_000);
    fs.write(b"young", b"1");
    fs.write(b"future", b"1");
    fs.set_mtime(b"future", fs.clock() + 86_400_000_000_000);
    fs.write(b"backdated", b"1");
    fs.set_mtime(b"backdated", 1);
    let stamp = RacyStamp::take(&directory(&fs, b"w"), &directory(&fs, b""));
    let smudged = |path: &[u8]| stamp.smudges(&fs.lstat(path).unwrap());
    assert!(!smudged(b"old"));
    assert!(smudged(b"young") && smudged(b"future"));
    assert!(smudged(b"backdated"), "its change time is young, whatever its modification time says");
    assert_eq!(fs.files(b"w").len(), 1, "the stamp leaves nothing behind");
    // The clock is set back: what was written before lies in the future now.
    fs.set_clock(fs.clock() - 3_600_000_000_000);
    let stamp = RacyStamp::take(&directory(&fs, b"w"), &directory(&fs, b""));
    assert!(stamp.smudges(&fs.lstat(b"old").unwrap()));
}

#[test]
fn coarse_clocks_get_a_wide_margin() {
    let second = 1_000_000_000;
    let fs = MemoryFileSystem::with_files([("f", "")]);
    let at = |time| Stat { mtime: time, ctime: time, ..fs.lstat(b"f").unwrap() };
    let coarse = RacyStamp::from_time(100 * second);
    assert!(coarse.smudges(&at(98 * second)) && !coarse.smudges(&at(97 * second)));
    let fine = RacyStamp::from_time(100 * second + 5);
    assert!(fine.smudges(&at(100 * second)) && !fine.smudges(&at(99 * second)));
    assert!(RacyStamp::distrust_everything().smudges(&at(1)));
}

#[test]
fn a_directory_that_cannot_be_written_gives_no_stamp() {
    let fs = MemoryFileSystem::with_files([("w/x", ""), ("f", "")]);
    fs.set_read_only(true);
    let stamp = RacyStamp::take(&directory(&fs, b"w"), &directory(&fs, b""));
    assert_eq!(stamp, RacyStamp::distrust_everything());
}

/// A file system on which a file is written between the stat and the reading, the first times it is opened.
struct Moving {
    inner: MemoryFileSystem,
    times: std::sync::atomic::AtomicUsize,
}

#[test]
fn a_file_that_moves_while_it_is_read_is_read_again_or_refused() {
    for (times, succeeds) in [(1, true), (3, true), (100, false)] {
        let memory = MemoryFileSystem::with_files([("f", "old")]);
        let moving = Moving { inner: memory, times: times.into() };
        let read = read_file(&moving, b"f");
        match succeeds {
            true => assert_eq!(read.unwrap().bytes, b"new"),
            false => assert_eq!(read.unwrap_err().kind, ErrorKind::ChangedDuringRead),
        }
    }
}

mod moving {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::fs::{DirEntry, LockAttempt, OpenFile};

    struct MovingFile {
        inner: Box<dyn OpenFile>,
        tree: MemoryFileSystem,
        moves: bool,
    }

    impl OpenFile for MovingFile {
        fn stat(&self) -> StoreResult<Stat> {
            self.inner.stat()
        }

        fn read_at(&self, offset: u64, length: u64) -> StoreResult<Vec<u8>> {
            let bytes = self.inner.read_at(offset, length);
            if self.moves {
                self.tree.write(b"f", b"new");
            }
            bytes
        }
    }

    impl FileSystem for Moving {
        fn open(&self, path: &[u8]) -> StoreResult<Box<dyn OpenFile>> {
            let left = self.times.load(Ordering::SeqCst);
            self.times.store(left.saturating_sub(1), Ordering::SeqCst);
            let inner = self.inner.open(path)?;
            Ok(Box::new(MovingFile { inner, tree: self.inner.clone(), moves: left > 0 }))
        }

        fn shown(&self, path: &[u8]) -> String {
            self.inner.shown(path)
        }

        fn lstat(&self, path: &[u8]) -> StoreResult<Stat> {
            self.inner.lstat(path)
        }

        fn device(&self, path: &[u8]) -> StoreResult<u64> {
            self.inner.device(path)
        }

        fn read_link(&self, path: &[u8]) -> StoreResult<Vec<u8>> {
            self.inner.read_link(path)
        }

        fn list(&self, path: &[u8]) -> StoreResult<Vec<DirEntry>> {
            self.inner.list(path)
        }

        fn create_file(&self, path: &[u8], bytes: &[u8]) -> StoreResult<()> {
            self.inner.create_file(path, bytes)
        }

        fn set_mode(&self, path: &[u8], mode: u32) -> StoreResult<()> {
            self.inner.set_mode(path, mode)
        }

        fn sync(&self, path: &[u8]) -> StoreResult<()> {
            self.inner.sync(path)
        }

        fn rename(&self, from: &[u8], to: &[u8]) -> StoreResult<()> {
            self.inner.rename(from, to)
        }

        fn create_directory(&self, path: &[u8]) -> StoreResult<()> {
            self.inner.create_directory(path)
        }

        fn remove_file(&self, path: &[u8]) -> StoreResult<()> {
            self.inner.remove_file(path)
        }

        fn remove_directory(&self, path: &[u8]) -> StoreResult<()> {
            self.inner.remove_directory(path)
        }

        fn try_lock(&self, path: &[u8], holder: &[u8]) -> StoreResult<LockAttempt> {
            self.inner.try_lock(path, holder)
        }
    }
}

#[test]
fn a_work_directory_hides_itself_from_git_and_from_backups() {
    let fs = MemoryFileSystem::new();
    WorkDir::open(directory(&fs, b".bindery")).unwrap();
    assert_eq!(fs.contents(b".bindery/.gitignore").as_deref(), Some(b"*\n".as_slice()));
    let tag = fs.contents(b".bindery/cache/CACHEDIR.TAG").unwrap();
    assert!(tag.starts_with(b"Signature: 8a477f597d28d172789f06886806bc55"));
    let before = fs.digest(b"");
    let clock = fs.clock();
    WorkDir::open(directory(&fs, b".bindery")).unwrap();
    assert_eq!((fs.digest(b""), fs.clock()), (before, clock), "a second opening writes nothing");
}

#[test]
fn a_work_directory_that_is_a_link_is_refused() {
    let fs = MemoryFileSystem::with_files([("elsewhere/x", "")]);
    fs.symlink(b".bindery", b"elsewhere");
    assert!(WorkDir::open(directory(&fs, b".bindery")).is_err());
    assert_eq!(fs.files(b"elsewhere").len(), 1);
}

#[test]
fn opening_fails_cleanly_at_every_call_and_works_afterwards() {
    let counted = Arc::new(FaultFileSystem::new(Arc::new(MemoryFileSystem::new()), Fault::None));
    WorkDir::open(Directory::new(counted.clone(), b".bindery")).unwrap();
    assert!(counted.calls() > 8);
    let mut failures = 0;
    for number in 1..=counted.calls() {
        let memory = MemoryFileSystem::new();
        let fs = FaultFileSystem::new(Arc::new(memory.clone()), Fault::FailCall(number, ErrorKind::NoSpace));
        failures += usize::from(WorkDir::open(Directory::new(Arc::new(fs), b".bindery")).is_err());
        let work = WorkDir::open(directory(&memory, b".bindery")).unwrap();
        work.lock_within(&Holder::this_process("test"), Duration::ZERO).unwrap();
        let names: Vec<Vec<u8>> = memory.files(b"").into_keys().collect();
        let expected: [&[u8]; 3] = [b".bindery/.gitignore", b".bindery/cache/CACHEDIR.TAG", b".bindery/lock"];
        assert_eq!(names, expected, "fault at call {number}");
    }
    // Looking for the directory, making it, looking for `.gitignore`, filling and renaming it.
    assert_eq!(failures, 5);
}

#[test]
fn a_cache_that_is_removed_under_an_opening_is_no_error() {
    // The file system says that the directory which was made a moment ago is not there.
    let counted = Arc::new(FaultFileSystem::new(Arc::new(MemoryFileSystem::new()), Fault::None));
    WorkDir::open(Directory::new(counted.clone(), b".bindery")).unwrap();
    for number in 6..=counted.calls() {
        let fault = Fault::FailCall(number, ErrorKind::NotFound);
        let fs = FaultFileSystem::new(Arc::new(MemoryFileSystem::new()), fault);
        WorkDir::open(Directory::new(Arc::new(fs), b".bindery")).unwrap();
    }
}

#[test]
fn whoever_waits_in_vain_for_a_lock_learns_who_has_it() {
    let fs = MemoryFileSystem::new();
    let first = Holder::this_process("bindery build");
    let held = acquire(&fs, b"lock", &first, Duration::ZERO).unwrap();
    let error =
        acquire(&fs, b"lock", &Holder::this_process("other"), Duration::from_millis(30)).err().unwrap();
    assert_eq!(error.kind, ErrorKind::LockHeld);
    let expected = format!(
        "cannot lock `lock`: locked by another process (by `bindery build`, process {})",
        std::process::id()
    );
    assert_eq!(error.to_string(), expected);
    drop(held);
    acquire(&fs, b"lock", &first, Duration::ZERO).unwrap();
}

#[test]
fn a_waiting_process_gets_the_lock_when_it_is_let_go() {
    let fs = MemoryFileSystem::new();
    let holder = Holder::this_process("bindery build");
    let held = acquire(&fs, b"lock", &holder, Duration::ZERO).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| acquire(&fs, b"lock", &holder, Duration::from_secs(10)).map(|_| ()));
        drop(held);
        waiting.join().unwrap().unwrap();
    });
}

#[test]
fn disk_paths_lead_back_to_the_bytes() {
    let raw = DiskPath::from_raw(b"a%/\xff");
    assert_eq!((raw.path().as_str(), raw.raw()), ("a%25/%FF", b"a%/\xff".as_slice()));
    let plain = DiskPath::from_raw(b"a%/b");
    assert_eq!((plain.raw(), plain.raw_if_different()), (b"a%/b".as_slice(), None));
    assert_eq!(DiskPath::from_parts(raw.path().clone(), raw.raw_if_different()), raw);
}

#[test]
fn user_files_go_where_the_user_points() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new/report.json");
    write_user_file(&path, b"{}").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"{}");
    assert!(exists(&path) && !exists(&directory.path().join("none")));
    assert_eq!(write_user_file(std::path::Path::new("/"), b"").unwrap_err().kind, ErrorKind::InvalidPath);
    assert!(OsFileSystem::open(&path).is_err());
}

#[test]
fn interrupts_carry_the_exit_code() {
    let interrupt = Interrupt::never();
    assert_eq!(interrupt.received(), None);
    interrupt.clone().raise(Signal::Terminate);
    assert_eq!(interrupt.received().map(Signal::exit_code), Some(143));
    interrupt.raise(Signal::Interrupt);
    assert_eq!(interrupt.received().map(Signal::exit_code), Some(130));
}

#[test]
fn memory_is_measured_in_bytes() {
    let peak = peak_memory();
    assert!((1 << 20..1 << 40).contains(&peak), "{peak}");
}
