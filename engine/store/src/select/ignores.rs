use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use bindery_source::RepoPath;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::{Deserialize, Serialize};

use super::SeenFile;
use crate::fs::{FileSystem, join};
use crate::{DiskPath, read_file};

/// The names of ignore files, strongest first.
pub(super) const IGNORE_FILE_NAMES: [&[u8]; 3] = [b".binderyignore", b".ignore", b".gitignore"];

/// A line of an ignore file that says nothing, because it cannot be understood.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct IgnoreProblem {
    /// The ignore file.
    pub path: RepoPath,
    /// The line, from 1; 0 if the file could not be read at all.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// The ignore files of one directory, on top of those of the directories above it.
pub(super) struct IgnoreLevel {
    above: Option<Arc<IgnoreLevel>>,
    directory: Vec<u8>,
    /// In the order of [`IGNORE_FILE_NAMES`].
    matchers: [Option<Gitignore>; 3],
}

/// What reading one directory's ignore files gave.
pub(super) struct LoadedLevel {
    pub(super) level: Option<Arc<IgnoreLevel>>,
    pub(super) seen: Vec<SeenFile>,
    pub(super) problems: Vec<IgnoreProblem>,
}

impl IgnoreLevel {
    /// Reads the ignore files that `present` says `directory` has. Without any, the level is the one above.
    pub(super) fn load(
        file_system: &dyn FileSystem,
        above: Option<Arc<IgnoreLevel>>,
        directory: &[u8],
        present: [bool; 3],
    ) -> LoadedLevel {
        let mut loaded = LoadedLevel { level: above, seen: Vec::new(), problems: Vec::new() };
        if present == [false; 3] {
            return loaded;
        }
        let mut matchers = [None, None, None];
        for (index, name) in IGNORE_FILE_NAMES.into_iter().enumerate().filter(|(index, _)| present[*index]) {
            let place = DiskPath::from_raw(&join(directory, name));
            match read_file(file_system, place.raw()) {
                Ok(read) => {
                    let (matcher, problems) = matcher_of(&read.bytes, place.path());
                    matchers[index] = Some(matcher);
                    loaded.problems.extend(problems);
                    loaded.seen.push(SeenFile { place, stat: read.stat });
                }
                Err(error) if error.is_not_found() => {}
                Err(error) => {
                    let message = error.kind.words().to_owned();
                    loaded.problems.push(IgnoreProblem { path: place.path().clone(), line: 0, message });
                    // Once it can be read, its stat has changed.
                    let stat = file_system.lstat(place.raw());
                    loaded.seen.extend(stat.ok().map(|stat| SeenFile { place, stat }));
                }
            }
        }
        let above = loaded.level.take();
        loaded.level = Some(Arc::new(IgnoreLevel { above, directory: directory.to_vec(), matchers }));
        loaded
    }

    /// Whether the ignore files leave `path` out, given that they left none of the directories above it out.
    pub(super) fn ignores(&self, path: &[u8], is_directory: bool) -> bool {
        (0..IGNORE_FILE_NAMES.len()).find_map(|kind| self.verdict(kind, path, is_directory)).unwrap_or(false)
    }

    /// What the files of one kind say: the nearest one that says anything.
    fn verdict(&self, kind: usize, path: &[u8], is_directory: bool) -> Option<bool> {
        let mut level = Some(self);
        while let Some(current) = level {
            if let Some(matcher) = &current.matchers[kind]
                && let Some(verdict) = matched(matcher, below(&current.directory, path), is_directory)
            {
                return Some(verdict);
            }
            level = current.above.as_deref();
        }
        None
    }
}

/// `path` as seen from `directory`, which holds it.
fn below<'a>(directory: &[u8], path: &'a [u8]) -> &'a [u8] {
    match directory.len() {
        0 => path,
        length => &path[length + 1..],
    }
}

/// What one matcher says of a relative path: left out, taken back, or nothing.
pub(super) fn matched(matcher: &Gitignore, path: &[u8], is_directory: bool) -> Option<bool> {
    match matcher.matched(Path::new(OsStr::from_bytes(path)), is_directory) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// Compiles the lines of an ignore file; one that cannot be understood says nothing, as with git.
fn matcher_of(bytes: &[u8], path: &RepoPath) -> (Gitignore, Vec<IgnoreProblem>) {
    let mut builder = GitignoreBuilder::new("");
    let mut problems = Vec::new();
    let mut complain = |line, message| problems.push(IgnoreProblem { path: path.clone(), line, message });
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match std::str::from_utf8(line) {
            Ok(line) => {
                if let Err(error) = builder.add_line(None, line) {
                    complain(index + 1, error.to_string());
                }
            }
            Err(_) => complain(index + 1, "is not valid UTF-8".to_owned()),
        }
    }
    let matcher = builder.build().unwrap_or_else(|error| {
        complain(0, error.to_string());
        Gitignore::empty()
    });
    (matcher, problems)
}
