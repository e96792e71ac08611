//! A repository of Python and Rust, and edits of its Python files.

use crate::Edit::{Append, Replace, Write};
use crate::{Row, row};

/// Edits of Python files.
pub(crate) fn rows() -> Vec<Row> {
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
