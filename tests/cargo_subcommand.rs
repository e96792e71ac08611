//! `cargo bindery`, started by the real cargo: on the workspace around the current directory, as other subcommands.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A workspace of two packages inside a larger git repository, which is what `bindery` alone would take.
fn workspace() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for (path, text) in [
        ("elsewhere.py", "def outside():\n    return 1\n"),
        ("rust/Cargo.toml", "[workspace]\nmembers = [\"one\", \"two\"]\nresolver = \"3\"\n"),
        ("rust/one/Cargo.toml", "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
        ("rust/one/src/lib.rs", "pub fn one() {\n    helper();\n}\n\nfn helper() {}\n"),
        ("rust/two/Cargo.toml", "[package]\nname = \"two\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
        ("rust/two/src/lib.rs", "pub fn two() {}\n"),
    ] {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().expect("it lies in a directory")).expect("directories can be made");
        fs::write(path, text).expect("files can be written");
    }
    let made = Command::new("git").args(["init", "-q"]).current_dir(directory.path()).status();
    assert!(made.expect("git can be started").success());
    directory
}

fn cargo(here: &Path, arguments: &[&str]) -> Output {
    let programs = Path::new(env!("CARGO_BIN_EXE_cargo-bindery")).parent().expect("a program lies somewhere");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(env!("CARGO"));
    command.arg("bindery").args(arguments).current_dir(here).env_remove("CI").env_remove("BINDERY_ROOT");
    command.env("PATH", format!("{}:{path}", programs.display())).output().expect("cargo can be started")
}

#[test]
fn the_workspace_around_the_current_directory_is_analysed() {
    let directory = workspace();
    let here = directory.path().join("rust/one/src");
    let built = cargo(&here, &["build", "--report", "report.json"]);
    assert!(built.status.success(), "{built:?}");
    let said = String::from_utf8_lossy(&built.stdout).into_owned();
    assert!(said.starts_with("parsed 2 of 2 files, "), "{said}");
    assert!(directory.path().join("rust/.bindery/handbook/index.md").is_file());
    assert!(here.join("report.json").is_file(), "a path is not taken from the current directory");
    let callers = cargo(&here, &["callers", "helper"]);
    assert!(String::from_utf8_lossy(&callers.stdout).contains("one/src/lib.rs:2"), "{callers:?}");
    fs::write(here.join("lib.rs"), "pub fn other() {}\n").expect("files can be written");
    assert_eq!(
        cargo(&here, &["check", "--quiet"]).status.code(),
        Some(3),
        "its exit codes are the program's"
    );
    let root = directory.path().display().to_string();
    let built = cargo(&here, &["build", &root]);
    assert!(built.status.success(), "{built:?}");
    assert!(directory.path().join(".bindery/handbook").is_dir(), "a root that is given counts");
}

#[test]
fn without_a_workspace_cargo_says_so_and_help_is_there() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let run = cargo(directory.path(), &["build"]);
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    assert!(String::from_utf8_lossy(&run.stderr).contains("could not find `Cargo.toml`"), "{run:?}");
    for arguments in [&[][..], &["--help"], &["build", "-h"]] {
        let run = cargo(directory.path(), arguments);
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        assert!(run.status.success() && said.contains("Usage: bindery"), "{arguments:?}: {run:?}");
    }
}
