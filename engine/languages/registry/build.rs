//! Digests of the engine's own sources, so that a build of the tool never takes for its own what another one
//! worked out: whoever changes an adapter or a rule has no number to raise.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script is no part of the engine: it reads its sources"
)]

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// What decides which facts are read from a file's bytes.
const READING: [&str; 4] = ["source", "facts", "syntax", "languages"];

fn main() {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lock = engine.join("../Cargo.lock");
    let reading: Vec<PathBuf> = READING.iter().map(|name| engine.join(name)).chain([lock.clone()]).collect();
    for (variable, roots) in [("BINDERY_READING", reading), ("BINDERY_ENGINE", vec![engine, lock])] {
        let mut files = Vec::new();
        roots.iter().for_each(|root| collect(root, &mut files));
        println!("cargo::rustc-env={variable}={:016x}", digest(&roots, files));
        roots.iter().for_each(|root| println!("cargo::rerun-if-changed={}", root.display()));
    }
}

/// The files below `path`, or itself; tests and their fixtures decide nothing.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        return files.push(path.to_owned());
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if !["tests", "examples", "benches"].iter().any(|name| entry.file_name() == *name) {
            collect(&entry.path(), files);
        }
    }
}

/// Of the files' places and contents, wherever the roots lie.
fn digest(roots: &[PathBuf], mut files: Vec<PathBuf>) -> u64 {
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        let place = roots.iter().find_map(|root| file.strip_prefix(root).ok());
        place.hash(&mut hasher);
        fs::read(&file).unwrap_or_default().hash(&mut hasher);
    }
    hasher.finish()
}
