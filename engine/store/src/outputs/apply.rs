use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use bindery_source::{ContentHash, RepoPath};

use super::plan::ancestors;
use super::{MANIFEST_NAME, Manifest, OnDisk, OutputDir, OutputPlan, Ownership, Planned};
use crate::fs::{Stat, split_parent};
use crate::select::SeenDirectory;
use crate::{DiskPath, ErrorKind, Operation, StoreError, StoreResult};
use crate::{create_directories, found, write_atomically};

/// What was done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Applied {
    /// Files created or replaced, the manifest not counted.
    pub written: Vec<RepoPath>,
    /// Files removed.
    pub removed: Vec<RepoPath>,
    /// Every wanted file that is on disk now, and the committed manifest, for the state.
    pub on_disk: BTreeMap<RepoPath, OnDisk>,
    /// The directories as they are now, by path below the outputs' own (which is the empty path): a foreign
    /// file appears only with a change of one of these. Empty with [`Ownership::Ours`].
    pub directories: Vec<SeenDirectory>,
}

impl OutputDir {
    /// Does what the plan says. `bytes` gives the contents of a wanted file, and is asked only for files
    /// that are written. The caller holds the lock of the work directory.
    ///
    /// What was changed by somebody else since the plan was made is left alone and is an error.
    pub fn apply<'a>(
        &self,
        plan: &OutputPlan,
        bytes: &dyn Fn(&RepoPath) -> Cow<'a, [u8]>,
    ) -> StoreResult<Applied> {
        let mut applied = Applied { on_disk: plan.kept.clone(), ..Applied::default() };
        let changes = plan
            .files
            .values()
            .any(|planned| matches!(planned, Planned::Create | Planned::Replace | Planned::Remove));
        if changes || plan.manifest_differs {
            create_directories(self.directory.file_system(), self.directory.base())?;
            self.write_journal(&plan.journal)?;
        }
        self.clean(plan, &mut applied)?;
        self.write_files(plan, bytes, &mut applied)?;
        if self.ownership == Ownership::Shared {
            self.write_manifest(plan, &mut applied)?;
        }
        if changes || plan.manifest_differs || plan.local_differs && self.ownership == Ownership::Ours {
            // Failing to shorten the journal to what it is for next time costs nothing.
            let _ = self.write_local(&plan.lines);
        }
        if self.ownership == Ownership::Shared {
            applied.directories = self.directories(plan)?;
        }
        Ok(applied)
    }

    /// Writes down what will be ours, before any of it is. If the work directory cannot take it, the
    /// outputs' own manifest has to.
    fn write_journal(&self, journal: &Manifest) -> StoreResult<()> {
        match (self.write_local(journal), self.ownership) {
            (Ok(()), _) => Ok(()),
            (Err(_), Ownership::Shared) => self.write(MANIFEST_NAME.as_bytes(), &journal.to_bytes()),
            (Err(error), Ownership::Ours) => Err(error),
        }
    }

    fn write_local(&self, manifest: &Manifest) -> StoreResult<()> {
        create_directories(self.local.file_system(), self.local.base())?;
        let path = self.local.path(self.local_name.as_bytes());
        write_atomically(self.local.file_system(), &path, &manifest.to_bytes(), self.durability)
    }

    fn write(&self, raw: &[u8], bytes: &[u8]) -> StoreResult<()> {
        write_atomically(self.directory.file_system(), &self.directory.path(raw), bytes, self.durability)
    }

    /// Removes what is no longer wanted, left-overs, and the directories that are empty then.
    fn clean(&self, plan: &OutputPlan, applied: &mut Applied) -> StoreResult<()> {
        let file_system = self.directory.file_system();
        for place in &plan.temporaries {
            found(file_system.remove_file(&self.directory.path(place.raw())))?;
        }
        for path in plan.with(Planned::Remove) {
            let (place, stat) = &plan.expected[path];
            self.expect(place.raw(), Some(*stat))?;
            file_system.remove_file(&self.directory.path(place.raw()))?;
            applied.removed.push(path.clone());
        }
        let gone = match self.ownership {
            Ownership::Shared => plan.empty_directories.iter().map(|place| place.raw().to_vec()).collect(),
            Ownership::Ours => self.parents_of_unwanted(plan),
        };
        for directory in gone {
            // Not empty after all, or not there: either is fine.
            let _ = file_system.remove_directory(&self.directory.path(&directory));
        }
        Ok(())
    }

    /// The directories above files that were ours once and are not wanted now, deepest first.
    fn parents_of_unwanted(&self, plan: &OutputPlan) -> Vec<Vec<u8>> {
        let unwanted = plan.journal.paths().filter(|path| !plan.desired.contains_key(*path));
        let parents: BTreeSet<&str> = unwanted.flat_map(|path| ancestors(path.as_str())).collect();
        parents.into_iter().rev().map(|parent| parent.as_bytes().to_vec()).collect()
    }

    fn write_files<'a>(
        &self,
        plan: &OutputPlan,
        bytes: &dyn Fn(&RepoPath) -> Cow<'a, [u8]>,
        applied: &mut Applied,
    ) -> StoreResult<()> {
        let file_system = self.directory.file_system();
        let mut made: BTreeSet<Vec<u8>> = BTreeSet::new();
        for (path, planned) in &plan.files {
            if !matches!(planned, Planned::Create | Planned::Replace) {
                continue;
            }
            let raw = path.as_str().as_bytes();
            let parent = split_parent(raw).0;
            if made.insert(parent.to_vec()) {
                create_directories(file_system, &self.directory.path(parent))?;
            }
            self.expect(raw, plan.expected.get(path).map(|(_, stat)| *stat))?;
            let contents = bytes(path);
            let hash = plan.desired[path];
            debug_assert_eq!(ContentHash::of(&contents), hash, "{path} is not what was planned");
            self.write(raw, &contents)?;
            applied.on_disk.insert(path.clone(), self.on_disk(raw, hash)?);
            applied.written.push(path.clone());
        }
        Ok(())
    }

    fn write_manifest(&self, plan: &OutputPlan, applied: &mut Applied) -> StoreResult<()> {
        let raw = MANIFEST_NAME.as_bytes();
        let bytes = plan.lines.to_bytes();
        if plan.manifest_differs {
            self.write(raw, &bytes)?;
        }
        let on_disk = self.on_disk(raw, ContentHash::of(&bytes))?;
        applied.on_disk.insert(RepoPath::new(MANIFEST_NAME), on_disk);
        Ok(())
    }

    fn on_disk(&self, raw: &[u8], hash: ContentHash) -> StoreResult<OnDisk> {
        Ok(OnDisk { stat: self.directory.file_system().lstat(&self.directory.path(raw))?, hash })
    }

    /// Whether the place still is as it was when the plan was made.
    fn expect(&self, raw: &[u8], expected: Option<Stat>) -> StoreResult<()> {
        let today = found(self.directory.file_system().lstat(&self.directory.path(raw)))?;
        match today == expected {
            true => Ok(()),
            false => {
                let shown = self.directory.shown(raw);
                let error = StoreError::new(ErrorKind::ChangedDuringRead, Operation::Write, shown);
                Err(error.with_detail("somebody else wrote it since this run looked at it"))
            }
        }
    }

    fn directories(&self, plan: &OutputPlan) -> StoreResult<Vec<SeenDirectory>> {
        let mut places = plan.directories.clone();
        places.insert(DiskPath::from_raw(b""));
        for path in plan.lines.paths() {
            places.extend(ancestors(path.as_str()).map(|above| DiskPath::from_raw(above.as_bytes())));
        }
        let mut seen = Vec::new();
        for place in places {
            let stat = found(self.directory.file_system().lstat(&self.directory.path(place.raw())))?;
            seen.extend(stat.map(|stat| SeenDirectory { place, stat }));
        }
        Ok(seen)
    }
}
