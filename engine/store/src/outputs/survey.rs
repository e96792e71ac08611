use std::collections::{BTreeMap, BTreeSet};

use bindery_source::{ContentHash, RepoPath};

use super::{KnownOutputs, MANIFEST_NAME, Manifest, OnDisk, OutputDir, OutputRequest, Ownership};
use crate::fs::{FileKind, Stat, join};
use crate::writing::is_temporary_name;
use crate::{DiskPath, ErrorKind, Operation, StoreError, StoreResult, found, hash_file, read_file};

/// What is on disk, without judging it.
#[derive(Default)]
pub(super) struct Survey {
    /// Everything that is not a directory.
    pub(super) files: BTreeMap<DiskPath, FoundFile>,
    /// Directories below the outputs' own.
    pub(super) directories: BTreeSet<DiskPath>,
    /// Left-overs of a dead writer.
    pub(super) temporaries: Vec<DiskPath>,
    /// The bytes of the committed manifest.
    pub(super) committed: Option<Vec<u8>>,
    /// What the local manifest says.
    pub(super) local: Manifest,
}

/// Something with a name among the outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FoundFile {
    pub(super) stat: Stat,
    /// The hash of a regular file's bytes, where it matters.
    pub(super) hash: Option<ContentHash>,
}

impl OutputDir {
    /// Looks at the disk. Fails if the directory is none, or something in it that matters cannot be read.
    pub(super) fn survey(&self, request: &OutputRequest<'_>) -> StoreResult<Survey> {
        let mut survey = Survey { local: self.local_manifest()?, ..Survey::default() };
        let file_system = self.directory.file_system();
        match found(file_system.lstat(self.directory.base()))? {
            None => return Ok(survey),
            Some(stat) if stat.kind == FileKind::Directory => {}
            Some(_) => {
                let shown = self.directory.shown(b"");
                return Err(StoreError::new(ErrorKind::NotADirectory, Operation::List, shown));
            }
        }
        match self.ownership {
            Ownership::Shared => self.survey_all(&mut survey)?,
            Ownership::Ours => self.survey_ours(request, &mut survey)?,
        }
        let committed = survey.committed.as_deref().map(Manifest::parse).unwrap_or_default();
        for (place, file) in &mut survey.files {
            let path = place.path();
            let matters =
                request.desired.contains_key(path) || committed.names(path) || survey.local.names(path);
            if matters && file.stat.kind == FileKind::File {
                file.hash = Some(self.hash(place, file.stat, request.known)?);
            }
        }
        Ok(survey)
    }

    fn local_manifest(&self) -> StoreResult<Manifest> {
        let path = self.local.path(self.local_name.as_bytes());
        let file = found(read_file(self.local.file_system(), &path)).ok().flatten();
        Ok(file.map(|file| Manifest::parse(&file.bytes)).unwrap_or_default())
    }

    fn survey_all(&self, survey: &mut Survey) -> StoreResult<()> {
        let file_system = self.directory.file_system();
        let mut open: Vec<Vec<u8>> = vec![Vec::new()];
        while let Some(directory) = open.pop() {
            for entry in file_system.list(&self.directory.path(&directory))? {
                let raw = join(&directory, &entry.name);
                match entry.kind {
                    // Somebody keeps the outputs in a repository of their own.
                    _ if entry.name == b".git" => {}
                    FileKind::Directory => {
                        survey.directories.insert(DiskPath::from_raw(&raw));
                        open.push(raw);
                    }
                    FileKind::File if is_temporary_name(&entry.name) => {
                        survey.temporaries.push(DiskPath::from_raw(&raw));
                    }
                    FileKind::File if raw == MANIFEST_NAME.as_bytes() => {
                        survey.committed = Some(read_file(file_system, &self.directory.path(&raw))?.bytes);
                    }
                    _ => self.note(DiskPath::from_raw(&raw), survey)?,
                }
            }
        }
        Ok(())
    }

    fn survey_ours(&self, request: &OutputRequest<'_>, survey: &mut Survey) -> StoreResult<()> {
        let paths: BTreeSet<RepoPath> = request.desired.keys().chain(survey.local.paths()).cloned().collect();
        for path in &paths {
            self.note(DiskPath::from_raw(path.as_str().as_bytes()), survey)?;
        }
        if survey.local.is_unfinished() {
            self.find_left_overs(&paths, survey);
        }
        Ok(())
    }

    /// Looks for half-written files wherever the run that was broken off may have written.
    fn find_left_overs(&self, paths: &BTreeSet<RepoPath>, survey: &mut Survey) {
        let directories: BTreeSet<&str> = paths.iter().map(RepoPath::directory).collect();
        for directory in directories {
            let listed = self.directory.file_system().list(&self.directory.path(directory.as_bytes()));
            for entry in listed.unwrap_or_default() {
                if entry.kind == FileKind::File && is_temporary_name(&entry.name) {
                    survey.temporaries.push(DiskPath::from_raw(&join(directory.as_bytes(), &entry.name)));
                }
            }
        }
    }

    fn note(&self, place: DiskPath, survey: &mut Survey) -> StoreResult<()> {
        let stat = found(self.directory.file_system().lstat(&self.directory.path(place.raw())))?;
        match stat {
            None => {}
            Some(stat) if stat.kind == FileKind::Directory => _ = survey.directories.insert(place),
            Some(stat) => _ = survey.files.insert(place, FoundFile { stat, hash: None }),
        }
        Ok(())
    }

    /// The hash of what the file holds, from an earlier run if its stat is the same. A file that cannot be
    /// read is an error: taken for foreign, it would drop out of the manifest and be foreign for ever.
    fn hash(&self, place: &DiskPath, stat: Stat, known: &KnownOutputs) -> StoreResult<ContentHash> {
        match known.get(place.path()) {
            Some(OnDisk { stat: before, hash }) if *before == stat => Ok(*hash),
            _ => {
                let path = self.directory.path(place.raw());
                hash_file(self.directory.file_system(), &path).map(|(hash, _)| hash)
            }
        }
    }
}
