//! The repository of Python and Rust; files in it that come, go and move; what is no source.

use crate::Edit::{Append, Close, Copy, Move, Remove, Replace, Touch, Write};
use crate::{Row, row};

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

pub(crate) const FILES: &[(&str, &str)] = &[
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
    ("tools/src/lib.rs", "pub fn help() -> u32 {\n    1\n}\n"),
];

/// Files that come, go and move.
pub(crate) fn files() -> Vec<Row> {
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
pub(crate) fn surroundings() -> Vec<Row> {
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
