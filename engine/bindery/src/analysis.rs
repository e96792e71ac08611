//! From the disk to resolved files: what changed, reading it, and re-resolving what the change reaches.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use bindery_artifacts::{FileSet, Phase, QueryKind, RunReport};
use bindery_facts::{FileFacts, Name, encode};
use bindery_graph::{Resolution, Symbol, Unit};
use bindery_languages::{for_language, registry};
use bindery_source::{ContentHash, KeyHasher, Language, RepoPath};
use bindery_store::GateMode;
use bindery_store::select::{Interest, SelectRules, SelectedFile, Selection, Selector, SkipReason};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blobs::{Batches, Blobs};
use crate::intake::{Intake, Taken, Wanted};
use crate::known::Moved;
use crate::options::Progress;
use crate::outcome::Failure;
use crate::relink::{Cause, Delta, Relinked, edges, patched_needs, relink};
use crate::repository::Repository;
use crate::snapshot::{Lost, Snapshot, load_unit};
use crate::state::{FileRecord, InputKind, LeftOut, Retired, State, Status};
use crate::timing::Timed;

/// Retired facts are kept up to this share of the live ones.
const RETIRED_SHARE: usize = 4;

/// Everything known after resolution.
pub(crate) struct Analysis {
    /// All files, with where their facts and resolutions lie.
    pub(crate) snapshot: Arc<Snapshot>,
    /// The new state as far as analysis fills it.
    pub(crate) state: State,
    /// The slots whose facts are new, in no order.
    pub(crate) changed: FxHashSet<u32>,
    /// The slots that were resolved again.
    pub(crate) resolved: FxHashSet<u32>,
    /// Paths whose functions gained or lost callers, or show another one.
    pub(crate) callers_changed: FxHashSet<RepoPath>,
    /// Why each file was resolved again.
    pub(crate) causes: BTreeMap<RepoPath, Cause>,
    /// Whether ids changed through a clash between files.
    pub(crate) clashes_changed: bool,
    /// Inputs that differ from the last run: path and whether it is new, changed or gone.
    pub(crate) inputs: BTreeMap<RepoPath, InputChange>,
    /// Files that failed through a fault of ours.
    pub(crate) faults: Vec<String>,
}

/// How an input differs from the last run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InputChange {
    Added,
    Changed,
    Removed,
}

impl InputChange {
    pub(crate) fn word(self) -> &'static str {
        match self {
            InputChange::Added => "added",
            InputChange::Changed => "changed",
            InputChange::Removed => "removed",
        }
    }
}

/// A failure, or the news that the cache lost something and everything must start over.
pub(crate) enum Stop {
    Failure(Failure),
    Lost,
}

impl From<Lost> for Stop {
    fn from(_: Lost) -> Self {
        Stop::Lost
    }
}

impl From<bindery_store::StoreError> for Stop {
    fn from(error: bindery_store::StoreError) -> Self {
        Stop::Failure(error.into())
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Failure(failure)
    }
}

/// One run of the analysis.
pub(crate) struct Analyser<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) blobs: &'a Arc<Blobs>,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) mode: GateMode,
    /// Recompute everything, cache or not.
    pub(crate) distrust_cache: bool,
}

impl Analyser<'_> {
    /// Brings `old` up to date with the disk. `moved` is what the gate found out; none if it was not asked.
    pub(crate) fn run(
        &self,
        old: State,
        moved: Option<Moved>,
        report: &mut RunReport,
    ) -> Result<Analysis, Stop> {
        let clock = Timed::start(Phase::Scan);
        let (selection, moved) = self.select(&old, moved)?;
        let plan = Plan::new(self, &old, &selection, &moved)?;
        clock.end(report);
        self.repository.check_interrupt()?;
        let clock = Timed::start(Phase::Parse);
        let taken = self.take(&old, &plan.wanted, report);
        self.repository.check_interrupt()?;
        clock.end(report);
        let clock = Timed::start(Phase::Resolve);
        let analysis = self.resolve(old, selection, plan, taken, report)?;
        clock.end(report);
        Ok(analysis)
    }

    fn select(&self, old: &State, moved: Option<Moved>) -> Result<(Selection, Moved), Failure> {
        let repository = self.repository;
        let file_system = &*repository.file_system;
        let selector = self.selector()?;
        let rules = Some(repository.selection_digest());
        // The git index is no input of the gate: what it lists is asked anew.
        let is_tracked = repository.configuration.files == FileSet::Tracked;
        let Some(moved) = moved.filter(|moved| {
            !is_tracked && {
                old.known.selection_rules == rules
                    && !moved.ignore_files
                    && !old.known.selection.has_unreadable()
            }
        }) else {
            let selection = selector.select(file_system, &interest)?;
            return Ok((selection, Moved::default()));
        };
        let mut selection = old.known.selection.clone();
        for (index, stat) in &moved.files {
            if let Some(stat) = stat {
                selection.files[*index].stat = *stat;
            }
        }
        if !moved.directories.is_empty() {
            selection = selector.refresh(file_system, &interest, &selection, &moved.directories)?;
        }
        Ok((selection, moved))
    }

    fn selector(&self) -> Result<Selector, Failure> {
        let repository = self.repository;
        let configuration = &repository.configuration;
        let mut left_out = vec![crate::repository::WORK_DIRECTORY.as_bytes().to_vec()];
        left_out.extend(repository.handbook_in_root.as_ref().map(|path| path.clone().into_bytes()));
        if repository.options.work_dir.is_some() && !repository.work.base().is_empty() {
            left_out.push(repository.work.base().to_vec());
        }
        let tracked = match configuration.files {
            FileSet::All => None,
            FileSet::Tracked => {
                let git = repository
                    .git()
                    .ok_or_else(|| Failure::usage("`files = \"tracked\"` needs a git repository"))?;
                Some(git.tracked_paths(&repository.root)?.into_iter().collect())
            }
        };
        let rules = SelectRules {
            include: configuration.include.clone(),
            exclude: configuration.exclude.clone(),
            left_out,
            tracked,
        };
        Selector::new(&rules).map_err(Failure::findings)
    }

    fn take(&self, old: &State, wanted: &[Wanted], report: &mut RunReport) -> Vec<Taken> {
        let limits = self.repository.limits();
        let intake = Intake {
            file_system: &*self.repository.file_system,
            blobs: self.blobs,
            limits,
            cached: if self.distrust_cache { FxHashMap::default() } else { cached_facts(old, wanted.len()) },
            recheck_sample: self.repository.options.recheck_sample,
            differing: AtomicU64::new(0),
            worker: self.repository.worker(),
            work: &self.repository.work,
            jobs: self.repository.jobs(),
            interrupt: self.repository.interrupt.clone(),
            progress: self.progress,
        };
        let taken = intake.take(wanted);
        report.replaced_cache_entries += intake.differing.into_inner();
        taken
    }

    fn resolve(
        &self,
        old: State,
        selection: Selection,
        plan: Plan,
        taken: Vec<Taken>,
        report: &mut RunReport,
    ) -> Result<Analysis, Stop> {
        let old_files = old.files;
        let Absorbed { mut table, units, touched, inputs } = absorb(&plan, taken, &old_files, report);
        let anyone_asked = !old.needs.is_empty();
        let deltas = deltas(self.blobs, &old_files, &table.files, &touched, &units, anyone_asked)?;
        let changed: FxHashSet<u32> = touched.iter().copied().collect();
        let fresh_offers: Vec<(u64, u32)> = deltas.iter().flat_map(Delta::pairs).collect();
        let files = table.files.clone();
        let resolving = Arc::new(Snapshot::new(
            self.blobs.clone(),
            files,
            units,
            old.offers,
            changed.clone(),
            fresh_offers,
        ));
        let relinked = relink(&resolving, &deltas, &old.needs, &old.clashes)?;
        self.repository.check_interrupt()?;
        count_resolutions(report, &relinked, &table.files);
        let callers_changed = self.callers_changed(&old_files, &resolving, &relinked)?;
        let gone: FxHashSet<u32> = touched
            .iter()
            .copied()
            .filter(|slot| !table.files[*slot as usize].as_ref().is_some_and(FileRecord::is_scanned))
            .collect();
        let needs = patched_needs(&relinked.resolutions, &gone, &old.needs);
        drop(resolving);

        let resolved: FxHashSet<u32> = relinked.resolutions.iter().map(|(slot, _)| *slot).collect();
        self.store_resolutions(relinked.resolutions, &mut table.files);
        for (slot, fault) in relinked.faults {
            if let Some(file) = &mut table.files[slot as usize] {
                file.fault = Some(fault);
            }
        }
        let clashes_changed = relinked.clashes != old.clashes;
        let retired = retired(old.retired, &old_files, &table.files);
        let snapshot = Arc::new(Snapshot::new(
            self.blobs.clone(),
            table.files.clone(),
            Vec::new(),
            relinked.offers.clone(),
            FxHashSet::default(),
            Vec::new(),
        ));
        count_files(report, &table.files, &selection);
        let mut known = old.known;
        known.selection = selection;
        known.selection_rules = Some(self.repository.selection_digest());
        let state = State {
            known,
            files: table.files,
            retired,
            offers: relinked.offers,
            needs,
            clashes: relinked.clashes,
            build: old.build,
            sketches: old.sketches,
            structure: old.structure,
            pages: old.pages,
            exports: old.exports,
        };
        let faults = faults(&state.files);
        Ok(Analysis {
            snapshot,
            state,
            changed,
            resolved,
            callers_changed,
            causes: relinked.causes,
            clashes_changed,
            inputs,
            faults,
        })
    }

    /// The files into which an edge was gained, lost or changed.
    fn callers_changed(
        &self,
        old_files: &[Option<FileRecord>],
        snapshot: &Snapshot,
        relinked: &Relinked,
    ) -> Result<FxHashSet<RepoPath>, Lost> {
        let resolved: FxHashMap<u32, &Arc<Resolution>> =
            relinked.resolutions.iter().map(|(slot, resolution)| (*slot, resolution)).collect();
        let is_gone = |slot: u32| !snapshot.file(slot).is_some_and(FileRecord::is_scanned);
        let slots: Vec<(u32, &FileRecord)> = old_files
            .iter()
            .enumerate()
            .filter_map(|(slot, file)| Some((slot as u32, file.as_ref().filter(|file| file.is_scanned())?)))
            .filter(|(slot, _)| resolved.contains_key(slot) || is_gone(*slot))
            .collect();
        let changed: Vec<Vec<RepoPath>> = slots
            .into_par_iter()
            .map(|(slot, file)| {
                let before = Ends::new(
                    &self.blobs.facts(file).ok_or(Lost)?,
                    &self.blobs.resolution(file).ok_or(Lost)?,
                );
                let after = match resolved.get(&slot) {
                    Some(resolution) => Ends::new(&*snapshot.facts(slot)?, resolution),
                    None => Ends::default(),
                };
                Ok(before.differing(&after))
            })
            .collect::<Result<_, Lost>>()?;
        // A file that was not scanned before has no old edges: every file it calls gained a caller.
        let was_scanned = |slot: u32| {
            old_files.get(slot as usize).and_then(Option::as_ref).is_some_and(FileRecord::is_scanned)
        };
        let new = relinked.resolutions.iter().filter(|(slot, _)| !was_scanned(*slot));
        let gained = new.flat_map(|(_, resolution)| edges(resolution).map(|(_, symbol)| symbol.path.clone()));
        Ok(changed.into_iter().flatten().chain(gained).collect())
    }

    fn store_resolutions(&self, resolutions: Vec<(u32, Arc<Resolution>)>, files: &mut [Option<FileRecord>]) {
        let batches = Batches::new(self.blobs);
        resolutions.into_par_iter().for_each(|(slot, resolution)| {
            let blob = encode(&*resolution);
            batches.add(slot, vec![(ContentHash::of(&blob), blob)]);
        });
        for (slot, places) in batches.finish() {
            if let Some(FileRecord { status: Status::Scanned { resolution, .. }, .. }) =
                &mut files[slot as usize]
            {
                *resolution = places.first().copied();
            }
        }
    }
}

/// The files after what was read of them.
struct Absorbed {
    table: Table,
    /// What others see of the files this run has in hand.
    units: Vec<(u32, Arc<Unit>)>,
    /// The slots of everything that differs, gone files included, ascending.
    touched: Vec<u32>,
    inputs: BTreeMap<RepoPath, InputChange>,
}

/// Enters what was read into the table; a file that says the same as before stays as it is.
fn absorb(
    plan: &Plan,
    taken: Vec<Taken>,
    old_files: &[Option<FileRecord>],
    report: &mut RunReport,
) -> Absorbed {
    let mut table = Table::new(old_files.to_vec(), &plan.gone);
    let (mut units, mut touched, mut inputs) = (Vec::new(), plan.gone.clone(), BTreeMap::new());
    for (wanted, taken) in plan.wanted.iter().zip(taken) {
        report.files.read += u64::from(taken.content.is_some());
        count_facts(report, &taken);
        let slot = plan.slots.get(&wanted.path).copied();
        let before = slot.and_then(|slot| old_files[slot as usize].as_ref());
        let unit = taken.unit.clone();
        let record = taken.into_record(&wanted.path, before);
        if before.is_some_and(|before| before.is_same_as(&record)) {
            continue;
        }
        let change = if before.is_some() { InputChange::Changed } else { InputChange::Added };
        inputs.insert(record.path.clone(), change);
        let slot = table.set(slot, record);
        touched.push(slot);
        units.extend(unit.map(|unit| (slot, unit)));
    }
    let gone = plan.gone.iter().filter_map(|slot| old_files[*slot as usize].as_ref());
    inputs.extend(gone.map(|file| (file.path.clone(), InputChange::Removed)));
    touched.sort_unstable();
    touched.dedup();
    Absorbed { table, units, touched, inputs }
}

impl Taken {
    /// The record of a file that was read; who calls it is known from `before`.
    fn into_record(self, path: &RepoPath, before: Option<&FileRecord>) -> FileRecord {
        let fault = match &self.status {
            Status::Failed(detail) => Some(detail.clone()),
            _ => None,
        };
        FileRecord {
            path: path.clone(),
            kind: self.kind,
            content: self.content,
            status: self.status,
            first_error: self.first_error,
            callers: before.and_then(|before| before.callers),
            fault,
        }
    }
}

/// What each touched file did to the keys it offers.
fn deltas(
    blobs: &Blobs,
    old_files: &[Option<FileRecord>],
    files: &[Option<FileRecord>],
    touched: &[u32],
    units: &[(u32, Arc<Unit>)],
    anyone_asked: bool,
) -> Result<Vec<Delta>, Lost> {
    let fresh: FxHashMap<u32, &Arc<Unit>> = units.iter().map(|(slot, unit)| (*slot, unit)).collect();
    let delta = |slot: &u32| {
        let before = old_files.get(*slot as usize).and_then(Option::as_ref);
        let after = files[*slot as usize].as_ref();
        let before_unit = before.map(|file| load_unit(blobs, file)).transpose()?.flatten();
        let after_unit = match (fresh.get(slot), after) {
            (Some(unit), _) => Some((*unit).clone()),
            (None, Some(file)) => load_unit(blobs, file)?.map(Arc::new),
            (None, None) => None,
        };
        let path = after.or(before).map(|file| file.path.clone()).ok_or(Lost)?;
        Ok(Delta::new(*slot, path, before_unit.as_ref(), after_unit.as_deref(), anyone_asked))
    };
    touched.par_iter().map(delta).collect()
}

/// The edges of a file as the pages of its callees show them: callee and calling function, with counts.
#[derive(Default)]
struct Ends(BTreeMap<(Symbol, Name), usize>);

impl Ends {
    fn new(facts: &FileFacts, resolution: &Resolution) -> Self {
        let mut ends = BTreeMap::new();
        for (site, symbol) in edges(resolution) {
            let caller = facts.bodies.sites.get(site).and_then(|site| site.caller);
            let caller = caller.and_then(|caller| facts.summary.decls.get(caller.0 as usize));
            let caller = caller.map_or_else(Name::default, |decl| decl.qualname.clone());
            *ends.entry((symbol.clone(), caller)).or_default() += 1;
        }
        Self(ends)
    }

    /// The files whose functions are called otherwise in `other`.
    fn differing(&self, other: &Self) -> Vec<RepoPath> {
        let only = |a: &Self, b: &Self| {
            let differ = a.0.iter().filter(|(end, count)| b.0.get(*end) != Some(count));
            differ.map(|((symbol, _), _)| symbol.path.clone()).collect::<Vec<_>>()
        };
        let mut paths = only(self, other);
        paths.extend(only(other, self));
        paths
    }
}

/// What is to be read, and what is gone.
struct Plan {
    wanted: Vec<Wanted>,
    /// The slots of known files.
    slots: FxHashMap<RepoPath, u32>,
    /// Slots of files that are no longer selected.
    gone: Vec<u32>,
}

impl Plan {
    fn new(
        analyser: &Analyser<'_>,
        old: &State,
        selection: &Selection,
        moved: &Moved,
    ) -> Result<Self, Failure> {
        let selector = analyser.selector()?;
        let slots: FxHashMap<RepoPath, u32> = old
            .files
            .iter()
            .enumerate()
            .filter_map(|(slot, file)| Some((file.as_ref()?.path.clone(), slot as u32)))
            .collect();
        let before: FxHashMap<&RepoPath, &SelectedFile> =
            old.known.selection.files.iter().map(|file| (file.place.path(), file)).collect();
        let suspects: FxHashSet<&[u8]> = moved
            .files
            .iter()
            .map(|(index, _)| old.known.selection.files[*index].raw())
            .chain(old.known.smudged.iter().map(Vec::as_slice))
            .collect();
        let must_look = |file: &SelectedFile| {
            let Some(slot) = slots.get(file.place.path()) else { return true };
            old.files[*slot as usize].as_ref().is_some_and(FileRecord::is_provisional)
                || analyser.distrust_cache
                || analyser.mode == GateMode::HashEverything
                || suspects.contains(file.raw())
                || before
                    .get(file.place.path())
                    .is_none_or(|known| known.stat != file.stat || known.target != file.target)
        };
        let wanted = selection
            .files
            .iter()
            .filter(|file| must_look(file))
            .filter_map(|file| Wanted::new(file, &selector))
            .collect();
        let selected: FxHashSet<&RepoPath> = selection.files.iter().map(|file| file.place.path()).collect();
        let gone = slots.iter().filter(|(path, _)| !selected.contains(path)).map(|(_, slot)| *slot).collect();
        Ok(Self { wanted, slots, gone })
    }
}

impl Wanted {
    fn new(file: &SelectedFile, selector: &Selector) -> Option<Self> {
        let path = file.place.path();
        let by_first_line = file.interest == Interest::FirstLine;
        Some(Self {
            path: path.clone(),
            raw: file.raw().to_vec(),
            size: file.stat.size,
            kind: input_kind(path)?,
            by_first_line,
            is_included: selector.is_included(path),
        })
    }
}

/// What a path is to the build; a file to be judged by its first line is a source of any language.
fn input_kind(path: &RepoPath) -> Option<InputKind> {
    if let Some(entry) =
        registry().iter().find(|entry| entry.adapter.manifest_names().contains(&path.file_name()))
    {
        return Some(InputKind::Manifest(entry.adapter.language()));
    }
    if is_readme(path) {
        return Some(InputKind::Readme);
    }
    match path.extension() {
        Some(extension) => Language::from_extension(extension).map(|language| match for_language(language) {
            Some(_) => InputKind::Source(language),
            None => InputKind::OtherLanguage(language),
        }),
        None => registry().first().map(|entry| InputKind::Source(entry.adapter.language())),
    }
}

/// How much the build wants of a path.
pub(crate) fn interest(path: &RepoPath) -> Interest {
    match input_kind(path) {
        None => Interest::None,
        Some(InputKind::Manifest(_) | InputKind::Readme | InputKind::OtherLanguage(_)) => Interest::Input,
        Some(InputKind::Source(_)) if path.extension().is_some() => Interest::Source,
        Some(InputKind::Source(_)) => Interest::FirstLine,
    }
}

fn is_readme(path: &RepoPath) -> bool {
    let name = path.file_name();
    ["README", "README.md", "README.markdown", "README.txt", "README.rst"]
        .iter()
        .any(|readme| name.eq_ignore_ascii_case(readme))
}

/// The files by slot while they are brought up to date.
struct Table {
    files: Vec<Option<FileRecord>>,
    free: Vec<u32>,
}

impl Table {
    fn new(mut files: Vec<Option<FileRecord>>, gone: &[u32]) -> Self {
        for slot in gone {
            files[*slot as usize] = None;
        }
        // A slot that only now became free is not reused in the same run, so that a slot means one file.
        let free = (0..files.len() as u32)
            .rev()
            .filter(|slot| files[*slot as usize].is_none() && !gone.contains(slot))
            .collect();
        Self { files, free }
    }

    fn set(&mut self, slot: Option<u32>, record: FileRecord) -> u32 {
        let slot = slot.or_else(|| self.free.pop()).unwrap_or_else(|| {
            self.files.push(None);
            self.files.len() as u32 - 1
        });
        self.files[slot as usize] = Some(record);
        slot
    }
}

/// The facts that can be had without parsing, by cache key.
fn cached_facts(old: &State, wanted: usize) -> FxHashMap<ContentHash, Retired> {
    if wanted == 0 {
        return FxHashMap::default();
    }
    let live = old.files.iter().flatten().filter_map(as_retired);
    live.chain(old.retired.iter().cloned()).map(|retired| (retired.key, retired)).collect()
}

/// The facts of a scanned file under the key they were written with: an adapter that has changed since asks
/// for another one.
pub(crate) fn as_retired(file: &FileRecord) -> Option<Retired> {
    let (InputKind::Source(_), Status::Scanned { summary, rest, .. }) = (file.kind, &file.status) else {
        return None;
    };
    Some(Retired { key: summary.key(), summary: *summary, rest: *rest, first_error: file.first_error })
}

/// Facts no file has any more, newest first, up to a share of the live ones.
fn retired(old: Vec<Retired>, before: &[Option<FileRecord>], after: &[Option<FileRecord>]) -> Vec<Retired> {
    let replaced = before
        .iter()
        .enumerate()
        .filter(|(slot, file)| {
            after.get(*slot).and_then(Option::as_ref).map(|file| file.content)
                != file.as_ref().map(|file| file.content)
        })
        .filter_map(|(_, file)| as_retired(file.as_ref()?));
    let live = after.iter().flatten().count();
    let mut seen = FxHashSet::default();
    replaced.chain(old).filter(|retired| seen.insert(retired.key)).take(live / RETIRED_SHARE + 16).collect()
}

fn faults(files: &[Option<FileRecord>]) -> Vec<String> {
    let mut faults: Vec<String> = files
        .iter()
        .flatten()
        .filter_map(|file| Some(format!("`{}`: {}", file.path, file.fault.as_ref()?)))
        .collect();
    faults.sort_unstable();
    faults
}

fn count_facts(report: &mut RunReport, taken: &Taken) {
    let kind = match taken.kind {
        InputKind::Source(_) => QueryKind::Facts,
        InputKind::Manifest(_) => QueryKind::Manifest,
        InputKind::Readme | InputKind::OtherLanguage(_) => return,
    };
    let counts = report.queries.entry(kind).or_default();
    match (&taken.status, taken.from_cache) {
        (Status::Scanned { .. }, true) => counts.loaded += 1,
        (Status::Unreadable(_) | Status::LeftOut(_), _) => {}
        _ => counts.computed += 1,
    }
}

fn count_resolutions(report: &mut RunReport, relinked: &Relinked, files: &[Option<FileRecord>]) {
    let scanned = files.iter().flatten().filter(|file| file.is_scanned()).count() as u64;
    let computed = relinked.executed.len() as u64;
    let counts = report.queries.entry(QueryKind::Resolution).or_default();
    counts.computed += computed;
    counts.reused += scanned.saturating_sub(computed);
}

fn count_files(report: &mut RunReport, files: &[Option<FileRecord>], selection: &Selection) {
    let counts = &mut report.files;
    for file in files.iter().flatten() {
        if !matches!(file.kind, InputKind::Source(_) | InputKind::OtherLanguage(_)) {
            continue;
        }
        counts.selected += 1;
        match &file.status {
            Status::Scanned { .. } => {
                counts.scanned += 1;
                counts.partial += u64::from(file.first_error.is_some());
            }
            Status::Unparsable(_) | Status::Failed(_) => counts.unparsable += 1,
            Status::Unreadable(_) => counts.unreadable += 1,
            Status::Data(_) => {}
            Status::LeftOut(reason) => {
                counts.selected -= 1;
                if let Some(word) = reason.word() {
                    *counts.skipped.entry(word.to_owned()).or_default() += 1;
                }
            }
        }
    }
    for skipped in &selection.skipped {
        *counts.skipped.entry(skipped.reason.name().to_owned()).or_default() += 1;
    }
}

impl LeftOut {
    /// The word under which it is counted; none for a file that was never ours to read.
    pub(crate) fn word(self) -> Option<&'static str> {
        match self {
            Self::Generated => Some(SkipReason::Generated.name()),
            Self::Minified => Some(SkipReason::Minified.name()),
            Self::LfsPointer => Some(SkipReason::LfsPointer.name()),
            Self::LanguageNotAnalysed => Some("language-not-analysed"),
            Self::NoLanguage => None,
        }
    }
}

/// What resolutions, stages and pages are computed by; a state of another value keeps only its facts.
pub(crate) fn build_id() -> ContentHash {
    let mut key = KeyHasher::new("build");
    key.field("tool", crate::VERSION.as_bytes());
    key.field("format", &bindery_facts::FACT_FORMAT.to_le_bytes());
    for entry in registry() {
        key.field("language", entry.adapter.language().name().as_bytes());
        key.field("adapter", &entry.adapter.revision().to_le_bytes());
        key.field("grammar", entry.adapter.grammar_version().as_bytes());
        key.field("rules", &entry.rules.revision().to_le_bytes());
    }
    key.finish()
}
