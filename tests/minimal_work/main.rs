//! Minimal work (R4): after each kind of edit exactly the listed files are parsed and resolved again and exactly
//! the listed pages rendered. The lists follow from the language's rules and from what each page shows (its own
//! files' names, lines, callers and callees; its stage's place among the others), worked out by hand.

mod go;
#[path = "../harness/mod.rs"]
mod harness;
mod java;
mod python;
mod rust;
mod surroundings;
mod typescript;

use std::collections::BTreeSet;

use bindery_engine::{BuildOutcome, QueryKind};
use bindery_store::fs::MemoryFileSystem;
use harness::*;

/// A repository and the edits of it.
struct Repository {
    name: &'static str,
    files: Vec<(&'static str, &'static str)>,
    rows: Vec<Row>,
    /// Kinds of edit that may not go lost.
    least: usize,
}

/// The stages of the repositories that have one language each: a directory each.
const STAGES: [(&str, &str); 2] = [
    ("bindery.toml", "name = \"Works\"\nskeleton = \"stages.yaml\"\n"),
    (
        "stages.yaml",
        "metadata:\n  version: 1\nstages:\n  - id: programs\n    title: Programs\n  - id: shapes\n    title: Shapes\n  - id: text\n    title: Text\n",
    ),
];

fn repositories() -> [Repository; 4] {
    let mixed = [python::rows(), rust::rows(), surroundings::files(), surroundings::surroundings()];
    let of_one_language = |name, files: &[(&'static str, &'static str)], rows, least| {
        let files = STAGES.iter().chain(files).copied().collect();
        Repository { name, files, rows, least }
    };
    [
        Repository {
            name: "Python and Rust",
            files: surroundings::FILES.to_vec(),
            rows: mixed.into_iter().flatten().collect(),
            least: 70,
        },
        of_one_language("Go", go::FILES, go::rows(), 27),
        of_one_language("Java", java::FILES, java::rows(), 25),
        of_one_language("TypeScript", typescript::FILES, typescript::rows(), 29),
    ]
}

fn recomputed(outcome: &BuildOutcome, query: QueryKind) -> BTreeSet<String> {
    let recomputed = outcome.report.recomputed.iter();
    recomputed.filter(|unit| unit.query == query).map(|unit| unit.unit.clone()).collect()
}

fn text(file_system: &MemoryFileSystem, path: &str) -> String {
    let bytes = file_system.contents(path.as_bytes()).expect("the file is there");
    String::from_utf8(bytes.to_vec()).expect("it is text")
}

/// What an edit does.
enum Edit {
    /// Replaces a text wherever it stands in a file.
    Replace(&'static str, &'static str, &'static str),
    /// Adds a text at the end of a file.
    Append(&'static str, &'static str),
    Write(&'static str, &'static str),
    Remove(&'static str),
    /// Moves a file, or all files below a directory.
    Move(&'static str, &'static str),
    Copy(&'static str, &'static str),
    /// Gives a file another time stamp.
    Touch(&'static str),
    /// Makes a file unreadable.
    Close(&'static str),
}

fn apply(file_system: &MemoryFileSystem, edit: &Edit) {
    use Edit::{Append, Close, Copy, Move, Remove, Replace, Touch, Write};
    match edit {
        Replace(path, from, to) => {
            let old = text(file_system, path);
            assert!(old.contains(from), "{path} has no `{from}`");
            file_system.write(path.as_bytes(), old.replace(from, to).as_bytes());
        }
        Append(path, more) => file_system.write(path.as_bytes(), (text(file_system, path) + more).as_bytes()),
        Write(path, new) => file_system.write(path.as_bytes(), new.as_bytes()),
        Remove(path) => file_system.remove(path.as_bytes()),
        Move(from, to) => {
            for (path, bytes) in file_system.files(from.as_bytes()) {
                file_system.remove(&path);
                file_system.write(&[to.as_bytes(), &path[from.len()..]].concat(), &bytes);
            }
        }
        Copy(from, to) => file_system.write(to.as_bytes(), text(file_system, from).as_bytes()),
        Touch(path) => file_system.set_mtime(path.as_bytes(), file_system.clock() - 5_000_000_000),
        Close(path) => file_system.set_readable(path.as_bytes(), false),
    }
}

/// A kind of edit and what it costs.
struct Row {
    name: &'static str,
    edit: Edit,
    /// How many files are parsed.
    parsed: u64,
    /// The files that are resolved again.
    resolved: BTreeSet<String>,
    /// The pages that are rendered again.
    rendered: BTreeSet<String>,
}

/// `resolved` and `rendered` are lists with blanks between; pages without their ending.
fn row(name: &'static str, edit: Edit, parsed: u64, resolved: &str, rendered: &str) -> Row {
    let resolved = resolved.split_whitespace().map(str::to_owned).collect();
    let rendered = rendered.split_whitespace().map(|page| format!("{page}.md")).collect();
    Row { name, edit, parsed, resolved, rendered }
}

/// What a row expects that did not come.
fn difference(row: &Row, outcome: &BuildOutcome) -> Option<String> {
    let queries = &outcome.report.queries;
    // Every page's bytes enter the stamp on the overview.
    let stamped = if row.rendered.is_empty() { None } else { Some("overview.md".to_owned()) };
    let written = row.rendered.iter().cloned().chain(stamped).collect::<BTreeSet<_>>().len() as u64;
    let found = (
        queries[&QueryKind::Facts].computed,
        recomputed(outcome, QueryKind::Resolution),
        recomputed(outcome, QueryKind::Page),
        outcome.report.pages.written,
        queries[&QueryKind::Resolution].computed,
    );
    let resolved = row.resolved.len() as u64;
    let expected = (row.parsed, row.resolved.clone(), row.rendered.clone(), written, resolved);
    let why = outcome.report.recomputed.iter().filter_map(|unit| unit.because_of.as_ref());
    (found != expected).then(|| {
        let (name, why) = (row.name, why.collect::<Vec<_>>());
        format!("{name}:\n   found {found:?}\nexpected {expected:?}\n because {why:?}")
    })
}

#[test]
fn each_kind_of_edit_costs_exactly_what_it_reaches() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for Repository { name: repository, files, rows, least } in repositories() {
        let built = MemoryFileSystem::with_files(files);
        build(&built).unwrap_or_else(|failure| panic!("{repository}: {failure}"));
        for row in &rows {
            let file_system = built.snapshot();
            apply(&file_system, &row.edit);
            let outcome =
                build(&file_system).unwrap_or_else(|failure| panic!("{repository}, {}: {failure}", row.name));
            wrong.extend(difference(row, &outcome).map(|text| format!("{repository}, {text}")));
        }
        eprintln!("{repository}: {} kinds of edit", rows.len());
        assert!(rows.len() >= least, "{repository}: {} kinds of edit, not {least}", rows.len());
        count += rows.len();
    }
    assert!(wrong.is_empty(), "{} of {count} rows:\n{}", wrong.len(), wrong.join("\n"));
}

/// With `files = "tracked"` the git index is an input like any other: while it stays as it is, and the files too,
/// nothing is walked, read or resolved.
#[test]
fn tracked_files_are_looked_at_again_when_the_index_changes() {
    let root = tempfile::tempdir().expect("a temporary directory can be made");
    let write = |path: &str, text: &str| {
        std::fs::write(root.path().join(path), text).expect("the repository can be written");
    };
    let git = |arguments: &[&str]| {
        let status = std::process::Command::new("git").arg("-C").arg(root.path()).args(arguments).status();
        assert!(status.expect("git is there").success(), "git {arguments:?}");
    };
    write("bindery.toml", "files = \"tracked\"\n");
    write("a.py", "def f():\n    return 1\n");
    write("b.py", "def g():\n    return 1\n");
    git(&["init", "--quiet"]);
    git(&["add", "a.py"]);
    let file_system = bindery_store::fs::OsFileSystem::open(root.path()).expect("the directory is there");
    let file_system: std::sync::Arc<dyn bindery_store::fs::FileSystem> = std::sync::Arc::new(file_system);
    let build = || {
        let environment = bindery_store::Environment { cores: 2, ..Default::default() };
        let interrupt = bindery_store::Interrupt::never();
        let (root, options) = (root.path().to_owned(), bindery_engine::Options::default());
        let repository =
            bindery_engine::Repository::over(file_system.clone(), root, environment, &options, interrupt);
        repository.and_then(|repository| repository.build(&bindery_engine::Quiet)).expect("it builds")
    };
    // Only a run that looks further than the gate spends time on resolving. Files as young as these are distrusted for
    // some milliseconds, so it takes some builds until it holds.
    let is_gated =
        |outcome: &BuildOutcome| outcome.report.microseconds[&bindery_artifacts::Phase::Resolve] == 0;
    let settles = || (0..2_000).any(|_| is_gated(&build()));
    assert_eq!(build().report.files.scanned, 1);
    assert!(settles(), "nothing changed, and everything was looked at again");
    git(&["add", "b.py"]);
    let outcome = build();
    assert_eq!((is_gated(&outcome), outcome.report.files.scanned), (false, 2));
    assert!(settles(), "nothing changed, and everything was looked at again");
    git(&["rm", "--quiet", "--cached", "b.py"]);
    assert_eq!(build().report.files.scanned, 1);
}
