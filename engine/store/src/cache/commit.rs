use std::collections::BTreeSet;

use bindery_source::ContentHash;

use super::head::{Head, HeadVersion};
use super::{ContentStore, records};
use crate::{StoreResult, found, read_file, write_atomically};

/// How a commit ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Commit {
    /// The new state is the current one.
    Done(HeadVersion),
    /// Another process committed since the version given: read its state and apply the changes to that.
    LostRace,
    /// The store cannot be written; see [`ContentStore::take_warning`].
    Unavailable,
}

/// How often a state that is replaced and removed while we look for it is looked for again.
const ATTEMPTS: usize = 8;

impl ContentStore {
    /// The current state's bytes, if there is a good one, and the version to hand to
    /// [`ContentStore::commit`].
    pub fn read_state(&self) -> (Option<Vec<u8>>, HeadVersion) {
        let mut version = HeadVersion::default();
        for _ in 0..ATTEMPTS {
            let (head, today) = self.read_head();
            let Some(head) = head else { return (None, today) };
            if let Ok(file) = read_file(self.file_system(), &self.path(&head.state_name())) {
                return (records::state_in(file.bytes, head.state), today);
            }
            // Missing although HEAD names it: replaced meanwhile, or damaged for good.
            if version == today {
                break;
            }
            version = today;
        }
        (None, version)
    }

    /// Makes `state` the current state, if the current one is still `base`. `live` are the segments it refers
    /// to, in any order, with or without repetitions; others are removed unless a process that is still
    /// running wrote them.
    pub fn commit(&self, base: HeadVersion, state: &[u8], live: &[u64]) -> Commit {
        let segments: Vec<u64> = live.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let head = Head { state: ContentHash::of(state), segments };
        let committed = self.writing(|store| {
            let (_, current) = store.read_head();
            if current != base {
                return Ok(Commit::LostRace);
            }
            store.replace_head(&head, state).map(Commit::Done)
        });
        if matches!(committed, Some(Commit::Done(_))) {
            self.end_session();
        }
        committed.unwrap_or(Commit::Unavailable)
    }

    /// Today's `HEAD`, as far as it makes sense, and its version.
    pub(super) fn read_head(&self) -> (Option<Head>, HeadVersion) {
        match found(read_file(self.file_system(), &self.path("HEAD"))) {
            Ok(Some(file)) => (Head::parse(&file.bytes), HeadVersion(Some(ContentHash::of(&file.bytes)))),
            _ => (None, HeadVersion(None)),
        }
    }

    /// First the state, then the name for it, then the sweeping.
    fn replace_head(&self, head: &Head, state: &[u8]) -> StoreResult<HeadVersion> {
        let file_system = self.file_system();
        let state_path = self.path(&head.state_name());
        write_atomically(file_system, &state_path, &records::state_file(state), self.durability)?;
        let bytes = head.to_bytes();
        write_atomically(file_system, &self.path("HEAD"), &bytes, self.durability)?;
        // What this process wrote and does not commit now, nobody will.
        self.sweep(Some(head), false);
        Ok(HeadVersion(Some(ContentHash::of(&bytes))))
    }
}
