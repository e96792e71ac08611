//! Three Java packages and a class in none, and edits of them.

use crate::Edit::{Append, Move, Remove, Replace, Write};
use crate::{Row, row};

pub(crate) const FILES: &[(&str, &str)] = &[
    (
        "programs/Main.java",
        "package programs;\n\nimport static text.Text.line;\n\nimport shapes.Square;\nimport text.Text;\n\nclass Main {\n    static void main() {\n        new Square(2).area();\n        new Square(3).area();\n        line(\"a\");\n        Text.dash();\n    }\n}\n",
    ),
    (
        "programs/Other.java",
        "package programs;\n\nclass Other {\n    int alone() {\n        return 1;\n    }\n}\n",
    ),
    (
        "text/Text.java",
        "package text;\n\npublic class Text {\n    public static String line(String word) {\n        return Clean.clean(word);\n    }\n\n    public static String dash() {\n        return \"-\";\n    }\n}\n",
    ),
    (
        "text/Clean.java",
        "package text;\n\nclass Clean {\n    static String clean(String word) {\n        return word;\n    }\n}\n",
    ),
    (
        "shapes/Shape.java",
        "package shapes;\n\npublic interface Shape {\n    int area();\n\n    default int twice() {\n        return 2;\n    }\n}\n",
    ),
    (
        "shapes/Square.java",
        "package shapes;\n\npublic class Square implements Shape {\n    private final int side;\n\n    public Square(int side) {\n        this.side = side;\n    }\n\n    public int area() {\n        return side * side;\n    }\n}\n",
    ),
    (
        "shapes/Cube.java",
        "package shapes;\n\nclass Cube extends Square {\n    Cube(int side) {\n        super(side);\n    }\n\n    int volume() {\n        return area();\n    }\n}\n",
    ),
    (
        "shapes/Paint.java",
        "package shapes;\n\nclass Paint {\n    int paint(Square square) {\n        return square.twice();\n    }\n}\n",
    ),
];

/// Edits of methods.
fn methods() -> Vec<Row> {
    let (clean, text, other) = ("text/Clean.java", "text/Text.java", "programs/Other.java");
    vec![
        row("comment at the end", Append(clean, "// note\n"), 1, clean, ""),
        row("body edit", Replace(clean, "return word", "return word + word"), 1, clean, ""),
        row(
            "Javadoc",
            Replace(other, "    int alone", "    /** One. */\n    int alone"),
            1,
            other,
            "programs",
        ),
        row(
            "new call",
            Replace(other, "    int alone", "    int twice() { return alone(); }\n    int alone"),
            1,
            other,
            "programs",
        ),
        row(
            "a method nobody asks for",
            Replace(clean, "    static", "    static void fresh() {}\n    static"),
            1,
            clean,
            "text",
        ),
        row(
            "an overload",
            Replace(clean, "    static", "    static String clean(int word) { return \"\"; }\n    static"),
            1,
            "text/Clean.java text/Text.java",
            "text",
        ),
        row(
            "renamed public method",
            Replace(text, "line(String", "row(String"),
            1,
            "programs/Main.java text/Text.java",
            "programs text",
        ),
        row(
            "renamed method of the package",
            Replace(clean, "clean(String", "tidy(String"),
            1,
            "text/Clean.java text/Text.java",
            "text",
        ),
        row(
            "another type of a parameter",
            Replace(clean, "clean(String word)", "clean(Object word)"),
            1,
            "text/Clean.java text/Text.java",
            "text",
        ),
        row(
            "another result",
            Replace(text, "static String dash", "static Object dash"),
            1,
            "programs/Main.java text/Text.java",
            "text",
        ),
    ]
}

/// Edits of types, their members and supertypes.
fn types() -> Vec<Row> {
    let square = "shapes/Square.java";
    let who_constructs = "programs/Main.java shapes/Cube.java shapes/Square.java";
    vec![
        // The calls lead to the interface's method now.
        row(
            "renamed method that overrides one",
            Replace(square, "int area()", "int size()"),
            1,
            who_constructs,
            "programs shapes",
        ),
        // Overloads may be inherited, so whoever asks for a method of `Square` asks for its supertypes.
        row(
            "a supertype goes",
            Replace(square, " implements Shape", ""),
            1,
            "programs/Main.java shapes/Cube.java shapes/Paint.java shapes/Square.java",
            "shapes",
        ),
        row(
            "a default method nobody asks for",
            Replace(
                "shapes/Shape.java",
                "    int area",
                "    default int half() { return 1; }\n    int area",
            ),
            1,
            "shapes/Shape.java",
            "shapes",
        ),
        row(
            "renamed default method",
            Replace("shapes/Shape.java", "int twice()", "int thrice()"),
            1,
            "shapes/Paint.java shapes/Shape.java",
            "shapes",
        ),
        row(
            "another type of a constructor's parameter",
            Replace(square, "Square(int side)", "Square(long side)"),
            1,
            who_constructs,
            "shapes",
        ),
        // The constructors are told apart by their parameters, which shows wherever one is called.
        row(
            "another constructor",
            Replace(square, "    public Square", "    Square() { side = 1; }\n    public Square"),
            1,
            who_constructs,
            "programs shapes",
        ),
    ]
}

/// Edits of imports, packages and files.
fn packages() -> Vec<Row> {
    let (main, clean) = ("programs/Main.java", "text/Clean.java");
    vec![
        // Nothing of the package is used any more, which the stage map shows.
        row(
            "an import goes",
            Replace(main, "import shapes.Square;\n", "\n"),
            1,
            main,
            "overview programs shapes",
        ),
        row(
            "an import on demand instead",
            Replace(main, "import shapes.Square;", "import shapes.*;"),
            1,
            main,
            "",
        ),
        row(
            "an import on demand nothing is taken from",
            Replace("programs/Other.java", "class", "import shapes.*; class"),
            1,
            "programs/Other.java",
            "",
        ),
        row(
            "a static import goes",
            Replace(main, "import static text.Text.line;\n", "\n"),
            1,
            main,
            "programs text",
        ),
        row(
            "a class changes its package",
            Replace(clean, "package text", "package words"),
            1,
            "text/Clean.java text/Text.java",
            "text",
        ),
        // What is imported by name hides what the package has.
        row(
            "a known name in another package",
            Write("programs/Square.java", "package programs;\n\nclass Square {\n}\n"),
            1,
            "programs/Square.java",
            "index overview programs",
        ),
        row(
            "a class nobody asks for",
            Write("text/Fresh.java", "package text;\n\nclass Fresh {\n}\n"),
            1,
            "text/Fresh.java",
            "index overview text",
        ),
        row("a file goes", Remove(clean), 0, "text/Text.java", "index overview text"),
        row(
            "a file moves within its package",
            Move(clean, "text/Tidy.java"),
            0,
            "text/Text.java text/Tidy.java",
            "text",
        ),
    ]
}

pub(crate) fn rows() -> Vec<Row> {
    [methods(), types(), packages()].into_iter().flatten().collect()
}
