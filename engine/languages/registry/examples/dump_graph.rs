//! Resolves every file below a directory and writes the call graph alone, in the shape of `graph.json`
//! as far as the comparers under `oracles/` read it; prints what it took and why calls were dropped.
//!
//! `cargo run --release -p bindery-languages --example dump_graph -- DIRECTORY GRAPH.json [DROPPED.tsv]`

#![allow(clippy::disallowed_methods, reason = "a tool for people, not a part of the engine")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bindery_facts::FileFacts;
use bindery_graph::{Callee, Contents, MapLookup, Outcome, Resolution, Rules, Symbol, Unit, resolve};
use bindery_languages::{LanguageEntry, registry};
use bindery_source::{Language, RepoPath, module_path};
use bindery_syntax::{Limits, Parsed, parse};
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Source {
    path: RepoPath,
    facts: FileFacts,
    entry: &'static LanguageEntry,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, graph, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: dump_graph DIRECTORY GRAPH.json [DROPPED.tsv]");
        std::process::exit(2);
    };
    let started = processor_time();
    let (sources, units) = read(Path::new(root));
    let parsed = processor_time() - started;
    let lookup = MapLookup::new(units);
    let indexed = processor_time() - started - parsed;
    let started = processor_time();
    let resolutions: Vec<Resolution> = sources
        .iter()
        .map(|source| resolve(&source.path, &source.facts, source.entry.rules, &lookup))
        .collect();
    let resolved = processor_time() - started;
    std::fs::write(graph, json_text(&sources, &resolutions)).expect("the graph can be written");
    if let Some(dropped) = rest.first() {
        std::fs::write(dropped, dropped_text(&sources, &resolutions)).expect("the list can be written");
    }
    report(&sources, &resolutions, parsed, indexed, resolved);
}

/// The time this process has had a processor for, which other processes do not lengthen.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

type Units = Vec<(Arc<Unit>, &'static dyn Rules)>;

fn read(root: &Path) -> (Vec<Source>, Units) {
    let mut files = Vec::new();
    collect(root, &mut files);
    files.sort();
    let (mut sources, mut units): (Vec<Source>, Units) = Default::default();
    for file in files {
        let relative = file.strip_prefix(root).expect("the file lies below the root").to_string_lossy();
        let path = RepoPath::new(&relative);
        let Ok(bytes) = std::fs::read(&file) else { continue };
        for entry in registry() {
            if entry.adapter.manifest_names().contains(&path.file_name()) {
                let manifest = entry.adapter.manifest(path.file_name(), &String::from_utf8_lossy(&bytes));
                let contents = Contents::Manifest(entry.adapter.language(), Arc::new(manifest));
                units.push((Arc::new(Unit { path: path.clone(), contents }), entry.rules));
            }
        }
        let language = path.extension().and_then(Language::from_extension);
        let Some(entry) = registry().iter().find(|entry| Some(entry.adapter.language()) == language) else {
            continue;
        };
        if let Parsed::Facts(facts) = parse(entry.adapter, &bytes, &Limits::default()) {
            let contents = Contents::Source(facts.summary.clone());
            units.push((Arc::new(Unit { path: path.clone(), contents }), entry.rules));
            sources.push(Source { path, facts: *facts, entry });
        }
    }
    (sources, units)
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && !matches!(name.to_str(), Some(".git" | "target" | "node_modules")) {
            collect(&path, files);
        } else if path.is_file() {
            files.push(path);
        }
    }
}

/// The node an edge leads to or comes from.
fn id(path: &RepoPath, qualname: &str) -> String {
    format!("{}.{qualname}", module_path(path))
}

fn json_text(sources: &[Source], resolutions: &[Resolution]) -> String {
    let mut nodes: BTreeMap<String, Value> = BTreeMap::new();
    let mut lines = BTreeMap::new();
    for source in sources {
        add_node(&mut nodes, &source.path, "<module>", "<module>", (1, 1));
        for (decl, text) in source.facts.summary.decls.iter().zip(&source.facts.texts) {
            let span = (text.line_start, text.line_end);
            lines.insert((source.path.clone(), decl.qualname.clone()), span);
            if decl.kind.is_callable() {
                add_node(&mut nodes, &source.path, &decl.qualname, &decl.name, span);
            }
        }
    }
    let mut edges = Vec::new();
    for (source, resolution) in sources.iter().zip(resolutions) {
        for (site, outcome) in source.facts.bodies.sites.iter().zip(&resolution.outcomes) {
            let Outcome::Edges(call_type, callees) = outcome else { continue };
            let caller = site
                .caller
                .map_or("<module>", |index| source.facts.summary.decls[index.0 as usize].qualname.as_str());
            for callee in callees {
                let callee = callee_id(callee, &lines, &mut nodes);
                edges.push(json!({
                    "callerId": id(&source.path, caller), "calleeId": callee, "callType": call_type,
                    "line": site.line, "raw": site.raw,
                }));
            }
        }
    }
    let types = types(sources);
    serde_json::to_string(&json!({ "nodes": nodes, "edges": edges, "types": types }))
        .expect("plain values can be written")
}

/// The types by id, as far as the comparers read them.
fn types(sources: &[Source]) -> BTreeMap<String, Value> {
    let mut types = BTreeMap::new();
    for source in sources {
        for (decl, text) in source.facts.summary.decls.iter().zip(&source.facts.texts) {
            let Some(kind) = decl.kind.type_kind() else { continue };
            let id = id(&source.path, &decl.qualname);
            let value = json!({
                "id": id, "name": decl.name, "file": source.path.as_str(), "lineStart": text.line_start,
                "lineEnd": text.line_end, "typeKind": kind,
            });
            types.insert(id, value);
        }
    }
    types
}

fn add_node(
    nodes: &mut BTreeMap<String, Value>,
    path: &RepoPath,
    qualname: &str,
    name: &str,
    span: (u32, u32),
) {
    let id = id(path, qualname);
    let value = json!({
        "id": id, "name": name, "qualname": qualname, "file": path.as_str(), "lineStart": span.0,
        "lineEnd": span.1, "kind": "internal",
    });
    nodes.insert(id, value);
}

fn callee_id(
    callee: &Callee,
    lines: &BTreeMap<(RepoPath, smol_str::SmolStr), (u32, u32)>,
    nodes: &mut BTreeMap<String, Value>,
) -> String {
    let mut synthetic = |symbol: &Symbol, suffix: &str| {
        let qualname = format!("{}{suffix}", symbol.qualname);
        let span = lines.get(&(symbol.path.clone(), symbol.qualname.clone())).copied().unwrap_or((1, 1));
        let name = symbol.qualname.rsplit('.').next().unwrap_or_default();
        add_node(nodes, &symbol.path, &qualname, name, span);
        id(&symbol.path, &qualname)
    };
    match callee {
        Callee::Function(symbol) => id(&symbol.path, &symbol.qualname),
        Callee::New(symbol) => synthetic(symbol, ".<new>"),
        Callee::Variant(symbol) => synthetic(symbol, ""),
        Callee::Boundary { specifier, class, name } => {
            let parts: Vec<&str> = [specifier, class, name]
                .into_iter()
                .map(|part| part.as_str())
                .filter(|it| !it.is_empty())
                .collect();
            let id = format!("boundary:{}", parts.join("."));
            nodes.insert(id.clone(), json!({ "id": id, "name": name, "kind": "boundary" }));
            id
        }
    }
}

fn dropped_text(sources: &[Source], resolutions: &[Resolution]) -> String {
    let mut text = String::new();
    for (source, resolution) in sources.iter().zip(resolutions) {
        for (site, outcome) in source.facts.bodies.sites.iter().zip(&resolution.outcomes) {
            let what = match outcome {
                Outcome::Dropped(reason) => format!("~ {reason:?}"),
                Outcome::Edges(call_type, callees) => format!("{call_type:?} {callees:?}"),
            };
            let _ = writeln!(text, "{}:{}\t{}\t{what}", source.path, site.line, site.raw);
        }
    }
    text
}

fn report(
    sources: &[Source],
    resolutions: &[Resolution],
    parsed: Duration,
    indexed: Duration,
    resolved: Duration,
) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for outcome in resolutions.iter().flat_map(|resolution| &resolution.outcomes) {
        let key = match outcome {
            Outcome::Edges(call_type, _) => format!("{call_type:?}"),
            Outcome::Dropped(reason) => format!("~{reason:?}"),
        };
        *counts.entry(key).or_default() += 1;
    }
    let sites: usize = counts.values().sum();
    let needs: usize = resolutions.iter().map(|resolution| resolution.needs.len()).sum();
    println!(
        "{} files, {sites} sites, {needs} needs; read and parsed in {parsed:.2?}, indexed in {indexed:.2?}, \
         resolved in {resolved:.2?} ({:.1} µs a site)",
        sources.len(),
        resolved.as_secs_f64() * 1e6 / sites.max(1) as f64,
    );
    for (key, count) in counts {
        println!("{count:8} {key}");
    }
}
