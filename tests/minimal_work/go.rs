//! A Go module of three packages, and edits of it.

use crate::Edit::{Append, Move, Remove, Replace, Write};
use crate::{Row, row};

pub(crate) const FILES: &[(&str, &str)] = &[
    ("go.mod", "module works\n\ngo 1.22\n"),
    (
        "programs/main.go",
        "package main\n\nimport (\n\t\"works/shapes\"\n\t\"works/text\"\n)\n\nfunc main() {\n\tshapes.Area()\n\ttext.Line(\"a\")\n\ttext.Dash()\n\ttext.Dash()\n}\n",
    ),
    ("programs/other.go", "package main\n\nfunc alone() int {\n\treturn 1\n}\n"),
    ("text/line.go", "package text\n\nfunc Line(word string) string {\n\treturn clean(word)\n}\n"),
    (
        "text/clean.go",
        "package text\n\nfunc Dash() string {\n\treturn \"-\"\n}\n\nfunc clean(word string) string {\n\treturn word\n}\n",
    ),
    (
        "shapes/square.go",
        "package shapes\n\ntype Square struct {\n\tSide int\n}\n\nfunc New(side int) Square {\n\treturn Square{side}\n}\n\nfunc (s Square) Area() int {\n\treturn s.Side * s.Side\n}\n",
    ),
    ("shapes/area.go", "package shapes\n\nfunc Area() int {\n\treturn New(2).Area()\n}\n"),
    (
        "shapes/cube.go",
        "package shapes\n\ntype Cube struct {\n\tSquare\n}\n\nfunc volume(c Cube) int {\n\treturn c.Area()\n}\n",
    ),
    (
        "shapes/draw.go",
        "package shapes\n\ntype Drawer interface {\n\tDraw() int\n}\n\nfunc Paint(d Drawer) int {\n\treturn d.Draw()\n}\n",
    ),
];

/// Edits within one package's files.
fn bodies_and_names() -> Vec<Row> {
    let (clean, line, other) = ("text/clean.go", "text/line.go", "programs/other.go");
    vec![
        row("comment at the end", Append(clean, "// note\n"), 1, clean, ""),
        row("body edit", Replace(clean, "return word", "return word + word"), 1, clean, ""),
        row(
            "doc comment",
            Replace(other, "func alone", "// Alone is one.\nfunc alone"),
            1,
            other,
            "programs",
        ),
        row("new call", Append(other, "\nfunc twice() int {\n\treturn alone()\n}\n"), 1, other, "programs"),
        row("a function nobody asks for", Append(clean, "\nfunc fresh() {}\n"), 1, clean, "text"),
        row("an exported function nobody asks for", Append(line, "\nfunc Fresh() {}\n"), 1, line, "text"),
        row(
            "a name that is known in another package",
            Append(other, "\nfunc Line(word string) string {\n\treturn word\n}\n"),
            1,
            other,
            "programs",
        ),
        row(
            "renamed exported function",
            Replace(line, "func Line", "func Row"),
            1,
            "programs/main.go text/line.go",
            "programs text",
        ),
        // The files of a package share one scope; what `Line` gives is written, so nobody asks further.
        row(
            "renamed function of the package",
            Replace(clean, "func clean", "func tidy"),
            1,
            "text/clean.go text/line.go",
            "text",
        ),
        row(
            "another parameter",
            Replace(line, "(word string)", "(word string, end string)"),
            1,
            "programs/main.go text/line.go",
            "text",
        ),
        row(
            "another result",
            Replace("shapes/square.go", "(side int) Square", "(side int) *Square"),
            1,
            "shapes/area.go shapes/square.go",
            "shapes",
        ),
        row(
            "a type parameter",
            Replace("shapes/square.go", "New(side", "New[T any](side"),
            1,
            "shapes/area.go shapes/square.go",
            "shapes",
        ),
    ]
}

/// Edits of types and their methods.
fn types() -> Vec<Row> {
    // `New(2).Area()`, and `c.Area()` that is promoted; main.go calls a function of that name.
    let of_area = "shapes/area.go shapes/cube.go shapes/square.go";
    vec![
        row("renamed method", Replace("shapes/square.go", ") Area", ") Size"), 1, of_area, "shapes"),
        row(
            "another receiver",
            Replace("shapes/square.go", "(s Square)", "(s *Square)"),
            1,
            of_area,
            "shapes",
        ),
        row(
            "a method nobody asks for",
            Append("shapes/square.go", "\nfunc (s Square) Edge() int {\n\treturn s.Side\n}\n"),
            1,
            "shapes/square.go",
            "shapes",
        ),
        row(
            "an embedded type gets a name",
            Replace("shapes/cube.go", "\tSquare\n", "\tbase Square\n"),
            1,
            "shapes/cube.go",
            "shapes",
        ),
        // What the package is called follows from all of its files, so whoever imports it looks at the directory.
        row(
            "a method that hides a promoted one",
            Write("shapes/own.go", "package shapes\n\nfunc (c Cube) Area() int {\n\treturn 1\n}\n"),
            1,
            "programs/main.go shapes/cube.go shapes/own.go",
            "index overview shapes",
        ),
        row(
            "renamed method of an interface",
            Replace("shapes/draw.go", "\tDraw() int", "\tShow() int"),
            1,
            "shapes/draw.go",
            "shapes",
        ),
    ]
}

/// Edits of imports, files and the module.
fn packages() -> Vec<Row> {
    let (main, clean, other) = ("programs/main.go", "text/clean.go", "programs/other.go");
    vec![
        // Nothing of the package is used any more, which the stage map shows.
        row(
            "an import under another name",
            Replace(main, "\t\"works/text\"", "\twords \"works/text\""),
            1,
            main,
            "overview programs text",
        ),
        row(
            "a blank import",
            Replace(other, "package main", "package main; import _ \"works/text\""),
            1,
            other,
            "",
        ),
        row(
            "a dot import nothing is taken from",
            Replace(other, "package main", "package main; import . \"works/text\""),
            1,
            other,
            "",
        ),
        row(
            "the module is renamed",
            Replace("go.mod", "module works", "module plant"),
            0,
            main,
            "overview programs shapes text",
        ),
        row("go.mod says the same in other words", Append("go.mod", "// note\n"), 0, "", ""),
        row(
            "a build constraint",
            Replace(clean, "package text", "//go:build linux\n\npackage text"),
            1,
            "programs/main.go text/clean.go text/line.go",
            "text",
        ),
        // Whoever imports a package looks at its directory.
        row(
            "a test file",
            Write("text/line_test.go", "package text\n\nfunc check() {\n\tLine(\"a\")\n}\n"),
            1,
            "programs/main.go text/line_test.go",
            "index overview text",
        ),
        row("a file goes", Remove(clean), 0, "programs/main.go text/line.go", "index overview programs text"),
        row(
            "a file moves within its package",
            Move(clean, "text/tidy.go"),
            0,
            "programs/main.go text/line.go text/tidy.go",
            "programs text",
        ),
    ]
}

pub(crate) fn rows() -> Vec<Row> {
    [bodies_and_names(), types(), packages()].into_iter().flatten().collect()
}
