//! The prose that is kept: one answer a line, in the file the configuration names, else in the work directory.
//!
//! It is an input, like a skeleton: validated when it is read, sorted and replaced in one step when it is written, and
//! nothing in it is removed unasked. While a run asks, each answer goes to a file of its own in `phase3/pending` of the
//! work directory, which the next run takes up if this one does not come to its end.
//!
//! A request may have several lines, one for each model, as a merge leaves them. Those of other models than the one that
//! is asked now go when that model's is there.

use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::read::read;
use bindery_artifacts::write::artifact_text;
use bindery_artifacts::{ProseEntry, files};
use bindery_source::{ContentHash, KeyHasher};
use bindery_store::fs::FileKind;
use bindery_store::{create_directories, found, read_file, write_atomically};

use crate::options::Source;
use crate::outcome::Failure;
use crate::repository::Repository;

/// See the module's page.
pub(crate) struct ProseStore {
    /// By request and model.
    entries: BTreeMap<(String, String), ProseEntry>,
    /// The file as it was read.
    text: Vec<u8>,
}

impl ProseStore {
    /// Reads what is kept.
    pub(crate) fn read(repository: &Repository) -> Result<Self, Failure> {
        let (text, name) = read_kept(repository)?;
        let mut store = Self { entries: BTreeMap::new(), text };
        let content = std::str::from_utf8(&store.text)
            .map_err(|_| Failure::findings(format!("`{name}` is not UTF-8 text")))?;
        let mut entries = Vec::new();
        for (at, line) in content.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let located = read::<ProseEntry>(&name, line).map_err(|mut findings| {
                findings.iter_mut().for_each(|finding| finding.line = at as u32 + 1);
                Failure::of_findings(&findings)
            })?;
            entries.push(located.value);
        }
        for (_, bytes) in pending(repository)? {
            // What is not whole was never answered.
            let entry = std::str::from_utf8(&bytes).ok().and_then(|text| read::<ProseEntry>("", text).ok());
            entries.extend(entry.map(|located| located.value));
        }
        // Of two answers to one question the first in the order of texts counts, wherever the lines stand.
        entries.sort();
        for entry in entries {
            store.entries.entry((entry.request.clone(), entry.model.clone())).or_insert(entry);
        }
        Ok(store)
    }

    /// The answer to a request: that of `model`, or without one the first there is.
    pub(crate) fn find(&self, request: &ContentHash, model: Option<&str>) -> Option<&ProseEntry> {
        let request = request.to_hex();
        match model {
            Some(model) => self.entries.get(&(request, model.to_owned())),
            None => {
                let (_, entry) = self.entries.range((request.clone(), String::new())..).next()?;
                (entry.request == request).then_some(entry)
            }
        }
    }

    /// Keeps an answer at once, where a run that is killed leaves it for the next.
    pub(crate) fn keep(&mut self, repository: &Repository, entry: ProseEntry) -> Result<(), Failure> {
        let (work, directory) = (&repository.work, files::PENDING_PROSE.as_bytes());
        create_directories(work.file_system(), &work.path(directory))?;
        let name = format!("{}/{}.json", files::PENDING_PROSE, entry.request);
        let path = work.path(name.as_bytes());
        write_atomically(work.file_system(), &path, &artifact_text(&entry), repository.durability())?;
        self.entries.insert((entry.request.clone(), entry.model.clone()), entry);
        Ok(())
    }

    /// Writes the file if it is not so already, and removes what it now holds from where it waited.
    pub(crate) fn settle(
        &mut self,
        repository: &Repository,
        used: &[ContentHash],
        model: Option<&str>,
    ) -> Result<(), Failure> {
        let used: BTreeSet<String> = used.iter().map(|digest| digest.to_hex()).collect();
        if let Some(model) = model {
            let is_answered =
                |request: &str| self.entries.contains_key(&(request.to_owned(), model.to_owned()));
            let superseded = self
                .entries
                .keys()
                .filter(|(request, other)| other != model && used.contains(request) && is_answered(request));
            let superseded: Vec<(String, String)> = superseded.cloned().collect();
            superseded.iter().for_each(|key| drop(self.entries.remove(key)));
        }
        if repository.options.prune_prose {
            self.entries.retain(|(request, _), _| used.contains(request));
        }
        let text = self.text();
        if text != self.text && repository.options.source == Source::WorkingTree {
            write_kept(repository, &text)?;
            self.text = text;
        }
        if self.text == self.text() {
            remove_pending(repository)?;
        }
        Ok(())
    }

    /// How many requests have answers that nothing asks for.
    pub(crate) fn unused(&self, used: &[ContentHash]) -> u64 {
        let used: BTreeSet<String> = used.iter().map(|digest| digest.to_hex()).collect();
        let kept: BTreeSet<&String> = self.entries.keys().map(|(request, _)| request).collect();
        kept.into_iter().filter(|request| !used.contains(*request)).count() as u64
    }

    fn text(&self) -> Vec<u8> {
        self.entries.values().flat_map(artifact_text).collect()
    }
}

/// Changes with what [`ProseStore::read`] would read, for the gate.
pub(crate) fn kept_digest(repository: &Repository) -> ContentHash {
    let mut key = KeyHasher::new("kept prose");
    // What cannot be read is reported by the run that has to look into it.
    key.field("file", &read_kept(repository).map(|(text, _)| text).unwrap_or_default());
    for (name, bytes) in pending(repository).unwrap_or_default() {
        key.field("pending", &name).field("answer", &bytes);
    }
    key.finish()
}

/// The file's bytes and what messages call it.
fn read_kept(repository: &Repository) -> Result<(Vec<u8>, String), Failure> {
    let (read, name) = match &repository.configuration.prose {
        Some(path) => (read_file(&*repository.file_system, path.as_bytes()), path.clone()),
        None => {
            let (work, path) = (&repository.work, files::PROSE.as_bytes());
            (read_file(work.file_system(), &work.path(path)), work.shown(path))
        }
    };
    Ok((found(read)?.map_or(Vec::new(), |read| read.bytes), name))
}

fn write_kept(repository: &Repository, text: &[u8]) -> Result<(), Failure> {
    let durability = repository.durability();
    let (file_system, path) = match &repository.configuration.prose {
        Some(path) => (&*repository.file_system, path.as_bytes().to_vec()),
        None => (repository.work.file_system(), repository.work.path(files::PROSE.as_bytes())),
    };
    let directory = path.iter().rposition(|byte| *byte == b'/').map_or(&[][..], |at| &path[..at]);
    create_directories(file_system, directory)?;
    Ok(write_atomically(file_system, &path, text, durability)?)
}

/// The files of answers that wait, by name.
fn pending(repository: &Repository) -> Result<BTreeMap<Vec<u8>, Vec<u8>>, Failure> {
    let (work, directory) = (&repository.work, files::PENDING_PROSE.as_bytes());
    let mut waiting = BTreeMap::new();
    for entry in found(work.file_system().list(&work.path(directory)))?.unwrap_or_default() {
        if entry.kind == FileKind::File && entry.name.ends_with(b".json") {
            let path = work.path(&[directory, b"/", &entry.name].concat());
            let read = found(read_file(work.file_system(), &path))?;
            waiting.extend(read.map(|read| (entry.name, read.bytes)));
        }
    }
    Ok(waiting)
}

fn remove_pending(repository: &Repository) -> Result<(), Failure> {
    let (work, directory) = (&repository.work, files::PENDING_PROSE.as_bytes());
    let Some(entries) = found(work.file_system().list(&work.path(directory)))? else { return Ok(()) };
    for entry in entries {
        found(work.file_system().remove_file(&work.path(&[directory, b"/", &entry.name].concat())))?;
    }
    found(work.file_system().remove_directory(&work.path(directory)))?;
    Ok(())
}
