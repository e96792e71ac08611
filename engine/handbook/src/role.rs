//! What a file is in the system: rules over facts and path, the first that fits.
//!
//! | role | because |
//! |---|---|
//! | `generated` | the path says so (`_pb2.py`, `generated/`) |
//! | `test` | the language's own marks, or a test directory or test file name |
//! | `entrypoint` | a program starts in it |
//! | `config` | named for it (`settings`, `config`), or nothing but constants |
//! | `util` | named for it (`utils`, `helpers`) |
//! | `data_model` | types, and hardly a function to each |
//! | `io_transport` | named for it (`http`, `socket`), or a quarter of its calls leave for input and output |
//! | `orchestration` | calls into at least six other files |
//! | `domain_logic` | any other file with a function |
//! | `other` | the rest |

use std::collections::BTreeSet;

use bindery_artifacts::Role;
use bindery_facts::{FileFacts, VariableKind};
use bindery_graph::{Callee, Outcome, Resolution};
use bindery_source::RepoPath;

use crate::naming;
use crate::sketch::called_symbol;

const CONFIG_WORDS: &[&str] =
    &["conf", "config", "configuration", "defaults", "options", "settings", "setup"];
const UTIL_WORDS: &[&str] = &["common", "compat", "helper", "helpers", "misc", "util", "utilities", "utils"];
const IO_WORDS: &[&str] = &[
    "client",
    "connection",
    "file",
    "fs",
    "http",
    "io",
    "net",
    "network",
    "pipe",
    "protocol",
    "reader",
    "server",
    "smtp",
    "socket",
    "storage",
    "stream",
    "tcp",
    "tls",
    "transport",
    "udp",
    "unix",
    "websocket",
    "writer",
];
/// First segments of modules that read, write or talk to something, per language.
const IO_MODULES: &[&str] = &[
    "aiohttp",
    "asyncio",
    "bufio",
    "fs",
    "hyper",
    "http",
    "httpx",
    "io",
    "mio",
    "net",
    "os",
    "pathlib",
    "requests",
    "reqwest",
    "shutil",
    "socket",
    "sqlite3",
    "ssl",
    "subprocess",
    "tokio",
    "urllib",
];
/// The same in the standard libraries of Rust (`std`) and Java (`java`), by the second segment.
const STD_IO_MODULES: &[&str] = &["fs", "io", "net", "nio", "os", "process", "sql"];
/// Calls into so many other files make an orchestrator.
const ORCHESTRATED_FILES: usize = 6;

/// Decides the role of a file.
pub(crate) fn role(path: &RepoPath, facts: &FileFacts, resolution: &Resolution) -> Role {
    let words = naming::words(path.file_name().rsplit_once('.').map_or(path.file_name(), |(stem, _)| stem));
    let is_named = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let shape = Shape::of(facts);
    if is_generated_path(path) {
        Role::Generated
    } else if facts.is_test || is_test_path(path) {
        Role::Test
    } else if facts.is_entry_point {
        Role::Entrypoint
    } else if is_named(CONFIG_WORDS) || shape.is_constants_only() {
        Role::Config
    } else if is_named(UTIL_WORDS) {
        Role::Util
    } else if shape.is_data() {
        Role::DataModel
    } else if is_named(IO_WORDS) || calls_mostly_io(resolution) {
        Role::IoTransport
    } else if called_files(path, resolution) >= ORCHESTRATED_FILES {
        Role::Orchestration
    } else if shape.functions > 0 {
        Role::DomainLogic
    } else {
        Role::Other
    }
}

/// When a file is at work, in a few words, or `none`.
pub(crate) fn lifecycle(facts: &FileFacts, role: Role) -> &'static str {
    let mut functions = facts.summary.decls.iter().filter(|decl| decl.kind.is_callable());
    let (async_count, count) =
        functions.by_ref().fold((0, 0), |(a, n), decl| (a + usize::from(decl.flags.is_async), n + 1));
    match role {
        Role::Entrypoint => "startup",
        Role::Test => "tests",
        _ if async_count > 0 && async_count * 2 >= count => "asynchronous",
        _ => "none",
    }
}

/// Whether the path alone says that a file is a test.
pub(crate) fn is_test_path(path: &RepoPath) -> bool {
    const DIRECTORIES: &[&str] = &["tests", "__tests__", "spec", "specs", "e2e", "testdata"];
    let mut segments = path.as_str().split('/').peekable();
    let mut is_in_test_directory = false;
    while let Some(segment) = segments.next() {
        is_in_test_directory |= segments.peek().is_some() && DIRECTORIES.contains(&segment);
    }
    let name = path.file_name();
    let stem = name.split('.').next().unwrap_or(name);
    is_in_test_directory
        || path.as_str().starts_with("test/")
        // The layout of Maven and Gradle, and the names their test runners look for.
        || format!("/{path}").contains("/src/test/")
        || stem.ends_with("Test")
        || stem.ends_with("Tests")
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || matches!(stem, "conftest" | "test" | "tests")
        || name.contains(".test.")
        || name.contains(".spec.")
}

fn is_generated_path(path: &RepoPath) -> bool {
    let name = path.file_name();
    let is_marked =
        [".pb.", "_pb2.", "_pb2_grpc.", ".g.", ".generated."].iter().any(|mark| name.contains(mark));
    is_marked || path.directory().split('/').any(|segment| matches!(segment, "generated" | "__generated__"))
}

struct Shape {
    functions: usize,
    types: usize,
    constants: usize,
}

impl Shape {
    fn of(facts: &FileFacts) -> Self {
        let decls = &facts.summary.decls;
        Self {
            functions: decls.iter().filter(|decl| decl.kind.is_callable()).count(),
            types: decls.iter().filter(|decl| decl.kind.type_kind().is_some()).count(),
            constants: facts
                .summary
                .variables
                .iter()
                .filter(|variable| matches!(variable.kind, VariableKind::Module | VariableKind::Constant))
                .count(),
        }
    }

    fn is_constants_only(&self) -> bool {
        self.functions == 0 && self.types == 0 && self.constants > 0
    }

    fn is_data(&self) -> bool {
        self.types > 0 && self.functions <= self.types
    }
}

fn calls_mostly_io(resolution: &Resolution) -> bool {
    let edges = resolution.outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Edges(_, callees) => callees.first(),
        Outcome::Dropped(_) => None,
    });
    let (io, all) = edges.fold((0, 0), |(io, all), callee| (io + usize::from(is_io(callee)), all + 1));
    io > 1 && io * 4 >= all
}

fn is_io(callee: &Callee) -> bool {
    let Callee::Boundary { specifier, .. } = callee else { return false };
    let mut segments = specifier.split(['.', ':', '/']).filter(|segment| !segment.is_empty());
    match segments.next() {
        Some("std" | "java") => segments.next().is_some_and(|second| STD_IO_MODULES.contains(&second)),
        Some(first) => IO_MODULES.contains(&first),
        None => false,
    }
}

fn called_files(path: &RepoPath, resolution: &Resolution) -> usize {
    let callees = resolution.outcomes.iter().flat_map(|outcome| match outcome {
        Outcome::Edges(_, callees) => callees.as_slice(),
        Outcome::Dropped(_) => &[],
    });
    let files: BTreeSet<&RepoPath> = callees.filter_map(called_symbol).map(|symbol| &symbol.path).collect();
    files.iter().filter(|file| **file != path).count()
}

#[cfg(test)]
mod tests {
    use bindery_facts::DeclKind;

    use super::*;
    use crate::sample::SampleFile;

    fn role_of(file: SampleFile) -> Role {
        let view = file.view();
        role(view.path, view.facts, view.resolution)
    }

    fn boundary(specifier: &str) -> Callee {
        Callee::Boundary { specifier: specifier.into(), class: "".into(), name: "f".into() }
    }

    fn with_function(path: &str) -> SampleFile {
        SampleFile::new(path).decl(DeclKind::Function, "f", [1, 2], "")
    }

    #[test]
    fn the_first_rule_that_fits_decides() {
        assert_eq!(role_of(with_function("a/x_pb2.py")), Role::Generated);
        assert_eq!(role_of(with_function("tests/x.py").entry_point()), Role::Test);
        assert_eq!(role_of(with_function("a/x_test.py")), Role::Test);
        assert_eq!(role_of(with_function("a/latest.py")), Role::DomainLogic);
        assert_eq!(role_of(with_function("a/settings.py").entry_point()), Role::Entrypoint);
        assert_eq!(role_of(with_function("a/settings.py")), Role::Config);
        assert_eq!(role_of(with_function("a/string_utils.py")), Role::Util);
        assert_eq!(
            role_of(SampleFile::new("a/x.py").decl(DeclKind::Class, "C", [1, 2], "")),
            Role::DataModel
        );
        assert_eq!(role_of(with_function("a/http_client.py")), Role::IoTransport);
        let calls = with_function("a/x.py").call(Some(0), 1, boundary("os.path")).call(
            Some(0),
            2,
            boundary("socket"),
        );
        assert_eq!(role_of(calls), Role::IoTransport);
        assert_eq!(role_of(SampleFile::new("a/x.py")), Role::Other);
    }

    #[test]
    fn six_called_files_make_an_orchestrator() {
        let calls = |count: u32| {
            (0..count).fold(with_function("a/x.py"), |file, n| {
                file.call(Some(0), n, Callee::Function(crate::sample::symbol(&format!("b{n}.py"), "f")))
            })
        };
        assert_eq!(role_of(calls(5)), Role::DomainLogic);
        assert_eq!(role_of(calls(6)), Role::Orchestration);
    }
}
