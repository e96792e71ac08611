//! `validate`: whether a handbook or a SKILL package is sound, on its own or against its source.

use std::path::Path;
use std::sync::Arc;

use bindery_handbook::validate::{Files, Finding, Source, Subject, validate};
use bindery_source::RepoPath;
use bindery_store::fs::{FileKind, FileSystem, OsFileSystem};
use bindery_store::{Environment, read_file};

use crate::outcome::{Failure, ValidateOutcome};
use crate::skill::sha256_hex;

/// Names that are none of the handbook's: somebody keeps it in a repository of its own.
const NOT_OURS: [&[u8]; 1] = [b".git"];

/// Checks the handbook or package in `directory`; with `source`, also against the tree it was made from.
pub fn validate_directory(directory: &Path, source: Option<&Path>) -> Result<ValidateOutcome, Failure> {
    let environment = Environment::read();
    let here = environment.current_directory.unwrap_or_default();
    let open = |path: &Path| OsFileSystem::open(&here.join(path)).map_err(Failure::usage);
    let files = files_below(&open(directory)?)?;
    let root = source.map(|source| open(source).map(|fs| Arc::new(fs) as Arc<dyn FileSystem>)).transpose()?;
    let Some(subject) = Subject::of(&files) else {
        let message = format!("`{}` is neither a handbook nor a SKILL package", directory.display());
        return Err(Failure::usage(message).with_hint("`bindery build` and `bindery skill` write them"));
    };
    let sha256 = |path: &str| {
        let read = read_file(&**root.as_ref()?, raw_path(path).as_slice()).ok()?;
        Some(sha256_hex(&read.bytes))
    };
    let above = here.join(directory);
    let has = |path: &[u8]| bindery_store::exists(&above.join(bindery_store::native_path(path)));
    let source = root.as_ref().map(|_| Source { sha256: &sha256, has: &has });
    let findings: Vec<Finding> = validate(subject, &files, source.as_ref());
    Ok(ValidateOutcome {
        directory: directory.display().to_string(),
        is_package: subject == Subject::Package,
        files: files.len() as u64,
        findings,
    })
}

/// A path of an artifact as the disk has it: `%XX` stands for a byte that is not UTF-8.
fn raw_path(path: &str) -> Vec<u8> {
    let is_plain = RepoPath::from_bytes(path.as_bytes()).as_str() == path && !path.contains('%');
    if is_plain {
        return path.as_bytes().to_vec();
    }
    let bytes = path.as_bytes();
    let (mut raw, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let code = path.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (bytes[at], code) {
            (b'%', Some(code)) => {
                raw.push(code);
                at += 3;
            }
            (byte, _) => {
                raw.push(byte);
                at += 1;
            }
        }
    }
    // Only a path that has such a byte spells `%` as `%25`.
    if std::str::from_utf8(&raw).is_ok() { path.as_bytes().to_vec() } else { raw }
}

fn files_below(file_system: &OsFileSystem) -> Result<Files, Failure> {
    let mut files = Files::new();
    let mut open: Vec<Vec<u8>> = vec![Vec::new()];
    while let Some(directory) = open.pop() {
        for entry in file_system.list(&directory)? {
            if NOT_OURS.contains(&entry.name.as_slice()) {
                continue;
            }
            let raw = match directory.is_empty() {
                true => entry.name.clone(),
                false => [&directory[..], b"/", &entry.name].concat(),
            };
            match entry.kind {
                FileKind::Directory => open.push(raw),
                FileKind::File => {
                    let bytes = read_file(file_system, &raw)?.bytes;
                    files.insert(RepoPath::from_bytes(&raw).to_string(), bytes);
                }
                _ => {}
            }
        }
    }
    Ok(files)
}
