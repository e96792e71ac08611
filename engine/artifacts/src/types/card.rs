use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Version;

/// The record of one source file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Card {
    /// The format version.
    pub version: Version<1>,
    /// The file.
    pub file: String,
    /// One sentence; empty if none could be had.
    pub purpose: String,
    /// What the file is in the system.
    pub role: Role,
    /// When it is at work, in a few words, or `none`.
    pub lifecycle: String,
    /// Several sentences; only with `depth = "deep"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its functions; only with `depth = "deep"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub functions: Option<Vec<CardFunction>>,
}

/// A function on a card: facts from the graph, prose from the narrator.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CardFunction {
    /// The node's id.
    pub id: String,
    /// Enclosing names and the name, joined with `.`.
    pub qualname: String,
    /// Its own name.
    pub name: String,
    /// The qualname of the type it is a member of.
    pub class_name: Option<String>,
    /// First and last line.
    pub line_range: [u32; 2],
    /// The declaration's head on one line.
    pub signature: String,
    /// Ids of the nodes of the set it calls, sorted.
    pub calls: Vec<String>,
    /// Ids of the nodes that call it, sorted.
    pub called_by: Vec<String>,
    /// Ids of the nodes outside the set it calls, sorted.
    pub ext_calls: Vec<String>,
    /// Entries of `calls`.
    pub n_calls: u64,
    /// Entries of `calledBy`.
    pub n_called_by: u64,
    /// Entries of `extCalls`.
    pub n_ext_calls: u64,
    /// What it is for; may be empty.
    pub purpose: String,
    /// What goes in and out; may be empty.
    pub data_flow: String,
    /// What it has to do with others; may be empty.
    pub relations: String,
}

/// What a file is in the system, by written rules over facts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words are the handbook's own vocabulary")]
pub enum Role {
    Entrypoint,
    Orchestration,
    DomainLogic,
    IoTransport,
    DataModel,
    Config,
    Util,
    Test,
    Generated,
    Other,
}

impl Role {
    /// Every role, in the order of the vocabulary.
    pub const ALL: [Role; 10] = [
        Role::Entrypoint,
        Role::Orchestration,
        Role::DomainLogic,
        Role::IoTransport,
        Role::DataModel,
        Role::Config,
        Role::Util,
        Role::Test,
        Role::Generated,
        Role::Other,
    ];

    /// The word used in artifacts.
    pub fn name(self) -> &'static str {
        match self {
            Role::Entrypoint => "entrypoint",
            Role::Orchestration => "orchestration",
            Role::DomainLogic => "domain_logic",
            Role::IoTransport => "io_transport",
            Role::DataModel => "data_model",
            Role::Config => "config",
            Role::Util => "util",
            Role::Test => "test",
            Role::Generated => "generated",
            Role::Other => "other",
        }
    }
}

/// Which files have a described card.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CardCoverage {
    /// The format version.
    pub version: Version<1>,
    /// Cards.
    pub n_files: u64,
    /// Cards whose purpose is a description.
    pub n_described: u64,
    /// The files of the others, sorted.
    pub missing: Vec<String>,
}
