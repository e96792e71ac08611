use std::collections::BTreeSet;
use std::fmt;

use bindery_source::RepoPath;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::ignores::matched;

/// What the configuration says about selecting.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SelectRules {
    /// Patterns that bring back what is left out by default.
    pub include: Vec<String>,
    /// Patterns that leave out more.
    pub exclude: Vec<String>,
    /// Raw paths below the root that are never looked at: work directory, handbook.
    pub left_out: Vec<Vec<u8>>,
    /// The raw paths of the git index, if only those count.
    pub tracked: Option<BTreeSet<Vec<u8>>>,
}

/// A pattern of the configuration that cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternProblem {
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for PatternProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pattern `{}`: {}", self.pattern, self.message)
    }
}

impl std::error::Error for PatternProblem {}

/// The rules, ready for use.
pub struct Selector {
    exclude: Gitignore,
    include: Gitignore,
    /// For each pattern of `include`, the literal directory below which all its matches lie.
    include_anchors: Vec<Vec<u8>>,
    left_out: BTreeSet<Vec<u8>>,
    tracked: Option<BTreeSet<Vec<u8>>>,
}

/// Directories of other people's or a program's code, by name, at any depth.
const VENDORED_DIRECTORIES: [&[u8]; 5] = [b"node_modules", b"vendor", b"third_party", b"target", b"dist"];

impl Selector {
    /// Prepares the rules; fails on a pattern that cannot be understood.
    pub fn new(rules: &SelectRules) -> Result<Self, PatternProblem> {
        Ok(Self {
            exclude: compile(&rules.exclude)?,
            include: compile(&rules.include)?,
            include_anchors: rules.include.iter().filter_map(|pattern| anchor(pattern)).collect(),
            left_out: rules.left_out.iter().cloned().collect(),
            tracked: rules.tracked.clone(),
        })
    }

    /// Whether an `include` pattern matches the path or a directory above it.
    pub fn is_included(&self, path: &RepoPath) -> bool {
        self.includes(path.as_str().as_bytes(), false)
    }

    pub(super) fn includes(&self, path: &[u8], is_directory: bool) -> bool {
        if self.include.is_empty() {
            return false;
        }
        let above = (0..path.len()).rev().filter(|&end| path[end] == b'/').map(|end| (&path[..end], true));
        std::iter::once((path, is_directory))
            .chain(above)
            .find_map(|(path, is_directory)| matched(&self.include, path, is_directory))
            .unwrap_or(false)
    }

    /// Whether an `include` pattern could match anything below the directory.
    pub(super) fn may_include_below(&self, directory: &[u8]) -> bool {
        let holds = |outer: &[u8], inner: &[u8]| {
            inner
                .strip_prefix(outer)
                .is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest[0] == b'/')
        };
        self.include_anchors.iter().any(|anchor| holds(anchor, directory) || holds(directory, anchor))
    }

    pub(super) fn excludes(&self, path: &[u8], is_directory: bool) -> bool {
        matched(&self.exclude, path, is_directory).unwrap_or(false)
    }

    pub(super) fn leaves_out(&self, path: &[u8]) -> bool {
        self.left_out.contains(path)
    }

    /// Whether the path or a directory above it is one that is never looked at: for targets of links.
    pub(super) fn leaves_out_or_hides(&self, path: &[u8]) -> bool {
        let ends = (0..path.len()).filter(|&end| path[end] == b'/').chain([path.len()]);
        path.split(|&byte| byte == b'/').any(|name| name == b".git")
            || ends.into_iter().any(|end| self.leaves_out(&path[..end]))
    }

    pub(super) fn is_untracked(&self, path: &[u8]) -> bool {
        self.tracked.as_ref().is_some_and(|tracked| !tracked.contains(path))
    }
}

pub(super) fn is_vendored_directory(name: &[u8]) -> bool {
    VENDORED_DIRECTORIES.contains(&name)
}

/// `jquery.min.js`: what stands before the last extension ends in `.min`.
pub(super) fn is_minified_name(name: &[u8]) -> bool {
    let stem = name.iter().rposition(|&byte| byte == b'.').map(|dot| &name[..dot]);
    stem.is_some_and(|stem| stem.ends_with(b".min"))
}

fn compile(patterns: &[String]) -> Result<Gitignore, PatternProblem> {
    let problem = |pattern: &str, error: ignore::Error| PatternProblem {
        pattern: pattern.to_owned(),
        message: error.to_string(),
    };
    let mut builder = GitignoreBuilder::new("");
    for pattern in patterns {
        builder.add_line(None, pattern).map_err(|error| problem(pattern, error))?;
    }
    builder.build().map_err(|error| problem(&patterns.join(" "), error))
}

/// The literal directory or file that all matches of an ignore-file pattern are, or lie below; none for a
/// pattern that only takes back.
fn anchor(pattern: &str) -> Option<Vec<u8>> {
    let pattern = pattern.trim_end();
    if pattern.starts_with('!') {
        return None;
    }
    let inner = pattern.strip_suffix('/').unwrap_or(pattern);
    if !inner.contains('/') {
        return Some(Vec::new());
    }
    let is_literal = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
    let parts: Vec<&str> = inner.trim_start_matches('/').split('/').take_while(is_literal).collect();
    Some(parts.join("/").into_bytes())
}
