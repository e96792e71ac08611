//! The two sides of a comparison as files, and what is left out of ours where a row says so.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

/// What the other side says.
pub(crate) struct Truth {
    value: Value,
    /// The lines that a definition may start on, from its attributes to its name, by its file and name. Those that
    /// were not compiled, because another alternative was, are left out.
    definitions: HashMap<(String, String), Vec<(u64, u64)>>,
}

impl Truth {
    /// Reads a truth file. Names that are written as strings, raw or over several lines become what we call them: the
    /// string's content, without `r#`, on one line.
    pub(crate) fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("the truth was made");
        let mut value: Value = serde_json::from_str(&text).expect("the truth is JSON");
        let mut definitions: HashMap<_, Vec<_>> = HashMap::new();
        for definition in value["defs"].as_array_mut().expect("a truth has definitions") {
            let name = plain_name(text_of(definition, "name"));
            let key = (text_of(definition, "file").to_owned(), name.clone());
            if definition["built"] != false {
                let lines = (number(definition, "outer"), number(definition, "nameLine"));
                definitions.entry(key).or_default().push(lines);
            }
            definition["name"] = Value::String(name);
        }
        forget_what_was_not_mapped(&mut value);
        Self { value, definitions }
    }

    pub(crate) fn write(&self, path: &Path) {
        fs::write(path, self.value.to_string()).expect("the truth can be written");
    }

    fn defines(&self, node: &Value) -> bool {
        let key = (text_of(node, "file").to_owned(), text_of(node, "name").to_owned());
        let line = number(node, "lineStart");
        let lines = self.definitions.get(&key);
        lines.is_some_and(|lines| lines.iter().any(|(first, last)| (*first..=*last).contains(&line)))
    }
}

/// Paths of rustc's that begin with a module of the sources lead inside; those that the other side did not map to a
/// definition are no targets outside, but none at all.
fn forget_what_was_not_mapped(truth: &mut Value) {
    if truth["lang"] != "rust" {
        return;
    }
    let files = truth["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let modules: HashSet<String> = files.filter_map(top_module).map(str::to_owned).collect();
    for call in truth["calls"].as_array_mut().expect("a truth has calls") {
        let first = text_of(call, "ext").split("::").next().unwrap_or_default();
        if modules.contains(first) {
            call["ext"] = Value::Null;
        }
    }
}

/// The module right below the crate that a file is in: the part behind `src`.
fn top_module(file: &str) -> Option<&str> {
    let (_, behind) = file.rsplit_once("src/")?;
    behind.split(['/', '.']).next()
}

fn plain_name(name: &str) -> String {
    let folded = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let quote = folded.chars().next().filter(|first| matches!(first, '"' | '\''));
    let inner = quote.and_then(|quote| folded.strip_prefix(quote)?.strip_suffix(quote));
    inner.or(folded.strip_prefix("r#")).unwrap_or(&folded).to_owned()
}

/// The call graph of the handbook.
pub(crate) struct Graph {
    value: Value,
}

impl Graph {
    pub(crate) fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("the graph was written");
        Self { value: serde_json::from_str(&text).expect("the graph is JSON") }
    }

    pub(crate) fn write(&self, path: &Path) {
        fs::write(path, self.value.to_string()).expect("the graph can be written");
    }

    fn edges_mut(&mut self) -> &mut Vec<Value> {
        self.value["edges"].as_array_mut().expect("a graph has edges")
    }

    /// Takes the edges to constructors out.
    pub(crate) fn leave_out_constructions(&mut self) {
        self.edges_mut().retain(|edge| edge["callType"] != "internal_constructor");
    }

    /// Takes out the edges from and to functions that the other side does not list: those that a macro holds, and
    /// those that were not compiled. A closure is no function there: its calls count as those of the function around.
    pub(crate) fn leave_out_what_is_not_in(&mut self, truth: &Truth) {
        let nodes = self.value["nodes"].as_object().expect("a graph has nodes");
        let is_closure = |node: &Value| text_of(node, "signature").starts_with("let ");
        let owner_of = |node: &Value| {
            let (id, name) = (text_of(node, "id"), text_of(node, "name"));
            id.strip_suffix(name)?.strip_suffix('.').map(str::to_owned)
        };
        let mut around: HashMap<String, String> = HashMap::new();
        let mut unlisted: HashSet<String> = HashSet::new();
        for (id, node) in nodes {
            if is_closure(node) {
                around.extend(owner_of(node).map(|owner| (id.clone(), owner)));
            }
            if node["kind"] == "internal" && node["synthetic"] == false && !truth.defines(node) {
                unlisted.insert(id.clone());
            }
        }
        self.edges_mut().retain_mut(|edge| {
            let mut caller = text_of(edge, "callerId").to_owned();
            while let Some(owner) = around.get(&caller) {
                caller = owner.clone();
            }
            edge["callerId"] = Value::String(caller.clone());
            !unlisted.contains(&caller) && !unlisted.contains(text_of(edge, "calleeId"))
        });
    }
}

fn text_of<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(0)
}
