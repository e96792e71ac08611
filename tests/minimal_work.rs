//! Minimal work (R4): after each kind of edit exactly the listed files are resolved again. The lists follow
//! from what each file asks of the others, worked out by hand beside each row.

mod harness;

use std::collections::BTreeSet;

use bindery_engine::{BuildOutcome, QueryKind};
use bindery_store::fs::MemoryFileSystem;
use harness::*;

const FILES: [(&str, &str); 9] = [
    ("pkg/__init__.py", "from pkg.core import run\n"),
    (
        "pkg/core.py",
        "from pkg.text import line\n\n\nclass Engine:\n    def start(self):\n        return line(\"a\")\n\n\ndef run():\n    engine = Engine()\n    engine.start()\n",
    ),
    ("pkg/text.py", "def line(word):\n    return word\n"),
    ("app.py", "from pkg import run\n\nrun()\n"),
    ("other.py", "def alone():\n    return 1\n"),
    ("Cargo.toml", "[package]\nname = \"shapes\"\nedition = \"2021\"\n"),
    ("src/lib.rs", "pub mod shape;\n\npub fn area() -> u32 {\n    shape::Square::new(2).area()\n}\n"),
    (
        "src/shape.rs",
        "pub struct Square {\n    side: u32,\n}\n\nimpl Square {\n    pub fn new(side: u32) -> Self {\n        Square { side }\n    }\n\n    pub fn area(&self) -> u32 {\n        self.side * self.side\n    }\n}\n",
    ),
    ("src/main.rs", "fn main() {\n    println!(\"{}\", shapes::area());\n}\n"),
];

fn start() -> MemoryFileSystem {
    let file_system = MemoryFileSystem::with_files(FILES);
    build(&file_system).expect("the repository builds");
    file_system
}

fn resolved(outcome: &BuildOutcome) -> BTreeSet<String> {
    let recomputed = outcome.report.recomputed.iter();
    recomputed.filter(|unit| unit.query == QueryKind::Resolution).map(|unit| unit.unit.clone()).collect()
}

fn text(file_system: &MemoryFileSystem, path: &str) -> String {
    let bytes = file_system.contents(path.as_bytes()).expect("the file is there");
    String::from_utf8(bytes.to_vec()).expect("it is text")
}

/// What an edit does.
enum Edit {
    /// Replaces the first occurrence of a text in a file.
    Replace(&'static str, &'static str, &'static str),
    /// Adds a text at the end of a file.
    Append(&'static str, &'static str),
    Write(&'static str, &'static str),
    Remove(&'static str),
    Move(&'static str, &'static str),
}
use Edit::{Append, Move, Remove, Replace, Write};

fn apply(file_system: &MemoryFileSystem, edit: &Edit) {
    match edit {
        Replace(path, from, to) => {
            let old = text(file_system, path);
            assert!(old.contains(from), "{path} has no `{from}`");
            file_system.write(path.as_bytes(), old.replacen(from, to, 1).as_bytes());
        }
        Append(path, more) => file_system.write(path.as_bytes(), (text(file_system, path) + more).as_bytes()),
        Write(path, new) => file_system.write(path.as_bytes(), new.as_bytes()),
        Remove(path) => file_system.remove(path.as_bytes()),
        Move(from, to) => {
            let old = text(file_system, from);
            file_system.remove(from.as_bytes());
            file_system.write(to.as_bytes(), old.as_bytes());
        }
    }
}

/// Each row: what is edited, and the files that are resolved again.
fn rows() -> Vec<(&'static str, Edit, Vec<&'static str>)> {
    vec![
        ("comment in Python", Append("pkg/text.py", "# note\n"), vec!["pkg/text.py"]),
        ("comment in Rust", Append("src/shape.rs", "// note\n"), vec!["src/shape.rs"]),
        ("blank line above everything", Replace("pkg/core.py", "from", "\nfrom"), vec!["pkg/core.py"]),
        ("body edit in Python", Replace("pkg/core.py", "line(\"a\")", "line(\"b\")"), vec!["pkg/core.py"]),
        (
            "body edit in Rust",
            Replace("src/shape.rs", "self.side * self.side", "self.side"),
            vec!["src/shape.rs"],
        ),
        ("new call in a body", Append("other.py", "\n\nalone()\n"), vec!["other.py"]),
        (
            "doc comment",
            Replace("src/shape.rs", "    pub fn area", "    /// Doc.\n    pub fn area"),
            vec!["src/shape.rs"],
        ),
        (
            "docstring",
            Replace("other.py", "    return", "    \"\"\"Doc.\"\"\"\n    return"),
            vec!["other.py"],
        ),
        (
            "a name nobody asks for",
            Append("pkg/text.py", "\n\ndef fresh():\n    pass\n"),
            vec!["pkg/text.py"],
        ),
        (
            "a common name elsewhere",
            Append("other.py", "\n\ndef line(word):\n    return word\n"),
            vec!["other.py"],
        ),
        (
            "a Rust function nobody asks for",
            Append("src/shape.rs", "\npub fn fresh() {}\n"),
            vec!["src/shape.rs"],
        ),
        // core.py imports the name.
        (
            "renamed function",
            Replace("pkg/text.py", "def line", "def row"),
            vec!["pkg/core.py", "pkg/text.py"],
        ),
        (
            "another parameter",
            Replace("pkg/text.py", "word)", "word, end=None)"),
            vec!["pkg/core.py", "pkg/text.py"],
        ),
        // lib.rs calls it on a Square; main.rs asks only for the crate's `area`.
        (
            "renamed method",
            Replace("src/shape.rs", "pub fn area", "pub fn size"),
            vec!["src/lib.rs", "src/shape.rs"],
        ),
        (
            "another return type",
            Replace("src/shape.rs", "area(&self) -> u32", "area(&self) -> u64"),
            vec!["src/lib.rs", "src/shape.rs"],
        ),
        (
            "renamed type",
            Replace("src/shape.rs", "pub struct Square", "pub struct Block"),
            vec!["src/lib.rs", "src/shape.rs"],
        ),
        ("a file nobody imports", Write("extra.py", "def more():\n    return 1\n"), vec!["extra.py"]),
        (
            "a file with a known name",
            Write("extra.py", "def line(word):\n    return word\n"),
            vec!["extra.py"],
        ),
        ("a file nobody imports goes", Remove("other.py"), vec![]),
        ("a file nobody imports moves", Move("other.py", "moved.py"), vec!["moved.py"]),
        ("another language's manifest-like file", Write("notes.md", "# Notes\n"), vec![]),
        ("a README", Write("README.md", "# Shapes\n\nDraws all kinds of shapes.\n"), vec![]),
        ("identical bytes", Write("other.py", "def alone():\n    return 1\n"), vec![]),
        (
            "CRLF instead of LF changes nothing but the file",
            Write("other.py", "def alone():\r\n    return 1\r\n"),
            vec!["other.py"],
        ),
    ]
}

#[test]
fn each_kind_of_edit_resolves_exactly_what_it_reaches() {
    let rows = rows();
    for (name, edit, expected) in &rows {
        let file_system = start();
        apply(&file_system, edit);
        let outcome = build(&file_system).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        let expected: BTreeSet<String> = expected.iter().map(|path| (*path).to_owned()).collect();
        assert_eq!(resolved(&outcome), expected, "{name}");
        let queries = &outcome.report.queries[&QueryKind::Resolution];
        assert_eq!(queries.computed, expected.len() as u64, "{name}: salsa ran what the driver asked for");
    }
    eprintln!("{} kinds of edit", rows.len());
}

#[test]
fn an_edit_that_shows_nowhere_writes_nothing() {
    for edit in [Append("pkg/text.py", "# note\n"), Append("src/shape.rs", "// note\n")] {
        let file_system = start();
        apply(&file_system, &edit);
        let outcome = build(&file_system).expect("it builds");
        assert_eq!(outcome.report.pages.written, 0);
    }
}

#[test]
fn a_body_edit_rewrites_the_page_that_shows_it() {
    let file_system = start();
    apply(
        &file_system,
        &Replace("pkg/core.py", "    engine.start()", "    engine.start()\n    engine.start()"),
    );
    let outcome = build(&file_system).expect("it builds");
    let pages: Vec<&str> = outcome
        .report
        .recomputed
        .iter()
        .filter(|unit| unit.query == QueryKind::Page)
        .map(|unit| unit.unit.as_str())
        .collect();
    assert_eq!(pages.len(), 1, "one page shows pkg/core.py: {pages:?}");
}
