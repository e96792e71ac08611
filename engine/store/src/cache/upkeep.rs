use std::collections::BTreeSet;

use super::head::Head;
use super::{ContentStore, locked, records};
use crate::fs::{FileKind, LockAttempt, join};
use crate::read_file;
use crate::work_dir::sweep;

/// Sizes and counts for `cache stats`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StoreStats {
    /// Segments on disk.
    pub segments: u64,
    /// Their bytes.
    pub segment_bytes: u64,
    /// Segments the current state does not refer to.
    pub unused_segments: u64,
    /// Bytes of the current state's file.
    pub state_bytes: u64,
}

/// What `cache verify` found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StoreCheck {
    /// Blobs and states that are as they were written.
    pub good: u64,
    /// Places that are not, as messages show them, and sorted.
    pub bad: Vec<String>,
}

impl ContentStore {
    /// Removes what the current state does not refer to, except what a process that is still running wrote.
    /// Returns the bytes freed.
    pub fn gc(&self) -> u64 {
        let freed = self.writing(|store| {
            let pending = locked(&store.session).is_some();
            Ok(store.sweep(store.read_head().0.as_ref(), pending))
        });
        freed.unwrap_or(0)
    }

    /// Removes everything. Returns the bytes freed.
    pub fn clear(&self) -> u64 {
        let cleared = self.writing(|store| {
            let freed = store.remove(&store.path("HEAD"));
            let segments = store.segments_on_disk().into_iter();
            let segments: u64 = segments.map(|(segment, _)| store.remove(&store.segment_path(segment))).sum();
            Ok(freed + segments + store.sweep(None, false))
        });
        locked(&self.open_segments).clear();
        cleared.unwrap_or(0)
    }

    /// Counts, without reading what is counted.
    pub fn stats(&self) -> StoreStats {
        let head = self.read_head().0;
        let segments = self.segments_on_disk();
        let is_used = |segment: &u64| head.as_ref().is_some_and(|head| head.segments.contains(segment));
        let state = head.as_ref().map(|head| self.path(&head.state_name()));
        StoreStats {
            segments: segments.len() as u64,
            segment_bytes: segments.iter().map(|(_, size)| size).sum(),
            unused_segments: segments.iter().filter(|(segment, _)| !is_used(segment)).count() as u64,
            state_bytes: state.map_or(0, |path| self.size(&path)),
        }
    }

    /// Reads everything and checks it.
    pub fn verify(&self) -> StoreCheck {
        let mut check = StoreCheck::default();
        let head_path = self.path("HEAD");
        match (self.read_head(), self.read_state().0) {
            ((Some(_), _), Some(_)) => check.good += 1,
            ((Some(head), _), None) => check.bad.push(self.directory.shown(head.state_name().as_bytes())),
            ((None, version), _) if version.0.is_some() => {
                check.bad.push(self.file_system().shown(&head_path))
            }
            _ => {}
        }
        for (segment, _) in self.segments_on_disk() {
            let path = self.segment_path(segment);
            let shown = self.file_system().shown(&path);
            let Ok(file) = read_file(self.file_system(), &path) else {
                check.bad.push(shown);
                continue;
            };
            for (offset, good) in records::checked_records(&file.bytes) {
                match good {
                    true => check.good += 1,
                    false => check.bad.push(format!("{shown}, byte {offset}")),
                }
            }
        }
        check.bad.sort();
        check
    }

    /// Removes, under the lock, what dead processes left and what `head` does not refer to; segments only if
    /// nobody has any `pending`. Returns the bytes freed. What cannot be removed stays: it is in nobody's way.
    pub(super) fn sweep(&self, head: Option<&Head>, pending: bool) -> u64 {
        sweep(self.file_system(), self.directory.base());
        sweep(self.file_system(), &self.path("segments"));
        let current = head.map(Head::state_name).unwrap_or_default();
        let entries = self.file_system().list(self.directory.base()).unwrap_or_default();
        let states = entries.into_iter().filter(|entry| {
            entry.kind == FileKind::File
                && entry.name.starts_with(b"state-")
                && entry.name != current.as_bytes()
        });
        let mut freed: u64 = states.map(|entry| self.remove(&self.directory.path(&entry.name))).sum();
        if !self.others_are_writing() && !pending {
            let live: BTreeSet<u64> =
                head.map(|head| head.segments.iter().copied().collect()).unwrap_or_default();
            for (segment, _) in self.segments_on_disk() {
                if !live.contains(&segment) {
                    freed += self.remove(&self.segment_path(segment));
                }
            }
        }
        freed
    }

    /// Whether another living process, or another store of this one, has segments that no state refers to.
    /// Removes the signs of dead ones.
    fn others_are_writing(&self) -> bool {
        let writers = self.path("writers");
        let own = locked(&self.session).as_ref().map(|session| session.path.clone());
        let mut living = false;
        for entry in self.file_system().list(&writers).unwrap_or_default() {
            let path = join(&writers, &entry.name);
            if own.as_ref() == Some(&path) {
                continue;
            }
            match self.file_system().try_lock(&path, b"") {
                Ok(LockAttempt::Acquired(_guard)) => _ = self.file_system().remove_file(&path),
                // Whoever cannot be asked may be alive.
                Ok(LockAttempt::HeldBy(_)) | Err(_) => living = true,
            }
        }
        living
    }

    fn segments_on_disk(&self) -> Vec<(u64, u64)> {
        let entries = self.file_system().list(&self.path("segments")).unwrap_or_default();
        let named = entries.iter().filter_map(|entry| {
            let name = std::str::from_utf8(&entry.name).ok().filter(|name| name.len() == 16)?;
            u64::from_str_radix(name, 16).ok()
        });
        let mut segments: Vec<_> =
            named.map(|segment| (segment, self.size(&self.segment_path(segment)))).collect();
        segments.sort();
        segments
    }

    fn size(&self, path: &[u8]) -> u64 {
        self.file_system().lstat(path).map_or(0, |stat| stat.size)
    }

    fn remove(&self, path: &[u8]) -> u64 {
        let size = self.size(path);
        self.file_system().remove_file(path).map_or(0, |()| size)
    }
}
