//! What git holds: the entries of the index or of a commit, and the objects they name.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::{GitLocation, is_object_id};
use crate::fs::GitFileSystem;
use crate::{ErrorKind, Operation, StoreError, StoreResult};

/// The flag of an entry that only announces a file (`git add --intent-to-add`): it will not be committed.
const INTENT_TO_ADD: u32 = 1 << 29;

/// What a name in the index or in a commit stands for; submodules are not listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GitEntryKind {
    File,
    Executable,
    Symlink,
}

/// A name in the index or in a commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GitEntry {
    /// Below the root, as raw bytes.
    pub(crate) path: Vec<u8>,
    pub(crate) kind: GitEntryKind,
    /// The blob's id in hexadecimal digits.
    pub(crate) id: String,
    /// The blob's bytes; 0 if git does not have it.
    pub(crate) size: u64,
}

/// Reads objects, one after the other, from one `git cat-file --batch`.
pub(crate) struct ObjectReader {
    git: GitLocation,
    running: Option<(Child, ChildStdin, BufReader<ChildStdout>)>,
}

impl ObjectReader {
    fn new(git: GitLocation) -> Self {
        Self { git, running: None }
    }

    /// The bytes of an object, or why they cannot be had.
    pub(crate) fn read(&mut self, id: &str) -> Result<Vec<u8>, String> {
        let answer = self.ask(id);
        if answer.is_err() {
            self.end();
        }
        answer
    }

    fn ask(&mut self, id: &str) -> Result<Vec<u8>, String> {
        let in_words = |error: std::io::Error| format!("git cat-file: {error}");
        if self.running.is_none() {
            self.running = Some(self.start().map_err(in_words)?);
        }
        let (_, stdin, stdout) = self.running.as_mut().expect("it was started");
        stdin.write_all(format!("{id}\n").as_bytes()).and_then(|()| stdin.flush()).map_err(in_words)?;
        let mut head = String::new();
        stdout.read_line(&mut head).map_err(in_words)?;
        let size: usize = match head.trim_end().split(' ').collect::<Vec<_>>()[..] {
            [_, "blob", size] => size.parse().map_err(|_| format!("git cat-file: {head}"))?,
            _ => return Err(format!("git cat-file: {}", head.trim_end())),
        };
        let mut bytes = Vec::new();
        let taken = stdout.take(size as u64 + 1).read_to_end(&mut bytes).map_err(in_words)?;
        if taken != size + 1 {
            return Err("git cat-file: it ended early".to_owned());
        }
        bytes.pop();
        Ok(bytes)
    }

    fn start(&self) -> std::io::Result<(Child, ChildStdin, BufReader<ChildStdout>)> {
        let mut command = self.git.command(&self.git.top_level, &["cat-file", "--batch"]);
        // Nobody reads its messages; the answer on stdout says what is missing.
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        match (stdin, stdout) {
            (Some(stdin), Some(stdout)) => Ok((child, stdin, BufReader::new(stdout))),
            _ => Err(std::io::Error::other("no pipes")),
        }
    }

    fn end(&mut self) {
        if let Some((mut child, stdin, stdout)) = self.running.take() {
            // Without its pipes it ends by itself.
            drop((stdin, stdout));
            let _ = child.wait();
        }
    }
}

impl Drop for ObjectReader {
    fn drop(&mut self) {
        self.end();
    }
}

impl GitLocation {
    /// What the index holds below `root`, a directory of the repository. Entries that only announce a file are
    /// left out. An unmerged path is an error: what would be committed is not decided yet.
    pub fn index_tree(&self, root: &Path) -> StoreResult<GitFileSystem> {
        let output = self.git(root, &["ls-files", "-z", "--cached", "--stage", "--debug"], b"")?;
        let mut entries = self.parse_index(&output)?;
        self.add_sizes(&mut entries)?;
        Ok(GitFileSystem::new(String::new(), entries, ObjectReader::new(self.clone())))
    }

    /// What a commit holds below `root`. [`ErrorKind::NotFound`]: there is no such commit here.
    pub fn commit_tree(&self, root: &Path, revision: &str) -> StoreResult<GitFileSystem> {
        let id = self.commit_id(revision)?;
        let output = self.git(root, &["ls-tree", "-r", "-z", "-l", &id], b"")?;
        let records = output.split(|&byte| byte == 0).filter(|record| !record.is_empty());
        let entries = records.filter_map(parse_tree_record).collect();
        Ok(GitFileSystem::new(revision.to_owned(), entries, ObjectReader::new(self.clone())))
    }

    /// The id of a commit by any of its names. [`ErrorKind::NotFound`]: there is no such commit here.
    pub fn commit_id(&self, revision: &str) -> StoreResult<String> {
        let missing = || StoreError::new(ErrorKind::NotFound, Operation::Read, revision.to_owned());
        let name = format!("{revision}^{{commit}}");
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", &name];
        let output = self.git(&self.top_level, &arguments, b"").map_err(|_| missing())?;
        let id = String::from_utf8_lossy(&output).trim_end().to_owned();
        if is_object_id(&id) { Ok(id) } else { Err(missing()) }
    }

    /// Entries from `ls-files --stage --debug -z`: `MODE ID STAGE TAB PATH NUL`, then lines of details that
    /// begin with two blanks, the last of them with the flags.
    fn parse_index(&self, output: &[u8]) -> StoreResult<Vec<GitEntry>> {
        let fail = |detail: String| {
            StoreError::new(ErrorKind::Io, Operation::Read, "the git index".to_owned()).with_detail(detail)
        };
        let mut entries: Vec<GitEntry> = Vec::new();
        let mut rest = output;
        while !rest.is_empty() {
            let nul = rest.iter().position(|&byte| byte == 0);
            let nul = nul.ok_or_else(|| fail("git ls-files ended early".to_owned()))?;
            let (record, details) = (&rest[..nul], &rest[nul + 1..]);
            let (details, next) = split_details(details);
            rest = next;
            let (head, path) = split_tab(record).ok_or_else(|| fail("git ls-files: no path".to_owned()))?;
            let words: Vec<&str> = head.split(' ').collect();
            let [mode, id, stage] = words[..] else { return Err(fail(format!("git ls-files: {head}"))) };
            if stage != "0" {
                let path = String::from_utf8_lossy(path).into_owned();
                return Err(StoreError::new(ErrorKind::Io, Operation::Read, path)
                    .with_detail("it is unmerged in the git index"));
            }
            if let Some(kind) = kind_of(mode).filter(|_| flags(details) & INTENT_TO_ADD == 0) {
                entries.push(GitEntry { path: path.to_vec(), kind, id: id.to_owned(), size: 0 });
            }
        }
        Ok(entries)
    }

    /// Makes the index hold files as they are on disk, byte for byte, and hold others no more. Paths are below
    /// the top of the repository. Nothing else of the index changes.
    pub fn stage(&self, present: &[Vec<u8>], absent: &[Vec<u8>]) -> StoreResult<()> {
        let mut names = present.join(&b'\n');
        names.push(b'\n');
        let arguments = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
        let ids = match present {
            [] => Vec::new(),
            _ => self.git(&self.top_level, &arguments, &names)?,
        };
        let ids = String::from_utf8_lossy(&ids).into_owned();
        let mut records = Vec::new();
        for (path, id) in present.iter().zip(ids.lines()) {
            records.extend_from_slice(format!("100644 {id}\t").as_bytes());
            records.extend_from_slice(path);
            records.push(0);
        }
        if !records.is_empty() {
            self.git(&self.top_level, &["update-index", "--add", "-z", "--index-info"], &records)?;
        }
        if !absent.is_empty() {
            let names = absent.join(&0);
            self.git(&self.top_level, &["update-index", "--force-remove", "-z", "--stdin"], &names)?;
        }
        Ok(())
    }

    fn add_sizes(&self, entries: &mut [GitEntry]) -> StoreResult<()> {
        let ids: String = entries.iter().flat_map(|entry| [&entry.id, "\n"]).collect();
        let arguments = ["cat-file", "--batch-check=%(objectsize)", "--buffer"];
        let output = self.git(&self.top_level, &arguments, ids.as_bytes())?;
        for (entry, line) in entries.iter_mut().zip(output.split(|&byte| byte == b'\n')) {
            entry.size = std::str::from_utf8(line).ok().and_then(|line| line.parse().ok()).unwrap_or(0);
        }
        Ok(())
    }
}

fn kind_of(mode: &str) -> Option<GitEntryKind> {
    match mode {
        "100644" | "100664" => Some(GitEntryKind::File),
        "100755" => Some(GitEntryKind::Executable),
        "120000" => Some(GitEntryKind::Symlink),
        _ => None,
    }
}

fn split_tab(record: &[u8]) -> Option<(&str, &[u8])> {
    let tab = record.iter().position(|&byte| byte == b'\t')?;
    Some((std::str::from_utf8(&record[..tab]).ok()?, &record[tab + 1..]))
}

/// The lines that begin with a blank, and what follows them.
fn split_details(text: &[u8]) -> (&[u8], &[u8]) {
    let mut end = 0;
    while text.get(end) == Some(&b' ') {
        let line = text[end..].iter().position(|&byte| byte == b'\n');
        end = line.map_or(text.len(), |line| end + line + 1);
    }
    text.split_at(end)
}

fn flags(details: &[u8]) -> u32 {
    let details = String::from_utf8_lossy(details);
    let flags = details.rsplit_once("flags: ").map_or("", |(_, flags)| flags.trim_end());
    u32::from_str_radix(flags, 16).unwrap_or(0)
}

/// `MODE TYPE ID SIZE TAB PATH`, the size padded with blanks.
fn parse_tree_record(record: &[u8]) -> Option<GitEntry> {
    let (head, path) = split_tab(record)?;
    let mut words = head.split_whitespace();
    let (mode, _, id, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let size = size.parse().unwrap_or(0);
    Some(GitEntry { path: path.to_vec(), kind: kind_of(mode)?, id: id.to_owned(), size })
}
