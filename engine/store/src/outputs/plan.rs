use std::collections::{BTreeMap, BTreeSet};

use bindery_source::{ContentHash, RepoPath};

use super::manifest::UNFINISHED;
use super::survey::{FoundFile, Survey};
use super::{KnownOutputs, Manifest, OnDisk, OutputDir, Ownership};
use crate::fs::Stat;
use crate::{DiskPath, StoreResult};

/// What the outputs should be.
pub struct OutputRequest<'a> {
    /// Every wanted file and the hash of its bytes; the manifest itself is not among them.
    pub desired: &'a BTreeMap<RepoPath, ContentHash>,
    /// What an earlier run knows.
    pub known: &'a KnownOutputs,
    /// Foreign files the user gave away (`--overwrite PATH`).
    pub overwrite: &'a BTreeSet<RepoPath>,
    /// The version for line 1 of the manifest.
    pub version: &'a str,
}

/// What is to happen to one file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Planned {
    /// Nothing: it is as wanted.
    Keep,
    /// It is missing.
    Create,
    /// It is ours with other bytes.
    Replace,
    /// It is ours and no longer wanted.
    Remove,
    /// Something that is not ours is in the place of a wanted file: it is kept, the wanted file is not
    /// written.
    ForeignInTheWay,
    /// It is not ours, and nothing wants its place: it is kept.
    Foreign,
}

/// The comparison of what is wanted with what is there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OutputPlan {
    /// Every file wanted or there, by path, with what is to happen.
    pub files: BTreeMap<RepoPath, Planned>,
    /// The wanted files that are there as wanted, and their stats.
    pub kept: BTreeMap<RepoPath, OnDisk>,
    /// Whether the committed manifest's bytes differ from what would be written (never with
    /// [`Ownership::Ours`]).
    pub manifest_differs: bool,
    /// The version that wrote the committed manifest, if it is there and says so.
    pub written_by: Option<String>,
    /// The hashes to be on disk.
    pub(super) desired: BTreeMap<RepoPath, ContentHash>,
    /// The manifest to be.
    pub(super) lines: Manifest,
    /// That, and everything that was ours before.
    pub(super) journal: Manifest,
    /// Whether the local manifest is something else than `lines`.
    pub(super) local_differs: bool,
    /// The stats and raw paths of what is to be replaced or removed.
    pub(super) expected: BTreeMap<RepoPath, (DiskPath, Stat)>,
    pub(super) temporaries: Vec<DiskPath>,
    /// Directories without any file below, deepest first.
    pub(super) empty_directories: Vec<DiskPath>,
    pub(super) directories: BTreeSet<DiskPath>,
}

impl OutputPlan {
    /// Whether the disk is exactly what a build would leave (`check` says yes).
    pub fn is_current(&self) -> bool {
        !self.manifest_differs && self.files.values().all(|planned| *planned == Planned::Keep)
    }

    /// The files for which something was planned.
    pub fn with(&self, planned: Planned) -> impl Iterator<Item = &RepoPath> {
        self.files.iter().filter(move |(_, each)| **each == planned).map(|(path, _)| path)
    }

    /// The foreign files, in the way or not: findings, exit code 3.
    pub fn foreign(&self) -> impl Iterator<Item = &RepoPath> {
        let is_foreign = |planned: &Planned| matches!(planned, Planned::Foreign | Planned::ForeignInTheWay);
        self.files.iter().filter(move |(_, planned)| is_foreign(planned)).map(|(path, _)| path)
    }
}

impl OutputDir {
    /// Compares, and writes nothing.
    pub fn plan(&self, request: &OutputRequest<'_>) -> StoreResult<OutputPlan> {
        let survey = self.survey(request)?;
        let committed = survey.committed.as_deref().map(Manifest::parse).unwrap_or_default();
        let mut journal = survey.local.clone();
        journal.unite(&committed);
        let judge = Judge { request, owned: &journal, ownership: self.ownership };
        let mut plan = OutputPlan {
            written_by: committed.version,
            desired: request.desired.clone(),
            ..OutputPlan::default()
        };
        judge.what_is_there(&survey, &mut plan);
        judge.what_is_wanted(&survey, &mut plan);
        plan.lines = Manifest::new(request.version);
        for (path, hash) in request.desired {
            if plan.files.get(path) != Some(&Planned::ForeignInTheWay) {
                plan.lines.insert(path.clone(), *hash);
            }
        }
        plan.manifest_differs = self.ownership == Ownership::Shared
            && survey.committed.as_deref() != Some(plan.lines.to_bytes().as_slice());
        plan.local_differs = survey.local != plan.lines;
        journal.unite(&plan.lines);
        journal.version = Some(format!("{}{UNFINISHED}", request.version));
        plan.journal = journal;
        plan.empty_directories = empty_directories(&survey, &plan);
        plan.temporaries = survey.temporaries;
        plan.directories = survey.directories;
        Ok(plan)
    }
}

/// Decides whose a file is.
struct Judge<'a> {
    request: &'a OutputRequest<'a>,
    owned: &'a Manifest,
    ownership: Ownership,
}

impl Judge<'_> {
    fn is_ours(&self, path: &RepoPath, file: &FoundFile) -> bool {
        let given = self.ownership == Ownership::Ours || self.request.overwrite.contains(path);
        given || file.hash.is_some_and(|hash| self.owned.owns(path, hash))
    }

    fn what_is_there(&self, survey: &Survey, plan: &mut OutputPlan) {
        for (place, file) in &survey.files {
            let path = place.path();
            // Names that are only spelled like a wanted one are somebody else's.
            let wanted = self.request.desired.get(path).filter(|_| place.raw_if_different().is_none());
            let planned = match (wanted, self.is_ours(path, file)) {
                (Some(wanted), _) if file.hash == Some(*wanted) => Planned::Keep,
                (Some(_), true) => Planned::Replace,
                (Some(_), false) => Planned::ForeignInTheWay,
                (None, true) => Planned::Remove,
                (None, false) => Planned::Foreign,
            };
            if planned == Planned::Keep {
                let hash = file.hash.expect("a kept file was hashed: its hash is the wanted one");
                plan.kept.insert(path.clone(), OnDisk { stat: file.stat, hash });
            }
            if matches!(planned, Planned::Replace | Planned::Remove) {
                plan.expected.insert(path.clone(), (place.clone(), file.stat));
            }
            plan.files.insert(path.clone(), planned);
        }
    }

    fn what_is_wanted(&self, survey: &Survey, plan: &mut OutputPlan) {
        let is_foreign = |path: &&RepoPath| plan.files[*path] == Planned::Foreign;
        let stays: BTreeSet<&str> =
            survey.files.keys().map(DiskPath::path).filter(is_foreign).map(RepoPath::as_str).collect();
        let missing: Vec<&RepoPath> =
            self.request.desired.keys().filter(|path| !plan.files.contains_key(*path)).collect();
        let verdicts: Vec<(RepoPath, Planned)> = missing
            .into_iter()
            .map(|path| match is_blocked(path.as_str(), &stays) {
                true => (path.clone(), Planned::ForeignInTheWay),
                false => (path.clone(), Planned::Create),
            })
            .collect();
        plan.files.extend(verdicts);
    }
}

/// Whether a file that stays is where a directory above `path` has to be, or below where `path` has to be.
fn is_blocked(path: &str, stays: &BTreeSet<&str>) -> bool {
    let inside = format!("{path}/");
    let below = stays.range(inside.as_str()..).next();
    below.is_some_and(|stays| stays.starts_with(&inside))
        || ancestors(path).any(|above| stays.contains(above))
}

/// `a` and `a/b` for `a/b/c`.
pub(super) fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end])
}

/// The directories that will have no file below them, deepest first.
fn empty_directories(survey: &Survey, plan: &OutputPlan) -> Vec<DiskPath> {
    let remaining = plan.files.iter().filter(|(_, planned)| **planned != Planned::Remove);
    let occupied: BTreeSet<&str> = remaining.flat_map(|(path, _)| ancestors(path.as_str())).collect();
    let is_empty = |directory: &&DiskPath| !occupied.contains(directory.path().as_str());
    survey.directories.iter().rev().filter(is_empty).cloned().collect()
}
