use std::collections::BTreeSet;

use bindery_facts::DeclKind;
use bindery_graph::{Callee, Symbol};
use bindery_source::RepoPath;

use super::*;
use crate::sample::{SampleFile, symbol};

fn queue() -> SampleFile {
    SampleFile::new("src/queue.py")
        .decl(DeclKind::Class, "Queue", [3, 20], "")
        .decl(DeclKind::Constructor, "Queue.__init__", [4, 6], "")
        .decl(DeclKind::Method, "Queue.push", [8, 10], "")
        .decl(DeclKind::Function, "make", [22, 24], "")
        .call(Some(2), 9, Callee::Function(symbol("src/queue.py", "make")))
        .call(Some(2), 10, Callee::New(symbol("src/job.py", "Job")))
        .call(
            None,
            26,
            Callee::Boundary { specifier: "os.path".into(), class: "Path".into(), name: "join".into() },
        )
}

fn sorted(mut rows: Vec<String>) -> Vec<String> {
    rows.sort_unstable();
    rows
}

fn symbol_rows_of(file: &SampleFile, has_types: bool) -> Vec<String> {
    let callers = |qualnames: &[&str]| qualnames.len() as u64;
    sorted(symbol_rows(&SymbolFile { view: file.view(), stage: "core", has_types, callers: &callers }))
}

#[test]
fn a_symbol_has_a_row_by_its_name_and_one_by_its_qualified_name() {
    let expected = [
        "Queue\tsrc/queue.py:3-20\ttype:class\tcore\t2\tclass Queue",
        "Queue.__init__\tsrc/queue.py:4-6\tfn\tcore\t1\tdef __init__",
        "Queue.push\tsrc/queue.py:8-10\tfn\tcore\t1\tdef push",
        "__init__\tsrc/queue.py:4-6\tfn\tcore\t1\tdef __init__",
        "make\tsrc/queue.py:22-24\tfn\tcore\t1\tdef make",
        "push\tsrc/queue.py:8-10\tfn\tcore\t1\tdef push",
    ];
    assert_eq!(symbol_rows_of(&queue(), true), expected);
}

#[test]
fn where_no_types_are_read_a_class_is_derived_from_its_methods() {
    let file = SampleFile::new("a.kt")
        .decl(DeclKind::Method, "Queue.push", [8, 10], "")
        .decl(DeclKind::Method, "Queue.pop", [4, 6], "")
        .decl(DeclKind::Function, "make", [22, 24], "");
    let derived: Vec<String> =
        symbol_rows_of(&file, false).into_iter().filter(|row| row.contains("class-derived")).collect();
    assert_eq!(derived, ["Queue\ta.kt:4-10\tclass-derived\tcore\t1\tclass of push"]);
}

#[test]
fn a_call_has_a_row_from_its_line_to_the_declaration() {
    let lines = |symbol: &Symbol| match symbol.qualname.as_str() {
        "make" => Some(22),
        "Job" => Some(7),
        _ => None,
    };
    let expected = [
        "<module>\tsrc/queue.py:26\tPath.join\tboundary:os.path",
        "Queue.push\tsrc/queue.py:10\tJob.<new>\tsrc/job.py:7",
        "Queue.push\tsrc/queue.py:9\tmake\tsrc/queue.py:22",
    ];
    assert_eq!(sorted(call_rows(queue().view(), &lines)), expected);
}

#[test]
fn no_path_is_taken_for_a_boundary() {
    assert_eq!(escaped_path(&RepoPath::new("boundary:os.py")), "./boundary:os.py");
}

#[test]
fn a_spliced_table_is_the_table_of_all_rows() {
    let head = "# head\n";
    let old = table(head, ["a\t1", "b\t1", "c\t1", "d\t1"]);
    let fate = |row: &str| match row {
        "b\t1" => Some(Fate::Drop),
        "c\t1" => Some(Fate::Replace("a\t0".to_owned())),
        _ => Some(Fate::Keep),
    };
    let fresh = ["e\t1", "b\t2", "b\t2"].map(str::to_owned).to_vec();
    let expected = table(head, ["a\t0", "a\t1", "b\t2", "d\t1", "e\t1"]);
    assert_eq!(splice(&old, head, &fate, fresh), Some(expected));
    assert_eq!(splice("another", head, &fate, Vec::new()), None);
    assert_eq!(splice(&old, head, &|_| None, Vec::new()), None);
}

#[test]
fn calls_follow_a_declaration_that_moved() {
    let job = SampleFile::new("src/job.py").decl(DeclKind::Class, "Job", [9, 12], "").decl(
        DeclKind::Method,
        "Job.run",
        [11, 12],
        "",
    );
    let mut moved = MovedCallees::default();
    moved.rewrite(&job.path);
    moved.moved(&job.path, &job.facts);
    let fate = |row: &str| moved.fate(row);
    let changed = |row: &str| Some(Fate::Replace(row.to_owned()));
    assert_eq!(
        fate("f\tsrc/a.py:1\tJob.<new>\tsrc/job.py:7"),
        changed("f\tsrc/a.py:1\tJob.<new>\tsrc/job.py:9")
    );
    assert_eq!(
        fate("f\tsrc/a.py:1\tJob.run\tsrc/job.py:8"),
        changed("f\tsrc/a.py:1\tJob.run\tsrc/job.py:11")
    );
    assert_eq!(fate("f\tsrc/a.py:1\tJob.run\tsrc/job.py:11"), Some(Fate::Keep));
    assert_eq!(fate("f\tsrc/a.py:1\tx\tboundary:src/job.py:8"), Some(Fate::Keep));
    assert_eq!(fate("f\tsrc/a.py:1\tx\tsrc/other.py:8"), Some(Fate::Keep));
    assert_eq!(fate("f\tsrc/job.py:1\tx\tsrc/other.py:8"), Some(Fate::Drop));
    // A callee that is not there any more cannot be followed, so that the table is put together anew.
    assert_eq!(fate("f\tsrc/a.py:1\tJob.gone\tsrc/job.py:8"), None);
}

#[test]
fn imports_of_a_package_of_the_repository_count_as_callers() {
    let package =
        |name: &str, directory: &str| Package { name: name.to_owned(), directory: directory.to_owned() };
    let packages = [package("@app/core", "core"), package("@app/core/extra", "extra"), package("lib", "")];
    let calls = "# head\n\
        f\tweb/a.ts:1\tcheck\tboundary:@app/core\n\
        f\tweb/a.ts:2\tcheck\tboundary:@app/core/deep\n\
        g\tweb/b.ts:1\tcheck\tboundary:@app/core\n\
        h\tweb/b.ts:1\tcheck\tboundary:@app/core-js\n\
        h\tweb/b.ts:2\tcheck\tboundary:@app/core/extra\n\
        h\tweb/b.ts:3\tcheck\tcore/c.ts:3\n";
    let callers = sibling_callers(calls, &packages);
    let count = |path: &str, name: &str| callers.count(&packages, &RepoPath::new(path), name);
    assert_eq!(count("core/check.ts", "check"), 2);
    assert_eq!(count("extra/check.ts", "check"), 1);
    assert_eq!((count("core/check.ts", "other"), count("corel/check.ts", "check")), (0, 0));
    assert_eq!(sibling_callers(calls, &[]), SiblingCallers::default());
}

#[test]
fn files_change_together_if_they_did_so_often_enough() {
    let commit = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<BTreeSet<String>>();
    let commits = [
        commit(&["a", "b"]),
        commit(&["a", "b", "gone"]),
        commit(&["a", "b", "gone"]),
        commit(&["a", "c", "gone"]),
        commit(&["a", "c"]),
    ];
    let counts = CoChanges::count(&commits, &|path| path != "gone");
    let groups = counts.by_group(&|path| (path == "a").then_some(4));
    let pair = |path: &str, with: &str, support, confidence| CoChange {
        path: path.to_owned(),
        with: with.to_owned(),
        support,
        confidence,
    };
    assert_eq!(groups.into_iter().collect::<Vec<_>>(), [(4, vec![pair("a", "b", 3, 60)])]);
    let groups = counts.by_group(&|_| Some(0));
    assert_eq!(groups[&0], [pair("b", "a", 3, 100), pair("a", "b", 3, 60)]);
}

#[test]
fn long_texts_are_cut_and_names_that_were_cut_alike_are_not_followed() {
    let long = "n".repeat(300);
    let one = SampleFile::new("a.py").decl(DeclKind::Function, &long, [1, 2], "");
    let row = &symbol_rows_of(&one, true)[0];
    assert!(row.starts_with(&format!("{}…\ta.py:1-2\tfn", "n".repeat(MOST_NAME - 1))), "{row}");
    let two = one.decl(DeclKind::Function, &format!("{long}x"), [5, 6], "");
    let mut moved = MovedCallees::default();
    moved.moved(&two.path, &two.facts);
    assert_eq!(moved.fate(&format!("f\tb.py:1\t{}…\ta.py:1", "n".repeat(MOST_NAME - 1))), None);
}
