//! Runs every literate case under `fixtures/<language>/`.
//!
//! A case is a `## heading` of a Markdown file with prose and fenced blocks: source files
//! (```` ```rust file=src/lib.rs ````, manifests too) and what must follow from them. An expectation
//! that is written is complete; one that is not written is not checked. Lines compare as a sorted
//! list.
//!
//! | block | line |
//! |---|---|
//! | `symbols` | `path:start-end kind qualname`, kind a callable's, `type:…` or `variant` |
//! | `signatures` | `path qualname = signature` |
//! | `docs` | `path qualname = first paragraph`, of the file itself `path = …` |
//! | `imports` | `path owner: a::b as name`, `… as *`, `… as _`, `… as own`; owner `<module>` at the top |
//! | `variables` | `path owner.name kind`, then `mutable` if it is |
//! | `types` | `path qualname (T, T) -> T : Base, … for T`, then `where T: A + B = D` for each type parameter |
//! | `bindings` | `path:line name kind: type = value`, in the notation of `render.rs` |
//! | `sites` | `path:line caller raw`, then `await` if it is |
//! | `edges` | `path:line caller -> path qualname callType`, `… -> boundary:x.f boundary`, `… ~ raw reason` |
//! | `supertypes` | `path Type : path Base, boundary:m.Base, Written` |
//! | `accesses` | `path:line caller reads path Owner.name` or `writes` |
//!
//! Whatever a case expects, this holds in each: every call node of the tree is one site and one
//! outcome, and qualnames are unique within a file. `BINDERY_CASES=word` runs only the cases whose
//! path or heading has the word.

#![allow(clippy::disallowed_methods, reason = "a test reads its fixtures from the disk")]

mod render;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bindery_facts::{DeclIndex, DeclKind, FileFacts, ImportBinding};
use bindery_graph::{
    CallType, Callee, Contents, DropReason, MapLookup, Outcome, Resolution, Supertype, Symbol, Unit, resolve,
};
use bindery_languages::{LanguageEntry, for_language, registry};
use bindery_source::{Language, RepoPath};
use bindery_syntax::{Limits, SourceText, parse_source, text::LineTable};

/// A `## heading` with its blocks.
#[derive(Default, Debug)]
struct Case {
    heading: String,
    files: Vec<(String, String)>,
    expected: Vec<(String, Vec<String>)>,
}

/// A source file of a case.
struct Source {
    path: RepoPath,
    entry: &'static LanguageEntry,
    lines: LineTable,
    facts: FileFacts,
    call_nodes: usize,
}

#[test]
fn cases() {
    let filter = std::env::var("BINDERY_CASES").unwrap_or_default();
    let (mut count, mut report) = (0, String::new());
    for (name, file) in case_files() {
        let text = std::fs::read_to_string(&file).expect("a fixture that was listed can be read");
        for case in parse_cases(&text) {
            if !name.contains(&filter) && !case.heading.contains(&filter) {
                continue;
            }
            count += 1;
            let failures = check(&case);
            if !failures.is_empty() {
                writeln!(report, "\n{name}, {}:\n{failures}", case.heading).expect("a string takes any text");
            }
        }
    }
    assert!(report.is_empty(), "{report}");
    println!("{count} cases hold");
}

/// Every case file of the languages compiled in, by its name below `fixtures`.
fn case_files() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures");
    let mut files = Vec::new();
    for entry in registry() {
        let language = entry.adapter.language().name();
        let Ok(directory) = std::fs::read_dir(root.join(language)) else { continue };
        for file in directory.flatten().map(|file| file.path()) {
            if file.extension().is_some_and(|extension| extension == "md") {
                files.push((format!("{language}/{}", file.file_name().unwrap_or_default().display()), file));
            }
        }
    }
    files.sort();
    files
}

fn parse_cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix("## ") {
            cases.push(Case { heading: heading.to_owned(), ..Case::default() });
        } else if line.starts_with("```") {
            let fence: String = line.chars().take_while(|character| *character == '`').collect();
            let body: Vec<&str> = lines.by_ref().take_while(|line| line.trim_end() != fence).collect();
            let case = cases.last_mut().expect("a block stands below a heading");
            add_block(case, line.trim_start_matches('`').trim(), &body);
        }
    }
    cases
}

fn add_block(case: &mut Case, info: &str, body: &[&str]) {
    match info.split_once("file=") {
        Some((_, path)) => {
            let text: String = body.iter().map(|line| format!("{line}\n")).collect();
            case.files.push((path.trim().to_owned(), text));
        }
        None => {
            let lines = body.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
            case.expected.push((info.to_owned(), lines.map(str::to_owned).collect()));
        }
    }
}

fn check(case: &Case) -> String {
    let sources: Vec<Source> = case.files.iter().filter_map(|(path, text)| read_source(path, text)).collect();
    let lookup = MapLookup::new(units(case, &sources));
    let resolved: Vec<(&Source, Resolution)> = sources
        .iter()
        .map(|source| (source, resolve(&source.path, &source.facts, source.entry.rules, &lookup)))
        .collect();
    let mut failures = String::new();
    for (source, resolution) in &resolved {
        failures += &invariants(source, resolution);
    }
    for (block, expected) in &case.expected {
        let lines = resolved.iter().flat_map(|(source, resolution)| match block.as_str() {
            "symbols" => symbols(source),
            "signatures" => signatures(source),
            "docs" => docs(source),
            "imports" => imports(source),
            "variables" => variables(source),
            "types" => types(source),
            "bindings" => bindings(source),
            "sites" => sites(source),
            "edges" => edges(source, resolution),
            "supertypes" => supertypes(source, resolution),
            "accesses" => accesses(source, resolution),
            other => panic!("unknown block `{other}` in `{}`", case.heading),
        });
        failures += &difference(block, expected.clone(), lines.collect());
    }
    failures
}

fn read_source(path: &str, text: &str) -> Option<Source> {
    let path = RepoPath::new(path);
    let entry = for_language(Language::from_extension(path.extension()?)?)?;
    let text = SourceText::decode(text.as_bytes()).expect("a fixture is text");
    let mut go_on = || ControlFlow::Continue(());
    let tree = parse_source(entry.adapter, text.as_str(), &Limits::default(), &mut go_on);
    let tree = tree.unwrap_or_else(|stop| panic!("{path}: {stop:?}"));
    let spliced = entry.adapter.call_nodes_in_splices(text.as_str(), &tree) as usize;
    let facts = entry.adapter.facts(text.as_str(), &tree);
    let call_nodes = spliced + count_nodes(&tree, entry.adapter.call_node_kinds());
    Some(Source { path, entry, lines: LineTable::new(text.as_str()), facts, call_nodes })
}

fn units(case: &Case, sources: &[Source]) -> Vec<(Arc<Unit>, &'static dyn bindery_graph::Rules)> {
    let mut units: Vec<(Arc<Unit>, &'static dyn bindery_graph::Rules)> = Vec::new();
    for source in sources {
        let unit =
            Unit { path: source.path.clone(), contents: Contents::Source(source.facts.summary.clone()) };
        units.push((Arc::new(unit), source.entry.rules));
    }
    for (path, text) in &case.files {
        let path = RepoPath::new(path);
        let reads = |entry: &&LanguageEntry| entry.adapter.manifest_names().contains(&path.file_name());
        if let Some(entry) = registry().iter().find(reads) {
            let manifest = entry.adapter.manifest(path.file_name(), text);
            let contents = Contents::Manifest(entry.adapter.language(), Arc::new(manifest));
            units.push((Arc::new(Unit { path, contents }), entry.rules));
        }
    }
    units
}

fn count_nodes(tree: &tree_sitter::Tree, kinds: &[&str]) -> usize {
    let (mut cursor, mut count) = (tree.walk(), 0);
    loop {
        count += usize::from(kinds.contains(&cursor.node().kind()));
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

fn invariants(source: &Source, resolution: &Resolution) -> String {
    let mut failures = String::new();
    let sites = source.facts.bodies.sites.len();
    if (sites, resolution.outcomes.len()) != (source.call_nodes, source.call_nodes) {
        let outcomes = resolution.outcomes.len();
        failures += &format!(
            "{}: {} call nodes, {sites} sites, {outcomes} outcomes\n",
            source.path, source.call_nodes
        );
    }
    let mut seen = BTreeSet::new();
    for decl in &source.facts.summary.decls {
        if !seen.insert(&decl.qualname) {
            failures += &format!("{}: two declarations named `{}`\n", source.path, decl.qualname);
        }
    }
    failures
}

fn difference(block: &str, mut expected: Vec<String>, mut found: Vec<String>) -> String {
    expected.sort();
    found.sort();
    if expected == found {
        return String::new();
    }
    let mut text = format!("  {block}: `-` was expected, `+` was found\n");
    let change = similar::TextDiff::from_slices(
        &expected.iter().map(String::as_str).collect::<Vec<_>>(),
        &found.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    for line in change.iter_all_changes() {
        writeln!(text, "  {} {}", line.tag(), line.value()).expect("a string takes any text");
    }
    text
}

fn symbols(source: &Source) -> Vec<String> {
    let facts = &source.facts;
    let mut lines = Vec::new();
    for (decl, text) in facts.summary.decls.iter().zip(&facts.texts) {
        let kind = match (decl.kind.callable_kind(), decl.kind.type_kind()) {
            (Some(kind), _) => kind.to_owned(),
            (None, Some(kind)) => format!("type:{kind}"),
            (None, None) if decl.kind == DeclKind::Variant => "variant".to_owned(),
            (None, None) => continue,
        };
        lines.push(format!("{}:{}-{} {kind} {}", source.path, text.line_start, text.line_end, decl.qualname));
    }
    lines
}

fn signatures(source: &Source) -> Vec<String> {
    let decls = source.facts.summary.decls.iter().zip(&source.facts.texts);
    decls.map(|(decl, text)| format!("{} {} = {}", source.path, decl.qualname, text.signature)).collect()
}

fn docs(source: &Source) -> Vec<String> {
    let decls = source.facts.summary.decls.iter().zip(&source.facts.texts);
    let of_decls = decls.filter_map(|(decl, text)| {
        text.doc.as_ref().map(|doc| format!("{} {} = {doc}", source.path, decl.qualname))
    });
    let of_file =
        source.facts.doc.iter().map(|doc| format!("{} = {}", source.path, doc.replace('\n', " / ")));
    of_file.chain(of_decls).collect()
}

fn or_module(name: &str) -> &str {
    if name.is_empty() { "<module>" } else { name }
}

fn imports(source: &Source) -> Vec<String> {
    let line = |import: &bindery_facts::Import| {
        let binds = match &import.binds {
            ImportBinding::Name(name) => name.as_str(),
            ImportBinding::First => "first",
            ImportBinding::Glob => "*",
            ImportBinding::Nothing => "_",
            ImportBinding::Own => "own",
        };
        let path: Vec<&str> = import.path.iter().map(|segment| segment.as_str()).collect();
        let dots = ".".repeat(import.level as usize);
        format!("{} {}: {dots}{} as {binds}", source.path, or_module(&import.owner), path.join("::"))
    };
    source.facts.summary.imports.iter().map(line).collect()
}

fn variables(source: &Source) -> Vec<String> {
    let line = |variable: &bindery_facts::Variable| {
        let mutable = if variable.is_mutable { " mutable" } else { "" };
        let kind = format!("{:?}", variable.kind).to_lowercase();
        format!("{} {}.{} {kind}{mutable}", source.path, or_module(&variable.owner), variable.name)
    };
    source.facts.summary.variables.iter().map(line).collect()
}

/// What is written of a declaration's types; declarations of which nothing is are left out.
fn types(source: &Source) -> Vec<String> {
    let mut lines = Vec::new();
    for decl in &source.facts.summary.decls {
        let params = decl.params.iter().map(|param| param.ty.as_ref().map_or("_".to_owned(), render::ty));
        let mut line = match decl.kind.is_callable() {
            true => format!(" ({})", params.collect::<Vec<_>>().join(", ")),
            false => String::new(),
        };
        line +=
            &decl.returns.as_ref().map_or(String::new(), |returns| format!(" -> {}", render::ty(returns)));
        if !decl.supertypes.is_empty() {
            let bases: Vec<String> = decl.supertypes.iter().map(render::ty).collect();
            line += &format!(" : {}", bases.join(", "));
        }
        line += &decl.target.as_ref().map_or(String::new(), |target| format!(" for {}", render::ty(target)));
        for param in &decl.type_params {
            let bounds: Vec<String> = param.bounds.iter().map(render::ty).collect();
            let default = param.default.as_ref().map_or(String::new(), |it| format!(" = {}", render::ty(it)));
            line += format!(" where {}: {}{default}", param.name, bounds.join(" + ")).trim_end();
        }
        if !line.is_empty() && line != " ()" {
            lines.push(format!("{} {}{line}", source.path, decl.qualname));
        }
    }
    lines
}

fn bindings(source: &Source) -> Vec<String> {
    let bodies = &source.facts.bodies;
    let line = |binding: &bindery_facts::Binding| {
        let kind = format!("{:?}", binding.kind).to_lowercase();
        let kind = kind.split('(').next().unwrap_or_default();
        let ty = binding.ty.as_ref().map_or(String::new(), |ty| format!(": {}", render::ty(ty)));
        let value =
            binding.value.map_or(String::new(), |value| format!(" = {}", render::expr(bodies, value)));
        let line = source.lines.line(binding.at);
        format!("{}:{line} {} {kind}{ty}{value}", source.path, binding.name)
    };
    bodies.bindings.iter().map(line).collect()
}

fn caller_of(source: &Source, caller: Option<DeclIndex>) -> &str {
    caller.map_or("<module>", |caller| source.facts.summary.decls[caller.0 as usize].qualname.as_str())
}

fn sites(source: &Source) -> Vec<String> {
    let line = |site: &bindery_facts::CallSite| {
        let awaited = if site.is_await { " await" } else { "" };
        format!("{}:{} {} {}{awaited}", source.path, site.line, caller_of(source, site.caller), site.raw)
    };
    source.facts.bodies.sites.iter().map(line).collect()
}

fn edges(source: &Source, resolution: &Resolution) -> Vec<String> {
    let mut lines = Vec::new();
    for (site, outcome) in source.facts.bodies.sites.iter().zip(&resolution.outcomes) {
        let place = format!("{}:{} {}", source.path, site.line, caller_of(source, site.caller));
        match outcome {
            Outcome::Edges(call_type, callees) => {
                assert!(!callees.is_empty(), "{place}: an edge has a callee");
                let line =
                    |callee| format!("{place} -> {} {}", callee_text(callee), call_type_word(*call_type));
                lines.extend(callees.iter().map(line));
            }
            Outcome::Dropped(reason) => {
                lines.push(format!("{place} ~ {} {}", site.raw, reason_word(*reason)))
            }
        }
    }
    lines
}

fn symbol_text(symbol: &Symbol) -> String {
    if symbol.qualname.is_empty() {
        symbol.path.to_string()
    } else {
        format!("{} {}", symbol.path, symbol.qualname)
    }
}

fn callee_text(callee: &Callee) -> String {
    match callee {
        Callee::Function(symbol) | Callee::Variant(symbol) => symbol_text(symbol),
        Callee::New(symbol) => format!("{}.<new>", symbol_text(symbol)),
        Callee::Boundary { specifier, class, name } if class.is_empty() => {
            format!("boundary:{specifier}.{name}")
        }
        Callee::Boundary { specifier, class, name } => format!("boundary:{specifier}.{class}.{name}"),
    }
}

fn call_type_word(call_type: CallType) -> &'static str {
    match call_type {
        CallType::InternalFunc => "internal_func",
        CallType::InternalConstructor => "internal_constructor",
        CallType::SelfMethod => "self_method",
        CallType::SelfAttrMethod => "self_attr_method",
        CallType::ParamMethod => "param_method",
        CallType::Boundary => "boundary",
        CallType::BoundaryConstructor => "boundary_constructor",
    }
}

fn reason_word(reason: DropReason) -> &'static str {
    match reason {
        DropReason::StringLiteralMethod => "string_literal_method",
        DropReason::Builtin => "builtin",
        DropReason::InheritedMethod => "inherited_method",
        DropReason::SelfAttrUnknown => "self_attr_unknown",
        DropReason::LocalVarMethod => "local_var_method",
        DropReason::BareName => "bare_name",
    }
}

fn supertypes(source: &Source, resolution: &Resolution) -> Vec<String> {
    let mut lines = Vec::new();
    for (decl, bases) in &resolution.supertypes {
        let bases: Vec<String> = bases
            .iter()
            .map(|base| match base {
                Supertype::Type(symbol) => symbol_text(symbol),
                Supertype::Boundary { specifier, name } => format!("boundary:{specifier}.{name}"),
                Supertype::Written(text) => text.to_string(),
            })
            .collect();
        let name = &source.facts.summary.decls[decl.0 as usize].qualname;
        lines.push(format!("{} {name} : {}", source.path, bases.join(", ")));
    }
    lines
}

fn accesses(source: &Source, resolution: &Resolution) -> Vec<String> {
    let mut lines = Vec::new();
    for access in &resolution.accesses {
        let written = &source.facts.bodies.accesses[access.access as usize];
        let verb = if written.is_write { "writes" } else { "reads" };
        let caller = caller_of(source, written.caller);
        let owner = symbol_text(&access.owner);
        let dot = if access.owner.qualname.is_empty() { " " } else { "." };
        lines.push(format!("{}:{} {caller} {verb} {owner}{dot}{}", source.path, written.line, access.name));
    }
    lines
}
