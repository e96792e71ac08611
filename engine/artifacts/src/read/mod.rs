//! Reading what a person or an earlier run wrote: a typed value, or findings that name file, line,
//! what was found, what is allowed and the nearest match.
//!
//! A text is deserialized straight into its type, which refuses unknown keys and words just as the
//! published schema does. Only when that fails is it parsed again into a tree and held against the
//! schema, to explain what is wrong: a call graph of hundreds of megabytes never becomes a tree when
//! it is sound.

mod explain;
mod finding;
mod json_line;
mod toml_tree;
mod tree;
mod yaml_tree;

use serde_json::Value;

pub use explain::schema_findings;
pub use finding::{Finding, Problem, nearest};
pub use json_line::line_of as line_in_json;
pub(crate) use tree::escape_key as escape_pointer;

use crate::{Artifact, Syntax};
use tree::Lines;

/// A value that was read, and the lines its parts stood on.
#[derive(Clone, PartialEq, Debug)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    lines: Lines,
}

impl<T> Located<T> {
    /// The line (from 1) of the part a JSON pointer leads to, or of the nearest part around it.
    /// Of a JSON file only the whole is located.
    pub fn line(&self, pointer: &str) -> u32 {
        self.lines.line(pointer)
    }
}

/// Reads a file of kind `A`. `file` is what findings call it.
pub fn read<A: Artifact>(file: &str, text: &str) -> Result<Located<A>, Vec<Finding>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let located: Located<A> = match A::KIND.syntax() {
        Syntax::Yaml => from_tree(file, yaml_tree::parse(text)),
        Syntax::Toml => from_tree(file, toml_tree::parse(text)),
        Syntax::Json | Syntax::Csv => from_json(file, text),
    }?;
    let mut findings: Vec<Finding> = located
        .value
        .problems()
        .into_iter()
        .map(|(at, problem)| Finding { file: file.to_owned(), line: located.line(&at), at, problem })
        .collect();
    findings.sort_by(finding::by_place);
    if findings.is_empty() { Ok(located) } else { Err(findings) }
}

/// The line (from 1) on which the part of a valid JSON text begins that a pointer leads to.
pub fn json_line(text: &str, pointer: &str) -> u32 {
    json_line::line_of(text, pointer)
}

/// A YAML mapping of texts to texts in its order, as the head of a Markdown file has it; a message for
/// anything else.
pub fn yaml_strings(text: &str) -> Result<Vec<(String, String)>, String> {
    let (tree, _) = yaml_tree::parse(text).map_err(|(_, message)| message)?;
    let Value::Object(fields) = tree else { return Err("not a mapping".to_owned()) };
    let field = |(key, value): (String, Value)| match value {
        Value::String(text) => Ok((key, text)),
        _ => Err(format!("`{key}` is no text")),
    };
    fields.into_iter().map(field).collect()
}

fn from_tree<A: Artifact>(
    file: &str,
    parsed: Result<(Value, Lines), (u32, String)>,
) -> Result<Located<A>, Vec<Finding>> {
    let (tree, lines) = parsed.map_err(|(line, message)| vec![Finding::syntax(file, line, message)])?;
    match serde_json::from_value(tree.clone()) {
        Ok(value) => Ok(Located { value, lines }),
        Err(error) => {
            let line_of = |pointer: &str| lines.line(pointer);
            Err(explain::explain(A::KIND, file, &tree, &line_of, (1, error.to_string())))
        }
    }
}

fn from_json<A: Artifact>(file: &str, text: &str) -> Result<Located<A>, Vec<Finding>> {
    let typed_error = match serde_json::from_str(text) {
        Ok(value) => return Ok(Located { value, lines: Lines::default() }),
        Err(error) => json_error(&error),
    };
    let tree = match serde_json::from_str::<Value>(text) {
        Ok(tree) => tree,
        Err(error) => {
            let (line, message) = json_error(&error);
            return Err(vec![Finding::syntax(file, line, message)]);
        }
    };
    let line_of = |pointer: &str| json_line::line_of(text, pointer);
    Err(explain::explain(A::KIND, file, &tree, &line_of, typed_error))
}

/// Line and message of `serde_json`'s error, which appends its position to the message.
fn json_error(error: &serde_json::Error) -> (u32, String) {
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&position).unwrap_or(&message).to_owned();
    (u32::try_from(error.line()).unwrap_or(u32::MAX).max(1), message)
}

#[cfg(test)]
mod tests;
