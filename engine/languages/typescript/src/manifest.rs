//! What package manifests and compiler configurations say, as far as anything asks.
//!
//! | entry | from |
//! |---|---|
//! | `("package", "name" or "description", …)` | `package.json` |
//! | `("main", field, path)` | `types`, `typings`, `module`, `main`, `bin` of `package.json` |
//! | `("exports", subpath, path)` | `exports`, one for each condition |
//! | `("workspace", "", pattern)` | `workspaces`, `packages` of `pnpm-workspace.yaml` |
//! | `("baseUrl", "", path)`, `("extends", "", path)`, `("paths", pattern, path)` | `tsconfig.json` |

use bindery_facts::{Manifest, ManifestEntry};
use serde_json::Value;

/// The files that are read.
pub(crate) const NAMES: &[&str] = &[
    "package.json",
    "pnpm-workspace.yaml",
    "tsconfig.json",
    "jsconfig.json",
    "tsconfig.base.json",
    "tsconfig.common.json",
    "tsconfig.paths.json",
    "tsconfig.app.json",
    "tsconfig.options.json",
];

/// The most entries that are kept of one list.
const LIST_LIMIT: usize = 512;
/// How deep conditions of `exports` may nest.
const MAX_CONDITIONS: u32 = 8;

/// Reads one of [`NAMES`].
pub(crate) fn read(file_name: &str, text: &str) -> Manifest {
    if file_name == "pnpm-workspace.yaml" {
        return Manifest { entries: pnpm_workspace(text), problem: None };
    }
    match serde_json::from_str::<Value>(&plain_json(text)) {
        Ok(value) if file_name == "package.json" => Manifest { entries: package(&value), problem: None },
        Ok(value) => Manifest { entries: configuration(&value), problem: None },
        Err(error) => {
            Manifest { entries: Vec::new(), problem: Some((error.line() as u32, error.to_string())) }
        }
    }
}

fn entry(kind: &str, key: &str, value: &str) -> ManifestEntry {
    ManifestEntry { kind: kind.into(), key: key.into(), value: value.into() }
}

fn package(package: &Value) -> Vec<ManifestEntry> {
    let mut entries = Vec::new();
    let text = |key: &str| package.get(key).and_then(Value::as_str);
    for key in ["name", "description"] {
        entries.extend(text(key).map(|value| entry("package", key, value)));
    }
    for key in ["types", "typings", "module", "main"] {
        entries.extend(text(key).map(|value| entry("main", key, value)));
    }
    match package.get("bin") {
        Some(Value::String(path)) => entries.push(entry("bin", "", path)),
        Some(Value::Object(bins)) => {
            let paths = bins.iter().filter_map(|(name, path)| Some(entry("bin", name, path.as_str()?)));
            entries.extend(paths.take(LIST_LIMIT));
        }
        _ => {}
    }
    if let Some(exports) = package.get("exports") {
        match exports {
            Value::Object(map) if map.keys().any(|key| key.starts_with('.')) => {
                for (subpath, target) in map.iter().take(LIST_LIMIT) {
                    targets(subpath, target, 0, &mut entries);
                }
            }
            target => targets(".", target, 0, &mut entries),
        }
    }
    let workspaces = package.get("workspaces");
    let list = workspaces.and_then(|list| list.get("packages").or(Some(list))).and_then(Value::as_array);
    let patterns = list.into_iter().flatten().filter_map(Value::as_str);
    entries.extend(patterns.take(LIST_LIMIT).map(|pattern| entry("workspace", "", pattern)));
    entries
}

/// Every path that a target of `exports` leads to, whatever its conditions.
fn targets(subpath: &str, target: &Value, depth: u32, entries: &mut Vec<ManifestEntry>) {
    if depth > MAX_CONDITIONS || entries.len() > LIST_LIMIT {
        return;
    }
    match target {
        Value::String(path) => entries.push(entry("exports", subpath, path)),
        Value::Object(conditions) => {
            conditions.values().for_each(|inner| targets(subpath, inner, depth + 1, entries))
        }
        Value::Array(list) => list.iter().for_each(|inner| targets(subpath, inner, depth + 1, entries)),
        _ => {}
    }
}

fn configuration(config: &Value) -> Vec<ManifestEntry> {
    let mut entries = Vec::new();
    match config.get("extends") {
        Some(Value::String(path)) => entries.push(entry("extends", "", path)),
        Some(Value::Array(list)) => {
            let paths = list.iter().filter_map(Value::as_str).take(LIST_LIMIT);
            entries.extend(paths.map(|path| entry("extends", "", path)));
        }
        _ => {}
    }
    let Some(options) = config.get("compilerOptions") else { return entries };
    entries.extend(options.get("baseUrl").and_then(Value::as_str).map(|path| entry("baseUrl", "", path)));
    let Some(paths) = options.get("paths").and_then(Value::as_object) else { return entries };
    for (pattern, list) in paths.iter().take(LIST_LIMIT) {
        let list = list.as_array().into_iter().flatten().filter_map(Value::as_str);
        entries.extend(list.take(LIST_LIMIT).map(|path| entry("paths", pattern, path)));
    }
    entries
}

/// The list under `packages:`; nothing else of the file says anything here.
fn pnpm_workspace(text: &str) -> Vec<ManifestEntry> {
    let mut entries = Vec::new();
    let mut is_in_list = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if !line.starts_with([' ', '-']) && !trimmed.is_empty() && !trimmed.starts_with('#') {
            is_in_list = trimmed == "packages:";
        } else if let Some(item) = trimmed.strip_prefix("- ").filter(|_| is_in_list) {
            let item = item.split(" #").next().unwrap_or(item);
            entries.push(entry("workspace", "", item.trim().trim_matches(['"', '\''])));
        }
    }
    entries
}

/// JSON without comments and trailing commas, which configurations may have; positions stay.
fn plain_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(first) = rest.chars().next() {
        if first == '"' {
            let end = string_end(rest);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if let Some(behind) = rest.strip_prefix("/*") {
            let (comment, after) = behind.split_once("*/").unwrap_or((behind, ""));
            out.extend(comment.chars().filter(|c| *c == '\n'));
            rest = after;
        } else {
            if matches!(first, '}' | ']') {
                let kept = out.trim_end();
                if kept.ends_with(',') {
                    out.truncate(kept.len() - 1);
                }
            }
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

/// One past the closing quote of the string that `text` begins with.
fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_name_their_files() {
        let text = r#"{"name": "@a/b", "main": "dist/x.js", "bin": {"b": "bin/b.js"},
            "exports": {".": {"import": "./dist/x.mjs", "types": "./dist/x.d.ts"}, "./c/*": "./dist/c/*.js"},
            "workspaces": ["packages/*"]}"#;
        let expected = [
            entry("package", "name", "@a/b"),
            entry("main", "main", "dist/x.js"),
            entry("bin", "b", "bin/b.js"),
            entry("exports", ".", "./dist/x.mjs"),
            entry("exports", ".", "./dist/x.d.ts"),
            entry("exports", "./c/*", "./dist/c/*.js"),
            entry("workspace", "", "packages/*"),
        ];
        assert_eq!(read("package.json", text).entries, expected);
        assert_eq!(read("package.json", "{\n\"name\": \n}").problem.map(|problem| problem.0), Some(3));
    }

    #[test]
    fn configurations_may_have_comments_and_trailing_commas() {
        let text = "{ // one\n \"extends\": \"./base//x.json\", /* two, ] */\n \"compilerOptions\": {\n  \
            \"baseUrl\": \".\", \"paths\": { \"@/*\": [\"src/*\",], },\n } }";
        let expected = [
            entry("extends", "", "./base//x.json"),
            entry("baseUrl", "", "."),
            entry("paths", "@/*", "src/*"),
        ];
        assert_eq!(read("tsconfig.json", text).entries, expected);
    }

    #[test]
    fn pnpm_lists_packages() {
        let text = "# x\npackages:\n  - 'packages/*' # all\n  - apps/web\ncatalog:\n  - no\n";
        let expected = [entry("workspace", "", "packages/*"), entry("workspace", "", "apps/web")];
        assert_eq!(read("pnpm-workspace.yaml", text).entries, expected);
    }
}
