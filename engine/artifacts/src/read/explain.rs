use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::tree::escape_key;
use super::{Finding, Problem};
use crate::Kind;

/// More findings than this help nobody.
const MOST_FINDINGS: usize = 50;
/// Characters of a found value that a finding shows.
const LONGEST_FOUND: usize = 60;

/// Says what is wrong with a tree that did not deserialize. `typed_error` is the line and message to
/// fall back on if the schema finds nothing (a key given twice, a number out of range).
pub(super) fn explain(
    kind: Kind,
    file: &str,
    tree: &Value,
    line_of: &dyn Fn(&str) -> u32,
    typed_error: (u32, String),
) -> Vec<Finding> {
    let located =
        |(at, problem): (String, Problem)| Finding { file: file.to_owned(), line: line_of(&at), at, problem };
    if let Some(newer) = newer_version(tree) {
        return vec![located(newer)];
    }
    let mut findings: Vec<Finding> = schema_findings(kind, tree).into_iter().map(located).collect();
    findings.sort_by(super::finding::by_place);
    match findings.is_empty() {
        true => vec![Finding::syntax(file, typed_error.0, typed_error.1)],
        false => findings,
    }
}

fn newer_version(tree: &Value) -> Option<(String, Problem)> {
    const READABLE: u64 = 1;
    ["/version", "/metadata/version"].into_iter().find_map(|pointer| {
        let found = tree.pointer(pointer)?.as_u64().filter(|found| *found > READABLE)?;
        Some((pointer.to_owned(), Problem::NewerVersion { found, readable: READABLE }))
    })
}

/// Holds a value against the published schema of its kind: JSON pointers and what is wrong there, in
/// the order of the schema, at most fifty.
pub fn schema_findings(kind: Kind, value: &Value) -> Vec<(String, Problem)> {
    let schema = kind.schema();
    let validator = validator(&schema);
    let mut findings = Vec::new();
    for error in validator.iter_errors(value).take(MOST_FINDINGS) {
        push_findings(&schema, &error, &mut findings);
    }
    findings.truncate(MOST_FINDINGS);
    findings
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).expect("the schemas are generated from our own types, and tested")
}

fn push_findings(schema: &Value, error: &ValidationError<'_>, findings: &mut Vec<(String, Problem)>) {
    let at = error.instance_path().to_string();
    let found = || shown(error.instance());
    let problem = match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let allowed = keys_beside(schema, &error.evaluation_path().to_string());
            findings.extend(unexpected.iter().map(|key| {
                let at = format!("{at}/{}", escape_key(key));
                (at, Problem::UnknownKey { key: key.clone(), allowed: allowed.clone() })
            }));
            return;
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            match choices(context, &at) {
                Some(allowed) => Problem::Choice { found: found(), allowed },
                None => return push_best_branch(schema, context, findings),
            }
        }
        ValidationErrorKind::Required { property } => Problem::MissingKey { key: text(property) },
        kind => match words(kind) {
            Some(allowed) => Problem::Choice { found: found(), allowed },
            None => Problem::Form { found: found(), allowed: form(kind, error) },
        },
    };
    findings.push((at, problem));
}

/// The words a schema allows at a place, if it lists them.
fn words(kind: &ValidationErrorKind) -> Option<Vec<String>> {
    match kind {
        ValidationErrorKind::Enum { options } => Some(options.as_array()?.iter().map(text).collect()),
        ValidationErrorKind::Constant { expected_value } => Some(vec![text(expected_value)]),
        _ => None,
    }
}

/// What alternatives allow together, if each only lists words for the very same place.
fn choices(branches: &[Vec<ValidationError<'static>>], at: &str) -> Option<Vec<String>> {
    let mut allowed = Vec::new();
    for branch in branches {
        match branch.as_slice() {
            [error] if error.instance_path().to_string() == at => match error.kind() {
                ValidationErrorKind::Type { kind: TypeKind::Single(jsonschema::JsonType::Null) } => {}
                kind => allowed.extend(words(kind)?),
            },
            _ => return None,
        }
    }
    (!allowed.is_empty()).then_some(allowed)
}

/// Of several alternatives the one that fits best explains what is wrong; the alternative `null` never does.
fn push_best_branch(
    schema: &Value,
    branches: &[Vec<ValidationError<'static>>],
    findings: &mut Vec<(String, Problem)>,
) {
    let is_null = |branch: &[ValidationError<'_>]| {
        matches!(branch, [error] if matches!(
            error.kind(),
            ValidationErrorKind::Type { kind: TypeKind::Single(jsonschema::JsonType::Null) }
        ))
    };
    let best = branches.iter().min_by_key(|branch| (is_null(branch), branch.len()));
    for error in best.into_iter().flatten() {
        push_findings(schema, error, findings);
    }
}

fn form(kind: &ValidationErrorKind, error: &ValidationError<'_>) -> String {
    match kind {
        ValidationErrorKind::Type { kind: TypeKind::Single(json_type) } => type_words(*json_type).to_owned(),
        ValidationErrorKind::Type { kind: TypeKind::Multiple(types) } => {
            let words: Vec<_> =
                types.iter().filter(|t| *t != jsonschema::JsonType::Null).map(type_words).collect();
            words.join(" or ")
        }
        ValidationErrorKind::Pattern { pattern } => format!("text that matches `{pattern}`"),
        ValidationErrorKind::Minimum { limit } => format!("a number of at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("a number of at most {limit}"),
        _ => error.masked().to_string(),
    }
}

fn type_words(json_type: jsonschema::JsonType) -> &'static str {
    use jsonschema::JsonType;
    match json_type {
        JsonType::Array => "a list",
        JsonType::Boolean => "`true` or `false`",
        JsonType::Integer => "a whole number",
        JsonType::Null => "nothing",
        JsonType::Number => "a number",
        JsonType::Object => "a table of keys and values",
        JsonType::String => "a string",
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::Object(_) => return "a table of keys and values".to_owned(),
        Value::Array(_) => return "a list".to_owned(),
        other => text(other),
    };
    match text.char_indices().nth(LONGEST_FOUND) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The keys of the object schema whose `additionalProperties` is at `path`, which may lead through
/// references.
fn keys_beside(schema: &Value, path: &str) -> Vec<String> {
    let mut place = schema;
    // The last segment is the keyword that was broken; the same word before it leads into the values of a map.
    let path = path.strip_suffix("/additionalProperties").unwrap_or(path);
    for segment in path.trim_start_matches('/').split('/').filter(|segment| !segment.is_empty()) {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        match (segment.as_str(), place) {
            ("$ref", Value::Object(object)) => {
                let target = object.get("$ref").and_then(Value::as_str).unwrap_or_default();
                place = schema.pointer(target.trim_start_matches('#')).unwrap_or(&Value::Null);
            }
            (key, Value::Object(object)) => place = object.get(key).unwrap_or(&Value::Null),
            (index, Value::Array(items)) => {
                place = index.parse().ok().and_then(|index: usize| items.get(index)).unwrap_or(&Value::Null);
            }
            _ => return Vec::new(),
        }
    }
    let properties = place.get("properties").and_then(Value::as_object);
    properties.map(|keys| keys.keys().cloned().collect()).unwrap_or_default()
}
