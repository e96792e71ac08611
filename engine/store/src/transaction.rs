//! Several of the user's files replaced: all of them or none, also if we are killed in between.
//!
//! Before anything is touched, a journal with the old contents is written to the work directory and forced to
//! the disk. Then come the new files beside the old ones, then the renames; removing the journal is the commit.
//! Whoever finds a journal undoes what it lists: a file that has the new contents gets the old ones back. A file
//! that has neither was changed by somebody since, and is left alone and named.
//!
//! A journal is believed only in the directory it was written for: it names the numbers of the root and of the
//! work directory, which a repository that brings a work directory along cannot know.

use bindery_source::ContentHash;
use serde::{Deserialize, Serialize};

use crate::fs::{FileKind, FileSystem, join, split_parent};
use crate::writing::{create_directories, is_temporary_name, temporary_name};
use crate::{
    Directory, Durability, ErrorKind, Operation, StoreError, StoreResult, found, read_file, write_atomically,
};

const JOURNAL: &[u8] = b"plan-journal";

/// A file as it is and as it is to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement {
    /// Its path below the root, as raw bytes.
    pub path: Vec<u8>,
    /// What it holds; none if it does not exist.
    pub before: Option<Vec<u8>>,
    /// What it is to hold.
    pub after: Vec<u8>,
}

/// What undoing came to, by paths as messages show them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Undone {
    /// Files that have their old contents again.
    pub restored: Vec<String>,
    /// Files that were left alone, because somebody changed them since.
    pub kept: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Journal {
    /// Device and number of the root, number of the work directory.
    place: (u64, u64, u64),
    files: Vec<JournalFile>,
    /// Directories that had to be made, parents first.
    directories: Vec<Vec<u8>>,
}

#[derive(Serialize, Deserialize)]
struct JournalFile {
    path: Vec<u8>,
    /// Contents and permissions; none if there was no file.
    before: Option<(Vec<u8>, u32)>,
    after: [u8; 32],
}

/// Replaces all the files or none. The caller holds the lock of the work directory, has called
/// [`undo_interrupted`], and names each path once. On an error nothing is changed, unless undoing failed too:
/// then the journal is still there for the next call of [`undo_interrupted`].
///
/// Permissions are kept; a file that is not what [`Replacement::before`] says is the error
/// [`ErrorKind::ChangedDuringRead`].
pub fn replace_all(
    file_system: &dyn FileSystem,
    work: &Directory,
    changes: &[Replacement],
) -> StoreResult<()> {
    let journal = Journal {
        place: place(file_system, work)?,
        files: changes.iter().map(|change| journal_file(file_system, change)).collect::<StoreResult<_>>()?,
        directories: missing_directories(file_system, changes)?,
    };
    let replaced = write_journal(work, &journal).and_then(|()| replace(file_system, work, &journal, changes));
    if let Err(error) = replaced {
        // If this fails too, the next one who opens the work directory tries again.
        let _ = undo(file_system, work, &journal);
        return Err(error);
    }
    Ok(())
}

/// Whether there may be something for [`undo_interrupted`] to do.
pub fn is_interrupted(work: &Directory) -> bool {
    work.file_system().lstat(&work.path(JOURNAL)).is_ok()
}

/// Undoes what a process that was killed left half done; none if nothing is. The caller holds the lock of the
/// work directory.
pub fn undo_interrupted(file_system: &dyn FileSystem, work: &Directory) -> StoreResult<Option<Undone>> {
    let Some(read) = found(read_file(work.file_system(), &work.path(JOURNAL)))? else { return Ok(None) };
    let journal = Journal::decode(&read.bytes)
        .filter(|journal| place(file_system, work).is_ok_and(|place| place == journal.place));
    journal.map(|journal| undo(file_system, work, &journal)).transpose()
}

fn place(file_system: &dyn FileSystem, work: &Directory) -> StoreResult<(u64, u64, u64)> {
    let work = work.file_system().lstat(work.base())?;
    Ok((file_system.device(b"")?, file_system.lstat(b"")?.inode, work.inode))
}

fn journal_file(file_system: &dyn FileSystem, change: &Replacement) -> StoreResult<JournalFile> {
    let mode = expect_before(file_system, change)?;
    Ok(JournalFile {
        path: change.path.clone(),
        before: change.before.clone().zip(mode),
        after: ContentHash::of(&change.after).0,
    })
}

/// The permissions of a file that is still what it was; none if there is still none.
fn expect_before(file_system: &dyn FileSystem, change: &Replacement) -> StoreResult<Option<u32>> {
    let read = found(read_file(file_system, &change.path))?;
    match (&read, &change.before) {
        (None, None) => Ok(None),
        (Some(read), Some(before)) if read.bytes == *before => Ok(Some(read.stat.mode)),
        _ => {
            let shown = file_system.shown(&change.path);
            Err(StoreError::new(ErrorKind::ChangedDuringRead, Operation::Write, shown))
        }
    }
}

/// The directories that must be made for files that do not exist yet, parents first.
fn missing_directories(file_system: &dyn FileSystem, changes: &[Replacement]) -> StoreResult<Vec<Vec<u8>>> {
    let mut missing: Vec<Vec<u8>> = Vec::new();
    for change in changes.iter().filter(|change| change.before.is_none()) {
        let mut directory = split_parent(&change.path).0;
        while !directory.is_empty() && found(file_system.lstat(directory))?.is_none() {
            missing.push(directory.to_vec());
            directory = split_parent(directory).0;
        }
    }
    missing.sort_unstable();
    missing.dedup();
    Ok(missing)
}

fn write_journal(work: &Directory, journal: &Journal) -> StoreResult<()> {
    write_atomically(work.file_system(), &work.path(JOURNAL), &journal.encode(), Durability::Synced)
}

fn replace(
    file_system: &dyn FileSystem,
    work: &Directory,
    journal: &Journal,
    changes: &[Replacement],
) -> StoreResult<()> {
    for directory in &journal.directories {
        create_directories(file_system, directory)?;
    }
    let mut temporaries = Vec::with_capacity(changes.len());
    for (change, file) in changes.iter().zip(&journal.files) {
        let mode = file.before.as_ref().map(|(_, mode)| *mode);
        temporaries.push(write_beside(file_system, &change.path, &change.after, mode)?);
    }
    for (change, temporary) in changes.iter().zip(&temporaries) {
        expect_before(file_system, change)?;
        file_system.rename(temporary, &change.path)?;
    }
    for directory in journal.parents() {
        file_system.sync(directory)?;
    }
    work.file_system().remove_file(&work.path(JOURNAL))?;
    // Without this a power cut may bring the journal back, and with it the old files: still all or none.
    let _ = work.file_system().sync(work.base());
    Ok(())
}

/// Writes a file beside the one at `path`, with its permissions, and forces it to the disk.
fn write_beside(
    file_system: &dyn FileSystem,
    path: &[u8],
    bytes: &[u8],
    mode: Option<u32>,
) -> StoreResult<Vec<u8>> {
    let temporary = join(split_parent(path).0, &temporary_name());
    let named = |error| StoreError { path: file_system.shown(path), ..error };
    file_system.create_file(&temporary, bytes).map_err(named)?;
    if let Some(mode) = mode {
        file_system.set_mode(&temporary, mode).map_err(named)?;
    }
    file_system.sync(&temporary).map_err(named)?;
    Ok(temporary)
}

fn undo(file_system: &dyn FileSystem, work: &Directory, journal: &Journal) -> StoreResult<Undone> {
    let mut undone = Undone::default();
    for file in &journal.files {
        let now = found(read_file(file_system, &file.path))?.map(|read| read.bytes);
        let shown = file_system.shown(&file.path);
        match (&now, &file.before) {
            (None, None) => continue,
            (Some(now), Some((before, _))) if now == before => continue,
            (Some(now), _) if ContentHash::of(now).0 == file.after => undone.restored.push(shown),
            _ => {
                undone.kept.push(shown);
                continue;
            }
        }
        match &file.before {
            None => file_system.remove_file(&file.path)?,
            Some((before, mode)) => {
                let temporary = write_beside(file_system, &file.path, before, Some(*mode))?;
                file_system.rename(&temporary, &file.path)?;
            }
        }
    }
    for directory in journal.parents() {
        remove_temporaries(file_system, directory)?;
    }
    for directory in journal.directories.iter().rev() {
        match found(file_system.remove_directory(directory)) {
            Err(error) if error.kind != ErrorKind::DirectoryNotEmpty => return Err(error),
            _ => {}
        }
    }
    found(work.file_system().remove_file(&work.path(JOURNAL)))?;
    Ok(undone)
}

/// Removes what was being written. The names are reserved, and the caller holds the lock.
fn remove_temporaries(file_system: &dyn FileSystem, directory: &[u8]) -> StoreResult<()> {
    for entry in found(file_system.list(directory))?.unwrap_or_default() {
        if entry.kind == FileKind::File && is_temporary_name(&entry.name) {
            file_system.remove_file(&join(directory, &entry.name))?;
        }
    }
    Ok(())
}

impl Journal {
    /// The directories of its files, each once.
    fn parents(&self) -> Vec<&[u8]> {
        let mut parents: Vec<&[u8]> = self.files.iter().map(|file| split_parent(&file.path).0).collect();
        parents.sort_unstable();
        parents.dedup();
        parents
    }

    /// A checksum, and what it is the sum of.
    fn encode(&self) -> Vec<u8> {
        let body =
            postcard::to_stdvec(self).expect("a journal holds only plain values, which postcard writes");
        [&ContentHash::of(&body).0[..], &body].concat()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (sum, body) = bytes.split_at_checked(32)?;
        let is_whole = ContentHash::of(body).0 == sum;
        is_whole.then(|| postcard::from_bytes(body).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::fs::{Fault, FaultFileSystem, MemoryFileSystem};

    type Files = BTreeMap<Vec<u8>, Arc<[u8]>>;

    fn start() -> MemoryFileSystem {
        let files =
            MemoryFileSystem::with_files([("a.rs", "old a\n"), ("src/b.rs", "old b\r\n"), ("keep", "k")]);
        files.directory(b".work");
        files.set_mode(b"a.rs", 0o755).expect("the file is there");
        files
    }

    fn changes() -> Vec<Replacement> {
        let change = |path: &str, before: Option<&str>, after: &str| Replacement {
            path: path.into(),
            before: before.map(Into::into),
            after: after.into(),
        };
        vec![
            change("a.rs", Some("old a\n"), "new a\n"),
            change("new/deep/c.rs", None, "c\n"),
            change("src/b.rs", Some("old b\r\n"), "new b\r\n"),
        ]
    }

    fn run(file_system: Arc<dyn FileSystem>) -> StoreResult<()> {
        let work = Directory::new(file_system.clone(), b".work");
        replace_all(&*file_system, &work, &changes())
    }

    fn undo_on(file_system: &MemoryFileSystem) -> StoreResult<Option<Undone>> {
        let shared: Arc<dyn FileSystem> = Arc::new(file_system.clone());
        undo_interrupted(&*shared, &Directory::new(shared.clone(), b".work"))
    }

    /// What the journal's own directory holds is swept under its lock.
    fn outside_work(file_system: &MemoryFileSystem) -> Files {
        file_system.files(b"").into_iter().filter(|(path, _)| !path.starts_with(b".work/")).collect()
    }

    fn after() -> (Files, MemoryFileSystem) {
        let done = start();
        run(Arc::new(done.clone())).expect("nothing is in the way");
        (outside_work(&done), done)
    }

    #[test]
    fn all_files_are_replaced_with_their_permissions() {
        let (files, done) = after();
        let expected: Files =
            [("a.rs", "new a\n"), ("keep", "k"), ("new/deep/c.rs", "c\n"), ("src/b.rs", "new b\r\n")]
                .map(|(path, text)| (path.as_bytes().to_vec(), Arc::from(text.as_bytes())))
                .into();
        assert_eq!(files, expected);
        assert_eq!(done.files(b".work"), Files::new());
        assert_eq!(done.lstat(b"a.rs").map(|stat| stat.mode), Ok(0o755));
        assert_eq!(undo_on(&done), Ok(None));
    }

    #[test]
    fn a_crash_at_any_write_leaves_all_or_none_when_undone() {
        let (new, _) = after();
        let old = outside_work(&start());
        let counting = Arc::new(FaultFileSystem::new(Arc::new(start()), Fault::None));
        run(counting.clone()).expect("nothing is in the way");
        let (mut all, mut none) = (0, 0);
        for at in 1..=counting.writes() {
            let disk = start();
            let _ = run(Arc::new(FaultFileSystem::new(Arc::new(disk.clone()), Fault::CrashAtWrite(at))));
            undo_on(&disk).expect("the disk works again");
            match outside_work(&disk) {
                files if files == new => all += 1,
                files if files == old => none += 1,
                files => panic!("crash at write {at} left {files:?}"),
            }
            assert_eq!(disk.lstat(b"a.rs").map(|stat| stat.mode), Ok(0o755), "crash at write {at}");
            let has_new_directory = disk.lstat(b"new").is_ok();
            assert_eq!(has_new_directory, outside_work(&disk) == new, "crash at write {at}");
            // And a crash while undoing is undone by the next.
            assert_eq!(undo_on(&disk), Ok(None));
        }
        assert!(none > 10 && all >= 1, "{all} all, {none} none");
    }

    #[test]
    fn a_crash_while_undoing_is_undone_by_the_next() {
        let old = outside_work(&start());
        let halfway = start();
        let counting = Arc::new(FaultFileSystem::new(Arc::new(start()), Fault::None));
        run(counting.clone()).expect("nothing is in the way");
        // The last write removes the journal's last trace, the one before it the journal.
        let at = counting.writes() - 1;
        let _ = run(Arc::new(FaultFileSystem::new(Arc::new(halfway.clone()), Fault::CrashAtWrite(at))));
        let undoing = |disk: &MemoryFileSystem, fault| {
            let faulty = Arc::new(FaultFileSystem::new(Arc::new(disk.clone()), fault));
            let shared: Arc<dyn FileSystem> = faulty.clone();
            let _ = undo_interrupted(&*shared, &Directory::new(shared.clone(), b".work"));
            faulty.writes()
        };
        let writes = undoing(&halfway.snapshot(), Fault::None);
        assert!(writes > 5, "{writes} writes are not an undoing");
        for at in 1..=writes {
            let disk = halfway.snapshot();
            undoing(&disk, Fault::CrashAtWrite(at));
            undo_on(&disk).expect("the disk works again");
            assert_eq!(outside_work(&disk), old, "crash at write {at} of the undoing");
        }
    }

    #[test]
    fn a_call_that_fails_changes_nothing() {
        let (new, _) = after();
        let old = outside_work(&start());
        let counting = Arc::new(FaultFileSystem::new(Arc::new(start()), Fault::None));
        run(counting.clone()).expect("nothing is in the way");
        for at in 1..=counting.calls() {
            let disk = start();
            let fault = Fault::FailCall(at, ErrorKind::NoSpace);
            let result = run(Arc::new(FaultFileSystem::new(Arc::new(disk.clone()), fault)));
            let expected = if result.is_ok() { &new } else { &old };
            assert_eq!(&outside_work(&disk), expected, "call {at}: {result:?}");
        }
    }

    #[test]
    fn a_file_changed_meanwhile_stops_everything() {
        let disk = start();
        disk.write(b"src/b.rs", b"mine\n");
        let error = run(Arc::new(disk.clone())).expect_err("it was changed");
        assert_eq!((error.kind, &error.path[..]), (ErrorKind::ChangedDuringRead, "src/b.rs"));
        assert_eq!(disk.contents(b"a.rs").as_deref(), Some(&b"old a\n"[..]));
    }

    #[test]
    fn what_somebody_changed_after_the_crash_is_kept_and_named() {
        let disk = start();
        let counting = Arc::new(FaultFileSystem::new(Arc::new(start()), Fault::None));
        run(counting.clone()).expect("nothing is in the way");
        let at = counting.writes() - 1;
        let _ = run(Arc::new(FaultFileSystem::new(Arc::new(disk.clone()), Fault::CrashAtWrite(at))));
        disk.write(b"src/b.rs", b"mine\n");
        let undone = undo_on(&disk).expect("the disk works").expect("there is a journal");
        assert_eq!(
            (undone.restored, undone.kept),
            (vec!["a.rs".to_owned(), "new/deep/c.rs".to_owned()], vec!["src/b.rs".to_owned()])
        );
        assert_eq!(disk.contents(b"src/b.rs").as_deref(), Some(&b"mine\n"[..]));
        assert_eq!(disk.contents(b"a.rs").as_deref(), Some(&b"old a\n"[..]));
    }

    #[test]
    fn a_journal_from_elsewhere_or_in_pieces_is_not_believed() {
        let disk = start();
        let file = JournalFile {
            path: b"a.rs".to_vec(),
            before: Some((b"evil\n".to_vec(), 0o644)),
            after: ContentHash::of(b"old a\n").0,
        };
        let foreign = Journal { place: (1, 1, 999), files: vec![file], directories: Vec::new() };
        let whole = foreign.encode();
        for bytes in [&whole[..], &whole[..whole.len() - 1], b"", b"journal"] {
            disk.write(b".work/plan-journal", bytes);
            assert_eq!(undo_on(&disk), Ok(None));
            assert_eq!(disk.contents(b"a.rs").as_deref(), Some(&b"old a\n"[..]));
        }
    }
}
