//! A package of TypeScript, TSX and JavaScript, and edits of it.

use crate::Edit::{Append, Move, Remove, Replace, Write};
use crate::{Row, row};

pub(crate) const FILES: &[(&str, &str)] = &[
    ("package.json", "{\n  \"name\": \"works\"\n}\n"),
    (
        "tsconfig.json",
        "{\n  \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@shapes\": [\"shapes/index\"] } }\n}\n",
    ),
    (
        "programs/main.ts",
        "import { area, paint } from \"@shapes\";\nimport { line } from \"../text/line\";\n\nexport function main(): void {\n  area();\n  paint(null);\n  line(\"a\");\n}\n",
    ),
    ("programs/other.ts", "export function alone(): number {\n  return 1;\n}\n"),
    (
        "programs/legacy.js",
        "const { alone } = require(\"./other\");\n\nfunction old() {\n  return alone();\n}\n\nmodule.exports = { old };\n",
    ),
    (
        "programs/panel.tsx",
        "import { old } from \"./legacy\";\n\nfunction Row() {\n  return old();\n}\n\nexport function Panel() {\n  return <Row />;\n}\n",
    ),
    (
        "text/line.ts",
        "import { clean } from \"./clean\";\n\nexport function line(word: string): string {\n  return clean(word);\n}\n",
    ),
    (
        "text/clean.ts",
        "export function clean(word: string): string {\n  return trim(word);\n}\n\nfunction trim(word: string): string {\n  return word;\n}\n",
    ),
    (
        "shapes/index.ts",
        "export * from \"./square\";\nexport { paint } from \"./draw\";\nimport { Square } from \"./square\";\n\nexport function area(): number {\n  return new Square(2).area();\n}\n",
    ),
    (
        "shapes/square.ts",
        "export class Square {\n  constructor(private side: number) {}\n\n  area(): number {\n    return this.side * this.side;\n  }\n}\n",
    ),
    (
        "shapes/cube.ts",
        "import { Square } from \"./square\";\n\nexport class Cube extends Square {\n  volume(): number {\n    return this.area();\n  }\n}\n",
    ),
    (
        "shapes/draw.ts",
        "import { Square } from \"./index\";\n\nexport function paint(square: Square): number {\n  return square.area();\n}\n",
    ),
];

/// Edits of functions and variables.
fn functions() -> Vec<Row> {
    let (clean, line, other) = ("text/clean.ts", "text/line.ts", "programs/other.ts");
    vec![
        row("comment at the end", Append(clean, "// note\n"), 1, clean, ""),
        row("body edit", Replace(clean, "return word", "return word + word"), 1, clean, ""),
        row("JSDoc", Replace(other, "export", "/** One. */\nexport"), 1, other, "programs"),
        row(
            "new call",
            Append(other, "\nfunction twice(): number {\n  return alone();\n}\n"),
            1,
            other,
            "programs",
        ),
        row("a function nobody asks for", Append(clean, "\nfunction fresh(): void {}\n"), 1, clean, "text"),
        row("an export nobody asks for", Append(clean, "\nexport function fresh() {}\n"), 1, clean, "text"),
        row(
            "a known name in another module",
            Append(other, "\nexport function line() {}\n"),
            1,
            other,
            "programs",
        ),
        // Nothing of the stage is used any more, which the stage map shows.
        row(
            "renamed export",
            Replace(line, "function line", "function row"),
            1,
            "programs/main.ts text/line.ts",
            "overview programs text",
        ),
        // What `clean` gives is written, so nobody asks further.
        row("renamed function of the module", Replace(clean, "trim", "cut"), 1, clean, "text"),
        row(
            "another parameter",
            Replace(clean, "clean(word: string)", "clean(word: string, end?: string)"),
            1,
            "text/clean.ts text/line.ts",
            "text",
        ),
        row(
            "another component",
            Replace("programs/panel.tsx", "<Row", "<Line"),
            1,
            "programs/panel.tsx",
            "programs",
        ),
    ]
}

/// Edits of classes.
fn classes() -> Vec<Row> {
    let square = "shapes/square.ts";
    let of_square = "shapes/cube.ts shapes/draw.ts shapes/index.ts shapes/square.ts";
    vec![
        row("renamed method", Replace(square, "  area()", "  size()"), 1, of_square, "shapes"),
        row(
            "another type of a result",
            Replace(square, "area(): number", "area(): bigint"),
            1,
            of_square,
            "shapes",
        ),
        row(
            "a method nobody asks for",
            Replace(square, "  area()", "  edge(): number {\n    return 1;\n  }\n\n  area()"),
            1,
            square,
            "shapes",
        ),
        row(
            "a base class goes",
            Replace("shapes/cube.ts", " extends Square", ""),
            1,
            "shapes/cube.ts",
            "shapes",
        ),
        // main.ts calls `paint`, of whose signature `Square` is a part.
        row(
            "a base class gets a base",
            Replace(square, "class Square", "class Square extends Object"),
            1,
            "programs/main.ts shapes/cube.ts shapes/draw.ts shapes/index.ts shapes/square.ts",
            "",
        ),
    ]
}

/// Edits of what modules pass on, and of how they are found.
fn modules() -> Vec<Row> {
    let (index, line) = ("shapes/index.ts", "text/line.ts");
    let star = "export * from \"./square\";";
    let of_the_star = "programs/main.ts shapes/draw.ts shapes/index.ts";
    vec![
        row(
            "a re-export goes",
            Replace(index, "export { paint } from \"./draw\";", ""),
            1,
            "programs/main.ts shapes/index.ts",
            "programs shapes",
        ),
        // What a module exports by name comes before any star, but draw.ts takes `Square` from it, and main.ts asks
        // for `paint`, of whose signature that is a part.
        row("a star goes", Replace(index, star, ""), 1, of_the_star, "shapes"),
        // `Square` might come through it as well. The module uses a file more, so it is read before that one.
        row(
            "another star",
            Replace(index, star, "export * from \"./square\"; export * from \"./cube\";"),
            1,
            of_the_star,
            "shapes",
        ),
        row(
            "a default export instead of a name",
            Replace(line, "export function", "export default function"),
            1,
            "programs/main.ts text/line.ts",
            "overview programs text",
        ),
        row("an import under another name", Replace(line, "{ clean }", "{ clean as tidy }"), 1, line, "text"),
        row(
            "another export of CommonJS",
            Replace("programs/legacy.js", "exports = { old }", "exports = { older: old }"),
            1,
            "programs/legacy.js programs/panel.tsx",
            "programs",
        ),
        row(
            "another path in the configuration",
            Replace("tsconfig.json", "@shapes", "@forms"),
            0,
            "programs/main.ts",
            "overview programs shapes",
        ),
        row("a configuration says the same in other words", Append("tsconfig.json", "// note\n"), 0, "", ""),
        row("the package is renamed", Replace("package.json", "works", "plant"), 0, "", ""),
    ]
}

/// Files that come, go and move.
fn files() -> Vec<Row> {
    let clean = "text/clean.ts";
    vec![
        row(
            "a file that another of its name comes before",
            Write("text/clean.js", "export function clean() {}\n"),
            1,
            "text/clean.js",
            "index overview text",
        ),
        row(
            "a file that comes before another of its name",
            Write("programs/legacy.ts", "export function old(): void {}\n"),
            1,
            "programs/legacy.ts programs/panel.tsx",
            "index overview programs",
        ),
        row("a file goes", Remove(clean), 0, "text/line.ts", "index overview text"),
        row("a file moves", Move(clean, "text/tidy.ts"), 0, "text/line.ts text/tidy.ts", "text"),
    ]
}

pub(crate) fn rows() -> Vec<Row> {
    [functions(), classes(), modules(), files()].into_iter().flatten().collect()
}
