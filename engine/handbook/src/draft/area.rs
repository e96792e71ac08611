//! What directories are for, as far as their names and neighbours say: tests, examples, shared
//! infrastructure.

use super::tree::{DirectoryIndex, Tree};

/// What accompanies the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Companion {
    /// Tests.
    Tests,
    /// Benchmarks.
    Benchmarks,
    /// Examples, samples, tutorials.
    Examples,
    /// Documentation.
    Documentation,
    /// Scripts and tools for work on the repository.
    Tooling,
}

impl Companion {
    /// The id of the stage.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Tests => "tests",
            Self::Benchmarks => "benchmarks",
            Self::Examples => "examples",
            Self::Documentation => "documentation",
            Self::Tooling => "tooling",
        }
    }

    /// Whether a stage of this id is one of them.
    pub(crate) fn has_id(id: &str) -> bool {
        [Self::Tests, Self::Benchmarks, Self::Examples, Self::Documentation, Self::Tooling]
            .iter()
            .any(|companion| companion.id() == id)
    }

    /// The title of the stage.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Tests => "Tests",
            Self::Benchmarks => "Benchmarks",
            Self::Examples => "Examples",
            Self::Documentation => "Documentation",
            Self::Tooling => "Tooling and scripts",
        }
    }

    /// What a directory holds by its name. `test` alone says so only at the root or beside a source
    /// directory: inside a package it is as often the code that helps others to test.
    pub(crate) fn of(tree: &Tree<'_>, directory: DirectoryIndex) -> Option<Self> {
        let name = tree.get(directory).name;
        Some(match name.to_ascii_lowercase().as_str() {
            "tests" | "__tests__" | "spec" | "specs" | "e2e" | "integration-tests" | "integration_tests"
            | "testdata" | "js_tests" => Self::Tests,
            "test" if stands_beside_sources(tree, directory) => Self::Tests,
            "bench" | "benches" | "benchmark" | "benchmarks" => Self::Benchmarks,
            "example" | "examples" | "sample" | "samples" | "tutorial" | "tutorials" | "demo" | "demos" => {
                Self::Examples
            }
            "doc" | "docs" | "documentation" if stands_beside_sources(tree, directory) => Self::Documentation,
            "scripts" | "tools" | "hacking" | "ci" | ".ci" | ".github" | "xtask" | "extras"
                if stands_beside_sources(tree, directory) =>
            {
                Self::Tooling
            }
            _ => return None,
        })
    }
}

fn stands_beside_sources(tree: &Tree<'_>, directory: DirectoryIndex) -> bool {
    match tree.get(directory).parent {
        None => false,
        Some(0) => true,
        Some(parent) => ["src", "lib", "main"].iter().any(|name| tree.has_child(parent, name)),
    }
}

/// Directory names of code that the rest of a program leans on.
const SHARED_NAMES: &[&str] = &[
    "common",
    "compat",
    "foundation",
    "helpers",
    "internal",
    "internals",
    "macros",
    "shared",
    "support",
    "util",
    "utilities",
    "utils",
];

/// Whether a directory is shared infrastructure by its name.
pub(crate) fn is_shared(name: &str) -> bool {
    SHARED_NAMES.contains(&name.to_ascii_lowercase().as_str())
}
