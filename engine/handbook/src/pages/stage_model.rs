//! Building page models from skeleton, sketches and file views.

use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::names::stage_page_names;
use bindery_artifacts::{OrganizedStage, Register, Registers, Skeleton, StageId, StateUse};
use bindery_facts::{Decl, DeclText};
use bindery_graph::{Callee, Symbol};
use bindery_source::RepoPath;

use super::anchor::{file_anchor, symbol_anchor};
use super::model::*;
use crate::calls::{Calls, callee_id, calls_by_function};
use crate::prose::{first_sentence, plain_text};
use crate::{CrossReferences, FileSketch, FileStages, FileView, MODULE_QUALNAME, ModelProse};

/// The page of each stage as a file name, parallel to the skeleton's stages; none for stages without
/// content, neither of their own nor in their parts.
pub fn page_names(skeleton: &Skeleton, stages: &FileStages) -> Vec<Option<String>> {
    let files = files_below(skeleton, stages);
    let names = stage_page_names(skeleton.stages.iter().map(|stage| &stage.id));
    let name = |(stage, files): (&bindery_artifacts::Stage, &u32)| {
        (*files > 0).then(|| format!("{}.md", names[&stage.id]))
    };
    skeleton.stages.iter().zip(&files).map(name).collect()
}

/// The template for links to source files when none is configured: relative to the handbook's
/// directory, itself relative to the root.
pub fn default_link_template(handbook_directory: &str) -> String {
    let depth = handbook_directory.split('/').filter(|segment| !matches!(*segment, "" | ".")).count();
    format!("{}{{path}}#L{{line}}-L{{end_line}}", "../".repeat(depth))
}

/// How many files each stage has, its parts included.
fn files_below(skeleton: &Skeleton, stages: &FileStages) -> Vec<u32> {
    let mut counts = vec![0; skeleton.stages.len()];
    stages.primary.iter().flatten().for_each(|stage| counts[*stage as usize] += 1);
    let places: BTreeMap<&StageId, usize> =
        skeleton.stages.iter().enumerate().map(|(at, stage)| (&stage.id, at)).collect();
    for at in (0..counts.len()).rev() {
        let parent = skeleton.stages[at].parent.as_ref().and_then(|parent| places.get(parent));
        if let Some(parent) = parent {
            counts[*parent] += counts[at];
        }
    }
    counts
}

fn page_link(skeleton: &Skeleton, pages: &[Option<String>], stage: usize) -> Option<PageLink> {
    Some(PageLink { title: skeleton.stages[stage].title.clone(), page: pages[stage].clone()? })
}

/// Arrows of the map per stage at most: more make it unreadable.
const ARROWS_PER_STAGE: usize = 3;

/// The start page. `ties` come from [`crate::stage_ties`].
pub fn overview_page_model(
    name: &str,
    overview: &str,
    skeleton: &Skeleton,
    pages: &[Option<String>],
    ties: &BTreeMap<(u32, u32), u64>,
    has_registers: bool,
) -> OverviewPage {
    let is_shown = |at: &usize| skeleton.stages[*at].parent.is_none() && pages[*at].is_some();
    let shown: Vec<usize> = (0..skeleton.stages.len()).filter(is_shown).collect();
    let place = |stage: u32| shown.binary_search(&(stage as usize)).ok().map(|at| at as u32);
    let mut arrows = Vec::new();
    for (at, stage) in shown.iter().enumerate() {
        let mut used: Vec<(u64, u32)> = ties
            .range((*stage as u32, 0)..(*stage as u32 + 1, 0))
            .filter_map(|((_, used), weight)| Some((*weight, place(*used)?)))
            .collect();
        used.sort_by_key(|(weight, used)| (std::cmp::Reverse(*weight), *used));
        used.truncate(ARROWS_PER_STAGE);
        arrows.extend(used.into_iter().map(|(_, used)| StageTie { user: at as u32, used }));
    }
    OverviewPage {
        name: name.to_owned(),
        overview: overview.to_owned(),
        stages: shown.iter().filter_map(|stage| page_link(skeleton, pages, *stage)).collect(),
        crosscut: shown.iter().map(|stage| skeleton.stages[*stage].crosscut).collect(),
        ties: arrows,
        has_registers,
    }
}

/// The index. `unscanned` are the selected files without facts, each with its reason.
pub fn index_page_model(
    name: &str,
    skeleton: &Skeleton,
    pages: &[Option<String>],
    stages: &FileStages,
    sketches: &[FileSketch],
    unscanned: Vec<(String, String)>,
) -> IndexPage {
    let files = files_below(skeleton, stages);
    let mut depths: BTreeMap<&StageId, u32> = BTreeMap::new();
    let mut entries = Vec::new();
    for (at, stage) in skeleton.stages.iter().enumerate() {
        let above = stage.parent.as_ref().and_then(|parent| depths.get(parent));
        let depth = above.map_or(0, |depth| depth + 1);
        depths.insert(&stage.id, depth);
        let Some(link) = page_link(skeleton, pages, at) else { continue };
        let description = first_sentence(&plain_text(&stage.description));
        entries.push(IndexEntry { link, depth, crosscut: stage.crosscut, description, files: files[at] });
    }
    let left_over = sketches.iter().zip(&stages.primary).filter(|(_, stage)| stage.is_none());
    let mut unassigned: Vec<String> = left_over.map(|(sketch, _)| sketch.path.to_string()).collect();
    unassigned.sort_unstable();
    IndexPage { name: name.to_owned(), entries, unassigned, unscanned }
}

/// The register table; none without registers.
pub fn register_page_model(
    name: &str,
    skeleton: &Skeleton,
    pages: &[Option<String>],
    registers: &Registers,
) -> Option<RegisterPage> {
    let places: BTreeMap<&StageId, usize> =
        skeleton.stages.iter().enumerate().map(|(at, stage)| (&stage.id, at)).collect();
    let row = |register: &Register| RegisterRow {
        id: register.id.as_str().to_owned(),
        semantics: register.semantics.clone(),
        stages: register
            .stages
            .iter()
            .filter_map(|id| page_link(skeleton, pages, *places.get(id)?))
            .collect(),
    };
    let rows: Vec<RegisterRow> = registers.registers.iter().map(row).collect();
    (!rows.is_empty()).then(|| RegisterPage { name: name.to_owned(), rows })
}

/// What a stage page needs besides its own files.
#[derive(Clone, Copy)]
pub struct StageContext<'a> {
    /// The skeleton in normal form.
    pub skeleton: &'a Skeleton,
    /// From [`page_names`].
    pub pages: &'a [Option<String>],
    /// The stage, a place in the skeleton's list.
    pub stage: u32,
    /// From [`crate::organize_stage`].
    pub organized: &'a OrganizedStage,
    /// The stage's prose.
    pub summary: &'a str,
    /// All registers, or those that list this stage.
    pub registers: &'a [Register],
    /// How links to source files are spelled, see [`default_link_template`].
    pub link_template: &'a str,
    /// Whether cards carry a description.
    pub is_deep: bool,
    /// What a model wrote, if one did; it lies over everything above and over the sketches already.
    pub prose: Option<&'a ModelProse>,
}

/// One file of a stage, with what is known of it.
#[derive(Clone, Copy)]
pub struct StageFile<'a> {
    /// Its facts and resolution.
    pub view: FileView<'a>,
    /// Its sketch.
    pub sketch: &'a FileSketch,
    /// The stages that use it, see [`FileStages::also`].
    pub also: &'a [u32],
}

/// The page of one stage. `cards` are those of its own files, in any order; none for a stage without content.
pub fn stage_page_model(context: &StageContext<'_>, cards: Vec<FileCard>) -> Option<StagePage> {
    let StageContext { skeleton, pages, organized, .. } = context;
    let at = context.stage as usize;
    let page = pages[at].clone()?;
    let stage = &skeleton.stages[at];
    let registers = register_touches(&stage.id, &cards, context.registers);
    let mut by_path: BTreeMap<String, FileCard> =
        cards.into_iter().map(|card| (card.path.clone(), card)).collect();
    let groups = organized.groups.iter().map(|group| {
        let cards = group.files.iter().filter_map(|listed| by_path.remove(&listed.file)).collect();
        GroupSection { title: group.title.clone(), summary: group.summary.clone(), cards }
    });
    let groups = groups.collect();
    let parts =
        skeleton.stages.iter().enumerate().filter(|(_, part)| part.parent.as_ref() == Some(&stage.id));
    let substages = parts.filter_map(|(part, substage)| {
        let description = first_sentence(&plain_text(&substage.description));
        Some(SubstageEntry { link: page_link(skeleton, pages, part)?, description })
    });
    Some(StagePage {
        id: stage.id.as_str().to_owned(),
        page,
        title: stage.title.clone(),
        above: above(context),
        crosscut: stage.crosscut,
        description: stage.description.clone(),
        summary: context.summary.to_owned(),
        substages: substages.collect(),
        groups,
        registers,
        next: (at + 1..skeleton.stages.len()).find_map(|next| page_link(skeleton, pages, next)),
        link_template: context.link_template.to_owned(),
    })
}

fn above(context: &StageContext<'_>) -> Vec<PageLink> {
    let StageContext { skeleton, pages, .. } = context;
    let places: BTreeMap<&StageId, usize> =
        skeleton.stages.iter().enumerate().map(|(at, stage)| (&stage.id, at)).collect();
    let parent =
        |at: &usize| skeleton.stages[*at].parent.as_ref().and_then(|parent| places.get(parent)).copied();
    let line = std::iter::successors(parent(&(context.stage as usize)), parent).take(skeleton.stages.len());
    let mut above: Vec<PageLink> = line.filter_map(|stage| page_link(skeleton, pages, stage)).collect();
    above.reverse();
    above
}

fn register_touches(stage: &StageId, cards: &[FileCard], registers: &[Register]) -> Vec<RegisterTouch> {
    let own: BTreeSet<&str> = cards.iter().map(|card| card.path.as_str()).collect();
    let symbols = |uses: &[StateUse]| {
        let own_uses = uses.iter().filter(|used| own.contains(used.file.as_str()));
        own_uses.map(|used| used.symbol.clone()).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let touched = registers.iter().filter(|register| register.stages.contains(stage));
    touched
        .map(|register| RegisterTouch {
            id: register.id.as_str().to_owned(),
            semantics: register.semantics.clone(),
            readers: symbols(&register.reads),
            writers: symbols(&register.writes),
        })
        .collect()
}

/// The card of one file of the stage.
pub fn file_card(
    context: &StageContext<'_>,
    file: &StageFile<'_>,
    references: &CrossReferences<'_>,
) -> FileCard {
    let StageFile { view, sketch, also } = file;
    let decls = || view.facts.summary.decls.iter().zip(&view.facts.texts);
    let types = decls().filter_map(|(decl, text)| Some(type_entry(view, decl, text, decl.kind.type_kind()?)));
    FileCard {
        path: view.path.to_string(),
        anchor: file_anchor(view.path),
        purpose: sketch.purpose_or_absence().to_owned(),
        role: sketch.role,
        lifecycle: sketch.lifecycle.to_string(),
        description: context.is_deep.then(|| crate::card::description(view, sketch, context.prose)),
        first_error: view.facts.first_error,
        also: also
            .iter()
            .filter_map(|stage| page_link(context.skeleton, context.pages, *stage as usize))
            .collect(),
        types: types.collect(),
        functions: function_entries(view, references, context.prose.filter(|_| context.is_deep)),
    }
}

fn symbol_of(view: &FileView<'_>, decl: &Decl) -> Symbol {
    Symbol { path: view.path.clone(), qualname: decl.qualname.clone() }
}

fn source_link(view: &FileView<'_>, text: &DeclText) -> SourceLink {
    SourceLink { path: view.path.to_string(), line: text.line_start, end_line: text.line_end }
}

fn doc_sentence(text: &DeclText) -> String {
    text.doc.as_deref().map(|doc| first_sentence(&plain_text(doc))).unwrap_or_default()
}

fn type_entry(view: &FileView<'_>, decl: &Decl, text: &DeclText, kind: &str) -> TypeEntry {
    TypeEntry {
        anchor: symbol_anchor(&symbol_of(view, decl)),
        qualname: decl.qualname.to_string(),
        kind: kind.to_owned(),
        source: source_link(view, text),
        doc: doc_sentence(text),
    }
}

fn function_entries(
    view: &FileView<'_>,
    references: &CrossReferences<'_>,
    prose: Option<&ModelProse>,
) -> Vec<FunctionEntry> {
    let calls = calls_by_function(view);
    let none = Calls::default();
    let decls = view.facts.summary.decls.iter().zip(&view.facts.texts).enumerate();
    decls
        .filter(|(_, (decl, _))| decl.kind.is_callable())
        .map(|(index, (decl, text))| {
            let symbol = symbol_of(view, decl);
            let mut callers: Vec<LinkedReference> = (references.callers_of)(&symbol)
                .iter()
                .map(|caller| caller_reference(caller, references))
                .collect();
            callers.sort_unstable();
            FunctionEntry {
                anchor: symbol_anchor(&symbol),
                qualname: decl.qualname.to_string(),
                signature: text.signature.clone(),
                source: source_link(view, text),
                doc: doc_sentence(text),
                prose: prose.map(|prose| function_prose(&(references.id_of)(&symbol), prose)),
                callers,
                callees: callee_references(calls.get(&Some(index as u32)).unwrap_or(&none), references),
            }
        })
        .collect()
}

fn function_prose(id: &str, prose: &ModelProse) -> ProseOfFunction {
    ProseOfFunction { id: id.to_owned(), text: prose.function(id) }
}

fn caller_reference(caller: &Symbol, references: &CrossReferences<'_>) -> LinkedReference {
    let anchor = match caller.qualname.as_str() {
        MODULE_QUALNAME => file_anchor(&caller.path),
        _ => symbol_anchor(caller),
    };
    LinkedReference { id: (references.id_of)(caller), place: place(&caller.path, anchor, references) }
}

fn callee_references(calls: &Calls, references: &CrossReferences<'_>) -> Vec<CalleeReference> {
    let internal = calls.internal.iter().filter_map(|callee| {
        let id = callee_id(callee, references)?;
        let (path, anchor) = match callee {
            Callee::Function(symbol) | Callee::New(symbol) => (&symbol.path, symbol_anchor(symbol)),
            // A variant stands on no card of its own; its file does.
            Callee::Variant(symbol) => (&symbol.path, file_anchor(&symbol.path)),
            Callee::Boundary { .. } => return None,
        };
        Some(CalleeReference::Internal(LinkedReference { id, place: place(path, anchor, references) }))
    });
    let boundary = calls.boundary.iter().cloned().map(CalleeReference::Boundary);
    let mut callees: Vec<CalleeReference> = internal.chain(boundary).collect();
    callees.sort_unstable();
    callees
}

fn place(path: &RepoPath, anchor: String, references: &CrossReferences<'_>) -> Option<(String, String)> {
    Some(((references.page_of)(path)?, anchor))
}
