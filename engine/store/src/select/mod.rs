//! Which files of a repository are looked at: the walk, the ignore rules, links, and updating an earlier
//! answer where directories changed.
//!
//! The crate does not know languages: the caller says by name what it wants ([`Interest`]). Precedence,
//! strongest first:
//!
//! 1. Never looked at: `.git`, and the paths in [`SelectRules::left_out`] (work directory, handbook).
//! 2. Never entered or opened: nested repositories and submodules (a directory below the root with its own
//!    `.git`), symbolic links to directories, links that leave the root, FIFOs, sockets, devices.
//! 3. `exclude` patterns.
//! 4. `.binderyignore`, then `.ignore`, then `.gitignore`; for each, the file nearest to the path decides.
//!    Only files inside the root count, whether or not there is a git repository; never a user's or the
//!    system's settings, never a directory above the root.
//! 5. Left out by default: vendored directories by name and minified files by name. `include` patterns
//!    bring these back, and nothing of the above. (Generated files are recognised by content, which is the
//!    caller's business; [`Selector::is_included`] tells whether they are brought back.)
//!
//! `include` and `exclude` patterns are lines of an ignore file in the root: `vendor/` is any directory of
//! that name, `/vendor/` the one in the root, `!` takes back.

mod ignores;
mod links;
mod refresh;
mod rules;
#[cfg(test)]
mod tests;
mod walk;

pub use ignores::IgnoreProblem;
pub use links::{LinkTarget, changed_links, resolve_link};
pub use rules::{PatternProblem, SelectRules, Selector};
pub use walk::every_file;

use std::sync::Arc;

use bindery_source::RepoPath;
use serde::{Deserialize, Serialize};

use crate::DiskPath;
use crate::fs::Stat;

/// What the caller wants of a file, judged by its path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Interest {
    /// Nothing: not listed, not counted.
    None,
    /// To be analysed.
    Source,
    /// To be read as data: a package manifest, a tool configuration, a README.
    Input,
    /// Unknown by name; its first line may make it a source. Listed, so that a change of the first line is
    /// noticed.
    FirstLine,
}

/// The caller's judgement of a path. Must be a pure function.
pub type InterestIn<'a> = &'a (dyn Fn(&RepoPath) -> Interest + Sync);

/// Everything the walk found out. All lists are sorted by path.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Selection {
    /// The files wanted.
    pub files: Vec<SelectedFile>,
    /// Every directory that was listed or should have been, the root (empty path) included. A file appears
    /// or vanishes only with a change of one of these stats.
    pub directories: Vec<SeenDirectory>,
    /// The ignore files that took part. If one of them changes, or another appears, all is walked again.
    pub ignore_files: Vec<SeenFile>,
    /// The links with names of interest, wherever they lead. What they lead to may change without any
    /// directory above changing ([`changed_links`]).
    pub links: Vec<SeenLink>,
    /// What was left out, and why: names of interest, and whole directories.
    pub skipped: Vec<Skipped>,
    /// Lines of ignore files that say nothing.
    pub problems: Vec<IgnoreProblem>,
}

impl Selection {
    /// Whether something could not be listed or looked at: then equal stats do not prove an equal selection.
    pub fn has_unreadable(&self) -> bool {
        self.skipped.iter().any(|skipped| skipped.reason == SkipReason::Unreadable)
    }
}

/// A file that is wanted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SelectedFile {
    /// Its place, under the name that was found.
    pub place: DiskPath,
    /// For what.
    pub interest: Interest,
    /// What the system says of the file itself; behind a link, of the file the link leads to.
    pub stat: Stat,
    /// Where the file itself lies if the name is a link.
    pub target: Option<Arc<[u8]>>,
}

impl SelectedFile {
    /// The path to stat and read: never a link.
    pub fn raw(&self) -> &[u8] {
        self.target.as_deref().unwrap_or(self.place.raw())
    }
}

/// A directory that was listed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SeenDirectory {
    /// Its place; the empty path is the root.
    pub place: DiskPath,
    /// Its stat, taken before it was listed.
    pub stat: Stat,
}

/// An ignore file that was read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SeenFile {
    /// Its place.
    pub place: DiskPath,
    /// Its stat at the reading.
    pub stat: Stat,
}

/// A symbolic link with a name of interest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SeenLink {
    /// Its place.
    pub place: DiskPath,
    /// Where it leads.
    pub target: LinkTarget,
}

/// Something that was left out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Skipped {
    /// The file or directory.
    pub place: DiskPath,
    /// Why.
    pub reason: SkipReason,
    /// Whether it is a directory with everything in it.
    pub is_directory: bool,
}

/// Why something was left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum SkipReason {
    /// An `exclude` pattern matches.
    Excluded,
    /// An ignore file of the repository matches.
    Ignored,
    /// A directory of other people's code, by name.
    Vendored,
    /// A minified file, by name.
    Minified,
    /// Written by a program, by its own words; found by the caller.
    Generated,
    /// A pointer of Git LFS in place of the file; found by the caller.
    LfsPointer,
    /// A submodule or another repository inside this one.
    NestedRepository,
    /// A symbolic link to a directory.
    SymlinkedDirectory,
    /// A symbolic link that leaves the root.
    SymlinkOutside,
    /// A symbolic link that leads nowhere or in circles.
    SymlinkBroken,
    /// A FIFO, socket or device.
    SpecialFile,
    /// Not in the git index (`files = "tracked"`).
    Untracked,
    /// The system does not let us list or stat it.
    Unreadable,
    /// The path is too long for the system.
    PathTooLong,
    /// A name that is not UTF-8 is spelled like another file's name, which was taken.
    SameSpelling,
}

impl SkipReason {
    /// The word for reports (`vendored`, `nested-repository`).
    pub fn name(self) -> &'static str {
        match self {
            SkipReason::Excluded => "excluded",
            SkipReason::Ignored => "ignored",
            SkipReason::Vendored => "vendored",
            SkipReason::Minified => "minified",
            SkipReason::Generated => "generated",
            SkipReason::LfsPointer => "lfs-pointer",
            SkipReason::NestedRepository => "nested-repository",
            SkipReason::SymlinkedDirectory => "symlinked-directory",
            SkipReason::SymlinkOutside => "symlink-outside",
            SkipReason::SymlinkBroken => "symlink-broken",
            SkipReason::SpecialFile => "special-file",
            SkipReason::Untracked => "untracked",
            SkipReason::Unreadable => "unreadable",
            SkipReason::PathTooLong => "path-too-long",
            SkipReason::SameSpelling => "same-spelling",
        }
    }
}

/// Whether a file's bytes are a Git LFS pointer rather than the file.
pub fn is_lfs_pointer(bytes: &[u8]) -> bool {
    bytes.len() < 1024 && bytes.starts_with(b"version https://git-lfs.github.com/spec/v1\n")
}
