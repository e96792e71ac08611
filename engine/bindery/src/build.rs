//! `build` and `check`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::write::artifact_text;
use bindery_artifacts::{ExportState, OutputCounts, Phase, QueryKind, Recomputed, RunRecord, Version, files};
use bindery_source::{ContentHash, KeyHasher, RepoPath};
use bindery_store::outputs::{Applied, KnownOutputs, OutputDir, OutputPlan, Planned};
use bindery_store::{Durability, Holder, WorkDir, found, read_file, write_atomically};
use rayon::prelude::*;

use crate::analysis::Stop;
use crate::blobs::Lost;
use crate::exports::exports;
use crate::narration::Missing;
use crate::options::Progress;
use crate::outcome::{BuildOutcome, CheckOutcome, Failure, OutputState, Staleness};
use crate::repository::Repository;
use crate::run::{Computed, Run, to_write};
use crate::staging::Staged;
use crate::timing::Timed;

impl Repository {
    /// Brings handbook and exports up to date.
    pub fn build(&self, progress: &dyn Progress) -> Result<BuildOutcome, Failure> {
        let total = Timed::start(Phase::Total);
        let work = WorkDir::open(self.work.clone()).map_err(|error| {
            Failure::machine(error).with_hint("`--work-dir` and `--out` choose other places to write to")
        })?;
        let _lock = work.lock(&Holder::this_process("bindery build"))?;
        let undone = self.undo_interrupted_plan()?;
        let mut outcome = self.build_under_lock(total, progress)?;
        outcome.warnings.splice(0..0, undone);
        if self.options.stage && self.configuration.out.is_none() {
            outcome
                .warnings
                .push("`bindery.toml` in git's index names no `out`, so nothing is staged".to_owned());
        }
        Ok(outcome)
    }

    fn build_under_lock(&self, total: Timed, progress: &dyn Progress) -> Result<BuildOutcome, Failure> {
        let (mut run, gate) = Run::open(self, progress, true);
        run.missing = Missing::AskedFor;
        if let Some(gate) = &gate
            && let Some(pages) = run.nothing_changed(gate)
        {
            run.report.pages.kept = pages;
            let staged = self.staged(&gate.known.wanted, &gate.known.staged)?.paths;
            total.end(&mut run.report);
            return Ok(BuildOutcome { staged, ..self.outcome(run, Vec::new(), Vec::new()) });
        }
        let (old, moved) = run.last_state(gate);
        let mut computed = run.compute(old, moved)?;
        self.check_interrupt()?;
        let differing = run.verification(&computed);
        run.report.replaced_cache_entries += differing.len() as u64;
        let (foreign, staged) = loop {
            match self.write(&mut run, &mut computed) {
                Ok(written) => break written,
                Err(Stop::Failure(failure)) => return Err(failure),
                // The cache lost something between reading and writing.
                Err(Stop::Lost) => computed = run.compute_anew()?,
            }
        };
        let mut faults = std::mem::take(&mut computed.analysis.faults);
        faults.extend(
            differing.first().map(|what| format!("the cache was wrong about the {what}; it was replaced")),
        );
        self.report_causes(&mut run, &computed);
        total.end(&mut run.report);
        Ok(BuildOutcome { staged, ..self.outcome(run, foreign, faults) })
    }

    fn staged(
        &self,
        wanted: &BTreeMap<RepoPath, ContentHash>,
        known: &KnownOutputs,
    ) -> Result<Staged, Failure> {
        if self.options.stage { self.stage(wanted, known) } else { Ok(Staged::default()) }
    }

    /// The foreign files that were kept, and the files that were staged.
    fn write(&self, run: &mut Run<'_>, computed: &mut Computed) -> Result<(Vec<String>, Vec<String>), Stop> {
        let clock = Timed::start(Phase::Write);
        let wanted = computed.wanted();
        let output = self.handbook_output();
        let known = computed.analysis.state.known.handbook.clone();
        let plan = output.plan(&self.handbook_request(&wanted, &known).as_request())?;
        let bytes = page_bytes(run, computed, &plan)?;
        let applied = apply(&output, &plan, &bytes)?;
        run.report.pages = counts(&plan, &applied);
        let rendered = computed.handbook.recomputed.len() as u64;
        let pages = run.report.queries.entry(QueryKind::Page).or_default();
        pages.computed = rendered;
        pages.reused = computed.handbook.records.len() as u64 - rendered;
        let foreign = plan.foreign().map(|path| output.directory().shown(path.as_str().as_bytes())).collect();
        let staged = self.staged(&wanted, &computed.analysis.state.known.staged)?;
        clock.end(&mut run.report);
        let state = &mut computed.analysis.state;
        state.known.wanted = wanted;
        state.known.staged = staged.held;
        state.known.handbook = applied.on_disk;
        state.models = computed.handbook.models.clone();
        state.prose = computed.narration.digests.clone();
        state.pages = computed.handbook.records.clone();
        let clock = Timed::start(Phase::Export);
        let exported = self.write_exports(run, computed)?;
        clock.end(&mut run.report);
        let clock = Timed::start(Phase::Write);
        self.write_run_record(run, computed, exported)?;
        run.commit(std::mem::take(&mut computed.analysis.state));
        clock.end(&mut run.report);
        Ok((foreign, staged.paths))
    }

    /// Writes the phase artifacts unless they already show this.
    fn write_exports(&self, run: &mut Run<'_>, computed: &mut Computed) -> Result<ExportState, Stop> {
        let state = &computed.analysis.state;
        if !self.exports_wanted() {
            return Ok(if state.exports.is_some() { ExportState::Stale } else { ExportState::None });
        }
        let digest = export_digest(run, computed);
        let output = self.export_output();
        let known = state.known.exports.clone();
        if state.exports == Some(digest) {
            let wanted = &state.known.wanted_exports;
            let plan = output.plan(&self.handbook_request(wanted, &known).as_request())?;
            if plan.is_current() {
                run.report.artifacts.kept = wanted.len() as u64;
                computed.analysis.state.known.exports = plan.kept;
                return Ok(ExportState::Current);
            }
        }
        let strategy = self.configuration.strategy;
        let bytes = exports(&computed.presenter(run), strategy, &run.date.1)?;
        let wanted = bytes.par_iter().map(|(path, bytes)| (path.clone(), ContentHash::of(bytes))).collect();
        let plan = output.plan(&self.handbook_request(&wanted, &known).as_request())?;
        let applied = apply(&output, &plan, &bytes)?;
        run.report.artifacts = counts(&plan, &applied);
        computed.analysis.state.known.wanted_exports = wanted;
        computed.analysis.state.known.exports = applied.on_disk;
        computed.analysis.state.exports = Some(digest);
        Ok(ExportState::Current)
    }

    fn write_run_record(
        &self,
        run: &Run<'_>,
        computed: &Computed,
        artifacts: ExportState,
    ) -> Result<(), Failure> {
        let record = RunRecord {
            version: Version,
            tool: crate::VERSION.to_owned(),
            commit: self.git().and_then(|git| git.head_id()),
            finished_at: crate::run::instant(bindery_store::unix_time()),
            artifacts,
            stamp: Some(computed.handbook.stamp.clone()),
        };
        let _ = run;
        let (file_system, path) = (self.work.file_system(), self.work.path(files::RUN.as_bytes()));
        Ok(write_atomically(file_system, &path, &artifact_text(&record), Durability::Renamed)?)
    }

    fn report_causes(&self, run: &mut Run<'_>, computed: &Computed) {
        let causes = computed.analysis.causes.iter().map(|(path, cause)| Recomputed {
            query: QueryKind::Resolution,
            unit: path.to_string(),
            reason: cause.reason,
            because_of: cause.because_of.as_ref().map(|(path, key)| format!("{path}: {key}")),
        });
        run.report.recomputed = causes.chain(computed.handbook.recomputed.iter().cloned()).collect();
        run.report.recomputed.sort_unstable();
    }

    fn outcome(&self, run: Run<'_>, foreign: Vec<String>, faults: Vec<String>) -> BuildOutcome {
        BuildOutcome {
            warnings: run.blobs.store().take_warning().iter().map(ToString::to_string).collect(),
            report: run.report,
            handbook: self.handbook.shown(b""),
            foreign,
            staged: Vec::new(),
            faults,
        }
    }

    /// Compares the handbook with what a build would write, and writes no output.
    pub fn check(&self, with_diff: bool, progress: &dyn Progress) -> Result<CheckOutcome, Failure> {
        let may_write = self.prepare_cache();
        let (mut run, gate) = Run::open(self, progress, may_write);
        if gate.as_ref().and_then(|gate| run.nothing_changed(gate)).is_some() {
            return Ok(CheckOutcome {
                written_by: None,
                stale: Vec::new(),
                faults: Vec::new(),
                warnings: Vec::new(),
            });
        }
        let (old, moved) = run.last_state(gate);
        let mut computed = run.compute(old, moved)?;
        let (plan, stale) = self.staleness(&run, &computed, with_diff)?;
        // A handbook that is as it should be needs no build to remember what was worked out. Where something is
        // stale the last build's state stays, so that `why` and the next build can say what came of it.
        if plan.is_current() {
            let wanted = computed.wanted();
            let state = &mut computed.analysis.state;
            state.known.handbook = plan.kept;
            state.known.wanted = wanted;
            state.models = computed.handbook.models.clone();
            state.prose = computed.narration.digests.clone();
            state.pages = computed.handbook.records.clone();
            run.commit(std::mem::take(state));
        }
        Ok(CheckOutcome {
            written_by: plan.written_by.filter(|version| version != crate::VERSION),
            stale,
            faults: std::mem::take(&mut computed.analysis.faults),
            warnings: run.blobs.store().take_warning().iter().map(ToString::to_string).collect(),
        })
    }

    /// Makes the work directory for a command that writes no output, so that it can keep what it worked out.
    /// Whether that can be written.
    pub(crate) fn prepare_cache(&self) -> bool {
        let Ok(work) = WorkDir::open(self.work.clone()) else { return false };
        self.undo_if_nobody_applies(&work);
        true
    }

    /// How the handbook on disk differs from what was worked out.
    pub(crate) fn staleness(
        &self,
        run: &Run<'_>,
        computed: &Computed,
        with_diff: bool,
    ) -> Result<(OutputPlan, Vec<Staleness>), Failure> {
        let wanted = computed.wanted();
        let output = self.handbook_output();
        let plan = output
            .plan(&self.handbook_request(&wanted, &computed.analysis.state.known.handbook).as_request())?;
        let mut stale = Vec::new();
        for (path, planned) in &plan.files {
            let state = match planned {
                Planned::Keep | Planned::Foreign => continue,
                Planned::Create => OutputState::Missing,
                Planned::Replace => OutputState::Outdated,
                Planned::Remove => OutputState::Leftover,
                Planned::ForeignInTheWay => OutputState::Foreign,
            };
            let diff = if with_diff { self.diff(run, computed, path)? } else { None };
            stale.push(Staleness { path: output.directory().shown(path.as_str().as_bytes()), state, diff });
        }
        if plan.manifest_differs && stale.is_empty() {
            let path = output.directory().shown(bindery_store::outputs::MANIFEST_NAME.as_bytes());
            stale.push(Staleness { path, state: OutputState::Outdated, diff: None });
        }
        Ok((plan, stale))
    }

    fn diff(&self, run: &Run<'_>, computed: &Computed, path: &RepoPath) -> Result<Option<String>, Failure> {
        let file_system = self.handbook.file_system();
        let raw = self.handbook.path(path.as_str().as_bytes());
        let there = found(read_file(file_system, &raw))?.map_or(Vec::new(), |read| read.bytes);
        let should_be = match computed.handbook.records.contains_key(path) {
            true => page(run, computed, path).map_err(|_| Failure::cache_lost())?.into_owned(),
            false => Vec::new(),
        };
        let (Ok(old), Ok(new)) = (String::from_utf8(there), String::from_utf8(should_be)) else {
            return Ok(None);
        };
        let diff = similar::TextDiff::from_lines(&old, &new);
        let text = diff.unified_diff().header(&format!("a/{path}"), &format!("b/{path}")).to_string();
        Ok(Some(text))
    }
}

/// The text of one page, from this run or rendered again.
fn page<'a>(run: &Run<'_>, computed: &'a Computed, path: &RepoPath) -> Result<Cow<'a, [u8]>, Lost> {
    let handbook = &computed.handbook;
    match handbook.stamped.get(path).or_else(|| handbook.rendered.get(path)) {
        Some(bytes) => Ok(Cow::Borrowed(bytes)),
        None => computed.presenter(run).page(path, &handbook.stamp).map(Cow::Owned),
    }
}

/// The texts of all pages that are to be written.
fn page_bytes(
    run: &Run<'_>,
    computed: &Computed,
    plan: &OutputPlan,
) -> Result<BTreeMap<RepoPath, Vec<u8>>, Lost> {
    let paths: BTreeSet<RepoPath> = to_write(plan).into_iter().collect();
    paths.into_iter().map(|path| Ok((path.clone(), page(run, computed, &path)?.into_owned()))).collect()
}

fn apply(
    output: &OutputDir,
    plan: &OutputPlan,
    bytes: &BTreeMap<RepoPath, Vec<u8>>,
) -> Result<Applied, Failure> {
    let contents =
        |path: &RepoPath| bytes.get(path).map_or(Cow::Borrowed(&[][..]), |bytes| Cow::Borrowed(&bytes[..]));
    Ok(output.apply(plan, &contents)?)
}

fn counts(plan: &OutputPlan, applied: &Applied) -> OutputCounts {
    OutputCounts {
        written: applied.written.len() as u64,
        kept: plan.with(Planned::Keep).count() as u64,
        removed: applied.removed.len() as u64,
    }
}

/// Changes with everything the phase artifacts are made from.
fn export_digest(run: &Run<'_>, computed: &Computed) -> ContentHash {
    let mut key = KeyHasher::new("exports");
    key.field("circumstances", &run.circumstances().0).field("date", run.date.1.as_bytes());
    key.field("structure", &ContentHash::of(&computed.structure.encode()).0);
    for (page, prose) in &computed.narration.digests {
        key.field("prose of", page.as_bytes()).field("prose", &prose.0);
    }
    let mut files: Vec<_> = computed.analysis.state.files.iter(&run.blobs).map(|(_, file)| file).collect();
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    for file in files {
        key.field("file", file.path.as_str().as_bytes());
        key.field("content", &file.content.map_or([0; 32], |content| content.0));
        key.field("status", file.status.for_digest().as_bytes());
        for blob in file.blobs() {
            key.field("blob", &blob.key().0);
        }
    }
    key.finish()
}
