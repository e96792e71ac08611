//! What a build leaves is sound: every link of every page resolves, every artifact is valid against its
//! schema, calls are conserved, ids are unique. Over every fixture repository; `BINDERY_CORPUS=DIR` adds the
//! repositories in a directory.

mod harness;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bindery_artifacts::read::read;
use bindery_artifacts::{
    Assignment, Card, DroppedCalls, Graph, Narration, Organization, Registers, ScanCoverage, Skeleton,
};
use bindery_engine::{Failure, Options};
use bindery_handbook::pages::page_links;
use bindery_handbook::validate::{Files, Source, Subject, validate};
use bindery_source::Language;
use bindery_store::fs::MemoryFileSystem;
use harness::*;

fn text<'a>(tree: &'a Tree, path: &str) -> &'a str {
    let bytes = tree.get(path.as_bytes()).unwrap_or_else(|| panic!("{path} was not written"));
    std::str::from_utf8(bytes).unwrap_or_else(|_| panic!("{path} is not UTF-8"))
}

/// Everything that must hold of one built repository.
fn assert_sound(name: &str, sources: &Tree, tree: &Tree) {
    links_resolve(name, sources, tree);
    artifacts_are_valid(name, tree);
    calls_are_conserved(name, sources, tree);
    for (path, bytes) in tree {
        assert!(!bytes.contains(&b'\r'), "{name}: {} has CR", String::from_utf8_lossy(path));
        assert!(
            bytes.is_empty() || bytes.ends_with(b"\n"),
            "{name}: {} lacks its last LF",
            String::from_utf8_lossy(path)
        );
    }
}

fn links_resolve(name: &str, sources: &Tree, tree: &Tree) {
    let pages: Vec<(&str, &str)> = tree
        .keys()
        .filter_map(|path| std::str::from_utf8(path).ok()?.strip_prefix(".bindery/handbook/"))
        .filter(|path| path.ends_with(".md"))
        .map(|page| (page, text(tree, &format!(".bindery/handbook/{page}"))))
        .collect();
    assert!(pages.iter().any(|(page, _)| *page == "overview.md"), "{name}: there is no overview");
    let anchors: BTreeSet<String> = pages
        .iter()
        .flat_map(|(page, text)| {
            page_links(text).anchors.into_iter().map(move |anchor| format!("{page}#{anchor}"))
        })
        .collect();
    let names: BTreeSet<&str> = pages.iter().map(|(page, _)| *page).collect();
    for (page, text) in &pages {
        for target in page_links(text).targets {
            let resolves = match target.strip_prefix("../../") {
                Some(source) => {
                    let path = source.split('#').next().unwrap_or_default();
                    let path = percent_decoded(path);
                    sources.contains_key(&path)
                }
                None => match target.split_once('#') {
                    Some(("", anchor)) => anchors.contains(&format!("{page}#{anchor}")),
                    Some(_) => anchors.contains(&target),
                    None => names.contains(target.as_str()),
                },
            };
            assert!(resolves, "{name}: `{target}` on {page} leads nowhere");
        }
    }
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (bytes[at], code) {
            (b'%', Some(code)) => {
                decoded.push(code);
                at += 3;
            }
            (byte, _) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

fn artifacts_are_valid(name: &str, tree: &Tree) {
    macro_rules! valid {
        ($kind:ty, $path:expr) => {
            if let Err(findings) = read::<$kind>($path, text(tree, &format!(".bindery/{}", $path))) {
                panic!("{name}: {}", findings[0]);
            }
        };
    }
    valid!(Graph, "phase1/graph.json");
    valid!(DroppedCalls, "phase1/dropped-calls.json");
    valid!(ScanCoverage, "phase1/scan-coverage.json");
    valid!(Skeleton, "phase2/skeleton.yaml");
    valid!(Assignment, "phase2/assignment.json");
    valid!(Organization, "phase2/organization.yaml");
    valid!(Narration, "phase3/narration.json");
    valid!(Registers, "phase3/registers.json");
    for path in tree.keys() {
        let path = String::from_utf8_lossy(path).into_owned();
        let card = path.strip_prefix(".bindery/").filter(|path| path.starts_with("phase2/cards/"));
        if let Some(card) = card.filter(|card| !card.ends_with("_coverage.json")) {
            valid!(Card, card);
        }
    }
}

/// Every scanned file has one card and one stage or is listed; every call row and edge has its own place, and none
/// leads into another language.
fn calls_are_conserved(name: &str, sources: &Tree, tree: &Tree) {
    let graph: serde_json::Value =
        serde_json::from_str(text(tree, ".bindery/phase1/graph.json")).expect("it was valid above");
    let scanned = graph["metadata"]["scannedFiles"].as_array().expect("the schema says so");
    let assignment: serde_json::Value =
        serde_json::from_str(text(tree, ".bindery/phase2/assignment.json")).expect("it was valid above");
    let placed = assignment["fileStage"].as_object().expect("the schema says so");
    assert_eq!(placed.len(), scanned.len(), "{name}: every scanned file is placed once");
    let crossings = crossings(&graph, sources);
    assert!(crossings.is_empty(), "{name}: over the border of a language: {}", crossings.join(", "));
    let nodes = graph["nodes"].as_object().expect("the schema says so");
    for edge in graph["edges"].as_array().expect("the schema says so") {
        for end in ["callerId", "calleeId"] {
            let id = edge[end].as_str().expect("the schema says so");
            assert!(nodes.contains_key(id), "{name}: an edge names {id}, which is no node");
        }
    }
    let dropped: serde_json::Value =
        serde_json::from_str(text(tree, ".bindery/phase1/dropped-calls.json")).expect("it was valid above");
    let rows: usize = dropped["edgesByCategory"]
        .as_object()
        .expect("the schema says so")
        .values()
        .map(|rows| rows.as_array().map_or(0, Vec::len))
        .sum();
    assert_eq!(dropped["metadata"]["totalDropped"], rows, "{name}: dropped calls are counted");
    let cards = tree.keys().filter(|path| path.starts_with(b".bindery/phase2/cards/")).count();
    assert_eq!(cards, scanned.len() + 1, "{name}: a card each, and the coverage");
}

#[test]
fn every_fixture_repository_gives_a_sound_handbook() {
    let seeds = seeds();
    for seed in &seeds {
        let file_system = fresh(&seed.files);
        build(&file_system).unwrap_or_else(|failure| panic!("{}: {failure}", seed.name));
        assert_sound(&seed.name, &seed.files, &outputs(&file_system));
        let outcome = check(&file_system).unwrap_or_else(|failure| panic!("{}: {failure}", seed.name));
        assert!(outcome.stale.is_empty(), "{}: {:?}", seed.name, outcome.stale);
    }
    eprintln!("{} repositories", seeds.len());
}

/// No language's cases are left out of the tests over every fixture repository.
#[test]
fn the_fixture_repositories_have_every_language_that_is_analysed() {
    let mut folders: Vec<String> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"))
        .expect("the fixtures are part of the repository")
        .map(|entry| entry.expect("the fixtures can be listed").file_name().to_string_lossy().into_owned())
        .filter(|folder| !["borders", "sample"].contains(&folder.as_str()))
        .collect();
    folders.sort();
    assert_eq!(folders, LITERATE);
    let mut repositories: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in seeds() {
        let languages: BTreeSet<&str> = seed
            .files
            .iter()
            .filter_map(|(path, bytes)| language_of(std::str::from_utf8(path).ok()?, bytes))
            .map(Language::name)
            .collect();
        for language in languages {
            *repositories.entry(language).or_default() += 1;
        }
    }
    let least = [
        ("go", 30),
        ("java", 20),
        ("javascript", 5),
        ("python", 30),
        ("rust", 40),
        ("tsx", 3),
        ("typescript", 20),
    ];
    for (language, least) in least {
        let found = repositories.get(language).copied().unwrap_or_default();
        assert!(found >= least, "{found} fixture repositories with {language}, not {least}");
    }
    eprintln!("fixture repositories by language: {repositories:?}");
}

/// R28: every fixture through every command, without a panic.
#[test]
fn every_command_works_on_every_fixture_repository() {
    for seed in seeds() {
        let file_system = fresh(&seed.files);
        build(&file_system).unwrap_or_else(|failure| panic!("{}: {failure}", seed.name));
        let repository = open(Arc::new(file_system.clone()), &Options::default()).expect("it opened before");
        let name = &seed.name;
        let fails = |failure: Failure| -> ! { panic!("{name}: {failure}") };
        let status = repository.status(true).unwrap_or_else(|failure| fails(failure));
        assert!(status.inputs.is_empty() && status.outputs.is_empty(), "{name}: {status:?}");
        for path in seed.files.keys().filter_map(|path| std::str::from_utf8(path).ok()) {
            // What is no input is a usage error, which is an answer too.
            let _ = repository.why(path);
        }
        repository.why("overview.md").unwrap_or_else(|failure| fails(failure));
        for symbol in ["main", "run", "f", "new", "__init__"] {
            let symbols = repository.symbols(symbol).unwrap_or_else(|failure| fails(failure));
            let callers = repository.callers(symbol).unwrap_or_else(|failure| fails(failure));
            let callees = repository.callees(symbol).unwrap_or_else(|failure| fails(failure));
            assert_eq!((symbols.len(), symbols.len()), (callers.len(), callees.len()), "{name}: {symbol}");
        }
        repository.skeleton_draft().unwrap_or_else(|failure| fails(failure));
        assert_eq!(repository.cache_verify().unwrap_or_else(|failure| fails(failure)).affected, 0, "{name}");
        repository.cache_stats().unwrap_or_else(|failure| fails(failure));
        repository.cache_gc().unwrap_or_else(|failure| fails(failure));
        repository.cache_clear().unwrap_or_else(|failure| fails(failure));
        build(&file_system).unwrap_or_else(|failure| panic!("{name}, after clearing the cache: {failure}"));
    }
}

/// A repository whose handbook has the forms that people read.
fn in_every_form(sources: &Tree) -> MemoryFileSystem {
    let file_system = fresh(sources);
    file_system.write(b"bindery.toml", b"formats = [\"html\", \"html-single\", \"markdown\"]\n");
    file_system
}

/// `validate` finds nothing in the handbook, also against its source. Gives the number of links of its HTML pages.
fn assert_valid(name: &str, sources: &Tree, tree: &Tree) -> usize {
    let inside =
        |path: &[u8]| Some(String::from_utf8_lossy(path.strip_prefix(b".bindery/handbook/")?).into_owned());
    let files: Files =
        tree.iter().filter_map(|(path, bytes)| Some((inside(path)?, bytes.to_vec()))).collect();
    let has = |path: &[u8]| path.strip_prefix(b"../../").is_some_and(|path| sources.contains_key(path));
    let findings = validate(Subject::Handbook, &files, Some(&Source { sha256: &|_| None, has: &has }));
    assert!(findings.is_empty(), "{name}: {findings:#?}");
    let html = files.iter().filter(|(path, _)| path.ends_with(".html"));
    html.map(|(_, bytes)| String::from_utf8_lossy(bytes).matches("<a ").count()).sum()
}

#[test]
fn every_fixture_repository_gives_a_sound_site() {
    let mut links = 0;
    for seed in seeds() {
        let file_system = in_every_form(&seed.files);
        build(&file_system).unwrap_or_else(|failure| panic!("{}: {failure}", seed.name));
        links += assert_valid(&seed.name, &seed.files, &outputs(&file_system));
        let outcome = check(&file_system).unwrap_or_else(|failure| panic!("{}: {failure}", seed.name));
        assert!(outcome.stale.is_empty(), "{}: {:?}", seed.name, outcome.stale);
    }
    assert!(links > 5_000, "{links} links are fewer than the repositories have");
}

/// The files of the handbook that an edit of one file of the sample makes another.
fn rewritten(path: &str, from: &str, to: &str) -> Vec<String> {
    let file_system = in_every_form(&repository_of_fixtures("sample").files);
    build(&file_system).expect("the sample can be built");
    let before = outputs(&file_system);
    let source = file_system.contents(path.as_bytes()).expect("the sample has the file");
    let edited = String::from_utf8_lossy(&source).replacen(from, to, 1);
    assert_ne!(edited.as_bytes(), &*source);
    file_system.write(path.as_bytes(), edited.as_bytes());
    build(&file_system).expect("the sample can be built again");
    let after = outputs(&file_system);
    assert_eq!(differences(&after, &clean_outputs(&file_system)), Vec::<String>::new());
    let changed = after.iter().filter(|(path, bytes)| before.get(*path) != Some(*bytes));
    let names = changed.map(|(path, _)| String::from_utf8_lossy(path).into_owned());
    names.filter_map(|path| Some(path.strip_prefix(".bindery/handbook/")?.to_owned())).collect()
}

#[test]
fn an_edit_rewrites_only_what_shows_it() {
    let path = "queue/src/queue.rs";
    let own = [".bindery-manifest", "handbook.html", "html/queue.html"];
    let body = rewritten(path, "let attempts = job.failed();", "let attempts = job.failed();\n\n");
    assert_eq!(body, [own.as_slice(), &["overview.md", "queue.md"]].concat());
    let nothing_shown = rewritten(path, "if verdict != Verdict::GiveUp", "if Verdict::GiveUp != verdict");
    assert_eq!(nothing_shown, Vec::<String>::new());
    let symbol = rewritten(path, "pub fn is_empty", "pub fn added() {}\n\n    pub fn is_empty");
    let search = ["html/search/queue.js", "overview.md", "queue.md"];
    assert_eq!(symbol, [own.as_slice(), &search].concat());
}

#[test]
fn a_form_that_is_taken_out_leaves_nothing() {
    let file_system = in_every_form(&repository_of_fixtures("sample").files);
    build(&file_system).expect("the sample can be built");
    file_system.write(b"bindery.toml", b"formats = [\"markdown\"]\n");
    build(&file_system).expect("the sample can be built again");
    assert_eq!(differences(&outputs(&file_system), &clean_outputs(&file_system)), Vec::<String>::new());
    assert!(file_system.files(b".bindery/handbook/html/").is_empty());
}

#[test]
fn repositories_from_outside_give_sound_handbooks() {
    let Some(corpus) = std::env::var_os("BINDERY_CORPUS") else {
        eprintln!("BINDERY_CORPUS names no directory: nothing to build");
        return;
    };
    for entry in std::fs::read_dir(corpus).expect("BINDERY_CORPUS can be listed").flatten() {
        if entry.path().is_dir() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let sources = directory(&entry.path());
            let file_system = fresh(&sources);
            build(&file_system).unwrap_or_else(|failure| panic!("{name}: {failure}"));
            assert_sound(&name, &sources, &outputs(&file_system));
            let file_system = in_every_form(&sources);
            build(&file_system).unwrap_or_else(|failure| panic!("{name}, in every form: {failure}"));
            assert_valid(&name, &sources, &outputs(&file_system));
            eprintln!("{name}: {} files", sources.len());
        }
    }
}
