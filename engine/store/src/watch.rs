//! Waiting for changes in directories, with the system's own notification (inotify).

use std::collections::{BTreeMap, BTreeSet};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;

use crate::{ErrorKind, Interrupt, Operation, StoreError, StoreResult};

/// How often a wait looks whether the user asked to stop.
const PATIENCE: Duration = Duration::from_millis(100);

/// Bytes for events that are read at once; one has a name of at most 255 bytes.
const BUFFER_BYTES: usize = 16 << 10;

/// What the system says when a directory comes or goes, when it has forgotten one that was watched, and when it has
/// lost count.
const OF_DIRECTORIES: inotify::ReadFlags =
    inotify::ReadFlags::ISDIR.union(inotify::ReadFlags::IGNORED).union(inotify::ReadFlags::QUEUE_OVERFLOW);

/// Watches directories, each for itself and not for what lies in directories inside it.
#[derive(Debug)]
pub struct Watcher {
    queue: OwnedFd,
    watched: BTreeMap<PathBuf, i32>,
    /// A directory came or went since the last registration, so that one of a known name may be another one.
    directories_moved: bool,
    /// Names that are never news, in whichever directory.
    ignored: BTreeSet<Vec<u8>>,
}

impl Watcher {
    /// A watcher of nothing. Changes of what has one of the names in `ignored` are no news.
    pub fn new(ignored: impl IntoIterator<Item = Vec<u8>>) -> StoreResult<Self> {
        let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
        let queue = inotify::init(flags).map_err(|error| failed(error, Path::new("")))?;
        let ignored = ignored.into_iter().collect();
        Ok(Self { queue, watched: BTreeMap::new(), directories_moved: false, ignored })
    }

    /// Watches exactly these directories from now on. Those that are gone already are left out: whoever removed
    /// them changed a directory above.
    pub fn watch(&mut self, directories: &BTreeSet<PathBuf>) -> StoreResult<()> {
        let gone: Vec<PathBuf> =
            self.watched.keys().filter(|path| !directories.contains(*path)).cloned().collect();
        for path in gone {
            if let Some(number) = self.watched.remove(&path) {
                // The system forgets a directory that was removed by itself.
                let _ = inotify::remove_watch(&self.queue, number);
            }
        }
        let flags = inotify::WatchFlags::CREATE
            | inotify::WatchFlags::DELETE
            | inotify::WatchFlags::MODIFY
            | inotify::WatchFlags::ATTRIB
            | inotify::WatchFlags::MOVE
            | inotify::WatchFlags::ONLYDIR
            | inotify::WatchFlags::DONT_FOLLOW;
        // Registering django's 400 directories takes a third of the time of a build after an edit.
        let known = if self.directories_moved { BTreeMap::new() } else { self.watched.clone() };
        for path in directories.iter().filter(|path| !known.contains_key(*path)) {
            match inotify::add_watch(&self.queue, path, flags) {
                Ok(number) => drop(self.watched.insert(path.clone(), number)),
                Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => {}
                Err(error) => return Err(failed(error, path)),
            }
        }
        self.directories_moved = false;
        Ok(())
    }

    /// How many directories are watched.
    pub fn count(&self) -> usize {
        self.watched.len()
    }

    /// Waits for news, and then until there were none for `quiet`, at most ten times as long. False: the user
    /// asked to stop.
    pub fn wait(&mut self, interrupt: &Interrupt, quiet: Duration) -> StoreResult<bool> {
        while !self.news(PATIENCE)? {
            if interrupt.received().is_some() {
                return Ok(false);
            }
        }
        let end = Instant::now() + quiet * 10;
        while Instant::now() < end && self.news(quiet)? {
            if interrupt.received().is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether something worth a look happened, or happens before the time is over.
    fn news(&mut self, patience: Duration) -> StoreResult<bool> {
        let end = Instant::now() + patience;
        loop {
            if self.take()? {
                return Ok(true);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(left.subsec_nanos()).max(1) };
            match poll(&mut [PollFd::new(&self.queue, PollFlags::IN)], Some(&timeout)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(failed(error, Path::new(""))),
            }
        }
    }

    /// Takes all events that are there; whether one of them is news.
    fn take(&mut self) -> StoreResult<bool> {
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut events = inotify::Reader::new(&self.queue, &mut buffer);
        let mut is_news = false;
        loop {
            match events.next() {
                Ok(event) => {
                    let name = event.file_name().map(std::ffi::CStr::to_bytes);
                    is_news |= name.is_none_or(|name| !self.ignored.contains(name));
                    self.directories_moved |= event.events().intersects(OF_DIRECTORIES);
                }
                Err(rustix::io::Errno::AGAIN) => return Ok(is_news),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(failed(error, Path::new(""))),
            }
        }
    }
}

fn failed(error: rustix::io::Errno, path: &Path) -> StoreError {
    let hint = match error {
        rustix::io::Errno::NOSPC => "; the system's `fs.inotify.max_user_watches` is used up",
        _ => "",
    };
    StoreError::new(ErrorKind::Io, Operation::List, path.to_string_lossy().into_owned())
        .with_detail(format!("{error}{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watcher(directories: &[&Path]) -> Watcher {
        let mut watcher = Watcher::new([b".bindery".to_vec()]).expect("the system can watch");
        let directories = directories.iter().map(|path| path.to_path_buf()).collect();
        watcher.watch(&directories).expect("the directories can be watched");
        watcher
    }

    const AT_ONCE: Duration = Duration::ZERO;

    #[test]
    fn news_are_of_the_directories_themselves() {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let inner = directory.path().join("inner");
        std::fs::create_dir(&inner).expect("directories can be made");
        let mut watcher = watcher(&[directory.path()]);
        let news = |watcher: &mut Watcher| watcher.news(AT_ONCE).expect("events can be read");
        assert!(!news(&mut watcher));
        std::fs::write(directory.path().join("a"), "").expect("files can be written");
        assert!(news(&mut watcher) && !news(&mut watcher), "once");
        std::fs::create_dir(directory.path().join(".bindery")).expect("directories can be made");
        assert!(!news(&mut watcher), "an ignored name");
        std::fs::write(inner.join("b"), "").expect("files can be written");
        assert!(!news(&mut watcher), "in a directory that is not watched");
        let both = BTreeSet::from([directory.path().to_owned(), inner.clone(), inner.join("missing")]);
        watcher.watch(&both).expect("a missing directory is no error");
        assert_eq!(watcher.count(), 2);
        std::fs::write(inner.join("c"), "").expect("files can be written");
        assert!(news(&mut watcher));
        watcher.watch(&BTreeSet::from([inner.clone()])).expect("directories can be left out again");
        let _ = news(&mut watcher);
        std::fs::write(directory.path().join("d"), "").expect("files can be written");
        assert!(!news(&mut watcher), "no longer watched");
    }

    #[test]
    fn a_directory_that_takes_the_place_of_another_is_watched() {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let inner = directory.path().join("inner");
        let both = BTreeSet::from([directory.path().to_owned(), inner.clone()]);
        let make = || std::fs::create_dir(&inner).expect("directories can be made");
        make();
        let mut watcher = watcher(&[directory.path(), &inner]);
        for way in ["removed", "moved"] {
            match way {
                "removed" => std::fs::remove_dir_all(&inner).expect("it can be removed"),
                _ => std::fs::rename(&inner, directory.path().join(way)).expect("it can be moved"),
            }
            make();
            assert_eq!(watcher.news(AT_ONCE), Ok(true), "{way}");
            watcher.watch(&both).expect("the directories can be watched");
            let _ = watcher.news(AT_ONCE);
            std::fs::write(inner.join("a"), "").expect("files can be written");
            assert_eq!(watcher.news(AT_ONCE), Ok(true), "a file in the one that came where one was {way}");
        }
    }

    #[test]
    fn a_burst_is_one_piece_of_news() {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let mut watcher = watcher(&[directory.path()]);
        for number in 0..200 {
            std::fs::write(directory.path().join(format!("f{number}")), "x").expect("files can be written");
        }
        let waited = watcher.wait(&Interrupt::never(), Duration::from_millis(20));
        assert_eq!(waited, Ok(true));
        assert_eq!(watcher.news(AT_ONCE), Ok(false), "nothing of it is left");
    }
}
