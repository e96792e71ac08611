//! The files a plan may edit.

use bindery_artifacts::wording::counted;
use std::collections::BTreeMap;

use bindery_plan::Content;
use bindery_source::RepoPath;
use bindery_store::fs::FileSystem;
use bindery_store::{ErrorKind, FileRead, StoreResult, found, read_file};

use crate::repository::Repository;

/// The files of one plan by the plan's spelling, with the bytes the disk knows them by where those differ.
#[derive(Default)]
pub(super) struct PlanFiles {
    raw: BTreeMap<String, Vec<u8>>,
}

impl PlanFiles {
    /// The bytes the disk knows a path by.
    pub(super) fn raw<'a>(&'a self, path: &'a str) -> &'a [u8] {
        self.raw.get(path).map_or(path.as_bytes(), Vec::as_slice)
    }

    /// What a path of a plan stands for. Its form was looked at before.
    pub(super) fn content(&mut self, repository: &Repository, path: &str) -> Content {
        if let Some(whose) = repository.not_a_source(path) {
            return refused(format!("`{path}` is {whose}, which no plan edits"));
        }
        let file_system = &*repository.file_system;
        let read = match self.read(file_system, path) {
            Ok(Some(read)) => read,
            Ok(None) => return missing(file_system, path),
            Err(error) => return refused(error.to_string()),
        };
        let limit = repository.limits().file_bytes;
        if read.bytes.len() as u64 > limit {
            return refused(format!(
                "`{path}` has {}; plans edit files of {limit} at most",
                counted(read.bytes.len() as u64, "byte")
            ));
        }
        if read.stat.mode & 0o222 == 0 {
            return refused(format!("`{path}` is read-only"));
        }
        Content::File(read.bytes)
    }

    fn read(&mut self, file_system: &dyn FileSystem, path: &str) -> StoreResult<Option<FileRead>> {
        match read_file(file_system, path.as_bytes()) {
            Err(error) if error.kind == ErrorKind::NotFound => {}
            other => return other.map(Some),
        }
        let Some(raw) = unescaped(path) else { return Ok(None) };
        let read = found(read_file(file_system, &raw))?;
        if read.is_some() {
            self.raw.insert(path.to_owned(), raw);
        }
        Ok(read)
    }
}

fn refused(message: String) -> Content {
    Content::Refused(message, None)
}

/// The bytes behind a spelling with `%XX`, if it is one of bytes that are no text.
fn unescaped(path: &str) -> Option<Vec<u8>> {
    let mut raw = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = (*first == b'%').then(|| tail.get(..2)).flatten();
        let byte = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        raw.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    let is_spelling = std::str::from_utf8(&raw).is_err() && RepoPath::from_bytes(&raw).as_str() == path;
    is_spelling.then_some(raw)
}

/// Nothing has that name: it may be created, unless its directory is none or a name beside it differs only in
/// case, which many file systems take for the same.
fn missing(file_system: &dyn FileSystem, path: &str) -> Content {
    let mut directory = String::new();
    for name in path.split('/') {
        let entries = match found(file_system.list(directory.as_bytes())) {
            Ok(entries) => entries.unwrap_or_default(),
            Err(error) => return refused(error.to_string()),
        };
        let below =
            |name: &str| if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
        if !entries.iter().any(|entry| entry.name == name.as_bytes()) {
            let mut others: Vec<String> =
                entries.iter().map(|entry| String::from_utf8_lossy(&entry.name).into_owned()).collect();
            others.sort_unstable();
            let other = others.iter().find(|other| other.to_lowercase() == name.to_lowercase());
            return match other {
                None => Content::Missing,
                Some(other) => refused(format!(
                    "there is no `{}`, and `{}` differs only in case",
                    below(name),
                    below(other)
                )),
            };
        }
        directory = below(name);
    }
    refused(format!("a component of `{path}` is no directory"))
}

impl Repository {
    /// Whose a path is, if it is not the user's source: git's, or written by Bindery.
    pub(crate) fn not_a_source(&self, path: &str) -> Option<&'static str> {
        let is_in = |directory: &str| {
            !directory.is_empty()
                && path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let work = std::str::from_utf8(self.work.base()).unwrap_or_default();
        if path.split('/').any(|name| name.eq_ignore_ascii_case(".git")) {
            Some("git's")
        } else if is_in(crate::WORK_DIRECTORY) || is_in(work) {
            Some("in the work directory")
        } else if self.handbook_in_root.as_deref().is_some_and(is_in) {
            Some("in the handbook")
        } else {
            None
        }
    }
}
