//! `why` gives the shortest chains from what would be redone back to changed inputs, by hand for each edit.

mod harness;

use std::sync::Arc;

use bindery_engine::{Options, WhyOutcome};
use bindery_store::fs::MemoryFileSystem;
use harness::*;

/// Two packages of four files, a stage each; `one.a` calls `two.b`.
fn start() -> MemoryFileSystem {
    let file_system = MemoryFileSystem::with_files([
        ("one/__init__.py", ""),
        ("one/a.py", "from two.b import f\n\n\ndef g():\n    return f()\n"),
        ("one/c.py", "def c():\n    return 1\n"),
        ("one/d.py", "def d():\n    return 1\n"),
        ("two/__init__.py", ""),
        ("two/b.py", "def f():\n    return 1\n"),
        ("two/e.py", "def e():\n    return 1\n"),
        ("two/h.py", "def h():\n    return 1\n"),
    ]);
    build(&file_system).expect("the repository builds");
    file_system
}

fn why(file_system: &MemoryFileSystem, target: &str) -> WhyOutcome {
    let repository = open(Arc::new(file_system.clone()), &Options::default()).expect("it opened before");
    repository.why(target).unwrap_or_else(|failure| panic!("{target}: {failure}"))
}

/// The steps, without the files a page is made of.
fn steps(file_system: &MemoryFileSystem, target: &str) -> Vec<String> {
    let from = why(file_system, target).from;
    from.into_iter().filter(|step| !step.starts_with("shows ")).collect()
}

#[test]
fn what_is_up_to_date_has_no_chain() {
    let file_system = start();
    for target in ["one.md", "overview.md", "one/a.py"] {
        assert!(!why(&file_system, target).is_stale, "{target}");
        assert_eq!(steps(&file_system, target), [""; 0], "{target}");
    }
    let shown: Vec<String> = ["__init__", "a", "c", "d"].map(|name| format!("shows one/{name}.py")).into();
    assert_eq!(why(&file_system, "one.md").from, shown);
}

#[test]
fn a_file_of_the_page_itself_is_the_shortest_chain_and_each_of_them_is_shown() {
    let file_system = start();
    file_system.write(b"one/d.py", b"def dd():\n    return 1\n");
    // `a` is reached as well, by a longer way.
    file_system.write(b"two/b.py", b"def ff():\n    return 1\n");
    assert_eq!(steps(&file_system, "one.md"), ["facts changed of one/d.py", "one/d.py: content changed"]);
    file_system.write(b"one/c.py", b"def cc():\n    return 1\n");
    let both = [
        "facts changed of one/c.py",
        "one/c.py: content changed",
        "facts changed of one/d.py",
        "one/d.py: content changed",
    ];
    assert_eq!(steps(&file_system, "one.md"), both);
}

#[test]
fn a_name_that_is_gone_leads_to_who_needs_it() {
    let file_system = start();
    file_system.write(b"two/b.py", b"def ff():\n    return 1\n");
    let needs = "one/a.py: needs name `f` in `two/b.py`";
    assert_eq!(steps(&file_system, "one.md"), ["resolution changed of one/a.py", needs, "two/b.py: changed"]);
    assert_eq!(steps(&file_system, "one/a.py"), [needs, "two/b.py: changed"]);
    let reached = why(&file_system, "two/b.py").to;
    assert_eq!(reached, [needs, "shown on page two.md"]);
}

#[test]
fn a_call_that_is_gone_leads_to_the_page_of_the_function() {
    let file_system = start();
    file_system.write(b"one/a.py", b"from two.b import f\n\n\ndef g():\n    return 1\n");
    let chain = ["callers changed of two/b.py", "one/a.py: content changed"];
    assert_eq!(steps(&file_system, "two.md"), chain);
    file_system.remove(b"one/a.py");
    assert_eq!(steps(&file_system, "two.md"), ["callers changed of two/b.py", "one/a.py: removed"]);
}

#[test]
fn a_file_that_came_changes_the_pages_about_all() {
    let file_system = start();
    file_system.write(b"two/k.py", b"def k():\n    return 1\n");
    assert_eq!(steps(&file_system, "index.md"), ["stages changed", "two/k.py: added"]);
}
