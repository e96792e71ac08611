//! The same contract for the real file system, the one in memory and the one over another, and what each has of
//! its own.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::{Durability, ErrorKind, create_directories, hash_file, read_file, read_head, write_atomically};

type MakeLink = Box<dyn Fn(&[u8], &[u8])>;
type MakeFifo = Box<dyn Fn(&[u8])>;

/// A file system under test, and a way to make links and FIFOs, which the trait never makes.
struct Subject {
    file_system: Arc<dyn FileSystem>,
    link: MakeLink,
    fifo: MakeFifo,
    _directory: Option<tempfile::TempDir>,
}

fn subjects() -> Vec<Subject> {
    let memory = MemoryFileSystem::new();
    let directory = tempfile::tempdir().unwrap();
    let (for_links, for_fifos) = (directory.path().to_owned(), directory.path().to_owned());
    let at = |root: &Path, path: &[u8]| root.join(std::ffi::OsStr::from_bytes(path));
    let os = Subject {
        file_system: Arc::new(OsFileSystem::open(directory.path()).unwrap()),
        link: Box::new(move |target, path| {
            symlink(std::ffi::OsStr::from_bytes(target), at(&for_links, path)).unwrap();
        }),
        fifo: Box::new(move |path| {
            let made = std::process::Command::new("mkfifo").arg(at(&for_fifos, path)).status().unwrap();
            assert!(made.success());
        }),
        _directory: Some(directory),
    };
    let (for_links, for_fifos) = (memory.clone(), memory.clone());
    let memory = Subject {
        file_system: Arc::new(memory),
        link: Box::new(move |target, path| for_links.symlink(path, target)),
        fifo: Box::new(move |path| for_fifos.special(path)),
        _directory: None,
    };
    let below = MemoryFileSystem::new();
    let (for_links, for_fifos) = (below.clone(), below.clone());
    let overlay = Subject {
        file_system: Arc::new(OverlayFileSystem::over(Arc::new(below))),
        link: Box::new(move |target, path| for_links.symlink(path, target)),
        fifo: Box::new(move |path| for_fifos.special(path)),
        _directory: None,
    };
    vec![os, memory, overlay]
}

fn kind<T>(result: StoreResult<T>) -> ErrorKind {
    result.map(|_| ()).expect_err("this must fail").kind
}

#[test]
fn files_are_created_once_and_read_back() {
    for subject in subjects() {
        let fs = &*subject.file_system;
        fs.create_file(b"a.txt", b"one").unwrap();
        assert_eq!(kind(fs.create_file(b"a.txt", b"two")), ErrorKind::AlreadyExists);
        let read = read_file(fs, b"a.txt").unwrap();
        assert_eq!((read.bytes.as_slice(), read.stat.size), (b"one".as_slice(), 3));
        assert_eq!(read.stat, fs.lstat(b"a.txt").unwrap());
        assert_eq!(read.stat.kind, FileKind::File);
        assert_eq!(read_head(fs, b"a.txt", 2).unwrap(), b"on");
        assert_eq!(hash_file(fs, b"a.txt").unwrap().0, bindery_source::ContentHash::of(b"one"));
        assert_eq!(kind(read_file(fs, b"b.txt")), ErrorKind::NotFound);
        assert_eq!(kind(read_file(fs, b"")), ErrorKind::IsADirectory);
    }
}

#[test]
fn reading_at_an_offset_never_reads_or_allocates_past_the_end() {
    for subject in subjects() {
        let fs = &*subject.file_system;
        fs.create_file(b"f", b"0123456789").unwrap();
        let file = fs.open(b"f").unwrap();
        assert_eq!(file.read_at(3, 4).unwrap(), b"3456");
        assert_eq!(file.read_at(8, u64::MAX).unwrap(), b"89");
        assert_eq!(file.read_at(10, 1).unwrap(), b"");
        assert_eq!(file.read_at(u64::MAX, u64::MAX).unwrap(), b"");
    }
}

#[test]
fn directories_list_names_with_kinds() {
    for subject in subjects() {
        let fs = &*subject.file_system;
        create_directories(fs, b"d/e/f").unwrap();
        create_directories(fs, b"d/e/f").unwrap();
        fs.create_file(b"d/x", b"").unwrap();
        (subject.link)(b"x", b"d/l");
        (subject.fifo)(b"d/p");
        let names: BTreeSet<(Vec<u8>, FileKind)> =
            fs.list(b"d").unwrap().into_iter().map(|entry| (entry.name, entry.kind)).collect();
        let expected = [
            (b"e".to_vec(), FileKind::Directory),
            (b"l".to_vec(), FileKind::Symlink),
            (b"p".to_vec(), FileKind::Special),
            (b"x".to_vec(), FileKind::File),
        ];
        assert_eq!(names, BTreeSet::from(expected));
        assert_eq!(kind(fs.list(b"d/x")), ErrorKind::NotADirectory);
        assert_eq!(kind(fs.list(b"none")), ErrorKind::NotFound);
        assert_eq!(kind(create_directories(fs, b"d/x/y")), ErrorKind::NotADirectory);
    }
}

#[test]
fn nothing_is_reached_through_a_link() {
    for subject in subjects() {
        let fs = &*subject.file_system;
        create_directories(fs, b"real").unwrap();
        fs.create_file(b"real/file", b"x").unwrap();
        (subject.link)(b"real", b"link");
        (subject.link)(b"real/file", b"file");
        (subject.link)(b"/", b"slash");
        assert_eq!(fs.lstat(b"link").unwrap().kind, FileKind::Symlink);
        assert_eq!(fs.read_link(b"link").unwrap(), b"real");
        // The kernel says "not a directory" or "a link" depending on what is asked; both refuse.
        let refusals = [ErrorKind::SymlinkInPath, ErrorKind::NotADirectory];
        for refused in [
            fs.list(b"link").map(|_| ()),
            fs.list(b"slash/etc").map(|_| ()),
            fs.open(b"file").map(|_| ()),
            fs.open(b"link/file").map(|_| ()),
            fs.create_file(b"link/new", b""),
            fs.create_directory(b"link/new"),
            fs.remove_file(b"link/file"),
            fs.rename(b"real/file", b"link/moved"),
            fs.try_lock(b"link/lock", b"").map(|_| ()),
            write_atomically(fs, b"slash/tmp/bindery-must-not-exist", b"", Durability::Renamed),
        ] {
            let kind = kind(refused);
            assert!(refusals.contains(&kind), "{kind:?}");
        }
        assert_eq!(fs.list(b"real").unwrap().len(), 1);
        // A link in the place of the last component is replaced, not followed.
        write_atomically(fs, b"file", b"new", Durability::Synced).unwrap();
        assert_eq!(read_file(fs, b"real/file").unwrap().bytes, b"x");
        assert_eq!(read_file(fs, b"file").unwrap().bytes, b"new");
        fs.remove_file(b"link").unwrap();
        assert_eq!(fs.lstat(b"real").unwrap().kind, FileKind::Directory);
    }
}

#[test]
fn special_files_are_never_opened() {
    for subject in subjects() {
        (subject.fifo)(b"p");
        assert_eq!(kind(subject.file_system.open(b"p")), ErrorKind::NotARegularFile);
    }
}

#[test]
fn paths_that_could_leave_the_root_are_refused() {
    for subject in subjects() {
        let fs = &*subject.file_system;
        for path in [b"..".as_slice(), b"a/../b", b"/etc/passwd", b"a//b", b"./a", b"a/", b"a\0b"] {
            assert_eq!(kind(fs.lstat(path)), ErrorKind::InvalidPath, "{}", fs.shown(path));
            assert_eq!(kind(fs.open(path)), ErrorKind::InvalidPath);
            assert_eq!(kind(fs.create_file(path, b"")), ErrorKind::InvalidPath);
        }
        assert_eq!(kind(fs.create_file(b"", b"")), ErrorKind::InvalidPath);
    }
}

#[test]
fn long_and_strange_names_are_kept_apart() {
    for subject in subjects() {
        let fs = &*subject.file_system;
        let longest = [b'n'; 255];
        let too_long = [b'n'; 256];
        for name in [&longest[..], b"\xff.rs", b"a\nb", b"a:b", b"NAME", b"name", b" ", b"x."] {
            fs.create_file(name, name).unwrap();
        }
        assert_eq!(kind(fs.create_file(&too_long, b"")), ErrorKind::NameTooLong);
        assert_eq!(fs.list(b"").unwrap().len(), 8);
        assert_eq!(read_file(fs, b"\xff.rs").unwrap().bytes, b"\xff.rs");
        assert_eq!(read_file(fs, b"NAME").unwrap().bytes, b"NAME");
    }
}

#[test]
fn renaming_replaces_files_and_empty_directories_only() {
    for subject in subjects() {
        let fs = &*subject.file_system;
        fs.create_file(b"a", b"a").unwrap();
        fs.create_file(b"b", b"b").unwrap();
        fs.rename(b"a", b"b").unwrap();
        assert_eq!(read_file(fs, b"b").unwrap().bytes, b"a");
        assert_eq!(kind(fs.lstat(b"a")), ErrorKind::NotFound);
        create_directories(fs, b"d/e").unwrap();
        assert_eq!(kind(fs.rename(b"b", b"d")), ErrorKind::IsADirectory);
        assert_eq!(kind(fs.remove_directory(b"d")), ErrorKind::DirectoryNotEmpty);
        fs.remove_directory(b"d/e").unwrap();
        fs.remove_directory(b"d").unwrap();
        assert_eq!(kind(fs.rename(b"gone", b"x")), ErrorKind::NotFound);
    }
}

#[test]
fn a_lock_is_held_by_one_and_names_the_holder() {
    for subject in subjects() {
        let fs = &*subject.file_system;
        let LockAttempt::Acquired(guard) = fs.try_lock(b"lock", b"first").unwrap() else {
            panic!("nobody else has it")
        };
        match fs.try_lock(b"lock", b"second").unwrap() {
            LockAttempt::HeldBy(holder) => assert_eq!(holder, b"first"),
            LockAttempt::Acquired(_) => panic!("it is held"),
        }
        drop(guard);
        assert!(matches!(fs.try_lock(b"lock", b"third").unwrap(), LockAttempt::Acquired(_)));
    }
}

#[test]
fn every_kind_of_change_shows_in_the_stat() {
    for subject in subjects() {
        let fs = &*subject.file_system;
        write_atomically(fs, b"f", b"one", Durability::Renamed).unwrap();
        let before = fs.lstat(b"f").unwrap();
        write_atomically(fs, b"f", b"two", Durability::Renamed).unwrap();
        assert_ne!(fs.lstat(b"f").unwrap().inode, before.inode);
    }
}

#[test]
fn errors_name_the_path_as_the_user_would() {
    let directory = tempfile::tempdir().unwrap();
    let fs = OsFileSystem::open(directory.path()).unwrap();
    let expected = format!("cannot stat `{}/a/b`: no such file or directory", directory.path().display());
    assert_eq!(fs.lstat(b"a/b").unwrap_err().to_string(), expected);
    let missing = OsFileSystem::open(&directory.path().join("none")).unwrap_err();
    assert_eq!(missing.kind, ErrorKind::NotFound);
    assert!(OsFileSystem::create(&directory.path().join("made/here")).is_ok());
}

#[test]
fn opening_component_by_component_refuses_links_too() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(directory.path().join("a/b")).unwrap();
    std::fs::write(directory.path().join("a/b/c"), "x").unwrap();
    symlink("a", directory.path().join("l")).unwrap();
    let root =
        rustix::fs::open(directory.path(), rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty()).unwrap();
    let open = |path: &[u8]| super::os::open_by_components(&root, path, rustix::fs::OFlags::RDONLY);
    assert!(open(b"a/b/c").is_ok());
    assert!(open(b"").is_ok());
    assert!(open(b"l/b/c").is_err());
    assert!(open(b"l").is_err());
}

#[test]
fn snapshots_are_independent_and_clones_are_not() {
    let fs = MemoryFileSystem::with_files([("a", "1"), ("d/b", "2")]);
    let (snapshot, clone) = (fs.snapshot(), fs.clone());
    assert_eq!(snapshot.digest(b""), fs.digest(b""));
    fs.write(b"a", b"changed");
    assert_eq!(snapshot.contents(b"a").as_deref(), Some(b"1".as_slice()));
    assert_eq!(clone.contents(b"a").as_deref(), Some(b"changed".as_slice()));
    assert_ne!(snapshot.digest(b""), fs.digest(b""));
    assert_eq!(snapshot.digest(b"d"), fs.digest(b"d"));
    assert_eq!(fs.files(b"d").into_keys().collect::<Vec<_>>(), [b"d/b".to_vec()]);
}

#[test]
fn the_test_holds_the_clock() {
    let fs = MemoryFileSystem::new();
    fs.set_step(0);
    fs.set_clock(5_000_000_123);
    fs.write(b"a", b"1");
    let before = fs.lstat(b"a").unwrap();
    fs.write(b"a", b"2");
    assert_eq!(fs.lstat(b"a").unwrap(), before, "one tick: the stat cannot tell");
    fs.set_granularity(1_000_000_000);
    fs.advance(1_500_000_000);
    fs.write(b"a", b"3");
    assert_eq!(fs.lstat(b"a").unwrap().mtime, 6_000_000_000);
    fs.set_mtime(b"a", 7);
    let stat = fs.lstat(b"a").unwrap();
    assert_eq!((stat.mtime, stat.ctime), (7, 6_000_000_000));
}

#[test]
fn permissions_and_hard_links_in_memory() {
    let fs = MemoryFileSystem::with_files([("d/a", "1")]);
    fs.set_readable(b"d/a", false);
    assert_eq!(kind(fs.open(b"d/a")), ErrorKind::PermissionDenied);
    fs.set_readable(b"d/a", true);
    fs.set_readable(b"d", false);
    assert_eq!(kind(fs.list(b"d")), ErrorKind::PermissionDenied);
    assert_eq!(kind(fs.lstat(b"d/a")), ErrorKind::PermissionDenied);
    fs.set_readable(b"d", true);
    fs.hard_link(b"d/a", b"e");
    fs.write(b"e", b"22");
    assert_eq!(fs.contents(b"d/a").as_deref(), Some(b"22".as_slice()));
    fs.remove(b"d");
    assert_eq!(fs.contents(b"e").as_deref(), Some(b"22".as_slice()));
    fs.set_read_only(true);
    assert_eq!(kind(fs.create_file(b"new", b"")), ErrorKind::ReadOnly);
    assert_eq!(kind(fs.remove_file(b"e")), ErrorKind::ReadOnly);
}

#[test]
fn faults_strike_at_the_chosen_call_and_crashes_stay() {
    let memory = MemoryFileSystem::with_files([("a", "1")]);
    let fs = FaultFileSystem::new(Arc::new(memory.clone()), Fault::FailCall(2, ErrorKind::TooManyOpenFiles));
    fs.lstat(b"a").unwrap();
    assert_eq!(kind(fs.lstat(b"a")), ErrorKind::TooManyOpenFiles);
    fs.lstat(b"a").unwrap();
    assert_eq!((fs.calls(), fs.writes()), (3, 0));

    let fs = FaultFileSystem::new(Arc::new(memory.clone()), Fault::FailWritesFrom(1, ErrorKind::NoSpace));
    assert_eq!(kind(fs.create_file(b"b", b"1234")), ErrorKind::NoSpace);
    fs.lstat(b"a").unwrap();
    assert_eq!(memory.contents(b"b").as_deref(), Some(b"12".as_slice()), "a full disk takes a part");

    let fs = FaultFileSystem::new(Arc::new(memory.clone()), Fault::CrashAtWrite(2));
    fs.create_file(b"c", b"1234").unwrap();
    assert_eq!(kind(fs.rename(b"c", b"d")), ErrorKind::Io);
    assert_eq!(kind(fs.lstat(b"a")), ErrorKind::Io);
    assert_eq!(kind(fs.create_file(b"e", b"")), ErrorKind::Io);
    assert!(memory.contents(b"c").is_some() && memory.contents(b"d").is_none());
    assert!(memory.contents(b"e").is_none());
}

#[test]
fn atomic_writes_leave_old_or_new_contents_at_every_fault() {
    for number in 1.. {
        let memory = MemoryFileSystem::with_files([("f", "old")]);
        let fault = Fault::CrashAtWrite(number);
        let fs = FaultFileSystem::new(Arc::new(memory.clone()), fault);
        let written = write_atomically(&fs, b"f", b"new", Durability::Synced);
        let contents = memory.contents(b"f").unwrap();
        if written.is_ok() {
            assert_eq!((&*contents, memory.files(b"").len()), (b"new".as_slice(), 1));
            assert!(number > 3, "create, sync, rename, sync the directory");
            break;
        }
        assert!([b"old".as_slice(), b"new"].contains(&&*contents));
    }
}

#[test]
fn a_failed_atomic_write_cleans_up_and_names_the_final_path() {
    let memory = MemoryFileSystem::with_files([("f", "old")]);
    let fs = FaultFileSystem::new(Arc::new(memory.clone()), Fault::FailCall(1, ErrorKind::NoSpace));
    let error = write_atomically(&fs, b"f", b"new", Durability::Renamed).unwrap_err();
    assert_eq!(error.to_string(), "cannot write `f`: no space left (injected)");
    assert_eq!(memory.files(b"").len(), 1);
}

#[test]
fn permissions_are_set_and_seen() {
    for subject in subjects() {
        let fs = &*subject.file_system;
        fs.create_file(b"run.sh", b"#!").unwrap();
        fs.set_mode(b"run.sh", 0o750).unwrap();
        assert_eq!(fs.lstat(b"run.sh").unwrap().mode, 0o750);
        assert_eq!(kind(fs.set_mode(b"gone", 0o600)), ErrorKind::NotFound);
    }
}

/// Everything in a tree, by path.
fn whole(fs: &dyn FileSystem, directory: &[u8], found: &mut Vec<(Vec<u8>, Option<Vec<u8>>)>) {
    let mut entries = fs.list(directory).unwrap();
    entries.sort();
    for entry in entries {
        let path = join(directory, &entry.name);
        match entry.kind {
            FileKind::Directory => {
                found.push((path.clone(), None));
                whole(fs, &path, found);
            }
            _ => found.push((path.clone(), Some(read_file(fs, &path).unwrap().bytes))),
        }
    }
}

/// Random writes over a tree and on a copy of it: both look the same after each, and the tree below never changes.
#[test]
fn an_overlay_looks_like_a_copy_that_was_written_to() {
    let paths: [&[u8]; 8] = [b"a", b"b", b"d", b"d/a", b"d/b", b"d/e", b"d/e/a", b"f/a"];
    let mut state = 88_172_645_463_325_252_u64;
    let mut below_bound = |bound: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound) as usize
    };
    for round in 0..300 {
        let below = MemoryFileSystem::with_files([("a", "1"), ("d/a", "2"), ("d/e/a", "3")]);
        let untouched = below.digest(b"");
        let copy = below.snapshot();
        let overlay = OverlayFileSystem::over(Arc::new(below.clone()));
        for step in 0..12 {
            let (path, other) = (paths[below_bound(8)], paths[below_bound(8)]);
            let operation = below_bound(6);
            let run = |fs: &dyn FileSystem| match operation {
                0 | 1 => fs.create_file(path, &[step]),
                2 => fs.create_directory(path),
                3 => fs.remove_file(path),
                4 => fs.remove_directory(path),
                // Of files only: nobody renames directories, and the overlay refuses it.
                _ if fs.lstat(path).is_ok_and(|stat| stat.kind == FileKind::Directory) => Ok(()),
                _ => fs.rename(path, other),
            };
            let (one, two) = (run(&overlay), run(&copy));
            assert_eq!(one.is_ok(), two.is_ok(), "round {round}, step {step}: {one:?} {two:?}");
            let (mut seen, mut expected) = (Vec::new(), Vec::new());
            whole(&overlay, b"", &mut seen);
            whole(&copy, b"", &mut expected);
            assert_eq!(seen, expected, "round {round}, step {step}, operation {operation}");
        }
        assert_eq!(below.digest(b""), untouched, "round {round}");
    }
}

#[test]
fn a_directory_written_in_over_another_has_another_stat() {
    let below = MemoryFileSystem::with_files([("d/a", "1"), ("e/a", "1")]);
    let before = (below.lstat(b"d").unwrap(), below.lstat(b"e").unwrap());
    let overlay = OverlayFileSystem::over(Arc::new(below));
    assert_eq!((overlay.lstat(b"d").unwrap(), overlay.lstat(b"e").unwrap()), before);
    overlay.create_file(b"d/b", b"2").unwrap();
    assert_ne!(overlay.lstat(b"d").unwrap(), before.0);
    assert_eq!(overlay.lstat(b"e").unwrap(), before.1);
    overlay.remove_file(b"e/a").unwrap();
    assert_ne!(overlay.lstat(b"e").unwrap(), before.1);
}
