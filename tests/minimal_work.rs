//! Minimal work (R4): after each kind of edit exactly the listed files are parsed and resolved again and exactly
//! the listed pages rendered. The lists follow from the language's rules and from what each page shows (its own
//! files' names, lines, callers and callees; its stage's place among the others), worked out by hand.

mod harness;

use std::collections::BTreeSet;

use bindery_engine::{BuildOutcome, QueryKind};
use bindery_store::fs::MemoryFileSystem;
use harness::*;

const STAGES: &str = "\
metadata:
  version: 1
stages:
  - id: root
    title: Programs
  - id: pkg
    title: Package
  - id: shapes
    title: Shapes
";

const FILES: [(&str, &str); 17] = [
    ("bindery.toml", "name = \"Works\"\nskeleton = \"stages.yaml\"\n"),
    ("stages.yaml", STAGES),
    ("pkg/__init__.py", "from pkg.core import run\n"),
    (
        "pkg/core.py",
        "from pkg.text import line\n\n\nclass Engine:\n    def start(self):\n        return line(\"a\")\n\n\ndef run():\n    engine = Engine()\n    engine.start()\n",
    ),
    ("pkg/text.py", "def line(word):\n    return _clean(word)\n\n\ndef _clean(word):\n    return word\n"),
    (
        "pkg/base.py",
        "def _log():\n    pass\n\n\nclass Part:\n    def name(self):\n        _log()\n        return 1\n",
    ),
    (
        "pkg/parts.py",
        "from pkg.base import Part\n\n\nclass Wheel(Part):\n    def turn(self):\n        return self.name()\n",
    ),
    ("app.py", "from pkg import run\n\nrun()\n"),
    ("other.py", "def alone():\n    return 1\n"),
    ("wild.py", "from pkg.text import *\n\n\ndef shout():\n    return line(\"x\")\n"),
    (
        "shapes/Cargo.toml",
        "[package]\nname = \"shapes\"\nedition = \"2021\"\n\n[dependencies]\ntools = { path = \"../tools\" }\n",
    ),
    (
        "shapes/src/lib.rs",
        "pub mod shape;\nmod draw;\nmod glue;\npub use draw::paint;\n\npub fn area() -> u32 {\n    shape::Square::new(2).area()\n}\n",
    ),
    (
        "shapes/src/shape.rs",
        "pub struct Square {\n    side: u32,\n}\n\nimpl Square {\n    pub fn new(side: u32) -> Self {\n        Square { side }\n    }\n\n    pub fn area(&self) -> u32 {\n        self.side * self.side\n    }\n}\n",
    ),
    (
        "shapes/src/draw.rs",
        "use crate::shape::Square;\n\npub trait Draw {\n    fn draw(&self) -> u32;\n}\n\npub fn paint() -> u32 {\n    Square::new(3).draw()\n}\n",
    ),
    (
        "shapes/src/glue.rs",
        "use crate::draw::Draw;\nuse crate::shape::Square;\n\nimpl Draw for Square {\n    fn draw(&self) -> u32 {\n        self.area()\n    }\n}\n",
    ),
    ("shapes/src/main.rs", "fn main() {\n    shapes::area();\n    shapes::paint();\n    tools::help();\n}\n"),
    ("tools/Cargo.toml", "[package]\nname = \"tools\"\nedition = \"2021\"\n"),
];

const TOOLS: (&str, &str) = ("tools/src/lib.rs", "pub fn help() -> u32 {\n    1\n}\n");

fn start() -> MemoryFileSystem {
    let file_system = MemoryFileSystem::with_files(FILES.into_iter().chain([TOOLS]));
    build(&file_system).expect("the repository builds");
    file_system
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
use Edit::{Append, Close, Copy, Move, Remove, Replace, Touch, Write};

fn apply(file_system: &MemoryFileSystem, edit: &Edit) {
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

/// Edits of Python files.
fn python() -> Vec<Row> {
    let (core, text, other) = ("pkg/core.py", "pkg/text.py", "other.py");
    vec![
        row("comment at the end", Append(text, "# note\n"), 1, text, ""),
        row(
            "white space at a line's end",
            Replace(text, "    return word\n", "    return word  \n"),
            1,
            text,
            "",
        ),
        row("blank line above everything", Replace(core, "from", "\nfrom"), 1, core, "pkg"),
        row("body edit", Replace(core, "line(\"a\")", "line(\"b\")"), 1, core, ""),
        // `alone` gains a caller.
        row("new call", Append(other, "\n\nalone()\n"), 1, other, "root"),
        row("docstring", Replace(other, "    return", "    \"\"\"Doc.\"\"\"\n    return"), 1, other, "root"),
        row("a name nobody asks for", Append(text, "\n\ndef fresh():\n    pass\n"), 1, text, "pkg"),
        row(
            "a common name elsewhere",
            Append(other, "\n\ndef line(word):\n    return word\n"),
            1,
            other,
            "root",
        ),
        // core.py imports the name, wild.py asks for it through its glob; both lose a callee.
        row(
            "renamed public function",
            Replace(text, "def line", "def row"),
            1,
            "pkg/core.py pkg/text.py wild.py",
            "pkg root",
        ),
        row("renamed private function", Replace("pkg/base.py", "_log", "_trace"), 1, "pkg/base.py", "pkg"),
        // `line` gives what the function gives, so whoever calls `line` asks again what that is.
        row(
            "renamed private function that a result is of",
            Replace(text, "_clean", "_tidy"),
            1,
            "pkg/core.py pkg/text.py wild.py",
            "pkg",
        ),
        // The calls still lead there, so wild.py's page shows what it did.
        row(
            "another parameter",
            Replace(text, "def line(word)", "def line(word, end=None)"),
            1,
            "pkg/core.py pkg/text.py wild.py",
            "pkg",
        ),
        row(
            "a decorator",
            Replace(text, "def line", "@cache\ndef line"),
            1,
            "pkg/core.py pkg/text.py wild.py",
            "pkg",
        ),
        row(
            "functions in another order",
            Write(text, "def _clean(word):\n    return word\n\n\ndef line(word):\n    return _clean(word)\n"),
            1,
            text,
            "pkg",
        ),
        row("an import nobody asks for", Append(other, "import os\n"), 1, other, ""),
        row("an import of another stage's file", Append(other, "from pkg import base\n"), 1, other, ""),
        row("an import goes", Replace(core, "from pkg.text import line\n", ""), 1, core, "pkg"),
        row("a glob import nothing is taken from", Append(other, "from pkg.text import *\n"), 1, other, ""),
        row(
            "a glob import goes",
            Replace("wild.py", "from pkg.text import *\n", "\n"),
            1,
            "wild.py",
            "pkg root",
        ),
        // app.py asked `pkg` for `run`, which has a caller less; app.py has no function that would show callees.
        row(
            "a re-export goes",
            Replace("pkg/__init__.py", "import run", "import run as go"),
            1,
            "app.py pkg/__init__.py",
            "pkg",
        ),
        row(
            "a re-export nobody asks for",
            Append("pkg/__init__.py", "from pkg.text import line\n"),
            1,
            "pkg/__init__.py",
            "",
        ),
        row("a base class goes", Replace("pkg/parts.py", "(Part)", ""), 1, "pkg/parts.py", "pkg"),
        row(
            "a base class gets a base",
            Replace("pkg/base.py", "class Part:", "class Part(object):"),
            1,
            "pkg/base.py pkg/parts.py",
            "",
        ),
        row(
            "an inherited method is renamed",
            Replace("pkg/base.py", "def name", "def title"),
            1,
            "pkg/base.py pkg/parts.py",
            "pkg",
        ),
        row(
            "an attribute is assigned",
            Replace(core, "        return line", "        self.speed = 1\n        return line"),
            1,
            core,
            "pkg",
        ),
        row(
            "an attribute on one line",
            Replace(core, "return line(\"a\")", "self.speed = line(\"a\")"),
            1,
            core,
            "",
        ),
        row("CRLF line ends", Write(other, "def alone():\r\n    return 1\r\n"), 1, other, ""),
        row("a file is emptied", Write(other, ""), 1, other, "root"),
        row("a file is broken", Write(other, "def alone(:\n    return 1\n"), 1, other, "root"),
        // What cannot be parsed has no card: its stage, the counts and the list of such files change.
        row("a NUL byte", Append(other, "\0"), 1, "", "index overview root"),
        row(
            "a mark that it is generated",
            Replace(other, "def", "# @generated\ndef"),
            0,
            "",
            "index overview root",
        ),
    ]
}

/// Edits of Rust files and Cargo's manifests.
fn rust() -> Vec<Row> {
    let (lib, shape, draw, glue) =
        ("shapes/src/lib.rs", "shapes/src/shape.rs", "shapes/src/draw.rs", "shapes/src/glue.rs");
    let callers_of_area = "shapes/src/glue.rs shapes/src/lib.rs shapes/src/shape.rs";
    vec![
        row("comment at the end", Append(shape, "// note\n"), 1, shape, ""),
        row("body edit", Replace(shape, "self.side * self.side", "self.side"), 1, shape, ""),
        row(
            "doc comment",
            Replace(shape, "    pub fn area", "    /// Doc.\n    pub fn area"),
            1,
            shape,
            "shapes",
        ),
        row("a function nobody asks for", Append(shape, "\npub fn fresh() {}\n"), 1, shape, "shapes"),
        row("renamed method", Replace(shape, "pub fn area", "pub fn size"), 1, callers_of_area, "shapes"),
        row(
            "another return type",
            Replace(shape, "area(&self) -> u32", "area(&self) -> u64"),
            1,
            callers_of_area,
            "shapes",
        ),
        row(
            "a method becomes private",
            Replace(shape, "pub fn area", "fn area"),
            1,
            callers_of_area,
            "shapes",
        ),
        row(
            "renamed type",
            Replace(shape, "pub struct Square", "pub struct Block"),
            1,
            "shapes/src/draw.rs shapes/src/glue.rs shapes/src/lib.rs shapes/src/shape.rs",
            "shapes",
        ),
        row(
            "a re-export goes",
            Replace(lib, "pub use draw::paint;\n", "\n"),
            1,
            "shapes/src/lib.rs shapes/src/main.rs",
            "shapes",
        ),
        // Which type the impl is for goes through that name: who asks for the impls of `Square` asks it.
        row(
            "a glob import instead of a name",
            Replace(glue, "shape::Square", "shape::*"),
            1,
            "shapes/src/draw.rs shapes/src/glue.rs shapes/src/shape.rs",
            "",
        ),
        // Through the glob `Draw` and `paint` may have a second meaning in another name space: whoever imports
        // them, or the re-export of one, asks again.
        row(
            "a glob import in a module that others import from",
            Replace(draw, "shape::Square", "shape::*"),
            1,
            "shapes/src/draw.rs shapes/src/glue.rs shapes/src/lib.rs shapes/src/main.rs",
            "",
        ),
        // `paint` calls the method that the impl gives to `Square`, whose supertypes are the traits it implements.
        row(
            "a trait impl goes",
            Write(glue, "use crate::draw::Draw;\nuse crate::shape::Square;\n"),
            1,
            "shapes/src/draw.rs shapes/src/glue.rs shapes/src/shape.rs",
            "shapes",
        ),
        row(
            "a trait impl for another type",
            Append(glue, "\nimpl Draw for u32 {\n    fn draw(&self) -> u32 {\n        1\n    }\n}\n"),
            1,
            glue,
            "shapes",
        ),
        // Only main.rs names the crate; nothing of `tools` is used any more, which the stage map shows.
        row(
            "a dependency is renamed",
            Replace("shapes/Cargo.toml", "tools = {", "kit = { package = \"tools\","),
            0,
            "shapes/src/main.rs",
            "overview root shapes",
        ),
        // Every file of the package names `u32`, which would be the crate if the crate were called so.
        row(
            "a package is renamed",
            Replace("shapes/Cargo.toml", "name = \"shapes\"", "name = \"forms\""),
            0,
            "shapes/src/draw.rs shapes/src/glue.rs shapes/src/lib.rs shapes/src/main.rs shapes/src/shape.rs",
            "shapes",
        ),
        row("a manifest says the same in other words", Append("shapes/Cargo.toml", "# note\n"), 0, "", ""),
    ]
}

/// Files that come, go and move.
fn files() -> Vec<Row> {
    vec![
        // A file more: its stage's page, the index and the overview count it.
        row(
            "a file nobody imports",
            Write("extra.py", "def more():\n    return 1\n"),
            1,
            "extra.py",
            "index overview root",
        ),
        row(
            "a file with a known name",
            Write("extra.py", "def line(word):\n    return word\n"),
            1,
            "extra.py",
            "index overview root",
        ),
        row("an empty file", Write("extra.py", ""), 1, "extra.py", "index overview root"),
        row("a copy", Copy("other.py", "copied.py"), 0, "copied.py", "index overview root"),
        row("a file nobody imports goes", Remove("other.py"), 0, "", "index overview root"),
        row(
            "an imported file goes",
            Remove("pkg/text.py"),
            0,
            "pkg/core.py wild.py",
            "index overview pkg root",
        ),
        row("a file nobody imports moves", Move("other.py", "moved.py"), 0, "moved.py", "root"),
        row(
            "an imported file moves",
            Move("pkg/text.py", "pkg/words.py"),
            0,
            "pkg/core.py pkg/words.py wild.py",
            "pkg root",
        ),
        // The dependency's path leads nowhere now.
        row(
            "a directory is renamed",
            Move("tools/", "kit/"),
            0,
            "kit/src/lib.rs shapes/src/main.rs",
            "overview root shapes",
        ),
        row("a file becomes unreadable", Close("other.py"), 0, "", "index overview root"),
        row("a time stamp", Touch("other.py"), 0, "", ""),
        row("identical bytes", Write("other.py", "def alone():\n    return 1\n"), 0, "", ""),
    ]
}

/// Inputs that are no sources, and files that are no inputs.
fn surroundings() -> Vec<Row> {
    let stages = "pkg root shapes";
    vec![
        row("an ignore file", Write(".gitignore", "other.py\n"), 0, "", "index overview root"),
        row("an ignore rule that meets nothing", Write(".gitignore", "nothing\n"), 0, "", ""),
        row(
            "an exclusion",
            Append("bindery.toml", "exclude = [\"other.py\"]\n"),
            0,
            "",
            "index overview root",
        ),
        row("the name", Replace("bindery.toml", "Works", "Plant"), 0, "", "index overview"),
        row("the depth", Append("bindery.toml", "depth = \"deep\"\n"), 0, "", stages),
        row(
            "the link template",
            Append("bindery.toml", "link_template = \"https://example.org/{path}\"\n"),
            0,
            "",
            stages,
        ),
        // The stage before it links to it, and says that it uses it.
        row("a stage's title", Replace("stages.yaml", "Package", "Parcel"), 0, "", "index overview pkg root"),
        row(
            "a stage's description",
            Replace("stages.yaml", "title: Shapes", "title: Shapes\n    description: Forms."),
            0,
            "",
            "index shapes",
        ),
        row("the README", Write("README.md", "# Works\n\nMakes all kinds of things.\n"), 0, "", "overview"),
        row("a stage's README", Write("pkg/README.md", "# Package\n\nHolds things.\n"), 0, "", ""),
        row("prose", Write("docs/guide.md", "# Guide\n"), 0, "", ""),
        row("data", Write("pkg/data.json", "{}\n"), 0, "", ""),
    ]
}

#[test]
fn each_kind_of_edit_costs_exactly_what_it_reaches() {
    let groups = [python(), rust(), files(), surroundings()];
    let rows: Vec<Row> = groups.into_iter().flatten().collect();
    let built = start();
    let mut wrong = Vec::new();
    for row in &rows {
        let name = row.name;
        let file_system = built.snapshot();
        apply(&file_system, &row.edit);
        let outcome = build(&file_system).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        let queries = &outcome.report.queries;
        // Every page's bytes enter the stamp on the overview.
        let stamped = if row.rendered.is_empty() { None } else { Some("overview.md".to_owned()) };
        let written = row.rendered.iter().cloned().chain(stamped).collect::<BTreeSet<_>>().len() as u64;
        let found = (
            queries[&QueryKind::Facts].computed,
            recomputed(&outcome, QueryKind::Resolution),
            recomputed(&outcome, QueryKind::Page),
            outcome.report.pages.written,
            queries[&QueryKind::Resolution].computed,
        );
        let resolved = row.resolved.len() as u64;
        let expected = (row.parsed, row.resolved.clone(), row.rendered.clone(), written, resolved);
        if found != expected {
            let why: Vec<_> =
                outcome.report.recomputed.iter().filter_map(|unit| unit.because_of.as_ref()).collect();
            wrong.push(format!("{name}:\n   found {found:?}\nexpected {expected:?}\n because {why:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    eprintln!("{} kinds of edit", rows.len());
    assert!(rows.len() >= 40);
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
