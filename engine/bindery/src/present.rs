//! The handbook's pages: which of them a change can reach, their models, their text.
//!
//! A page is rendered when the digest of its model differs from the last run's. Models are built only for
//! pages a change can reach: those of files with new facts, new resolutions or other callers, of stages
//! that look different, and of files that call into, or are called from, a file that moved to another page.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bindery_artifacts::{Depth, Format, OrganizedStage, ProseKind, QueryKind, Reason, Recomputed, Registers};
use bindery_graph::Resolution;
use bindery_handbook::agent::{self, AgentFile};
use bindery_handbook::{CrossReferences, FileSketch, FileView, pages};
use bindery_source::{ContentHash, KeyHasher, RepoPath};
use bindery_store::{Directory, read_file};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::blobs::{Blobs, Lost};
use crate::digest::callers_of_file;
use crate::formats::{
    AgentModels, Beside, FIXED, FORMS, FixedFiles, Form, Global, GlobalOutput, Globals, LinkTemplates,
    StageOutput, Table, WholeOutput,
};
use crate::history::History;
use crate::identity::Ids;
use crate::narration::Narration;
use crate::state::{PageRecord, Status};
use crate::structure::{Replaced, Sketched, Structure};

/// What can make a stage's page another one: for each reason, strongest first, the first file of each stage it
/// happened to.
type Causes = [(Reason, BTreeMap<u32, RepoPath>); 3];

/// Everything pages are made from.
pub(crate) struct Presenter<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) blobs: &'a Arc<Blobs>,
    pub(crate) structure: &'a Structure,
    pub(crate) narration: &'a Narration,
    /// The forms of the handbook, sorted.
    pub(crate) formats: &'a [Format],
    /// Where the handbook lies: what is there already spares rendering it for a new stamp.
    pub(crate) handbook: &'a Directory,
    pub(crate) links: LinkTemplates,
    pub(crate) depth: Depth,
    pub(crate) history: &'a History,
}

/// A file of the handbook, by what it is rendered from.
#[derive(Clone, Copy)]
enum Output {
    Fixed(&'static str),
    Global(&'static GlobalOutput),
    Stage(u32, &'static StageOutput),
    Whole(&'static WholeOutput),
    Table(Table),
}

/// A file as it should be.
pub(crate) struct Rendered {
    pub(crate) path: RepoPath,
    pub(crate) record: PageRecord,
    /// Its text, if it was rendered in this run.
    pub(crate) bytes: Option<Vec<u8>>,
}

/// What one stage's model was rendered to.
struct RenderedStage {
    digest: ContentHash,
    files: Vec<Rendered>,
}

/// The handbook as it should be.
#[derive(Default)]
pub(crate) struct Handbook {
    /// The digest of each model, by the name of its Markdown page.
    pub(crate) models: BTreeMap<String, ContentHash>,
    /// Every file with the digest of what it shows and the hash of its bytes.
    pub(crate) records: BTreeMap<RepoPath, PageRecord>,
    /// The stage of each file that shows one.
    pub(crate) stages: BTreeMap<RepoPath, u32>,
    /// The files rendered in this run.
    pub(crate) rendered: BTreeMap<RepoPath, Vec<u8>>,
    /// The files that carry the stamp, with it; their records are those without.
    pub(crate) stamped: BTreeMap<RepoPath, Vec<u8>>,
    /// What was rendered, and why.
    pub(crate) recomputed: Vec<Recomputed>,
    /// The stamp.
    pub(crate) stamp: String,
}

impl Presenter<'_> {
    /// Brings the handbook up to date.
    pub(crate) fn present(&self, replaced: &Replaced) -> Result<Handbook, Lost> {
        let mut handbook = Handbook::default();
        let causes = self.causes();
        self.present_stages(replaced, &causes, &mut handbook)?;
        self.present_globals(replaced, &causes, &mut handbook)?;
        self.present_wholes(&causes, &mut handbook)?;
        self.present_tables(replaced, &mut handbook)?;
        for (path, text) in self.fixed().flat_map(FixedFiles::files) {
            let hash = ContentHash::of(text.as_bytes());
            handbook.records.insert(RepoPath::new(&path), PageRecord { model: hash, bytes: hash });
        }
        self.stamp(&mut handbook)?;
        Ok(handbook)
    }

    fn present_stages(
        &self,
        replaced: &Replaced,
        causes: &Causes,
        handbook: &mut Handbook,
    ) -> Result<(), Lost> {
        let before = &self.analysis.state;
        let reached = self.reached_stages(replaced)?;
        let mut wanted: Vec<(u32, &str)> = Vec::new();
        for (stage, page) in self.stage_pages() {
            let files: Vec<(RepoPath, &StageOutput)> = self.stage_files(page).collect();
            let model = before.models.get(page);
            let record = |(path, output): &(RepoPath, &StageOutput)| {
                let record = before.pages.get(path)?;
                // What git's history says of a stage is no part of the model.
                (record.model == self.shown(*model?, stage, output)).then(|| (path.clone(), record.clone()))
            };
            let records: Option<Vec<(RepoPath, PageRecord)>> = files.iter().map(record).collect();
            handbook.stages.extend(files.into_iter().map(|(path, _)| (path, stage)));
            match (model, records) {
                (Some(model), Some(records)) if !reached.contains(&stage) => {
                    handbook.models.insert(page.to_owned(), *model);
                    handbook.records.extend(records);
                }
                _ => wanted.push((stage, page)),
            }
        }
        // One model per thread at a time: all of them together are larger than everything else.
        let rendered: Vec<RenderedStage> = wanted
            .par_iter()
            .map(|(stage, page)| {
                let model = self.stage_model(*stage)?;
                let digest = digest(&model);
                let render = |(path, output): (RepoPath, &StageOutput)| {
                    let shown = self.shown(digest, *stage, output);
                    self.render(path, shown, || (output.render)(&model, &self.beside(*stage, page)))
                };
                Ok(RenderedStage { digest, files: self.stage_files(page).map(render).collect() })
            })
            .collect::<Result<_, Lost>>()?;
        for ((stage, page), rendered) in wanted.into_iter().zip(rendered) {
            handbook.models.insert(page.to_owned(), rendered.digest);
            for file in rendered.files {
                handbook.add(file, |path| self.reason(path, Some(stage), causes));
            }
        }
        Ok(())
    }

    /// The files about everything; what cannot have changed is kept.
    fn present_globals(
        &self,
        replaced: &Replaced,
        causes: &Causes,
        handbook: &mut Handbook,
    ) -> Result<(), Lost> {
        let before = &self.analysis.state;
        let is_scanned =
            |slot: &u32| self.analysis.snapshot.file(*slot).is_some_and(|file| file.is_scanned());
        let is_current =
            matches!(replaced, Replaced::Nothing) && self.analysis.changed.iter().all(is_scanned);
        let is_current = is_current && !self.prose_changed("");
        let has_registers = !self.structure.registers.registers.is_empty();
        let outputs = || {
            let globals = self.forms().flat_map(|form| form.globals);
            globals.filter(|output| has_registers || !output.shows.contains(&Global::Register))
        };
        let is_known = |global: &Global| before.models.contains_key(global.name());
        let has_record = |output: &GlobalOutput| before.pages.contains_key(output.path);
        let same_beside = self.analysis.state.known.beside == Some(self.beside_all());
        if is_current && is_known(&Global::Index) && same_beside && outputs().all(has_record) {
            for global in Global::ALL {
                let model = before.models.get(global.name());
                handbook.models.extend(model.map(|model| (global.name().to_owned(), *model)));
            }
            for output in outputs() {
                let path = RepoPath::new(output.path);
                let record = before.pages[&path].clone();
                handbook.records.insert(path, record);
            }
            return Ok(());
        }
        let globals = self.globals()?;
        let digests = globals.digests();
        for output in outputs() {
            let mut shown = KeyHasher::new("shown");
            for global in output.shows {
                shown.field(global.name(), &digests[global].0);
            }
            let text = || (output.render)(&globals, &self.links).unwrap_or_default();
            let file = self.render(RepoPath::new(output.path), shown.finish(), text);
            handbook.add(file, |path| self.reason(path, None, causes));
        }
        handbook
            .models
            .extend(digests.into_iter().map(|(global, digest)| (global.name().to_owned(), digest)));
        Ok(())
    }

    /// The files that hold every stage, which show all models.
    fn present_wholes(&self, causes: &Causes, handbook: &mut Handbook) -> Result<(), Lost> {
        let mut shown = KeyHasher::new("shown");
        for (name, model) in &handbook.models {
            shown.field(name, &model.0);
        }
        let shown = shown.finish();
        for output in self.forms().flat_map(|form| form.wholes) {
            let path = RepoPath::new(output.path);
            let is_known = self.analysis.state.pages.get(&path).is_some_and(|record| record.model == shown);
            let text = if is_known { String::new() } else { self.whole(output)? };
            let file = self.render(path, shown, || text);
            handbook.add(file, |path| self.reason(path, None, causes));
        }
        Ok(())
    }

    /// One model per thread at a time, as for the pages of the stages.
    fn whole(&self, output: &WholeOutput) -> Result<String, Lost> {
        let stages: Vec<u32> = self.stage_pages().map(|(stage, _)| stage).collect();
        let section = |stage: &u32| Ok((output.section)(&self.stage_model(*stage)?, &self.links));
        let sections: Vec<String> = stages.par_iter().map(section).collect::<Result<_, Lost>>()?;
        Ok((output.render)(&self.globals()?, &sections))
    }

    /// The text of one file, for one that is not as it should be on disk although nothing it shows changed.
    pub(crate) fn page(&self, path: &RepoPath, stamp: &str) -> Result<Vec<u8>, Lost> {
        let (output, is_stamped) = match self.output(path).ok_or(Lost)? {
            Output::Fixed(text) => (text.to_owned(), false),
            Output::Stage(stage, output) => {
                let page = self.structure.pages[stage as usize].as_deref().unwrap_or_default();
                ((output.render)(&self.stage_model(stage)?, &self.beside(stage, page)), false)
            }
            Output::Table(table) => (self.whole_table(table)?, false),
            Output::Whole(output) => (self.whole(output)?, false),
            Output::Global(output) => {
                let text = (output.render)(&self.globals()?, &self.links).ok_or(Lost)?;
                (text, output.is_stamped)
            }
        };
        Ok(if is_stamped { pages::with_stamp(&output, stamp) } else { output }.into_bytes())
    }

    /// Every file of the wanted forms that is rendered from models.
    pub(crate) fn paths(&self) -> Vec<RepoPath> {
        let has_registers = !self.structure.registers.registers.is_empty();
        let is_there = |output: &&GlobalOutput| has_registers || !output.shows.contains(&Global::Register);
        let globals = self.forms().flat_map(|form| form.globals).filter(is_there);
        let globals = globals.map(|output| RepoPath::new(output.path));
        let tables = self.forms().flat_map(|form| form.tables).map(|table| RepoPath::new(table.path()));
        let pages = self.stage_pages().flat_map(|(_, page)| self.stage_files(page).map(|(path, _)| path));
        let wholes = self.forms().flat_map(|form| form.wholes).map(|output| RepoPath::new(output.path));
        globals.chain(tables).chain(pages).chain(wholes).collect()
    }

    fn output(&self, path: &RepoPath) -> Option<Output> {
        let path = path.as_str();
        let fixed = || {
            let mut files = self.fixed().flat_map(FixedFiles::files);
            files.find(|(name, _)| name == path).map(|(_, text)| Output::Fixed(text))
        };
        let whole = || {
            let mut wholes = self.forms().flat_map(|form| form.wholes);
            wholes.find(|output| output.path == path).map(Output::Whole)
        };
        let global = || {
            let mut globals = self.forms().flat_map(|form| form.globals);
            globals.find(|output| output.path == path).map(Output::Global)
        };
        let table = || {
            let mut tables = self.forms().flat_map(|form| form.tables);
            tables.find(|table| table.path() == path).map(|table| Output::Table(*table))
        };
        let stage = || {
            self.stage_pages().find_map(|(stage, page)| {
                let mut files = self.stage_files(page);
                let (_, output) = files.find(|(name, _)| name.as_str() == path)?;
                Some(Output::Stage(stage, output))
            })
        };
        fixed().or_else(global).or_else(table).or_else(stage).or_else(whole)
    }

    fn fixed(&self) -> impl Iterator<Item = &'static FixedFiles> + use<'_> {
        std::iter::once(&FIXED).chain(self.forms().map(|form| &form.fixed))
    }

    /// The digest of what a stage's file shows.
    fn shown(&self, model: ContentHash, stage: u32, output: &StageOutput) -> ContentHash {
        if !output.shows_history {
            return model;
        }
        let mut shown = KeyHasher::new("shown");
        shown.field("model", &model.0).field("history", &digest(&self.history.of(stage)).0);
        shown.field("formats", &digest(&self.formats).0);
        shown.finish()
    }

    /// The digest of what the files about everything show besides stages and sketches.
    pub(crate) fn beside_all(&self) -> ContentHash {
        digest(&(self.history.depth(), self.formats))
    }

    fn beside<'b>(&'b self, stage: u32, page: &'b str) -> Beside<'b> {
        let (history, pairs) = self.history.of(stage);
        let page = self.formats.contains(&Format::Markdown).then_some(page);
        Beside { links: &self.links, page, history, pairs }
    }

    pub(crate) fn forms(&self) -> impl Iterator<Item = &'static Form> + use<'_> {
        FORMS.iter().filter(|form| self.formats.contains(&form.format))
    }

    /// The stages with content and their Markdown pages' names.
    fn stage_pages(&self) -> impl Iterator<Item = (u32, &str)> {
        let pages = self.structure.pages.iter().enumerate();
        pages.filter_map(|(stage, page)| Some((stage as u32, page.as_deref()?)))
    }

    /// The files of the stage whose Markdown page is called `page`.
    fn stage_files(&self, page: &str) -> impl Iterator<Item = (RepoPath, &'static StageOutput)> + use<'_> {
        let page = page.to_owned();
        let outputs = self.forms().flat_map(|form| form.stages);
        outputs.map(move |output| (RepoPath::new(&output.path(&page)), output))
    }

    /// Renders a file unless it shows what it showed in the last run.
    fn render(&self, path: RepoPath, model: ContentHash, text: impl FnOnce() -> String) -> Rendered {
        match self.analysis.state.pages.get(&path) {
            Some(record) if record.model == model => Rendered { path, record: record.clone(), bytes: None },
            _ => {
                let bytes = text().into_bytes();
                let record = PageRecord { model, bytes: ContentHash::of(&bytes) };
                Rendered { path, record, bytes: Some(bytes) }
            }
        }
    }

    /// What can make a stage's page another one, strongest first: for each stage the first file it happened to.
    fn causes(&self) -> Causes {
        let analysis = self.analysis;
        let first = |paths: &mut dyn Iterator<Item = RepoPath>| {
            let mut first: BTreeMap<u32, RepoPath> = BTreeMap::new();
            for path in paths {
                let Some(stage) = self.structure.stage_of(&path) else { continue };
                match first.get_mut(&stage) {
                    Some(other) if *other <= path => {}
                    Some(other) => *other = path,
                    None => drop(first.insert(stage, path)),
                }
            }
            first
        };
        let path_of = |slot: &u32| analysis.snapshot.file(*slot).map(|file| file.path.clone());
        [
            (Reason::FactsChanged, first(&mut analysis.changed.iter().filter_map(path_of))),
            (Reason::ResolutionChanged, first(&mut analysis.resolved.iter().filter_map(path_of))),
            (Reason::CallersChanged, first(&mut analysis.callers_changed.keys().cloned())),
        ]
    }

    fn reason(&self, path: &RepoPath, stage: Option<u32>, causes: &Causes) -> Recomputed {
        let cause = causes.iter().find_map(|(reason, first)| Some((*reason, first.get(&stage?)?)));
        let (reason, because_of) = match cause {
            _ if !self.analysis.state.pages.contains_key(path) => (Reason::Added, None),
            Some((reason, path)) => (reason, Some(path.to_string())),
            None if self.shows_other_prose(stage) => (Reason::ProseChanged, None),
            None => (Reason::StagesChanged, None),
        };
        Recomputed { query: QueryKind::Page, unit: path.to_string(), reason, because_of }
    }

    /// Fills in the stamp: the hash over the names and hashes of all files, each without it.
    fn stamp(&self, handbook: &mut Handbook) -> Result<(), Lost> {
        let lines: String = handbook
            .records
            .iter()
            .map(|(path, record)| format!("{} {path}\n", record.bytes.to_hex()))
            .collect();
        handbook.stamp = ContentHash::of(lines.as_bytes()).to_hex();
        let globals = self.forms().flat_map(|form| form.globals);
        for output in globals.filter(|output| output.is_stamped) {
            let path = RepoPath::new(output.path);
            let stamped = match self.unstamped(handbook, &path) {
                Some(text) => pages::with_stamp(&text, &handbook.stamp).into_bytes(),
                None => self.page(&path, &handbook.stamp)?,
            };
            handbook.stamped.insert(path, stamped);
        }
        Ok(())
    }

    /// A file without its stamp: as rendered in this run, else from the disk if nothing else differs there.
    fn unstamped(&self, handbook: &Handbook, path: &RepoPath) -> Option<String> {
        if let Some(bytes) = handbook.rendered.get(path) {
            return String::from_utf8(bytes.clone()).ok();
        }
        let raw = self.handbook.path(path.as_str().as_bytes());
        let there = read_file(self.handbook.file_system(), &raw).ok()?;
        let text = pages::without_stamp(&String::from_utf8(there.bytes).ok()?);
        (ContentHash::of(text.as_bytes()) == handbook.records.get(path)?.bytes).then_some(text)
    }

    /// The stages whose pages may show something else than in the last run.
    fn reached_stages(&self, replaced: &Replaced) -> Result<FxHashSet<u32>, Lost> {
        let all = || (0..self.structure.skeleton.stages.len() as u32).collect();
        let analysis = self.analysis;
        let old = match replaced {
            Replaced::Nothing => None,
            Replaced::Old(old)
                if !analysis.clashes_changed && self.structure.surroundings == old.surroundings =>
            {
                Some(&**old)
            }
            Replaced::Old(_) | Replaced::Missing => return Ok(all()),
        };
        let snapshot = &analysis.snapshot;
        let mut reached: FxHashSet<u32> = FxHashSet::default();
        for slot in analysis.changed.iter().chain(&analysis.resolved) {
            if let Some(file) = snapshot.file(*slot) {
                reached.extend(self.structure.stage_of(&file.path));
            }
        }
        reached.extend(analysis.callers_changed.keys().filter_map(|path| self.structure.stage_of(path)));
        let stages = self.structure.skeleton.stages.iter().enumerate();
        let narrated = stages.filter(|(_, stage)| self.prose_changed(stage.id.as_str()));
        reached.extend(narrated.map(|(at, _)| at as u32));
        let Some(old) = old else { return Ok(reached) };
        for path in self.moved_files(old) {
            reached.extend(self.structure.stage_of(&path));
            reached.extend(
                self.neighbours(&path)?.iter().filter_map(|neighbour| self.structure.stage_of(neighbour)),
            );
        }
        let (before, after) = (old.stage_digests(), self.structure.stage_digests());
        for (at, stage) in self.structure.skeleton.stages.iter().enumerate() {
            let id = stage.id.as_str();
            if before.get(id) != after.get(id) {
                reached.insert(at as u32);
            }
        }
        Ok(reached)
    }

    /// Files whose page has another name than before, new ones left out: nobody linked to them.
    fn moved_files(&self, old: &Structure) -> Vec<RepoPath> {
        let files = self.structure.files.iter().map(|(path, _, _)| path);
        files
            .filter(|path| old.place(path).is_some() && old.page_of(path) != self.structure.page_of(path))
            .cloned()
            .collect()
    }

    /// The files that call into a file or are called from it.
    fn neighbours(&self, path: &RepoPath) -> Result<BTreeSet<RepoPath>, Lost> {
        let callers = callers_of_file(self.analysis, self.blobs, path)?;
        let mut neighbours: BTreeSet<RepoPath> =
            callers.into_values().flatten().map(|caller| caller.path).collect();
        let slot = self.analysis.snapshot.slot(path).ok_or(Lost)?;
        let resolution: Arc<Resolution> = self.analysis.snapshot.resolution(slot)?;
        neighbours.extend(crate::relink::edges(&resolution).map(|(_, symbol)| symbol.path.clone()));
        Ok(neighbours)
    }

    fn globals(&self) -> Result<Globals, Lost> {
        let Structure { name, skeleton, pages: names, ties, .. } = self.structure;
        let registers = &self.registers();
        let ties = ties.iter().copied().collect();
        let has_registers = !registers.registers.is_empty();
        let stages = self.structure.stages();
        let sketches: Vec<FileSketch> = self.sketches()?.into_iter().map(|file| file.sketch).collect();
        Ok(Globals {
            overview: pages::overview_page_model(
                name,
                self.overview(),
                skeleton,
                names,
                &ties,
                has_registers,
            ),
            index: pages::index_page_model(name, skeleton, names, &stages, &sketches, self.unscanned()),
            register: pages::register_page_model(name, skeleton, names, registers),
            agent: self.formats.contains(&Format::Agent).then(|| self.agent_models(&sketches)),
        })
    }

    fn agent_models(&self, sketches: &[FileSketch]) -> AgentModels {
        let Structure { name, skeleton, pages: names, .. } = self.structure;
        let (stages, registers) = (self.structure.stages(), &self.registers());
        let index = agent::agent_index(&agent::Everything {
            name,
            skeleton,
            pages: names,
            stages: &stages,
            sketches,
            registers,
            unread: &self.unscanned(),
            type_kinds: &|language| {
                bindery_languages::for_language(language).map_or(&[], |entry| entry.adapter.type_kinds())
            },
            history: self.history.depth(),
            has_pages: self.formats.contains(&Format::Markdown),
        });
        let files = sketches.iter().zip(&stages.primary).map(|(sketch, stage)| AgentFile {
            path: sketch.path.to_string(),
            stage: self.stage_id(*stage).to_owned(),
            role: sketch.role,
            symbols: u64::from(sketch.function_count) + u64::from(sketch.type_count),
            purpose: sketch.purpose_or_absence().to_owned(),
        });
        AgentModels { index, files: files.collect() }
    }

    /// The id of a stage as tables show it.
    pub(crate) fn stage_id(&self, stage: Option<u32>) -> &str {
        let id = |stage: u32| self.structure.skeleton.stages[stage as usize].id.as_str();
        stage.map_or(agent::NO_STAGE, id)
    }

    /// All sketches, in path order.
    pub(crate) fn sketches(&self) -> Result<Vec<Sketched>, Lost> {
        let mut sketches = sketches(self.analysis, self.blobs)?;
        if let Some(prose) = &self.narration.prose {
            sketches.iter_mut().for_each(|file| prose.lay_over_sketch(&mut file.sketch));
        }
        Ok(sketches)
    }

    /// Whether a stage's page, or those about everything, show other prose of a model than in the last run.
    fn prose_changed(&self, stage: &str) -> bool {
        self.analysis.state.prose.get(stage) != self.narration.digests.get(stage)
    }

    fn shows_other_prose(&self, stage: Option<u32>) -> bool {
        self.prose_changed(
            stage.map_or("", |stage| self.structure.skeleton.stages[stage as usize].id.as_str()),
        )
    }

    /// About the whole.
    pub(crate) fn overview(&self) -> &str {
        let prose = self.narration.prose.as_ref();
        prose.map_or(&self.structure.overview, |prose| prose.only_text(ProseKind::SystemOverview, ""))
    }

    /// About a stage.
    pub(crate) fn summary(&self, stage: u32) -> &str {
        let stage = stage as usize;
        let id = self.structure.skeleton.stages[stage].id.as_str();
        let prose = self.narration.prose.as_ref();
        prose.map_or(&self.structure.summaries[stage], |prose| prose.only_text(ProseKind::StageSummary, id))
    }

    /// The inside of a stage.
    pub(crate) fn organized(&self, stage: u32) -> OrganizedStage {
        let mut organized = self.structure.organized[stage as usize].clone();
        if let Some(prose) = &self.narration.prose {
            prose.lay_over_stage(&mut organized);
        }
        organized
    }

    fn registers(&self) -> Cow<'_, Registers> {
        let mut registers = Cow::Borrowed(&self.structure.registers);
        if let Some(prose) = &self.narration.prose {
            prose.lay_over_registers(registers.to_mut());
        }
        registers
    }

    pub(crate) fn unscanned(&self) -> Vec<(String, String)> {
        let problem = |status: &Status| match status {
            Status::Unreadable(detail) | Status::Unparsable(detail) | Status::Failed(detail) => {
                Some(detail.clone())
            }
            _ => None,
        };
        let files = self.analysis.state.files.iter(self.blobs).map(|(_, file)| file);
        let mut unscanned: Vec<(String, String)> =
            files.filter_map(|file| Some((file.path.to_string(), problem(&file.status)?))).collect();
        unscanned.sort_unstable();
        unscanned
    }

    fn stage_model(&self, stage: u32) -> Result<pages::StagePage, Lost> {
        let structure = self.structure;
        let registers = self.registers();
        let context = pages::StageContext {
            skeleton: &structure.skeleton,
            pages: &structure.pages,
            stage,
            organized: &self.organized(stage),
            summary: self.summary(stage),
            registers: &registers.registers,
            link_template: &self.links.below(""),
            is_deep: self.depth == Depth::Deep,
            prose: self.narration.prose.as_ref(),
        };
        let own = structure.files.iter().filter(|(_, primary, _)| *primary == Some(stage));
        let own: Vec<(&RepoPath, &[u32])> = own.map(|(path, _, also)| (path, also.as_slice())).collect();
        let cards = own.into_par_iter().map(|(path, also)| self.file_card(&context, path, also));
        pages::stage_page_model(&context, cards.collect::<Result<_, Lost>>()?).ok_or(Lost)
    }

    /// The card of a file on its stage's page; `also` are the other stages that use it.
    fn file_card(
        &self,
        context: &pages::StageContext<'_>,
        path: &RepoPath,
        also: &[u32],
    ) -> Result<pages::FileCard, Lost> {
        let snapshot = &self.analysis.snapshot;
        let slot = snapshot.slot(path).ok_or(Lost)?;
        let encoded = self.analysis.state.sketches.get(slot, self.blobs).ok_or(Lost)?;
        let Sketched { mut sketch, .. } = bindery_facts::decode(encoded).map_err(|_| Lost)?;
        if let Some(prose) = &self.narration.prose {
            prose.lay_over_sketch(&mut sketch);
        }
        let (facts, resolution) = (snapshot.facts(slot)?, snapshot.resolution(slot)?);
        let callers = callers_of_file(self.analysis, self.blobs, path)?;
        let ids = Ids { clashes: &self.analysis.state.clashes };
        let references = CrossReferences {
            id_of: &|symbol| ids.id(symbol),
            callers_of: &|symbol| callers.get(&symbol.qualname).cloned().unwrap_or_default(),
            page_of: &|path| self.structure.page_of(path),
        };
        let view = FileView { path, facts: &facts, resolution: &resolution };
        Ok(pages::file_card(context, &pages::StageFile { view, sketch: &sketch, also }, &references))
    }
}

/// All sketches of an analysis, in path order.
pub(crate) fn sketches(analysis: &Analysis, blobs: &Blobs) -> Result<Vec<Sketched>, Lost> {
    let slots: Vec<u32> = analysis.snapshot.scanned().into_iter().map(|(slot, _)| slot).collect();
    slots
        .par_iter()
        .map(|slot| {
            let encoded = analysis.state.sketches.get(*slot, blobs).ok_or(Lost)?;
            bindery_facts::decode(encoded).map_err(|_| Lost)
        })
        .collect()
}

/// Changes with anything that a model shows.
pub(crate) fn digest(model: &impl Serialize) -> ContentHash {
    let bytes =
        postcard::to_stdvec(model).expect("page models hold only plain values, which postcard writes");
    ContentHash::of(&bytes)
}

impl Globals {
    /// The digest of each model there is.
    fn digests(&self) -> BTreeMap<Global, ContentHash> {
        let register = self.register.as_ref().map(|page| (Global::Register, digest(page)));
        let agent = self.agent.iter().flat_map(|agent| {
            [(Global::AgentIndex, digest(&agent.index)), (Global::AgentFiles, digest(&agent.files))]
        });
        let others = [(Global::Overview, digest(&self.overview)), (Global::Index, digest(&self.index))];
        others.into_iter().chain(register).chain(agent).collect()
    }
}

impl Handbook {
    pub(crate) fn add(&mut self, file: Rendered, reason: impl FnOnce(&RepoPath) -> Recomputed) {
        let Rendered { path, record, bytes } = file;
        if let Some(bytes) = bytes {
            self.recomputed.push(reason(&path));
            self.rendered.insert(path.clone(), bytes);
        }
        self.records.insert(path, record);
    }
}
