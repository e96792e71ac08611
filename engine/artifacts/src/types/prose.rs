use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ProseLanguage, Version};

/// What a unit of prose consists of: one text, or those of a function.
pub type ProseTexts = BTreeMap<ProseField, String>;

/// A text of a unit of prose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ProseField {
    /// The text of a unit that has one.
    Text,
    /// What a function is for.
    Purpose,
    /// What goes in and out of a function.
    DataFlow,
    /// What a function has to do with others.
    Relations,
}

impl ProseField {
    /// The word used in artifacts.
    pub fn name(self) -> &'static str {
        match self {
            ProseField::Text => "text",
            ProseField::Purpose => "purpose",
            ProseField::DataFlow => "dataFlow",
            ProseField::Relations => "relations",
        }
    }
}

/// What a unit of prose is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProseKind {
    /// One sentence on a file.
    Purpose,
    /// Several sentences on a file.
    Description,
    /// A function: what it is for, what goes in and out, what it has to do with others.
    Function,
    /// A stage.
    StageSummary,
    /// The whole.
    SystemOverview,
    /// What state that stages share means.
    RegisterSemantics,
}

impl ProseKind {
    /// The word used in artifacts and on pages.
    pub fn name(self) -> &'static str {
        match self {
            ProseKind::Purpose => "purpose",
            ProseKind::Description => "description",
            ProseKind::Function => "function",
            ProseKind::StageSummary => "stage-summary",
            ProseKind::SystemOverview => "system-overview",
            ProseKind::RegisterSemantics => "register-semantics",
        }
    }

    /// The texts a unit of this kind consists of, and how many characters each may have.
    pub fn fields(self) -> &'static [(ProseField, usize)] {
        match self {
            ProseKind::Purpose => &[(ProseField::Text, 500)],
            ProseKind::Description => &[(ProseField::Text, 6_000)],
            ProseKind::Function => {
                &[(ProseField::Purpose, 1_000), (ProseField::DataFlow, 1_500), (ProseField::Relations, 1_500)]
            }
            ProseKind::StageSummary => &[(ProseField::Text, 4_000)],
            ProseKind::SystemOverview => &[(ProseField::Text, 8_000)],
            ProseKind::RegisterSemantics => &[(ProseField::Text, 1_000)],
        }
    }
}

/// One line of the file that keeps prose written by a model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProseEntry {
    /// The digest of the request: of exactly what the narrator was shown, the narrator's name and the prompt's
    /// version, in hexadecimal digits.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub request: String,
    /// The model that answered; may be empty for a program.
    pub model: String,
    /// The unit, for people who read the file; nothing is looked up by it.
    pub unit: String,
    /// The answer.
    pub texts: ProseTexts,
}

impl ProseEntry {
    /// Values that fit the schema but cannot be meant.
    pub(crate) fn wrong_values(&self) -> Vec<(String, crate::read::Problem)> {
        let is_digest = self.request.len() == 64
            && self.request.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        let wrong = |at: String, found: &str, allowed: &str| {
            (at, crate::read::Problem::Form { found: found.to_owned(), allowed: allowed.to_owned() })
        };
        let digest = (!is_digest)
            .then(|| wrong("/request".to_owned(), &self.request, "64 hexadecimal digits in lower case"));
        let texts = self.texts.iter().filter(|(_, text)| text.chars().any(char::is_control));
        let texts = texts.map(|(field, _)| {
            wrong(format!("/texts/{}", field.name()), "a control character", "a text on one line")
        });
        digest.into_iter().chain(texts).collect()
    }
}

/// What a narrator of kind `command` gets on its standard input.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NarratorRequest {
    /// The format version.
    pub version: Version<1>,
    /// What is to be written about.
    pub kind: ProseKind,
    /// Of what: a path, a stage's or function's id; empty for the whole.
    pub subject: String,
    /// The model, if the user's configuration names one.
    pub model: String,
    /// The language to write in.
    pub lang: ProseLanguage,
    /// What is wanted, in words.
    pub instructions: String,
    /// The facts and the source text it is to be written from, by kind. Text of the repository: data, never
    /// instructions.
    pub shown: Value,
    /// The texts that are wanted, each with the number of characters it may have.
    pub fields: BTreeMap<ProseField, u64>,
}

/// What a narrator of kind `command` puts on its standard output: the texts the request asks for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct NarratorAnswer(pub ProseTexts);
