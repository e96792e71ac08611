//! Reads every Rust file below the given directories and prints what parsing and reading facts took,
//! and what does not hold: unique qualnames, one site per call node, callers and scopes in range.
//! With `--symbols FILE` also writes name, place and kind of every symbol, tab-separated.
//!
//! `cargo run --release -p bindery-language-rust --example measure_rust -- [--symbols FILE] DIRECTORY…`

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a tool for people, not a part of the engine"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bindery_facts::FileFacts;
use bindery_language_rust::ADAPTER;
use bindery_syntax::{Adapter, Limits, SourceText, parse_tree};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Default)]
struct Totals {
    files: usize,
    bytes: usize,
    partial: usize,
    facts_bytes: usize,
    sites: usize,
    in_macros: usize,
    decls: usize,
    bindings: usize,
    exprs: usize,
    accesses: usize,
    parse: Duration,
    read: Duration,
    problems: usize,
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let symbols_file = arguments.iter().position(|it| it == "--symbols").map(|at| {
        arguments.remove(at);
        arguments.remove(at)
    });
    let (mut totals, mut symbols) = (Totals::default(), String::new());
    for root in &arguments {
        let root = PathBuf::from(root);
        let mut files = Vec::new();
        collect(&root, &mut files);
        for file in files {
            measure(&root, &file, &mut totals, &mut symbols);
        }
    }
    let rate = |time: Duration| totals.bytes as f64 / 1e6 / time.as_secs_f64();
    println!(
        "{} files, {:.1} MB, {} partial; {} decls, {} sites ({} in macros), {} accesses, {} bindings, {} exprs, {:.1} MB of facts",
        totals.files,
        totals.bytes as f64 / 1e6,
        totals.partial,
        totals.decls,
        totals.sites,
        totals.in_macros,
        totals.accesses,
        totals.bindings,
        totals.exprs,
        totals.facts_bytes as f64 / 1e6,
    );
    println!(
        "parse {:?} ({:.1} MB/s), facts {:?} ({:.0} % of the parse); {} problems",
        totals.parse,
        rate(totals.parse),
        totals.read,
        100.0 * totals.read.as_secs_f64() / totals.parse.as_secs_f64(),
        totals.problems
    );
    if let Some(file) = symbols_file {
        std::fs::write(file, symbols).expect("the symbols file can be written");
    }
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn measure(root: &Path, file: &Path, totals: &mut Totals, symbols: &mut String) {
    let Ok(bytes) = std::fs::read(file) else { return };
    let Ok(text) = SourceText::decode(&bytes) else { return };
    let start = Instant::now();
    let limits = Limits::default();
    let Ok((tree, _)) =
        parse_tree(&ADAPTER.grammar(), text.as_str(), &limits, &mut || ControlFlow::Continue(()))
    else {
        println!("{}: over a limit", file.display());
        return;
    };
    let parsed = Instant::now();
    let facts = ADAPTER.facts(text.as_str(), &tree);
    let read = parsed.elapsed();
    totals.parse += parsed - start;
    totals.read += read;
    totals.files += 1;
    totals.bytes += text.as_str().len();
    totals.partial += usize::from(facts.first_error.is_some());
    totals.facts_bytes += bindery_facts::encode(&facts).len();
    totals.sites += facts.bodies.sites.len();
    totals.decls += facts.summary.decls.len();
    totals.bindings += facts.bodies.bindings.len();
    totals.exprs += facts.bodies.exprs.0.len();
    totals.accesses += facts.bodies.accesses.len();
    let in_macros = ADAPTER.call_nodes_in_splices(text.as_str(), &tree) as usize;
    totals.in_macros += in_macros;
    let name = file.strip_prefix(root).unwrap_or(file).display().to_string();
    for problem in problems(&facts, count_calls(&tree) + in_macros) {
        println!("{name}: {problem}");
        totals.problems += 1;
    }
    write_symbols(&name, &facts, symbols);
}

/// Counts call nodes in the tree itself, attributes apart.
fn count_calls(tree: &tree_sitter::Tree) -> usize {
    let (mut cursor, mut count) = (tree.walk(), 0);
    loop {
        let kind = cursor.node().kind();
        count += usize::from(ADAPTER.call_node_kinds().contains(&kind));
        if !kind.ends_with("attribute_item") && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}

fn problems(facts: &FileFacts, call_nodes: usize) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for decl in &facts.summary.decls {
        if !seen.insert(&decl.qualname) {
            problems.push(format!("qualname `{}` twice", decl.qualname));
        }
    }
    if facts.bodies.sites.len() != call_nodes {
        problems.push(format!("{} sites, {call_nodes} call nodes", facts.bodies.sites.len()));
    }
    for site in &facts.bodies.sites {
        let caller = site.caller.map(|caller| facts.summary.decls[caller.0 as usize].kind.is_callable());
        if caller == Some(false) || site.scope.0 as usize >= facts.bodies.scopes.len() || site.raw.is_empty()
        {
            problems.push(format!("line {}: bad site {site:?}", site.line));
        }
    }
    problems
}

fn write_symbols(file: &str, facts: &FileFacts, symbols: &mut String) {
    for (decl, text) in facts.summary.decls.iter().zip(&facts.texts) {
        let kind = match (decl.kind.callable_kind(), decl.kind.type_kind()) {
            (Some(_), _) => "fn".to_owned(),
            (None, Some(kind)) => format!("type:{kind}"),
            (None, None) => continue,
        };
        let (start, end) = (text.line_start, text.line_end);
        writeln!(symbols, "{}\t{file}:{start}-{end}\t{kind}\t\t0\t{}", decl.name, text.signature)
            .expect("writing to a string cannot fail");
    }
}
