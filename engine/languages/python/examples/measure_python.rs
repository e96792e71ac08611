//! Reads every Python file below the given directories and prints what parsing and reading facts
//! took, and what does not hold: unique qualnames, one site per call node, indices in range.
//! With `--symbols FILE` also writes name, place and kind of every symbol, tab-separated.
//!
//! `cargo run --release -p bindery-language-python --example measure_python -- [--symbols FILE] DIRECTORY…`

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
use bindery_language_python::ADAPTER;
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
    decls: usize,
    bindings: usize,
    exprs: usize,
    accesses: usize,
    parse: Duration,
    read: Duration,
    problems: usize,
    parts: [usize; 7],
}

/// What [`Totals::parts`] counts, packed each on its own.
const PARTS: [&str; 7] = ["summary", "texts", "scopes", "bindings", "exprs", "sites", "accesses"];

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
    report(&totals);
    for (part, bytes) in PARTS.iter().zip(totals.parts) {
        println!("{part}: {:.2} MB", bytes as f64 / 1e6);
    }
    if let Some(file) = symbols_file {
        std::fs::write(file, symbols).expect("the symbols file can be written");
    }
}

fn report(totals: &Totals) {
    let megabytes = totals.bytes as f64 / 1e6;
    println!(
        "{} files, {megabytes:.1} MB, {} partial; {} decls, {} sites, {} accesses, {} bindings, {} exprs, {:.1} MB of facts",
        totals.files,
        totals.partial,
        totals.decls,
        totals.sites,
        totals.accesses,
        totals.bindings,
        totals.exprs,
        totals.facts_bytes as f64 / 1e6,
    );
    println!(
        "parse {:?} ({:.1} MB/s), facts {:?} ({:.0} % of the parse); {} problems",
        totals.parse,
        megabytes / totals.parse.as_secs_f64(),
        totals.read,
        100.0 * totals.read.as_secs_f64() / totals.parse.as_secs_f64(),
        totals.problems
    );
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "py" || extension == "pyi") {
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
    totals.read += parsed.elapsed();
    totals.parse += parsed - start;
    totals.files += 1;
    totals.bytes += text.as_str().len();
    totals.partial += usize::from(facts.first_error.is_some());
    totals.facts_bytes += bindery_facts::encode(&facts).len();
    let (summary, bodies) = (&facts.summary, &facts.bodies);
    let parts = [
        bindery_facts::encode(&**summary).len(),
        bindery_facts::encode(&facts.texts).len(),
        bindery_facts::encode(&bodies.scopes).len(),
        bindery_facts::encode(&bodies.bindings).len(),
        bindery_facts::encode(&bodies.exprs).len(),
        bindery_facts::encode(&bodies.sites).len(),
        bindery_facts::encode(&bodies.accesses).len(),
    ];
    totals.parts.iter_mut().zip(parts).for_each(|(total, part)| *total += part);
    totals.sites += facts.bodies.sites.len();
    totals.decls += facts.summary.decls.len();
    totals.bindings += facts.bodies.bindings.len();
    totals.exprs += facts.bodies.exprs.0.len();
    totals.accesses += facts.bodies.accesses.len();
    let name = file.strip_prefix(root).unwrap_or(file).display().to_string();
    check(&name, &facts, count_calls(&tree), totals);
    list_symbols(&name, &facts, symbols);
}

fn count_calls(tree: &tree_sitter::Tree) -> usize {
    let (mut cursor, mut count) = (tree.walk(), 0);
    loop {
        count += usize::from(cursor.node().is_named() && cursor.node().kind() == "call");
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}

fn check(name: &str, facts: &FileFacts, calls: usize, totals: &mut Totals) {
    let mut problem = |message: String| {
        totals.problems += 1;
        println!("{name}: {message}");
    };
    if facts.bodies.sites.len() != calls {
        problem(format!("{} sites for {calls} call nodes", facts.bodies.sites.len()));
    }
    let unique: BTreeSet<&str> = facts.summary.decls.iter().map(|decl| decl.qualname.as_str()).collect();
    if unique.len() != facts.summary.decls.len() {
        problem("a qualname is given twice".to_owned());
    }
    for decl in facts.summary.decls.iter().filter(|decl| !decl.owner.is_empty()) {
        if !unique.contains(decl.owner.as_str()) {
            problem(format!("{} is owned by {}, which is not declared", decl.qualname, decl.owner));
        }
    }
    for (index, expr) in facts.bodies.exprs.0.iter().enumerate() {
        expr.children(|child| assert!((child.0 as usize) < index, "{name}: a child behind its parent"));
    }
    let out_of_range = |site: &&bindery_facts::CallSite| {
        site.caller.is_some_and(|it| it.0 as usize >= facts.summary.decls.len())
    };
    if facts.bodies.sites.iter().any(|site| out_of_range(&site)) {
        problem("a caller is out of range".to_owned());
    }
}

fn list_symbols(name: &str, facts: &FileFacts, symbols: &mut String) {
    for (decl, text) in facts.summary.decls.iter().zip(&facts.texts) {
        let kind = match (decl.kind.type_kind(), decl.kind.is_callable()) {
            (Some(kind), _) => format!("type:{kind}"),
            (None, true) => "fn".to_owned(),
            (None, false) => continue,
        };
        writeln!(
            symbols,
            "{}\t{name}:{}-{}\t{kind}\t{}",
            decl.name, text.line_start, text.line_end, decl.qualname
        )
        .expect("writing to a string does not fail");
    }
}
