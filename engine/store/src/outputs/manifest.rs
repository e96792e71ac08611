use std::collections::{BTreeMap, BTreeSet};

use bindery_source::{ContentHash, RepoPath};

/// The committed manifest's name in a handbook directory.
pub const MANIFEST_NAME: &str = ".bindery-manifest";

/// What a journal's version ends with: whoever reads this knows that a run was broken off.
pub(super) const UNFINISHED: &str = ", unfinished";

/// The files we wrote: `blake3 path` lines. Reading accepts several lines for one path, which merges of
/// branches leave behind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Manifest {
    /// The version on line 1, if there is one.
    pub version: Option<String>,
    lines: BTreeMap<RepoPath, BTreeSet<ContentHash>>,
}

impl Manifest {
    /// An empty manifest written by `version`.
    pub fn new(version: &str) -> Self {
        Self { version: Some(version.to_owned()), lines: BTreeMap::new() }
    }

    /// Whether this is the journal of a run that was broken off.
    pub(super) fn is_unfinished(&self) -> bool {
        self.version.as_ref().is_some_and(|version| version.ends_with(UNFINISHED))
    }

    /// Adds a line.
    pub fn insert(&mut self, path: RepoPath, hash: ContentHash) {
        self.lines.entry(path).or_default().insert(hash);
    }

    /// Adds all lines of another manifest.
    pub fn unite(&mut self, other: &Manifest) {
        for (path, hashes) in &other.lines {
            self.lines.entry(path.clone()).or_default().extend(hashes);
        }
    }

    /// Whether a file of this name with these contents is ours.
    pub fn owns(&self, path: &RepoPath, hash: ContentHash) -> bool {
        self.lines.get(path).is_some_and(|hashes| hashes.contains(&hash))
    }

    /// Whether there is any line for the path.
    pub fn names(&self, path: &RepoPath) -> bool {
        self.lines.contains_key(path)
    }

    /// The paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.lines.keys()
    }

    /// Reads a manifest. Lines that are none (conflict markers, damage) are passed over: they own nothing.
    pub fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut manifest = Self::default();
        for line in text.lines() {
            if let Some(version) = line.strip_prefix("# bindery ") {
                manifest.version.get_or_insert_with(|| version.trim().to_owned());
            } else if let Some((hex, path)) = line.split_once(' ')
                && let Some(hash) = ContentHash::from_hex(hex)
                && let Some(path) = plain_path(path)
            {
                manifest.insert(path, hash);
            }
        }
        manifest
    }

    /// Line 1 `# bindery VERSION`, then `blake3 path` sorted by path, then by hash.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = format!("# bindery {}\n", self.version.as_deref().unwrap_or("unknown"));
        for (path, hashes) in &self.lines {
            for hash in hashes {
                text.push_str(&format!("{} {path}\n", hash.to_hex()));
            }
        }
        text.into_bytes()
    }
}

/// A path that stays where it is put: what a hostile manifest says otherwise owns nothing.
fn plain_path(path: &str) -> Option<RepoPath> {
    let plain = path.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    (plain && !path.contains('\0')).then(|| RepoPath::new(path))
}
