//! Exactly what each page shows, as plain values.

use bindery_artifacts::Role;
use serde::{Deserialize, Serialize};

/// A link to a page of the handbook.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PageLink {
    /// What it is called.
    pub title: String,
    /// The page's file name.
    pub page: String,
}

/// A link to lines of a source file, by the handbook's link template.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceLink {
    /// The file.
    pub path: String,
    /// First line.
    pub line: u32,
    /// Last line.
    pub end_line: u32,
}

/// A symbol of any file, by its id; with a link if its file is on a page.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct LinkedReference {
    /// The node's id.
    pub id: String,
    /// The page and the anchor on it.
    pub place: Option<(String, String)>,
}

/// What a function calls.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum CalleeReference {
    /// Inside the set.
    Internal(LinkedReference),
    /// Outside of it, by its boundary id.
    Boundary(String),
}

/// The start page.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OverviewPage {
    /// The handbook's name.
    pub name: String,
    /// About the whole; empty if it could not be had.
    pub overview: String,
    /// The top-level stages in reading order.
    pub stages: Vec<PageLink>,
    /// Which of them are crosscut, parallel to `stages`.
    pub crosscut: Vec<bool>,
    /// What the map shows between them.
    pub ties: Vec<StageTie>,
    /// Whether there is a register page.
    pub has_registers: bool,
}

/// An arrow of the stage map.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StageTie {
    /// The stage that uses, as a place in the list of stages.
    pub user: u32,
    /// The stage that is used.
    pub used: u32,
}

/// The recursive index of stages.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct IndexPage {
    /// The handbook's name.
    pub name: String,
    /// Every stage with content, in reading order.
    pub entries: Vec<IndexEntry>,
    /// Files without a stage, sorted.
    pub unassigned: Vec<String>,
    /// Selected files that could not be read or parsed, with the reason, sorted.
    pub unscanned: Vec<(String, String)>,
}

/// A stage in the index.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct IndexEntry {
    /// The stage.
    pub link: PageLink,
    /// 0 for a top-level stage.
    pub depth: u32,
    /// Whether it serves many others.
    pub crosscut: bool,
    /// One sentence.
    pub description: String,
    /// Its files, those of its parts included.
    pub files: u32,
}

/// The table of registers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RegisterPage {
    /// The handbook's name.
    pub name: String,
    /// By id.
    pub rows: Vec<RegisterRow>,
}

/// A register in the table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RegisterRow {
    /// Its id, which is also its anchor.
    pub id: String,
    /// What it means.
    pub semantics: String,
    /// The stages that touch it.
    pub stages: Vec<PageLink>,
}

/// The page of one stage.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StagePage {
    /// The stage's id.
    pub id: String,
    /// The page's file name.
    pub page: String,
    /// Its title.
    pub title: String,
    /// The stages it is part of, outermost first.
    pub above: Vec<PageLink>,
    /// Whether it serves many others.
    pub crosscut: bool,
    /// What belongs to it.
    pub description: String,
    /// About it; empty if it could not be had.
    pub summary: String,
    /// Its parts.
    pub substages: Vec<SubstageEntry>,
    /// Its own files.
    pub groups: Vec<GroupSection>,
    /// The registers its own files touch, by id.
    pub registers: Vec<RegisterTouch>,
    /// The next stage in reading order.
    pub next: Option<PageLink>,
    /// How links to source files are spelled.
    pub link_template: String,
}

/// A part of a stage.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SubstageEntry {
    /// The part.
    pub link: PageLink,
    /// One sentence.
    pub description: String,
}

/// A group of files.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GroupSection {
    /// What they share.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// In reading order.
    pub cards: Vec<FileCard>,
}

/// A file on a stage page.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FileCard {
    /// The file.
    pub path: String,
    /// Its anchor.
    pub anchor: String,
    /// One sentence.
    pub purpose: String,
    /// What it is in the system.
    pub role: Role,
    /// When it is at work, or `none`.
    pub lifecycle: String,
    /// Several sentences, if the handbook goes deep.
    pub description: Option<String>,
    /// The line of the first syntax error, if the facts are incomplete.
    pub first_error: Option<u32>,
    /// Other stages that use it.
    pub also: Vec<PageLink>,
    /// Its types in source order.
    pub types: Vec<TypeEntry>,
    /// Its functions in source order.
    pub functions: Vec<FunctionEntry>,
}

/// A type on a card.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TypeEntry {
    /// Its anchor.
    pub anchor: String,
    /// Its qualname.
    pub qualname: String,
    /// The word of the vocabulary of types.
    pub kind: String,
    /// Where it is declared.
    pub source: SourceLink,
    /// The first sentence of its doc comment; may be empty.
    pub doc: String,
}

/// A function on a card.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FunctionEntry {
    /// Its anchor.
    pub anchor: String,
    /// Its qualname.
    pub qualname: String,
    /// The declaration's head.
    pub signature: String,
    /// Where it is declared.
    pub source: SourceLink,
    /// The first sentence of its doc comment; may be empty.
    pub doc: String,
    /// What a model wrote about it, if the handbook goes deep.
    pub prose: Option<ProseOfFunction>,
    /// Who calls it.
    pub callers: Vec<LinkedReference>,
    /// What it calls.
    pub callees: Vec<CalleeReference>,
}

/// What a model wrote about a function, and the function's id, which the prose is found by.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProseOfFunction {
    /// The function's id.
    pub id: String,
    /// The texts; any may be empty.
    pub text: crate::FunctionProse,
}

/// A register as one stage touches it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RegisterTouch {
    /// Its id.
    pub id: String,
    /// What it means.
    pub semantics: String,
    /// The ids of this stage's symbols that read it.
    pub readers: Vec<String>,
    /// The ids of this stage's symbols that write it.
    pub writers: Vec<String>,
}
