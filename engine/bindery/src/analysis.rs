//! From the disk to resolved files: what changed, reading it, and re-resolving what the change reaches.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use bindery_artifacts::{FileCounts, FileSet, Phase, QueryKind, RunReport};
use bindery_graph::Unit;
use bindery_languages::{for_language, registry};
use bindery_source::{ContentHash, KeyHasher, Language, RepoPath};
use bindery_store::GateMode;
use bindery_store::select::{Interest, SelectRules, SelectedFile, Selection, Selector, SkipReason};
use bindery_store::workers::PATIENCE;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blobs::{Blobs, Lost};
use crate::files::Files;
use crate::intake::{Intake, Taken, Wanted};
use crate::known::Moved;
use crate::options::Progress;
use crate::outcome::Failure;
use crate::piece::Piece;
use crate::relink::{Cause, Delta, Relinked, patched, relink};
use crate::repository::Repository;
use crate::settle::Settling;
use crate::snapshot::{Snapshot, load_unit};
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
    /// Paths whose functions gained or lost callers, or show another one; each with a file whose calls did that,
    /// a changed one where there is one, then the first by path.
    pub(crate) callers_changed: FxHashMap<RepoPath, RepoPath>,
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
        self.blobs.check_lost()?;
        clock.end(report);
        self.repository.check_interrupt()?;
        let clock = Timed::start(Phase::Parse);
        if self.mode == GateMode::Stats {
            prepare_libraries(&plan.wanted);
        }
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
        // What the git index lists is asked anew: between this and the gate it may have changed.
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
            // All that a snapshot of git holds is tracked, whatever the ignore files say.
            FileSet::Tracked if repository.file_system.is_snapshot() => {
                Some(bindery_store::select::every_file(&*repository.file_system)?)
            }
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
            cached: (!self.distrust_cache).then(|| CachedFacts::new(old, self.blobs)),
            recheck_sample: self.repository.options.recheck_sample,
            differing: AtomicU64::new(0),
            worker: self.repository.worker(),
            patience: self.repository.options.patience.unwrap_or(PATIENCE),
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
        let blobs: &Blobs = self.blobs;
        let old_files = old.files;
        let Absorbed { mut files, units, touched, inputs, data_changed } =
            absorb(plan, taken, &old_files, blobs, report);
        let anyone_asked = !old.needs.is_empty();
        let deltas = deltas(blobs, &old_files, &files, &touched, &units, anyone_asked)?;
        let changed: FxHashSet<u32> = touched.iter().copied().collect();
        let fresh_offers: Vec<(u64, u32)> = deltas.iter().flat_map(Delta::pairs).collect();
        let resolving = Arc::new(Snapshot::new(
            self.blobs.clone(),
            files.clone(),
            units,
            old.offers,
            changed.clone(),
            fresh_offers,
        ));
        let mut settling = Settling::new(&old_files, &resolving, &inputs);
        settling.forget_gone(&touched)?;
        let relinked = relink(&resolving, &deltas, &old.needs, &old.clashes, &mut |resolutions| {
            self.repository.check_interrupt()?;
            Ok(settling.take(resolutions)?)
        })?;
        let settled = settling.finish();
        count_resolutions(report, &relinked, files.totals().scanned);
        let needs = patched(&old.needs, settled.needed, settled.needs, blobs);
        drop(resolving);

        for (slot, places) in settled.places {
            files.edit(slot, blobs, |file| {
                if let Status::Scanned { resolution, .. } = &mut file.status {
                    *resolution = places.first().copied();
                }
            });
        }
        for (slot, fault) in relinked.faults {
            files.edit(slot, blobs, |file| file.fault = Some(fault));
        }
        let clashes_changed = relinked.clashes != old.clashes;
        let retired = retired(old.retired, &old_files, &files, &touched, blobs);
        let snapshot = Arc::new(Snapshot::new(
            self.blobs.clone(),
            files.clone(),
            Vec::new(),
            relinked.offers.clone(),
            FxHashSet::default(),
            Vec::new(),
        ));
        count_files(report, files.totals(), &selection);
        let mut known = old.known;
        known.selection = selection;
        known.selection_rules = Some(self.repository.selection_digest());
        let state = State {
            known,
            files,
            retired,
            offers: relinked.offers,
            needs,
            clashes: relinked.clashes,
            build: old.build,
            sketches: old.sketches,
            about: old.about.filter(|_| !data_changed),
            structure: old.structure,
            commits: old.commits,
            models: old.models,
            prose: old.prose,
            pages: old.pages,
            exports: old.exports,
        };
        let faults = faults(&state.files, blobs);
        blobs.check_lost()?;
        Ok(Analysis {
            snapshot,
            state,
            changed,
            resolved: settled.resolved,
            callers_changed: settled.callers_changed,
            causes: relinked.causes,
            clashes_changed,
            inputs,
            faults,
        })
    }
}

/// The files after what was read of them.
struct Absorbed {
    files: Files,
    /// What others see of the files this run has in hand.
    units: Vec<(u32, Arc<Unit>)>,
    /// The slots of everything that differs, gone files included, ascending.
    touched: Vec<u32>,
    inputs: BTreeMap<RepoPath, InputChange>,
    /// Whether a manifest or README is among them.
    data_changed: bool,
}

/// Enters what was read into the table; a file that says the same as before stays as it is.
fn absorb(plan: Plan, taken: Vec<Taken>, old: &Files, blobs: &Blobs, report: &mut RunReport) -> Absorbed {
    let (mut records, mut fresh, mut inputs, mut data_changed) =
        (Vec::new(), Vec::new(), BTreeMap::new(), false);
    for (wanted, taken) in plan.wanted.iter().zip(taken) {
        report.files.read += u64::from(taken.content.is_some());
        count_facts(report, &taken);
        let before = old.slot(&wanted.path, blobs).and_then(|slot| old.get(slot, blobs));
        let unit = taken.unit.clone();
        let record = taken.into_record(&wanted.path, before);
        if before.is_some_and(|before| before.is_same_as(&record)) {
            continue;
        }
        let change = if before.is_some() { InputChange::Changed } else { InputChange::Added };
        inputs.insert(record.path.clone(), change);
        data_changed |= record.is_data() || before.is_some_and(FileRecord::is_data);
        records.push(record);
        fresh.push(unit);
    }
    for file in plan.gone.iter().filter_map(|slot| old.get(*slot, blobs)) {
        inputs.insert(file.path.clone(), InputChange::Removed);
        data_changed |= file.is_data();
    }
    let mut files = old.clone();
    let mut touched = files.update(&plan.gone, records, blobs);
    let units = touched.iter().zip(fresh).filter_map(|(slot, unit)| Some((*slot, unit?))).collect();
    touched.extend(&plan.gone);
    touched.sort_unstable();
    Absorbed { files, units, touched, inputs, data_changed }
}

/// Has the library data of the languages read while the files are, which have probably changed: that takes as long as
/// everything else for one of them (Java's: 9,000 lines, 8 ms).
fn prepare_libraries(wanted: &[Wanted]) {
    let language = |wanted: &Wanted| match wanted.kind {
        InputKind::Source(language) => Some(language),
        _ => None,
    };
    let languages: BTreeSet<Language> = wanted.iter().filter_map(language).collect();
    for entry in languages.into_iter().filter_map(for_language) {
        rayon::spawn(|| {
            entry.rules.library();
        });
    }
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
    old_files: &Files,
    files: &Files,
    touched: &[u32],
    units: &[(u32, Arc<Unit>)],
    anyone_asked: bool,
) -> Result<Vec<Delta>, Lost> {
    let fresh: FxHashMap<u32, &Arc<Unit>> = units.iter().map(|(slot, unit)| (*slot, unit)).collect();
    let delta = |slot: &u32| {
        let (before, after) = (old_files.get(*slot, blobs), files.get(*slot, blobs));
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

/// What is to be read, and what is gone.
struct Plan {
    wanted: Vec<Wanted>,
    /// Slots of files that are no longer selected.
    gone: Vec<u32>,
}

impl Plan {
    /// One pass over what was selected then and what is selected now, both sorted by place.
    fn new(
        analyser: &Analyser<'_>,
        old: &State,
        selection: &Selection,
        moved: &Moved,
    ) -> Result<Self, Failure> {
        let selector = analyser.selector()?;
        let blobs: &Blobs = analyser.blobs;
        let known = &old.known.selection.files;
        let suspects: FxHashSet<&[u8]> = (moved.files.iter().map(|(index, _)| known[*index].raw()))
            .chain(old.known.smudged.iter().map(Vec::as_slice))
            .collect();
        let provisional: FxHashSet<&RepoPath> = old.files.provisional(blobs).map(|file| &file.path).collect();
        // What a file's bytes make of it depends on the limits, and on whether it is asked for by name.
        let other_rules = old.known.selection_rules != Some(analyser.repository.selection_digest());
        let look_at_all = analyser.distrust_cache || other_rules || analyser.mode == GateMode::HashEverything;
        let (mut wanted, mut gone) = (Vec::new(), Vec::new());
        let mut before = known.iter().peekable();
        for file in &selection.files {
            while let Some(vanished) = before.next_if(|known| known.place < file.place) {
                gone.extend(old.files.slot(vanished.place.path(), blobs));
            }
            let known = before.next_if(|known| known.place == file.place);
            if look_at_all
                || known.is_none_or(|known| known.stat != file.stat || known.target != file.target)
                || suspects.contains(file.raw())
                || provisional.contains(file.place.path())
            {
                wanted.extend(Wanted::new(file, &selector));
            }
        }
        gone.extend(before.filter_map(|vanished| old.files.slot(vanished.place.path(), blobs)));
        gone.sort_unstable();
        Ok(Self { wanted, gone })
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

/// The facts that can be had without parsing.
pub(crate) struct CachedFacts<'a> {
    files: &'a Files,
    retired: FxHashMap<ContentHash, &'a Retired>,
    blobs: &'a Blobs,
}

impl<'a> CachedFacts<'a> {
    fn new(old: &'a State, blobs: &'a Blobs) -> Self {
        let retired = old.retired.get(blobs).iter().map(|retired| (retired.key, retired)).collect();
        Self { files: &old.files, retired, blobs }
    }

    /// The facts under a key.
    pub(crate) fn get(&self, key: ContentHash) -> Option<Retired> {
        self.retired
            .get(&key)
            .map(|retired| (*retired).clone())
            .or_else(|| self.files.with_facts(key, self.blobs))
    }
}

/// Facts no file has any more, newest first, up to a share of the live ones.
fn retired(
    old: Piece<Vec<Retired>>,
    before: &Files,
    after: &Files,
    touched: &[u32],
    blobs: &Blobs,
) -> Piece<Vec<Retired>> {
    let replaced: Vec<Retired> = touched
        .iter()
        .filter_map(|slot| {
            let file = before.get(*slot, blobs)?;
            let content = after.get(*slot, blobs).map(|file| file.content);
            file.as_retired().filter(|_| content != Some(file.content))
        })
        .collect();
    if replaced.is_empty() {
        return old;
    }
    let mut seen = FxHashSet::default();
    let all = replaced.into_iter().chain(old.get(blobs).iter().cloned());
    let most = after.count() / RETIRED_SHARE + 16;
    Piece::new(all.filter(|retired| seen.insert(retired.key)).take(most).collect())
}

fn faults(files: &Files, blobs: &Blobs) -> Vec<String> {
    let mut faults: Vec<String> = files
        .provisional(blobs)
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

fn count_resolutions(report: &mut RunReport, relinked: &Relinked, scanned: u64) {
    let computed = relinked.executed.len() as u64;
    let counts = report.queries.entry(QueryKind::Resolution).or_default();
    counts.computed += computed;
    counts.reused += scanned.saturating_sub(computed);
}

fn count_files(report: &mut RunReport, totals: &FileCounts, selection: &Selection) {
    let read = report.files.read;
    report.files = FileCounts { read, ..totals.clone() };
    let skipped = &mut report.files.skipped;
    skipped.retain(|_, count| *count > 0);
    for left_out in &selection.skipped {
        *skipped.entry(left_out.reason.name().to_owned()).or_default() += 1;
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
    let languages = registry().iter().map(|entry| entry.adapter.language().name());
    build_key(crate::VERSION, bindery_languages::ENGINE, languages)
}

/// The key of a build of the tool: its version, the digest of its sources and the languages that are compiled in.
pub(crate) fn build_key<'a>(
    tool: &str,
    engine: &str,
    languages: impl IntoIterator<Item = &'a str>,
) -> ContentHash {
    let mut key = KeyHasher::new("build");
    key.field("tool", tool.as_bytes()).field("engine", engine.as_bytes());
    for language in languages {
        key.field("language", language.as_bytes());
    }
    key.finish()
}
