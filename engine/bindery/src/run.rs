//! One run from gate to outputs, shared by `build`, `check`, `status` and `why`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bindery_artifacts::read::Located;
use bindery_artifacts::{ArtifactExport, FileCounts, FileSet, Phase, QueryKind, RunReport, Skeleton, files};
use bindery_source::{ContentHash, KeyHasher, RepoPath};
use bindery_store::outputs::{OutputDir, OutputPlan, OutputRequest, Ownership, Planned};
use bindery_store::{Commit, ContentStore, Durability, GateMode, HeadVersion, RacyStamp, found, read_file};
use rustc_hash::FxHashSet;

use crate::analysis::{Analyser, Analysis, Stop, build_id};
use crate::blobs::{Blob, Blobs, Lost};
use crate::digest::digest;
use crate::formats::LinkTemplates;
use crate::history::History;
use crate::identity::Ids;
use crate::known::{Moved, OtherInput};
use crate::narration::{Missing, Narration, kept_digest};
use crate::options::Progress;
use crate::outcome::Failure;
use crate::piece::Piece;
use crate::present::{Handbook, Presenter, sketches};
use crate::readme::About;
use crate::repository::Repository;
use crate::state::{FileRecord, Gate, Retired, State};
use crate::structure::{Replaced, Structure, Surroundings};
use crate::timing::Timed;
use crate::user_configuration::Wish;

/// The store of one run.
pub(crate) struct Run<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) blobs: Arc<Blobs>,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) report: RunReport,
    pub(crate) date: (Option<String>, String),
    /// What is done about prose that is not there.
    pub(crate) missing: Missing,
    /// What the gate found out when it did not hold, so that the disk is asked once.
    moved: Option<Moved>,
    /// With `--verify`: the state whose every entry is worked out again.
    verified: Option<State>,
    /// The cache lost something before.
    starts_over: bool,
    head: HeadVersion,
    stamp: RacyStamp,
    mode: GateMode,
    /// With `files = "tracked"`: the digest of the git index.
    index: Option<ContentHash>,
}

/// Everything a run worked out, before anything is written.
pub(crate) struct Computed {
    pub(crate) analysis: Analysis,
    pub(crate) structure: Structure,
    pub(crate) handbook: Handbook,
    pub(crate) narration: Narration,
    pub(crate) links: LinkTemplates,
    /// The stages whose pages are written; none for everything.
    chosen: Option<BTreeSet<u32>>,
    pub(crate) history: History,
}

impl Computed {
    pub(crate) fn presenter<'a>(&'a self, run: &'a Run<'_>) -> Presenter<'a> {
        let repository = run.repository;
        repository.presenter(
            &self.analysis,
            &run.blobs,
            &self.structure,
            &self.narration,
            &self.links,
            &self.history,
        )
    }

    /// The hash of every file of the handbook as it should be.
    pub(crate) fn wanted(&self) -> BTreeMap<RepoPath, ContentHash> {
        let is_chosen = |page: &RepoPath| match &self.chosen {
            Some(chosen) => self.handbook.stages.get(page).is_some_and(|stage| chosen.contains(stage)),
            None => true,
        };
        let hash = |(page, record): (&RepoPath, &crate::state::PageRecord)| {
            let bytes = self.handbook.stamped.get(page).map_or(record.bytes, |bytes| ContentHash::of(bytes));
            (page.clone(), bytes)
        };
        self.handbook.records.iter().filter(|(page, _)| is_chosen(page)).map(hash).collect()
    }
}

/// The stages of an id each, if only some are asked for.
fn chosen_stages(ids: &[String], structure: &Structure) -> Result<Option<BTreeSet<u32>>, Failure> {
    if ids.is_empty() {
        return Ok(None);
    }
    let stages = structure.skeleton.stages.iter().map(|stage| stage.id.as_str());
    let numbers: BTreeMap<&str, u32> = stages.zip(0..).collect();
    let number = |id: &String| {
        numbers.get(id.as_str()).copied().ok_or_else(|| {
            let known: Vec<&str> = numbers.keys().copied().collect();
            Failure::usage(format!("there is no stage `{id}`"))
                .with_hint(format!("there are `{}`", known.join("`, `")))
        })
    };
    ids.iter().map(number).collect::<Result<_, _>>().map(Some)
}

impl<'a> Run<'a> {
    /// Opens the store. `may_write`: whether a time stamp may be taken by creating a file.
    pub(crate) fn open(
        repository: &'a Repository,
        progress: &'a dyn Progress,
        may_write: bool,
    ) -> (Self, Option<Gate>) {
        let clock = Timed::start(Phase::State);
        let store = ContentStore::open(&repository.work, repository.durability());
        let (bytes, head) = store.read_state();
        let stamp = match may_write {
            true => RacyStamp::take(&repository.work, &repository.stamped_directory()),
            false => RacyStamp::distrust_everything(),
        };
        let options = &repository.options;
        let hash_everything = options.hash_everything
            || options.verify
            || repository.environment.ci && !repository.file_system.is_snapshot()
            || stamp == RacyStamp::distrust_everything();
        let mode = if hash_everything { GateMode::HashEverything } else { GateMode::Stats };
        let mut report = RunReport::empty(crate::VERSION);
        clock.end(&mut report);
        let blobs = Arc::new(Blobs::new(store));
        let date = (None, String::new());
        (
            Self {
                repository,
                blobs,
                progress,
                report,
                date,
                missing: Missing::FromPages,
                moved: None,
                verified: None,
                starts_over: false,
                head,
                stamp,
                mode,
                index: repository.index_digest(),
            },
            bytes.and_then(Gate::decode),
        )
    }

    /// The state as far as this build can use it, and what moved since; nothing moved is the gate.
    pub(crate) fn last_state(&mut self, gate: Option<Gate>) -> (State, Option<Moved>) {
        let clock = Timed::start(Phase::Scan);
        let state = gate.and_then(Gate::state);
        self.date = self.repository.date(state.as_ref().map(|state| &state.known.date));
        let look = |state: &State| state.known.moved(&*self.repository.file_system, self.mode);
        let moved = self.moved.take().or_else(|| state.as_ref().map(look));
        clock.end(&mut self.report);
        let state = state.unwrap_or_default();
        if self.repository.options.verify {
            self.verified = Some(state).filter(|state| state.build == Some(build_id()));
            return (State::default(), None);
        }
        match state.build == Some(build_id()) {
            true => (state, moved),
            false => (facts_only(&state, &self.blobs), None),
        }
    }

    /// Whether nothing at all is to be done, by stats alone.
    pub(crate) fn nothing_changed(&mut self, gate: &Gate) -> Option<u64> {
        let clock = Timed::start(Phase::Scan);
        let pages = self.pages_if_nothing_changed(gate);
        clock.end(&mut self.report);
        pages
    }

    fn pages_if_nothing_changed(&mut self, gate: &Gate) -> Option<u64> {
        let known = &gate.known;
        if gate.build != Some(build_id())
            || self.mode == GateMode::HashEverything
            || known.index != self.index
            || known.head != self.repository.history_head()
        {
            return None;
        }
        self.date = self.repository.date(Some(&known.date));
        if known.circumstances != Some(self.circumstances()) || self.date != known.date {
            return None;
        }
        let looks_for_prose = known.lacks_prose || self.repository.options.prune_prose;
        if looks_for_prose && self.missing == Missing::AskedFor {
            return None;
        }
        if known.is_provisional || !known.smudged.is_empty() || known.handbook.len() < known.wanted.len() {
            return None;
        }
        let moved = known.moved(&*self.repository.file_system, self.mode);
        if !moved.is_empty() {
            self.moved = Some(moved);
            return None;
        }
        let request = self.repository.handbook_request(&known.wanted, &known.handbook);
        let plan = self.repository.handbook_output().plan(&request.as_request()).ok()?;
        if !plan.is_current() {
            return None;
        }
        if self.repository.exports_wanted() {
            let wanted = &known.wanted_exports;
            if wanted.is_empty() || known.exports.len() < wanted.len() {
                return None;
            }
            let request = self.repository.handbook_request(wanted, &known.exports);
            let plan = self.repository.export_output().plan(&request.as_request()).ok()?;
            if !plan.is_current() {
                return None;
            }
        }
        self.report.files = FileCounts { read: 0, ..known.counts.clone() };
        Some(known.wanted.len() as u64)
    }

    /// Works everything out; starts over with an empty state if the cache lost something.
    pub(crate) fn compute(&mut self, old: State, moved: Option<Moved>) -> Result<Computed, Failure> {
        match self.attempt(old, moved) {
            Ok(computed) => Ok(computed),
            Err(Stop::Failure(failure)) => Err(failure),
            Err(Stop::Lost) => self.compute_anew(),
        }
    }

    /// Works everything out from the sources alone, because the cache lost something. The first time what is
    /// found goes to the cache, which may have been damaged; whoever loses that too has somebody who removes the
    /// cache while it is used, and from then on memory must do.
    pub(crate) fn compute_anew(&mut self) -> Result<Computed, Failure> {
        loop {
            if std::mem::replace(&mut self.starts_over, true) {
                if self.blobs.are_in_memory() {
                    return Err(Failure::cache_lost());
                }
                self.blobs.keep_in_memory();
            }
            self.blobs.start_over();
            match self.attempt(State::default(), None) {
                Ok(computed) => return Ok(computed),
                Err(Stop::Failure(failure)) => return Err(failure),
                Err(Stop::Lost) => {}
            }
        }
    }

    fn attempt(&mut self, old: State, moved: Option<Moved>) -> Result<Computed, Stop> {
        let repository = self.repository;
        let skeleton = repository.committed_skeleton()?;
        let old_structure = Structure::decode(old.structure.get(&self.blobs));
        let analyser = Analyser {
            repository,
            blobs: &self.blobs,
            progress: self.progress,
            mode: self.mode,
            distrust_cache: repository.options.verify,
        };
        let mut analysis = analyser.run(old, moved, &mut self.report)?;
        repository.check_interrupt()?;
        let clock = Timed::start(Phase::Derive);
        let sketches_changed = digest(&mut analysis, &self.blobs)?;
        let about = match analysis.state.about.take() {
            Some(about) => about,
            None => About::read(&self.blobs, &analysis.state.files)?,
        };
        let links = repository.link_templates();
        let surroundings = Surroundings {
            name: about.name(repository.configuration.name.as_deref()),
            readme: about.paragraph.as_deref(),
            titles: &about.titles,
            committed: skeleton.as_ref(),
            configuration: &repository.configuration,
            link_template: &links.below(""),
        };
        let (structure, replaced) =
            self.structure(&analysis, sketches_changed, old_structure, &surroundings)?;
        let narration = self.narrate(&analysis, &structure, &about)?;
        analysis.state.known.lacks_prose = narration.lacks_prose;
        analysis.state.about = Some(about);
        clock.end(&mut self.report);
        repository.check_interrupt()?;
        let clock = Timed::start(Phase::Render);
        let history = self.history(&mut analysis.state, &structure);
        let presenter =
            repository.presenter(&analysis, &self.blobs, &structure, &narration, &links, &history);
        let (handbook, beside) = (presenter.present(&replaced)?, presenter.beside_all());
        analysis.state.known.beside = Some(beside);
        if !matches!(replaced, Replaced::Nothing) {
            analysis.state.structure = Piece::new(structure.encode());
        }
        clock.end(&mut self.report);
        self.blobs.check_lost()?;
        let chosen = chosen_stages(&repository.options.stages, &structure)?;
        Ok(Computed { analysis, structure, handbook, narration, links, chosen, history })
    }

    /// What git's history says; the state remembers what was read of it.
    fn history(&self, state: &mut State, structure: &Structure) -> History {
        let head = self.repository.history_head();
        let before = state.commits.get(&self.blobs);
        if before.head != head {
            let commits = self.repository.commits(head.clone(), before);
            state.commits = Piece::new(commits);
        }
        state.known.head = head;
        History::new(state.commits.get(&self.blobs), structure)
    }

    /// The stages: those of the last run if nothing they are computed from changed.
    fn structure(
        &mut self,
        analysis: &Analysis,
        sketches_changed: bool,
        old: Option<Structure>,
        surroundings: &Surroundings<'_>,
    ) -> Result<(Structure, Replaced), Lost> {
        let surroundings_digest = surroundings.digest();
        let is_current = |old: &Structure| {
            old.surroundings == surroundings_digest && !sketches_changed && !analysis.clashes_changed
        };
        let (structure, replaced) = match old {
            Some(old) if is_current(&old) => (old, Replaced::Nothing),
            old => {
                let ids = Ids { clashes: &analysis.state.clashes };
                let new = Structure::compute(
                    surroundings_digest,
                    &sketches(analysis, &self.blobs)?,
                    surroundings,
                    &ids,
                );
                (new, old.map_or(Replaced::Missing, |old| Replaced::Old(Box::new(old))))
            }
        };
        for kind in
            [QueryKind::Skeleton, QueryKind::Assignment, QueryKind::Organization, QueryKind::Registers]
        {
            let counts = self.report.queries.entry(kind).or_default();
            match replaced {
                Replaced::Nothing => counts.reused += 1,
                Replaced::Old(_) | Replaced::Missing => counts.computed += 1,
            }
        }
        Ok((structure, replaced))
    }

    /// With `--verify`: the entries of the state that are not what was worked out without it. Facts are
    /// compared wherever the content is the same; what follows from several files only if all of them are.
    pub(crate) fn verification(&self, computed: &Computed) -> Vec<String> {
        let Some(old) = &self.verified else { return Vec::new() };
        let new = &computed.analysis.state;
        let before: BTreeMap<&RepoPath, &FileRecord> =
            old.files.iter(&self.blobs).map(|(_, file)| (&file.path, file)).collect();
        let after: BTreeMap<&RepoPath, &FileRecord> =
            new.files.iter(&self.blobs).map(|(_, file)| (&file.path, file)).collect();
        let unchanged = before.len() == after.len()
            && before
                .iter()
                .all(|(path, file)| after.get(path).is_some_and(|other| other.content == file.content));
        let same_rules = old.known.selection_rules == new.known.selection_rules;
        // What the cache lost meanwhile it did not get wrong.
        let differs = |a: Option<Blob>, b: Option<Blob>| match (a, b) {
            (Some(a), Some(b)) => {
                let (a, b) = (self.blobs.read(&a), self.blobs.read(&b));
                a.is_some() && b.is_some() && a != b
            }
            (None, None) => false,
            _ => same_rules,
        };
        let mut differing = Vec::new();
        for (path, file) in &before {
            let Some(other) = after.get(path).filter(|other| other.content == file.content) else { continue };
            let (facts, resolution) = (file.facts_blobs(), file.resolution_blob());
            let other_facts = other.facts_blobs();
            if differs(facts.0, other_facts.0) || differs(facts.1, other_facts.1) {
                differing.push(format!("facts of `{path}`"));
            } else if unchanged && differs(resolution, other.resolution_blob()) {
                differing.push(format!("resolution of `{path}`"));
            }
        }
        if unchanged && old.known.circumstances == Some(self.circumstances()) {
            let pages = old
                .pages
                .iter()
                .filter(|(page, record)| computed.handbook.records.get(*page) != Some(record));
            differing.extend(pages.map(|(page, _)| format!("page `{page}`")));
        }
        differing
    }

    /// What must be equal for the gate to say that nothing changed.
    pub(crate) fn circumstances(&self) -> ContentHash {
        let repository = self.repository;
        let mut key = KeyHasher::new("circumstances");
        let configuration = serde_json::to_vec(&repository.configuration)
            .expect("a configuration that was read can be written");
        key.field("configuration", &configuration)
            .field("work", repository.work.shown(b"").as_bytes())
            .field("handbook", repository.handbook.shown(b"").as_bytes())
            .field("selection", &repository.selection_digest().0)
            .field("stages", repository.options.stages.join(",").as_bytes())
            .field("exports", &[u8::from(repository.exports_wanted())]);
        if let Wish::Model(_) = repository.wish {
            let asked = repository.wish.asked_model(&repository.options).unwrap_or_default();
            key.field("prose", &kept_digest(repository).0).field("asked model", asked.as_bytes());
        }
        key.finish()
    }

    /// Makes the new state the current one. Never fails: a state that cannot be written costs time.
    pub(crate) fn commit(&mut self, mut state: State) {
        state.build = Some(build_id());
        state.known.circumstances = Some(self.circumstances());
        state.known.index = self.index;
        state.known.date = self.date.clone();
        state.known.counts = self.report.files.clone();
        state.known.is_provisional = state.known.selection.has_unreadable() || state.files.is_provisional();
        state.known.others = self.repository.other_inputs();
        let is_handbook_settled = self.repository.handbook.file_system().is_snapshot();
        state.known.smudge(self.stamp, self.repository.file_system.is_snapshot(), is_handbook_settled);
        let blobs = &*self.blobs;
        let Some(moved) = blobs.flush() else { return };
        state.relocate(&moved, &BTreeSet::from([Blob::IN_MEMORY]), blobs);
        let mut emptied = BTreeSet::new();
        let compacted = blobs.store().compact(&state.used(blobs), |segments| {
            emptied.clone_from(segments);
            state.blobs_in(segments, blobs).iter().map(|blob| (blob.key(), blob.place())).collect()
        });
        if let Some(places) = compacted {
            let moved = places.into_iter().map(|(key, from, to)| (Blob::at(from, key), Blob::at(to, key)));
            state.relocate(&moved.collect(), &emptied, blobs);
        }
        if !state.write_pieces(blobs) || blobs.check_lost().is_err() {
            return;
        }
        let Some(bytes) = state.encode(blobs) else { return };
        let segments: Vec<u64> = state.used(blobs).into_keys().collect();
        if let Commit::Done(head) = blobs.store().commit(self.head, &bytes, &segments) {
            self.head = head;
        }
    }
}

/// A state of which only the facts can be used.
fn facts_only(state: &State, blobs: &Blobs) -> State {
    let live = state.files.iter(blobs).filter_map(|(_, file)| file.as_retired());
    let retired: Vec<Retired> = live.chain(state.retired.get(blobs).iter().cloned()).collect();
    State { retired: Piece::new(retired), ..State::default() }
}

/// An [`OutputRequest`] with what it borrows.
pub(crate) struct Request<'a> {
    wanted: &'a BTreeMap<RepoPath, ContentHash>,
    known: &'a bindery_store::outputs::KnownOutputs,
    overwrite: BTreeSet<RepoPath>,
}

impl Request<'_> {
    pub(crate) fn as_request(&self) -> OutputRequest<'_> {
        OutputRequest {
            desired: self.wanted,
            known: self.known,
            overwrite: &self.overwrite,
            version: crate::VERSION,
        }
    }
}

/// The planned files whose bytes will be asked for.
pub(crate) fn to_write(plan: &OutputPlan) -> FxHashSet<RepoPath> {
    plan.files
        .iter()
        .filter(|(_, planned)| matches!(planned, Planned::Create | Planned::Replace))
        .map(|(path, _)| path.clone())
        .collect()
}

impl Repository {
    pub(crate) fn durability(&self) -> Durability {
        if self.options.durable { Durability::Synced } else { Durability::Renamed }
    }

    /// The directory whose clock stamps the inputs; where those have no clock, what is written.
    fn stamped_directory(&self) -> bindery_store::Directory {
        match self.file_system.is_snapshot() {
            true => self.work.clone(),
            false => bindery_store::Directory::new(self.file_system.clone(), b""),
        }
    }

    pub(crate) fn handbook_output(&self) -> OutputDir {
        let (handbook, work) = (self.handbook.clone(), self.work.clone());
        OutputDir::new(handbook, work, "handbook", Ownership::Shared, self.durability())
    }

    pub(crate) fn export_output(&self) -> OutputDir {
        OutputDir::new(self.work.clone(), self.work.clone(), "exports", Ownership::Ours, self.durability())
    }

    pub(crate) fn exports_wanted(&self) -> bool {
        self.configuration.artifacts != Some(ArtifactExport::None)
    }

    pub(crate) fn handbook_request<'a>(
        &self,
        wanted: &'a BTreeMap<RepoPath, ContentHash>,
        known: &'a bindery_store::outputs::KnownOutputs,
    ) -> Request<'a> {
        let overwrite = self.options.overwrite.iter().map(|path| RepoPath::new(path)).collect();
        Request { wanted, known, overwrite }
    }

    fn link_templates(&self) -> LinkTemplates {
        LinkTemplates {
            configured: self.configuration.link_template.clone(),
            handbook: self.handbook_in_root.clone().unwrap_or_default(),
        }
    }

    fn presenter<'a>(
        &'a self,
        analysis: &'a Analysis,
        blobs: &'a Arc<Blobs>,
        structure: &'a Structure,
        narration: &'a Narration,
        links: &LinkTemplates,
        history: &'a History,
    ) -> Presenter<'a> {
        Presenter {
            analysis,
            blobs,
            structure,
            narration,
            formats: &self.configuration.formats,
            handbook: &self.handbook,
            links: links.clone(),
            depth: self.configuration.depth,
            history,
        }
    }

    /// The committed skeleton, if one is configured; what is wrong with it is a finding.
    pub(crate) fn committed_skeleton(&self) -> Result<Option<Skeleton>, Failure> {
        Ok(self.read_skeleton()?.map(|(_, located)| located.value))
    }

    /// Likewise, as text and with the lines its parts stand on.
    pub(crate) fn read_skeleton(&self) -> Result<Option<(String, Located<Skeleton>)>, Failure> {
        let Some(path) = &self.configuration.skeleton else { return Ok(None) };
        let read = found(read_file(&*self.file_system, path.as_bytes()))?;
        let read = read.ok_or_else(|| {
            Failure::findings(format!("cannot read the skeleton `{path}`: no such file"))
                .with_hint("write a draft there with `bindery skeleton pin`")
        })?;
        let text = String::from_utf8(read.bytes)
            .map_err(|_| Failure::findings(format!("`{path}` is not UTF-8 text")))?;
        let located = bindery_artifacts::read::read::<Skeleton>(path, &text)
            .map_err(|findings| Failure::of_findings(&findings))?;
        let (_, problems) = bindery_handbook::normalize_skeleton(located.value.clone());
        if problems.is_empty() {
            return Ok(Some((text, located)));
        }
        let lines: Vec<String> = problems
            .iter()
            .map(|problem| format!("{path}:{}: {}", located.line(&problem.pointer), problem.message))
            .collect();
        Err(Failure::findings(lines.join("\n")))
    }

    /// The digest of the git index where it decides which files are looked at.
    fn index_digest(&self) -> Option<ContentHash> {
        let is_tracked = self.configuration.files == FileSet::Tracked;
        self.git().filter(|_| is_tracked).and_then(|git| git.index_digest())
    }

    /// Inputs outside the selection, with their stats now.
    pub(crate) fn other_inputs(&self) -> Vec<OtherInput> {
        let paths = [Some(files::CONFIGURATION.to_owned()), self.configuration.skeleton.clone()];
        let stat = |raw: &[u8]| found(self.file_system.lstat(raw)).ok().flatten();
        paths
            .into_iter()
            .flatten()
            .map(|path| OtherInput { stat: stat(path.as_bytes()), raw: path.into_bytes() })
            .collect()
    }

    /// HEAD's id, and the date artifacts carry: `SOURCE_DATE_EPOCH`, else HEAD's committer time, else 1970.
    /// `before` is what the last run knew, which spares running git.
    pub(crate) fn date(&self, before: Option<&(Option<String>, String)>) -> (Option<String>, String) {
        let epoch =
            self.environment.source_date_epoch.as_ref().and_then(|text| text.trim().parse::<i64>().ok());
        if let Some(seconds) = epoch {
            return (None, instant(seconds));
        }
        if !self.exports_wanted() {
            return (None, String::new());
        }
        let git = self.git();
        let head = git.as_ref().and_then(|git| git.head_id());
        if let Some(before) = before
            // A date of no commit is that of an epoch which is not set any more.
            && head.is_some()
            && before.0 == head
            && !before.1.is_empty()
        {
            return before.clone();
        }
        let commit = git.and_then(|git| git.head().ok().flatten());
        let seconds = commit.map_or(0, |commit| commit.committer_time);
        (head, instant(seconds))
    }
}

/// Seconds since 1970 as artifacts spell them.
pub(crate) fn instant(seconds: i64) -> String {
    let timestamp = jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    timestamp.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn dates_have_milliseconds() {
        assert_eq!(super::instant(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(super::instant(1_785_664_800), "2026-08-02T10:00:00.000Z");
    }
}
