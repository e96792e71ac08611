//! What a narrator other than the built-in one is asked: for each unit of prose one request, which shows the
//! facts and the source text it is to be written from, and no more.
//!
//! A request's digest is the hash of exactly what is shown, of the instructions, the narrator's name and
//! [`PROMPT_VERSION`]. The model is not in it but beside it in the [`ProseEntry`](bindery_artifacts::ProseEntry):
//! which model a narrator's name stands for is known only where the user's configuration is, and the handbook must
//! be the same everywhere. Nothing that a model wrote is ever shown to a model, so that no unit depends on another.
//!
//! Line numbers are not shown either: a function that moves is not told about anew.

mod instructions;
mod shown;

use std::collections::BTreeMap;

use bindery_artifacts::{NarratorRequest, ProseField, ProseKind, ProseLanguage, Version};
use bindery_source::{ContentHash, KeyHasher};
use serde::Serialize;
use serde_json::Value;

pub use shown::{
    FileText, file_requests, function_requests, overview_request, register_request, stage_request,
};

/// Raise it when requests are put in another way although what they show is the same.
pub const PROMPT_VERSION: u32 = 1;

/// A unit of prose: what it is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Unit {
    /// What kind of thing.
    pub kind: ProseKind,
    /// Which one: a path, a stage's, function's or register's id; empty for the whole.
    pub subject: String,
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.subject.as_str() {
            "" => f.write_str(self.kind.name()),
            subject => write!(f, "{} {subject}", self.kind.name()),
        }
    }
}

/// What is asked about one unit.
#[derive(Clone, PartialEq, Debug)]
pub struct ProseRequest {
    /// What it is about.
    pub unit: Unit,
    /// See the module's page.
    pub digest: ContentHash,
    /// The facts and the text, as the narrator gets them.
    pub shown: Value,
    /// Bytes of `shown` as JSON.
    pub bytes: u64,
}

impl ProseRequest {
    /// `narrator` is the narrator's name.
    fn new(kind: ProseKind, subject: &str, shown: &impl Serialize, narrator: &str) -> Self {
        let shown = serde_json::to_value(shown).expect("what is shown has string keys only");
        let text = shown.to_string();
        let mut key = KeyHasher::new("prose request");
        key.field("prompt", &PROMPT_VERSION.to_le_bytes())
            .field("narrator", narrator.as_bytes())
            .field("kind", kind.name().as_bytes())
            .field("instructions", instructions::instructions(kind).as_bytes())
            .field("shown", text.as_bytes());
        let unit = Unit { kind, subject: subject.to_owned() };
        Self { unit, digest: key.finish(), shown, bytes: text.len() as u64 }
    }

    /// As the narrator gets it.
    pub fn for_narrator(self, model: &str) -> NarratorRequest {
        let Unit { kind, subject } = self.unit;
        NarratorRequest {
            version: Version,
            kind,
            subject,
            model: model.to_owned(),
            lang: ProseLanguage::En,
            instructions: instructions::instructions(kind).to_owned(),
            shown: self.shown,
            fields: fields(kind),
        }
    }
}

fn fields(kind: ProseKind) -> BTreeMap<ProseField, u64> {
    kind.fields().iter().map(|(field, longest)| (*field, *longest as u64)).collect()
}

#[cfg(test)]
mod tests;
