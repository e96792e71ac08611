//! What each kind of request shows. Everything is capped, so that no request outgrows a model.

use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::{ProseKind, Register, Skeleton, Stage, StageId, StateUse};
use bindery_facts::{Decl, DeclText};
use bindery_graph::Symbol;
use serde::Serialize;

use super::ProseRequest;
use crate::calls::{Calls, callee_id, calls_by_function};
use crate::{CrossReferences, FileSketch, FileView, StageStory};

/// Bytes of a file's source that a request about the file shows.
const SOURCE_OF_FILE: usize = 12_000;
/// Bytes of a function's source that a request about it shows.
const SOURCE_OF_FUNCTION: usize = 8_000;
/// Bytes of a doc comment or a paragraph.
const TEXT: usize = 4_000;
/// Entries of any list.
const ENTRIES: usize = 60;

/// The text of a source file by lines, line ends taken for line feeds, so that they make no difference.
#[derive(Clone, Debug, Default)]
pub struct FileText(String);

impl FileText {
    /// `text` as it was read.
    pub fn new(text: &str) -> Self {
        Self(text.replace("\r\n", "\n"))
    }

    /// The lines from `first` to `last`, from 1.
    fn lines(&self, first: u32, last: u32) -> &str {
        let skipped = first.saturating_sub(1) as usize;
        let start = line_start(&self.0, skipped);
        let rest = &self.0[start..];
        let count = (last as usize).saturating_sub(skipped);
        &rest[..line_start(rest, count)]
    }
}

/// Where the line behind `count` lines begins.
fn line_start(text: &str, count: usize) -> usize {
    if count == 0 {
        return 0;
    }
    text.match_indices('\n').nth(count - 1).map_or(text.len(), |(at, _)| at + 1)
}

/// At most `most` bytes of a text, whole characters, `…` behind what was cut.
fn capped(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}…", &text[..end])
}

fn first_entries(entries: impl IntoIterator<Item = String>) -> Vec<String> {
    entries.into_iter().take(ENTRIES).collect()
}

#[derive(Serialize)]
struct ShownFile<'a> {
    path: &'a str,
    language: &'static str,
    role: &'static str,
    doc: Option<String>,
    types: Vec<ShownDeclaration<'a>>,
    functions: Vec<ShownDeclaration<'a>>,
    source: String,
}

#[derive(Serialize)]
struct ShownDeclaration<'a> {
    name: &'a str,
    signature: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    doc: Option<String>,
}

/// The requests about a file as a whole: its purpose, and its description if the handbook goes deep.
pub fn file_requests(
    view: &FileView<'_>,
    sketch: &FileSketch,
    text: &FileText,
    narrator: &str,
    is_deep: bool,
) -> Vec<ProseRequest> {
    let decls = || view.facts.summary.decls.iter().zip(&view.facts.texts);
    let shown = ShownFile {
        path: view.path.as_str(),
        language: sketch.language.name(),
        role: sketch.role.name(),
        doc: view.facts.doc.as_deref().map(|doc| capped(doc, TEXT)),
        types: declarations(decls().filter(|(decl, _)| decl.kind.type_kind().is_some())),
        functions: declarations(decls().filter(|(decl, _)| decl.kind.is_callable())),
        source: capped(&text.0, SOURCE_OF_FILE),
    };
    let kinds = [Some(ProseKind::Purpose), is_deep.then_some(ProseKind::Description)];
    let request = |kind| ProseRequest::new(kind, view.path.as_str(), &shown, narrator);
    kinds.into_iter().flatten().map(request).collect()
}

fn declarations<'a>(decls: impl Iterator<Item = (&'a Decl, &'a DeclText)>) -> Vec<ShownDeclaration<'a>> {
    let shown = |(decl, text): (&'a Decl, &'a DeclText)| ShownDeclaration {
        name: &decl.qualname,
        signature: &text.signature,
        doc: text.doc.as_deref().map(|doc| capped(doc, TEXT / 10)),
    };
    decls.take(ENTRIES).map(shown).collect()
}

#[derive(Serialize)]
struct ShownFunction<'a> {
    id: &'a str,
    path: &'a str,
    language: &'static str,
    signature: &'a str,
    doc: Option<String>,
    calls: Vec<String>,
    called_by: Vec<String>,
    calls_outside: Vec<String>,
    source: String,
}

/// The requests about the functions of a file.
pub fn function_requests(
    view: &FileView<'_>,
    sketch: &FileSketch,
    text: &FileText,
    narrator: &str,
    references: &CrossReferences<'_>,
) -> Vec<ProseRequest> {
    let calls = calls_by_function(view);
    let none = Calls::default();
    let decls = view.facts.summary.decls.iter().zip(&view.facts.texts).enumerate();
    decls
        .filter(|(_, (decl, _))| decl.kind.is_callable())
        .map(|(index, (decl, decl_text))| {
            let symbol = Symbol { path: view.path.clone(), qualname: decl.qualname.clone() };
            let id = (references.id_of)(&symbol);
            let calls = calls.get(&Some(index as u32)).unwrap_or(&none);
            let called: BTreeSet<String> =
                calls.internal.iter().filter_map(|callee| callee_id(callee, references)).collect();
            let callers: BTreeSet<String> =
                (references.callers_of)(&symbol).iter().map(references.id_of).collect();
            let shown = ShownFunction {
                id: &id,
                path: view.path.as_str(),
                language: sketch.language.name(),
                signature: &decl_text.signature,
                doc: decl_text.doc.as_deref().map(|doc| capped(doc, TEXT)),
                calls: first_entries(called),
                called_by: first_entries(callers),
                calls_outside: first_entries(calls.boundary.iter().cloned()),
                source: capped(text.lines(decl_text.line_start, decl_text.line_end), SOURCE_OF_FUNCTION),
            };
            ProseRequest::new(ProseKind::Function, &id, &shown, narrator)
        })
        .collect()
}

#[derive(Serialize)]
struct ShownStage<'a> {
    title: &'a str,
    description: String,
    serves_many: bool,
    file_count: usize,
    files: Vec<ShownSketch<'a>>,
    parts: Vec<String>,
    uses: Vec<String>,
    used_by: Vec<String>,
}

#[derive(Serialize)]
struct ShownSketch<'a> {
    path: &'a str,
    role: &'static str,
    starts_a_program: bool,
    said_of_itself: Option<&'a str>,
}

/// The request about a stage.
pub fn stage_request(stage: &Stage, story: &StageStory<'_>, narrator: &str) -> ProseRequest {
    let files = story.files.iter().take(ENTRIES).map(|sketch| ShownSketch {
        path: sketch.path.as_str(),
        role: sketch.role.name(),
        starts_a_program: sketch.is_program_entry(),
        said_of_itself: sketch.purpose.as_deref(),
    });
    let titles = |titles: &[&str]| first_entries(titles.iter().map(|title| (*title).to_owned()));
    let shown = ShownStage {
        title: story.title,
        description: capped(&stage.description, TEXT),
        serves_many: stage.crosscut,
        file_count: story.all_files,
        files: files.collect(),
        parts: titles(story.parts),
        uses: titles(story.uses),
        used_by: titles(story.used_by),
    };
    ProseRequest::new(ProseKind::StageSummary, stage.id.as_str(), &shown, narrator)
}

#[derive(Serialize)]
struct ShownSystem<'a> {
    name: &'a str,
    readme: Option<String>,
    kind: &'a str,
    file_count: usize,
    programs_start_in: Vec<String>,
    parts: Vec<ShownPart<'a>>,
}

#[derive(Serialize)]
struct ShownPart<'a> {
    title: &'a str,
    part_of: Option<&'a str>,
    serves_many: bool,
    description: String,
}

/// The request about the whole. `readme` is the first paragraph of the root's README.
pub fn overview_request(
    name: &str,
    readme: Option<&str>,
    skeleton: &Skeleton,
    sketches: &[FileSketch],
    narrator: &str,
) -> ProseRequest {
    let entries: BTreeSet<String> = sketches
        .iter()
        .filter(|sketch| sketch.is_program_entry())
        .map(|sketch| sketch.path.to_string())
        .collect();
    let titles: BTreeMap<&StageId, &str> =
        skeleton.stages.iter().map(|stage| (&stage.id, stage.title.as_str())).collect();
    let parts = skeleton.stages.iter().take(ENTRIES).map(|stage| ShownPart {
        title: &stage.title,
        part_of: stage.parent.as_ref().and_then(|parent| titles.get(parent)).copied(),
        serves_many: stage.crosscut,
        description: capped(&stage.description, TEXT / 10),
    });
    let shown = ShownSystem {
        name,
        readme: readme.map(|text| capped(text, TEXT)),
        kind: &skeleton.metadata.archetype,
        file_count: sketches.len(),
        programs_start_in: first_entries(entries),
        parts: parts.collect(),
    };
    ProseRequest::new(ProseKind::SystemOverview, "", &shown, narrator)
}

#[derive(Serialize)]
struct ShownRegister<'a> {
    id: &'a str,
    facts: &'a str,
    stages: Vec<&'a str>,
    read_by: Vec<String>,
    written_by: Vec<String>,
}

/// The request about a register.
pub fn register_request(register: &Register, narrator: &str) -> ProseRequest {
    let symbols = |uses: &[StateUse]| {
        let symbols: BTreeSet<String> = uses.iter().map(|used| used.symbol.clone()).collect();
        first_entries(symbols)
    };
    let shown = ShownRegister {
        id: register.id.as_str(),
        facts: &register.semantics,
        stages: register.stages.iter().map(StageId::as_str).take(ENTRIES).collect(),
        read_by: symbols(&register.reads),
        written_by: symbols(&register.writes),
    };
    ProseRequest::new(ProseKind::RegisterSemantics, register.id.as_str(), &shown, narrator)
}
