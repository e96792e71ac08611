use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A path relative to the analysed root, in POSIX spelling (`a/b.rs`), never empty, never absolute,
/// without `.` and `..` segments.
///
/// A byte that is not valid UTF-8 is written `%XX`; in a path that has one, `%` itself is `%25`
/// (handbook §0). Ordering is by bytes, which is the order every artifact uses.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RepoPath(Arc<str>);

impl RepoPath {
    /// Takes a path that is already in the spelling above, for instance one read from the state.
    pub fn new(spelling: &str) -> Self {
        Self(Arc::from(spelling))
    }

    /// Spells the raw bytes of a relative POSIX path.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::new(text),
            Err(_) => Self::new(&escape_invalid(bytes)),
        }
    }

    /// The spelling used in every artifact.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last segment.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The directory that holds the file, `""` for the root.
    pub fn directory(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(directory, _)| directory)
    }

    /// The file name's last extension without its dot; none for `Makefile` and `.profile`.
    pub fn extension(&self) -> Option<&str> {
        match self.file_name().rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => Some(extension),
            _ => None,
        }
    }

    /// `relative` seen from the directory `base` (`""` is the root), with `.` and `..` folded;
    /// none if it leaves the root.
    pub fn join(base: &str, relative: &str) -> Option<RepoPath> {
        let mut segments: Vec<&str> = base.split('/').filter(|s| !s.is_empty()).collect();
        for segment in relative.split('/') {
            match segment {
                "" | "." => {}
                ".." => {
                    segments.pop()?;
                }
                name => segments.push(name),
            }
        }
        (!segments.is_empty()).then(|| Self::new(&segments.join("/")))
    }
}

impl Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

fn escape_invalid(bytes: &[u8]) -> String {
    let mut spelling = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        spelling.push_str(&chunk.valid().replace('%', "%25"));
        for byte in chunk.invalid() {
            spelling.push_str(&format!("%{byte:02X}"));
        }
    }
    spelling
}

/// The module path of a file: its path without the last extension, `/` as `.`, and a `.` inside a
/// segment as `%2E` (handbook §3).
pub fn module_path(path: &RepoPath) -> String {
    let spelling = path.as_str();
    let stem = match path.extension() {
        Some(extension) => &spelling[..spelling.len() - extension.len() - 1],
        None => spelling,
    };
    stem.replace('.', "%2E").replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_paths_keep_inner_dots_apart() {
        assert_eq!(module_path(&RepoPath::new("a.b/c.test.py")), "a%2Eb.c%2Etest");
        assert_eq!(module_path(&RepoPath::new("bin/run")), "bin.run");
        assert_eq!(module_path(&RepoPath::new(".profile")), "%2Eprofile");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_spelled_reversibly() {
        assert_eq!(RepoPath::from_bytes(b"a%b/\xff.rs").as_str(), "a%25b/%FF.rs");
        assert_eq!(RepoPath::from_bytes(b"a%b.rs").as_str(), "a%b.rs");
    }

    #[test]
    fn joining_never_leaves_the_root() {
        assert_eq!(RepoPath::join("a/b", "../c/./d.rs").unwrap().as_str(), "a/c/d.rs");
        assert_eq!(RepoPath::join("a", "../../x"), None);
    }
}
