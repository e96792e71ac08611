use std::collections::{BTreeMap, BTreeSet};

use super::ignores::{IGNORE_FILE_NAMES, IgnoreLevel};
use super::rules::Selector;
use super::walk::{Listed, Pending, Walk};
use super::{InterestIn, Selection, SkipReason, Skipped};
use crate::StoreResult;
use crate::fs::{FileKind, FileSystem, join, split_parent};

impl Selector {
    /// What [`Selector::select`] would find, given what it found earlier under the same rules and the same
    /// `interest`, and the directories (raw paths) that changed since, vanished ones included. Lists those
    /// again, and what is new below them; file stats elsewhere are those of `previous`. If the ignore files
    /// of such a directory differ, walks all. (If one changed in place, the caller knows from the gate, and
    /// calls [`Selector::select`].)
    pub fn refresh(
        &self,
        file_system: &dyn FileSystem,
        interest: InterestIn<'_>,
        previous: &Selection,
        changed_directories: &[Vec<u8>],
    ) -> StoreResult<Selection> {
        let walk = Walk { selector: self, file_system, interest };
        match walk.refreshed(previous, changed_directories) {
            Some(selection) => Ok(selection),
            None => self.select(file_system, interest),
        }
    }
}

/// The raw paths of the directories an earlier selection listed.
type KnownDirectories<'a> = BTreeSet<&'a [u8]>;

impl Walk<'_> {
    /// The updated selection; none if only a full walk can tell.
    fn refreshed(&self, previous: &Selection, changed: &[Vec<u8>]) -> Option<Selection> {
        if previous.skipped.iter().any(|skipped| skipped.reason == SkipReason::SameSpelling) {
            return None;
        }
        let known: KnownDirectories = previous.directories.iter().map(|seen| seen.place.raw()).collect();
        let relisted: BTreeMap<&[u8], Listed> = self
            .still_there(&known, changed)?
            .into_iter()
            .map(|raw| (raw, self.list(&self.pending(previous, raw))))
            .collect();
        if relisted.iter().any(|(raw, listed)| !same_ignore_files(previous, raw, listed)) {
            return None;
        }
        let fates = Fates::of(&known, &relisted);
        let mut selection = retained(previous, &known, &fates.kept);
        let mut new = Vec::new();
        for (raw, listed) in relisted {
            if !fates.dropped.contains(raw) {
                new.extend(listed.subdirectories.into_iter().filter(|sub| !known.contains(&*sub.raw)));
                selection.absorb(listed.part);
            }
        }
        self.enter(new, &mut selection);
        selection.settle();
        Some(selection)
    }

    /// The changed directories that still are directories, and for those that are not, the nearest one
    /// above them that is: its list of names must have changed with them.
    fn still_there<'k>(
        &self,
        known: &KnownDirectories<'k>,
        changed: &[Vec<u8>],
    ) -> Option<BTreeSet<&'k [u8]>> {
        let mut there = BTreeSet::new();
        for directory in changed {
            let mut raw = directory.as_slice();
            loop {
                let is_directory =
                    self.file_system.lstat(raw).is_ok_and(|stat| stat.kind == FileKind::Directory);
                match known.get(raw) {
                    Some(known_raw) if is_directory => {
                        there.insert(*known_raw);
                        break;
                    }
                    _ if raw.is_empty() => return None,
                    _ => raw = split_parent(raw).0,
                }
            }
        }
        Some(there)
    }

    /// A known directory as the walk would have come to it.
    fn pending(&self, previous: &Selection, raw: &[u8]) -> Pending {
        let mut pending = Pending { raw: Vec::new(), level: None, vendored: false };
        for name in raw.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
            let present = ignore_files_of(previous, &pending.raw);
            pending.level =
                IgnoreLevel::load(self.file_system, pending.level.take(), &pending.raw, present).level;
            pending.raw = join(&pending.raw, name);
            let by_default = pending.vendored || super::rules::is_vendored_directory(name);
            pending.vendored = by_default && !self.selector.includes(&pending.raw, true);
        }
        pending
    }
}

fn ignore_files_of(selection: &Selection, directory: &[u8]) -> [bool; 3] {
    IGNORE_FILE_NAMES.map(|name| {
        let raw = join(directory, name);
        selection.ignore_files.iter().any(|seen| seen.place.raw() == raw)
    })
}

fn same_ignore_files(previous: &Selection, directory: &[u8], listed: &Listed) -> bool {
    let is_here = |raw: &[u8]| split_parent(raw).0 == directory;
    let before = previous.ignore_files.iter().filter(|seen| is_here(seen.place.raw()));
    let mut before: Vec<_> = before.collect();
    let mut now: Vec<_> = listed.part.ignore_files.iter().collect();
    before.sort_by(|a, b| a.place.cmp(&b.place));
    now.sort_by(|a, b| a.place.cmp(&b.place));
    before == now
}

/// What becomes of the known directories; those in neither set were listed again and count as listed.
#[derive(Default)]
struct Fates<'k> {
    /// Not listed again, and still entered from above: they keep what is known of them.
    kept: KnownDirectories<'k>,
    /// No longer entered from above, listed again or not: they and what is below them count for nothing.
    dropped: KnownDirectories<'k>,
}

impl<'k> Fates<'k> {
    fn of(known: &KnownDirectories<'k>, relisted: &BTreeMap<&[u8], Listed>) -> Self {
        let mut fates = Self::default();
        // In byte order `a` comes before `a/b`, so a parent is always judged before its children.
        for &raw in known {
            let parent = split_parent(raw).0;
            let is_entered = match relisted.get(parent) {
                _ if raw.is_empty() => true,
                _ if fates.dropped.contains(parent) => false,
                Some(listed) => listed.subdirectories.iter().any(|sub| sub.raw == raw),
                None => true,
            };
            if !is_entered {
                fates.dropped.insert(raw);
            } else if !relisted.contains_key(raw) {
                fates.kept.insert(raw);
            }
        }
        fates
    }
}

/// What the kept directories contributed to the earlier selection.
fn retained(previous: &Selection, known: &KnownDirectories<'_>, kept: &KnownDirectories<'_>) -> Selection {
    let in_kept = |raw: &[u8]| kept.contains(split_parent(raw).0);
    // A directory that was listed and then left out for what was in it reports that itself.
    let reporter_kept = |skipped: &Skipped| match known.contains(skipped.place.raw()) {
        true => kept.contains(skipped.place.raw()),
        false => in_kept(skipped.place.raw()),
    };
    let mut selection = Selection {
        files: previous.files.iter().filter(|file| in_kept(file.place.raw())).cloned().collect(),
        directories: previous
            .directories
            .iter()
            .filter(|seen| kept.contains(seen.place.raw()))
            .cloned()
            .collect(),
        ignore_files: previous
            .ignore_files
            .iter()
            .filter(|seen| in_kept(seen.place.raw()))
            .cloned()
            .collect(),
        links: previous.links.iter().filter(|link| in_kept(link.place.raw())).cloned().collect(),
        skipped: previous.skipped.iter().filter(|skipped| reporter_kept(skipped)).cloned().collect(),
        problems: Vec::new(),
    };
    let named = |path| selection.ignore_files.iter().any(|seen| seen.place.path() == path);
    selection.problems = previous.problems.iter().filter(|problem| named(&problem.path)).cloned().collect();
    selection
}
