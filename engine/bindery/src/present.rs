//! The handbook's pages: which of them a change can reach, their models, their text.
//!
//! A page is rendered when the digest of its model differs from the last run's. Models are built only for
//! pages a change can reach: those of files with new facts, new resolutions or other callers, of stages
//! that look different, and of files that call into, or are called from, a file that moved to another page.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bindery_artifacts::{Depth, QueryKind, Reason, Recomputed};
use bindery_graph::{Resolution, Symbol};
use bindery_handbook::{CrossReferences, FileSketch, FileView, pages};
use bindery_source::{ContentHash, RepoPath};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::blobs::{Blobs, Lost};
use crate::digest::callers_of_file;
use crate::identity::Ids;
use crate::state::{PageRecord, Status};
use crate::structure::{Replaced, Sketched, Structure};

/// The page that carries the stamp.
const OVERVIEW: &str = "overview.md";
const INDEX: &str = "index.md";
const REGISTER: &str = "register.md";
/// Tells git not to merge or diff what a build writes (handbook §8).
const ATTRIBUTES: &str = ".gitattributes";
const ATTRIBUTES_TEXT: &str = "* -text -merge linguist-generated\n.bindery-manifest merge=union\n";

/// Everything pages are made from.
pub(crate) struct Presenter<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) blobs: &'a Arc<Blobs>,
    pub(crate) structure: &'a Structure,
    pub(crate) link_template: String,
    pub(crate) depth: Depth,
}

/// A model with what to call it.
pub(crate) enum Model {
    Overview(pages::OverviewPage),
    Index(pages::IndexPage),
    Register(pages::RegisterPage),
    Stage(Box<pages::StagePage>),
}

/// A page as it should be.
struct Rendered {
    page: RepoPath,
    record: PageRecord,
    /// Its text, if it was rendered in this run.
    bytes: Option<Vec<u8>>,
}

/// The handbook as it should be.
pub(crate) struct Handbook {
    /// Every page with the digest of its model and the hash of its bytes.
    pub(crate) records: BTreeMap<RepoPath, PageRecord>,
    /// The pages rendered in this run.
    pub(crate) rendered: BTreeMap<RepoPath, Vec<u8>>,
    /// The pages that carry the stamp, with it; their records are those without.
    pub(crate) stamped: BTreeMap<RepoPath, Vec<u8>>,
    /// What was rendered, and why.
    pub(crate) recomputed: Vec<Recomputed>,
    /// The stamp.
    pub(crate) stamp: String,
}

impl Presenter<'_> {
    /// Brings the pages up to date.
    pub(crate) fn present(&self, replaced: &Replaced) -> Result<Handbook, Lost> {
        let before = &self.analysis.state.pages;
        let stages = self.reached_stages(replaced)?;
        let stage_pages: Vec<(RepoPath, u32)> = self
            .structure
            .pages
            .iter()
            .enumerate()
            .filter_map(|(stage, page)| Some((RepoPath::new(page.as_ref()?), stage as u32)))
            .collect();
        let mut records: BTreeMap<RepoPath, PageRecord> = BTreeMap::new();
        let mut wanted: Vec<&(RepoPath, u32)> = Vec::new();
        for entry in &stage_pages {
            match before.get(&entry.0).filter(|_| !stages.contains(&entry.1)) {
                Some(record) => {
                    records.insert(entry.0.clone(), record.clone());
                }
                None => wanted.push(entry),
            }
        }
        // One model per thread at a time: all of them together are larger than everything else.
        let mut pages: Vec<Rendered> = wanted
            .par_iter()
            .map(|(page, stage)| {
                let model = Model::Stage(Box::new(self.stage_model(*stage)?));
                Ok(self.render(page.clone(), &model))
            })
            .collect::<Result<_, Lost>>()?;
        let global = self.changed_global_models(replaced, &mut records)?;
        pages.extend(global.into_iter().map(|(page, model)| self.render(page, &model)));
        let mut handbook = self.handbook(pages, records);
        handbook.records.insert(RepoPath::new(ATTRIBUTES), attributes_record());
        handbook.rendered.insert(RepoPath::new(ATTRIBUTES), ATTRIBUTES_TEXT.as_bytes().to_vec());
        self.stamp(&mut handbook)?;
        Ok(handbook)
    }

    /// The text of one page, for a page that is not as it should be on disk although nothing it shows changed.
    pub(crate) fn page(&self, page: &RepoPath, stamp: &str) -> Result<Vec<u8>, Lost> {
        if page.as_str() == ATTRIBUTES {
            return Ok(ATTRIBUTES_TEXT.as_bytes().to_vec());
        }
        let stage = self.structure.pages.iter().position(|name| name.as_deref() == Some(page.as_str()));
        let model = match stage {
            Some(stage) => Model::Stage(Box::new(self.stage_model(stage as u32)?)),
            None if page.as_str() == OVERVIEW => self.overview(),
            None => self.global_models()?.into_iter().find(|(name, _)| name == page).ok_or(Lost)?.1,
        };
        let text = model.render();
        Ok(if page.as_str() == OVERVIEW { pages::with_stamp(&text, stamp) } else { text }.into_bytes())
    }

    /// Renders a page unless it shows what it showed in the last run.
    fn render(&self, page: RepoPath, model: &Model) -> Rendered {
        let digest = model.digest();
        match self.analysis.state.pages.get(&page) {
            Some(record) if record.model == digest => Rendered { page, record: record.clone(), bytes: None },
            _ => {
                let bytes = model.render().into_bytes();
                let record = PageRecord { model: digest, bytes: ContentHash::of(&bytes) };
                Rendered { page, record, bytes: Some(bytes) }
            }
        }
    }

    fn handbook(&self, pages: Vec<Rendered>, mut records: BTreeMap<RepoPath, PageRecord>) -> Handbook {
        let mut rendered = BTreeMap::new();
        let mut recomputed = Vec::new();
        let causes = self.causes();
        for Rendered { page, record, bytes } in pages {
            records.insert(page.clone(), record);
            if let Some(bytes) = bytes {
                recomputed.push(self.reason(&page, &causes));
                rendered.insert(page, bytes);
            }
        }
        Handbook { records, rendered, stamped: BTreeMap::new(), recomputed, stamp: String::new() }
    }

    /// What can make a stage's page another one, strongest first: for each stage the first file it happened to.
    fn causes(&self) -> [(Reason, BTreeMap<u32, RepoPath>); 3] {
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

    fn reason(&self, page: &RepoPath, causes: &[(Reason, BTreeMap<u32, RepoPath>)]) -> Recomputed {
        let stage = self.structure.pages.iter().position(|name| name.as_deref() == Some(page.as_str()));
        let cause = causes.iter().find_map(|(reason, first)| Some((*reason, first.get(&(stage? as u32))?)));
        let (reason, because_of) = match cause {
            _ if !self.analysis.state.pages.contains_key(page) => (Reason::Added, None),
            Some((reason, path)) => (reason, Some(path.to_string())),
            None => (Reason::StagesChanged, None),
        };
        Recomputed { query: QueryKind::Page, unit: page.to_string(), reason, because_of }
    }

    /// Puts the stamp on the overview: the hash over the names and hashes of all files, each without it.
    fn stamp(&self, handbook: &mut Handbook) -> Result<(), Lost> {
        let lines: String = handbook
            .records
            .iter()
            .map(|(page, record)| format!("{} {page}\n", record.bytes.to_hex()))
            .collect();
        handbook.stamp = ContentHash::of(lines.as_bytes()).to_hex();
        let overview = RepoPath::new(OVERVIEW);
        let stamped = self.page(&overview, &handbook.stamp)?;
        handbook.stamped.insert(overview, stamped);
        Ok(())
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

    /// The models of the pages about everything, except those that cannot have changed: their records are kept.
    fn changed_global_models(
        &self,
        replaced: &Replaced,
        records: &mut BTreeMap<RepoPath, PageRecord>,
    ) -> Result<Vec<(RepoPath, Model)>, Lost> {
        let is_scanned =
            |slot: &u32| self.analysis.snapshot.file(*slot).is_some_and(|file| file.is_scanned());
        let before = &self.analysis.state.pages;
        let kept: Vec<(RepoPath, &PageRecord)> = [OVERVIEW, INDEX, REGISTER]
            .iter()
            .filter_map(|page| Some((RepoPath::new(page), before.get(*page)?)))
            .collect();
        let is_current =
            matches!(replaced, Replaced::Nothing) && self.analysis.changed.iter().all(is_scanned);
        if is_current && kept.len() >= 2 {
            records.extend(kept.into_iter().map(|(page, record)| (page, record.clone())));
            return Ok(Vec::new());
        }
        self.global_models()
    }

    fn overview(&self) -> Model {
        let Structure { name, overview, skeleton, pages: names, ties, registers, .. } = self.structure;
        let ties = ties.iter().copied().collect();
        let has_registers = !registers.registers.is_empty();
        Model::Overview(pages::overview_page_model(name, overview, skeleton, names, &ties, has_registers))
    }

    fn global_models(&self) -> Result<Vec<(RepoPath, Model)>, Lost> {
        let Structure { name, skeleton, pages: names, registers, .. } = self.structure;
        let mut models = vec![(RepoPath::new(OVERVIEW), self.overview())];
        let stages = self.structure.stages();
        let sketches: Vec<FileSketch> = self.sketches()?.into_iter().map(|file| file.sketch).collect();
        let index = pages::index_page_model(name, skeleton, names, &stages, &sketches, self.unscanned());
        models.push((RepoPath::new(INDEX), Model::Index(index)));
        let register = pages::register_page_model(name, skeleton, names, registers);
        models.extend(register.map(|page| (RepoPath::new(REGISTER), Model::Register(page))));
        Ok(models)
    }

    /// All sketches, in path order.
    pub(crate) fn sketches(&self) -> Result<Vec<Sketched>, Lost> {
        sketches(self.analysis, self.blobs)
    }

    fn unscanned(&self) -> Vec<(String, String)> {
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
        let snapshot = &self.analysis.snapshot;
        let own: Vec<(&RepoPath, &Vec<u32>)> = structure
            .files
            .iter()
            .filter(|(_, primary, _)| *primary == Some(stage))
            .map(|(path, _, also)| (path, also))
            .collect();
        let mut loaded = Vec::with_capacity(own.len());
        let mut callers: BTreeMap<&RepoPath, BTreeMap<_, Vec<Symbol>>> = BTreeMap::new();
        for (path, also) in &own {
            let slot = snapshot.slot(path).ok_or(Lost)?;
            let encoded = self.analysis.state.sketches.get(slot, self.blobs).ok_or(Lost)?;
            let sketched: Sketched = bindery_facts::decode(encoded).map_err(|_| Lost)?;
            loaded.push((snapshot.facts(slot)?, snapshot.resolution(slot)?, sketched.sketch, *also));
            callers.insert(path, callers_of_file(self.analysis, self.blobs, path)?);
        }
        let files: Vec<pages::StageFile<'_>> = loaded
            .iter()
            .map(|(facts, resolution, sketch, also)| pages::StageFile {
                view: FileView { path: &sketch.path, facts, resolution },
                sketch,
                also,
            })
            .collect();
        let ids = Ids { clashes: &self.analysis.state.clashes };
        let references = CrossReferences {
            id_of: &|symbol| ids.id(symbol),
            callers_of: &|symbol| {
                let list = callers.get(&symbol.path).and_then(|callers| callers.get(&symbol.qualname));
                list.cloned().unwrap_or_default()
            },
            page_of: &|path| structure.page_of(path),
        };
        let context = pages::StageContext {
            skeleton: &structure.skeleton,
            pages: &structure.pages,
            stage,
            organized: &structure.organized[stage as usize],
            summary: &structure.summaries[stage as usize],
            registers: &structure.registers.registers,
            link_template: &self.link_template,
            is_deep: self.depth == Depth::Deep,
        };
        pages::stage_page_model(&context, &files, &references).ok_or(Lost)
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

fn attributes_record() -> PageRecord {
    let hash = ContentHash::of(ATTRIBUTES_TEXT.as_bytes());
    PageRecord { model: hash, bytes: hash }
}

impl Model {
    /// Changes with anything the page shows.
    pub(crate) fn digest(&self) -> ContentHash {
        fn of(value: &impl Serialize) -> ContentHash {
            let bytes = postcard::to_stdvec(value)
                .expect("page models hold only plain values, which postcard writes");
            ContentHash::of(&bytes)
        }
        match self {
            Model::Overview(page) => of(page),
            Model::Index(page) => of(page),
            Model::Register(page) => of(page),
            Model::Stage(page) => of(page),
        }
    }

    fn render(&self) -> String {
        match self {
            Model::Overview(page) => pages::render_overview(page),
            Model::Index(page) => pages::render_index(page),
            Model::Register(page) => pages::render_register(page),
            Model::Stage(page) => pages::render_stage(page),
        }
    }
}
