use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::ignores::{IGNORE_FILE_NAMES, IgnoreLevel};
use super::links::{LinkTarget, resolve_link};
use super::rules::{Selector, is_minified_name, is_vendored_directory};
use super::{Interest, InterestIn, SeenDirectory, SeenLink, SelectedFile, Selection, SkipReason, Skipped};
use crate::fs::{DirEntry, FileKind, FileSystem, join};
use crate::{DiskPath, ErrorKind, StoreError, StoreResult};

/// A directory to be listed, with what holds inside it.
#[derive(Clone)]
pub(super) struct Pending {
    pub(super) raw: Vec<u8>,
    pub(super) level: Option<Arc<IgnoreLevel>>,
    /// It lies in a vendored directory that is entered only for what `include` brings back.
    pub(super) vendored: bool,
}

/// What listing one directory gave: its own part of the selection, and the directories to enter.
pub(super) struct Listed {
    pub(super) part: Selection,
    pub(super) subdirectories: Vec<Pending>,
}

/// The walk over one file system for one kind of caller.
pub(super) struct Walk<'a> {
    pub(super) selector: &'a Selector,
    pub(super) file_system: &'a dyn FileSystem,
    pub(super) interest: InterestIn<'a>,
}

impl Selector {
    /// Walks the whole tree. Fails only if the root cannot be listed; whatever else cannot be read is listed
    /// as skipped.
    pub fn select(&self, file_system: &dyn FileSystem, interest: InterestIn<'_>) -> StoreResult<Selection> {
        file_system.list(b"")?;
        let walk = Walk { selector: self, file_system, interest };
        let mut selection = Selection::default();
        walk.enter(vec![Pending { raw: Vec::new(), level: None, vendored: false }], &mut selection);
        selection.settle();
        Ok(selection)
    }
}

impl Walk<'_> {
    /// Lists `pending` and everything below, one level of depth after the other, each in parallel.
    pub(super) fn enter(&self, mut pending: Vec<Pending>, selection: &mut Selection) {
        while !pending.is_empty() {
            let listed: Vec<Listed> = pending.par_iter().map(|directory| self.list(directory)).collect();
            pending.clear();
            for each in listed {
                selection.absorb(each.part);
                pending.extend(each.subdirectories);
            }
        }
    }

    /// Lists one directory.
    pub(super) fn list(&self, directory: &Pending) -> Listed {
        let mut listed = Listed { part: Selection::default(), subdirectories: Vec::new() };
        let place = DiskPath::from_raw(&directory.raw);
        // The stat comes first: what changes between the two calls makes the next run look again.
        let entries = self.file_system.lstat(&directory.raw).and_then(|stat| {
            listed.part.directories.push(SeenDirectory { place: place.clone(), stat });
            self.file_system.list(&directory.raw)
        });
        let mut skip = |reason| {
            listed.part.skipped.push(Skipped { place: place.clone(), reason, is_directory: true });
        };
        match entries {
            Err(error) => {
                if let Some(reason) = unreadable(&error) {
                    skip(reason);
                }
            }
            Ok(entries) if !directory.raw.is_empty() && entries.iter().any(|entry| entry.name == b".git") => {
                skip(SkipReason::NestedRepository);
            }
            Ok(entries) => self.sort_out(directory, entries, &mut listed),
        }
        listed
    }

    fn sort_out(&self, directory: &Pending, entries: Vec<DirEntry>, listed: &mut Listed) {
        let present = IGNORE_FILE_NAMES
            .map(|name| entries.iter().any(|entry| entry.name == name && entry.kind == FileKind::File));
        let loaded = IgnoreLevel::load(self.file_system, directory.level.clone(), &directory.raw, present);
        listed.part.ignore_files = loaded.seen;
        listed.part.problems = loaded.problems;
        for entry in entries {
            let raw = join(&directory.raw, &entry.name);
            if entry.name == b".git" || self.selector.leaves_out(&raw) {
                continue;
            }
            let inside = Pending { raw, level: loaded.level.clone(), vendored: directory.vendored };
            match entry.kind {
                FileKind::Directory => self.consider_directory(inside, &entry.name, listed),
                kind => self.consider_file(inside, &entry.name, kind, listed),
            }
        }
    }

    fn consider_directory(&self, mut directory: Pending, name: &[u8], listed: &mut Listed) {
        let selector = self.selector;
        let raw = &directory.raw;
        let reason = if selector.excludes(raw, true) {
            Some(SkipReason::Excluded)
        } else if directory.level.as_ref().is_some_and(|level| level.ignores(raw, true)) {
            Some(SkipReason::Ignored)
        } else {
            let by_default = directory.vendored || is_vendored_directory(name);
            directory.vendored = by_default && !selector.includes(raw, true);
            (directory.vendored && !selector.may_include_below(raw)).then_some(SkipReason::Vendored)
        };
        match reason {
            Some(reason) => {
                let place = DiskPath::from_raw(raw);
                listed.part.skipped.push(Skipped { place, reason, is_directory: true });
            }
            None => listed.subdirectories.push(directory),
        }
    }

    /// Judges a file, link or special file, lying where `found` says.
    fn consider_file(&self, found: Pending, name: &[u8], kind: FileKind, listed: &mut Listed) {
        let place = DiskPath::from_raw(&found.raw);
        let interest = (self.interest)(place.path());
        if interest == Interest::None {
            return;
        }
        let part = &mut listed.part;
        let outcome = match self.reason_by_name(&found, name) {
            Some(reason) => Err(Some(reason)),
            None => match kind {
                FileKind::Symlink => self.follow(&place, part),
                FileKind::File => self.own_stat(&place),
                _ => Err(Some(SkipReason::SpecialFile)),
            },
        };
        match outcome {
            Ok((stat, target)) => part.files.push(SelectedFile { place, interest, stat, target }),
            Err(Some(reason)) => part.skipped.push(Skipped { place, reason, is_directory: false }),
            Err(None) => {}
        }
    }

    /// Why the rules leave a file out before anything is known but its name.
    fn reason_by_name(&self, found: &Pending, name: &[u8]) -> Option<SkipReason> {
        let raw = &found.raw;
        if self.selector.excludes(raw, false) {
            return Some(SkipReason::Excluded);
        }
        if found.level.as_ref().is_some_and(|level| level.ignores(raw, false)) {
            return Some(SkipReason::Ignored);
        }
        if self.selector.is_untracked(raw) {
            return Some(SkipReason::Untracked);
        }
        let by_default = match () {
            () if found.vendored => Some(SkipReason::Vendored),
            () if is_minified_name(name) => Some(SkipReason::Minified),
            () => None,
        };
        by_default.filter(|_| !self.selector.includes(raw, false))
    }

    fn own_stat(&self, place: &DiskPath) -> Outcome {
        match self.file_system.lstat(place.raw()) {
            Ok(stat) if stat.kind == FileKind::File => Ok((stat, None)),
            // It became something else between the two calls; the directory's time will tell next time.
            Ok(_) => Err(None),
            Err(error) => Err(unreadable(&error)),
        }
    }

    fn follow(&self, place: &DiskPath, part: &mut Selection) -> Outcome {
        let target = resolve_link(self.file_system, place.raw());
        part.links.push(SeenLink { place: place.clone(), target: target.clone() });
        match target {
            LinkTarget::File(raw, _) if self.selector.leaves_out_or_hides(&raw) => {
                Err(Some(SkipReason::SymlinkOutside))
            }
            LinkTarget::File(raw, stat) => Ok((stat, Some(raw))),
            LinkTarget::Directory => Err(Some(SkipReason::SymlinkedDirectory)),
            LinkTarget::Outside => Err(Some(SkipReason::SymlinkOutside)),
            LinkTarget::Broken => Err(Some(SkipReason::SymlinkBroken)),
            LinkTarget::Special => Err(Some(SkipReason::SpecialFile)),
        }
    }
}

/// A file's stat, and its own path if it was reached through a link; or why not, if that is worth telling.
type Outcome = Result<(crate::fs::Stat, Option<Arc<[u8]>>), Option<SkipReason>>;

/// The reason to report for something the system refuses; none for what vanished meanwhile.
fn unreadable(error: &StoreError) -> Option<SkipReason> {
    match error.kind {
        _ if error.is_not_found() => None,
        ErrorKind::NameTooLong => Some(SkipReason::PathTooLong),
        _ => Some(SkipReason::Unreadable),
    }
}

impl Selection {
    pub(super) fn absorb(&mut self, part: Selection) {
        self.files.extend(part.files);
        self.directories.extend(part.directories);
        self.ignore_files.extend(part.ignore_files);
        self.links.extend(part.links);
        self.skipped.extend(part.skipped);
        self.problems.extend(part.problems);
    }

    /// Brings the lists into their order and leaves out names that are spelled like another file's.
    pub(super) fn settle(&mut self) {
        self.files.sort_by(|a, b| a.place.cmp(&b.place));
        let mut previous: Option<DiskPath> = None;
        let mut same_spelling = Vec::new();
        self.files.retain(|file| {
            let place = Some(file.place.clone());
            // A name that is UTF-8 sorts before one that is merely spelled like it.
            if previous.as_ref().is_some_and(|previous| previous.path() == file.place.path()) {
                same_spelling.push(file.place.clone());
                return false;
            }
            previous = place;
            true
        });
        let reason = SkipReason::SameSpelling;
        let clashes = same_spelling.into_iter();
        self.skipped.extend(clashes.map(|place| Skipped { place, reason, is_directory: false }));
        self.skipped.sort();
        self.directories.sort_by(|a, b| a.place.cmp(&b.place));
        self.ignore_files.sort_by(|a, b| a.place.cmp(&b.place));
        self.links.sort_by(|a, b| a.place.cmp(&b.place));
        self.problems.sort();
    }
}

/// The raw path of every file below the root, ignored ones and links too; nothing is left out.
pub fn every_file(file_system: &dyn FileSystem) -> StoreResult<BTreeSet<Vec<u8>>> {
    let mut found = BTreeSet::new();
    let mut open = vec![Vec::new()];
    while let Some(directory) = open.pop() {
        for entry in file_system.list(&directory)? {
            let path = join(&directory, &entry.name);
            match entry.kind {
                FileKind::Directory => open.push(path),
                _ => drop(found.insert(path)),
            }
        }
    }
    Ok(found)
}
