//! Imports go downward only, and the engine does no I/O outside the store and the narrators.
//!
//! The first half reads every `Cargo.toml`: what a crate does not depend on it cannot use. The second half
//! reads the sources for what every crate can use, the standard library's files, clock, environment and
//! processes; clippy's `disallowed-methods` says the same, but only where clippy is installed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up: a crate, and those below it that it may know. Everything else is forbidden.
const LAYERS: &[(&str, &[&str])] = &[
    ("bindery-source", &[]),
    ("bindery-store", &["source"]),
    ("bindery-facts", &["source"]),
    ("bindery-artifacts", &["source"]),
    ("bindery-plan", &["artifacts"]),
    ("bindery-syntax", &["source", "facts"]),
    ("bindery-graph", &["source", "facts"]),
    (LANGUAGE, &["source", "facts", "syntax", "graph"]),
    ("bindery-languages", &["source", "facts", "syntax", "graph", "language-*"]),
    ("bindery-narrators", &["source", "artifacts"]),
    ("bindery-handbook", &["source", "facts", "graph", "artifacts"]),
    ("bindery-db", &["source", "facts", "graph", "artifacts", "languages", "handbook"]),
    (
        "bindery-engine",
        &[
            "source",
            "facts",
            "graph",
            "artifacts",
            "plan",
            "syntax",
            "languages",
            "handbook",
            "db",
            "store",
            "narrators",
        ],
    ),
    ("bindery", &["engine"]),
    ("bindery-build", &["engine"]),
];

/// Stands for the crates of all languages, `bindery-language-rust` and so on.
const LANGUAGE: &str = "bindery-language-*";

/// Crates from outside that only some of ours may know; a trailing `*` stands for any ending.
const KEPT_APART: &[(&str, &[&str])] = &[
    ("salsa*", &["bindery-db"]),
    ("tree-sitter*", &["bindery-syntax", LANGUAGE]),
    ("ignore", &["bindery-store"]),
    ("rustix", &["bindery-store", "bindery-narrators"]),
    ("ureq", &["bindery-narrators"]),
    ("signal-hook*", &["bindery-store"]),
    ("tempfile", &["bindery-store"]),
    ("memmap*", &[]),
    ("clap*", &["bindery"]),
    ("cargo_metadata", &["bindery-build"]),
];

/// Modules of the standard library that reach outside the process.
const OUTSIDE: [&str; 6] = ["env", "fs", "net", "os", "process", "time"];

#[test]
fn crates_depend_downward_only() {
    let mut problems = Vec::new();
    for manifest in manifests() {
        let Some(allowed) = row(LAYERS, &manifest.name) else {
            problems.push(format!("`{}` has no place in the layers; give it one", manifest.name));
            continue;
        };
        for dependency in &manifest.dependencies {
            let Some(ours) = dependency.strip_prefix("bindery-") else { continue };
            if !allowed.iter().any(|pattern| matches(pattern, ours)) {
                problems.push(format!("`{}` must not know `{dependency}`", manifest.name));
            }
        }
    }
    assert_eq!(problems, Vec::<String>::new());
}

#[test]
fn crates_from_outside_are_known_to_their_owners_only() {
    let mut problems = Vec::new();
    for manifest in manifests() {
        for dependency in &manifest.dependencies {
            let Some((_, owners)) = KEPT_APART.iter().find(|(pattern, _)| matches(pattern, dependency))
            else {
                continue;
            };
            if !owners.iter().any(|owner| matches(owner, &manifest.name)) {
                problems.push(format!("`{}` must not know `{dependency}`", manifest.name));
            }
        }
    }
    assert_eq!(problems, Vec::<String>::new());
}

#[test]
fn every_layer_is_a_crate() {
    let names: BTreeSet<String> = manifests().into_iter().map(|manifest| manifest.name).collect();
    let unused = LAYERS.iter().filter(|(layer, _)| !names.iter().any(|name| matches(layer, name)));
    assert_eq!(unused.map(|(layer, _)| *layer).collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn the_engine_reaches_outside_through_the_store_and_the_narrators_only() {
    let mut problems = Vec::new();
    for file in rust_files(&root().join("engine")) {
        let path = file.strip_prefix(root()).expect("the files were found below the root");
        let may_reach_outside = path.starts_with("engine/store") || path.starts_with("engine/narrators");
        if may_reach_outside || !path.components().any(|part| part.as_os_str() == "src") {
            continue;
        }
        let source = production_code(&fs::read_to_string(&file).expect("the sources can be read"));
        for module in used_std_modules(&source).intersection(&BTreeSet::from(OUTSIDE)) {
            problems.push(format!("{}: `std::{module}`", path.display()));
        }
        for name in ["HashMap", "HashSet"].into_iter().filter(|name| uses_std_map(&source, name)) {
            problems.push(format!("{}: the standard library's `{name}`", path.display()));
        }
    }
    assert_eq!(problems, Vec::<String>::new());
}

/// The scanner itself, because a scanner that finds nothing would pass as well.
#[test]
fn the_scan_finds_what_it_looks_for() {
    let source = production_code(
        "use std::{collections::BTreeMap, fs::{self, File}, io};\n\
         // std::net is only mentioned\n\
         fn f() { std::env::var(\"A\"); ::std::process::abort(); let s = \"std::time\"; }\n\
         #[cfg(test)]\n\
         mod tests { use std::os::fd; }\n",
    );
    let found = used_std_modules(&source);
    assert_eq!(found, BTreeSet::from(["collections", "env", "fs", "io", "process"]));
    assert!(uses_std_map("use std::collections::{BTreeMap, HashMap};", "HashMap"));
    assert!(!uses_std_map("use rustc_hash::FxHashMap;", "HashMap"));
}

struct Manifest {
    name: String,
    dependencies: BTreeSet<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The manifests of all members of the workspace, the root's first.
fn manifests() -> Vec<Manifest> {
    let top = read_manifest(&root().join("Cargo.toml"));
    let members = top["workspace"]["members"].as_array().expect("the workspace lists its members");
    let members = members.iter().map(|member| member.as_str().expect("members are paths"));
    let mut manifests = vec![manifest(&top)];
    manifests.extend(members.map(|member| manifest(&read_manifest(&root().join(member).join("Cargo.toml")))));
    manifests
}

fn read_manifest(path: &Path) -> toml::Table {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Dependencies of the crate as it ships; what only its tests need reaches nobody.
fn manifest(table: &toml::Table) -> Manifest {
    let name = table["package"]["name"].as_str().expect("a package has a name").to_owned();
    let mut dependencies = BTreeMap::new();
    collect_dependencies(table, &mut dependencies);
    for target in
        table.get("target").and_then(toml::Value::as_table).into_iter().flat_map(|targets| targets.values())
    {
        collect_dependencies(target.as_table().expect("a target is a table"), &mut dependencies);
    }
    Manifest { name, dependencies: dependencies.into_values().collect() }
}

fn collect_dependencies(table: &toml::Table, dependencies: &mut BTreeMap<String, String>) {
    for section in ["dependencies", "build-dependencies"] {
        let Some(section) = table.get(section).and_then(toml::Value::as_table) else { continue };
        for (key, value) in section {
            let package = value.get("package").and_then(toml::Value::as_str).unwrap_or(key);
            dependencies.insert(key.clone(), package.to_owned());
        }
    }
}

fn row<'a>(rows: &'a [(&str, &'a [&'a str])], name: &str) -> Option<&'a [&'a str]> {
    rows.iter().find(|(pattern, _)| matches(pattern, name)).map(|(_, row)| *row)
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).expect("the directory can be listed") {
        let path = entry.expect("the directory can be listed").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// A source without its line comments, string literals and test module, which by custom stands last.
fn production_code(source: &str) -> String {
    let shipped = source.split("#[cfg(test)]\nmod tests").next().unwrap_or(source);
    let lines = shipped.lines().map(|line| line.split("//").next().unwrap_or(line));
    lines.map(|line| line.split('"').step_by(2).collect::<String>() + "\n").collect()
}

/// The first segments behind `std::`, groups opened.
fn used_std_modules(source: &str) -> BTreeSet<&str> {
    let mut modules = BTreeSet::new();
    for (at, _) in source.match_indices("std::") {
        let rest = &source[at + "std::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => modules.extend(group_heads(group)),
            None => modules.extend(head(rest)),
        }
    }
    modules
}

/// The heads of the items of a group whose opening brace lies behind us.
fn group_heads(group: &str) -> Vec<&str> {
    let mut heads = Vec::new();
    let (mut depth, mut item) = (0, 0);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                heads.extend(head(group[item..at].trim_start()));
                item = at + 1;
                if character == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    heads
}

fn head(text: &str) -> Option<&str> {
    let end =
        text.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}

fn uses_std_map(source: &str, name: &str) -> bool {
    source.match_indices("std::collections::").any(|(at, prefix)| {
        let rest = &source[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(group) => group_heads(group).contains(&name),
            None => head(rest) == Some(name),
        }
    })
}
