//! R26 with the real cargo: the example crate is built again and again. It compiles everything once more, as build
//! dependencies, so it runs only where `BINDERY_EXAMPLE` is set, as the gate does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// A copy of the example whose dependency lies where it does here.
fn example(directory: &Path) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copied = ["build.rs", "src/lib.rs"];
    fs::create_dir_all(directory.join("src")).expect("directories can be made");
    for file in copied {
        fs::copy(here.join("example").join(file), directory.join(file)).expect("files can be copied");
    }
    let manifest = fs::read_to_string(here.join("example/Cargo.toml")).expect("the manifest can be read");
    let manifest = manifest.replace("path = \"..\"", &format!("path = {:?}", here.display().to_string()));
    fs::write(directory.join("Cargo.toml"), manifest).expect("files can be written");
    // The versions the workspace is tested with.
    fs::copy(here.join("../Cargo.lock"), directory.join("Cargo.lock")).expect("the lock file can be copied");
}

/// Builds and says whether the build script ran.
fn build(directory: &Path) -> bool {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("example");
    let output = Command::new(env!("CARGO"))
        .args(["build", "-vv", "--offline"])
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", target)
        .env_remove("CARGO_BUILD_TARGET")
        .output()
        .expect("cargo can be started");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    text.lines().any(|line| line.contains("Running `") && line.contains("build-script-build`"))
}

/// Every file the build script wrote, with its time stamp.
fn written(package: &str) -> BTreeMap<PathBuf, SystemTime> {
    let builds = Path::new(env!("CARGO_TARGET_TMPDIR")).join("example/debug/build");
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(builds).expect("the target directory can be listed").flatten() {
        let out = entry.path().join("out");
        if entry.file_name().to_string_lossy().starts_with(package) && out.is_dir() {
            let mut open = vec![out];
            while let Some(directory) = open.pop() {
                for entry in fs::read_dir(directory).expect("it can be listed").flatten() {
                    let stamp = entry.metadata().and_then(|metadata| metadata.modified());
                    match entry.path().is_dir() {
                        true => open.push(entry.path()),
                        false => drop(files.insert(entry.path(), stamp.expect("it has a time stamp"))),
                    }
                }
            }
        }
    }
    files
}

fn pages(written: &BTreeMap<PathBuf, SystemTime>) -> BTreeMap<&PathBuf, &SystemTime> {
    let is_shown = |path: &Path| {
        path.ends_with("handbook.rs") || path.components().any(|part| part.as_os_str() == "handbook")
    };
    written.iter().filter(|(path, _)| is_shown(path)).collect()
}

#[test]
fn cargo_runs_the_script_when_an_input_changes_and_only_then() {
    if std::env::var_os("BINDERY_EXAMPLE").is_none() {
        eprintln!("skipped: `BINDERY_EXAMPLE` is not set");
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    example(directory.path());
    assert!(build(directory.path()), "the first build runs it");
    assert!(!build(directory.path()), "a second build runs nothing");
    let before = written("bindery-example");
    assert!(!pages(&before).is_empty());
    let source = directory.path().join("src/lib.rs");
    let text = fs::read_to_string(&source).expect("the source can be read");
    fs::write(&source, &text).expect("the source can be written");
    assert!(build(directory.path()), "a touched input runs it");
    assert_eq!(pages(&before), pages(&written("bindery-example")), "it wrote something");
    fs::write(directory.path().join("src/new.rs"), "//! New.\n\npub fn fresh() {}\n")
        .expect("it can be written");
    assert!(build(directory.path()), "a new file in a source directory runs it");
    let after = written("bindery-example");
    assert_ne!(pages(&before), pages(&after), "the new file is on no page");
    let shown =
        pages(&after).keys().any(|page| fs::read_to_string(page).is_ok_and(|text| text.contains("fresh")));
    assert!(shown, "the new file is on no page");
    assert!(!build(directory.path()), "and then nothing again");
}
