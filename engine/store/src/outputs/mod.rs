//! Writing what a build produces, and nothing else: the handbook and the exports.
//!
//! An output directory may be shared with a person. What is ours there is known by content: a file is ours
//! if its bytes match a line for its path in `.bindery-manifest`, in the local manifest of the work
//! directory, or are what would be written anyway. Everything else is *foreign*: kept and named, unless
//! the user says `--overwrite`. Only ours is replaced or removed; identical bytes are not written again.
//!
//! Before anything is touched, a *journal* (the union of the old and new lines) is written to the local
//! manifest, so that after a crash at any point each file on disk still has a line that makes it ours.

mod apply;
mod manifest;
mod names;
mod plan;
mod survey;
#[cfg(test)]
mod tests;

pub use apply::Applied;
pub use manifest::{MANIFEST_NAME, Manifest};
pub use names::{NameProblem, check_names};
pub use plan::{OutputPlan, OutputRequest, Planned};

use std::collections::BTreeMap;

use bindery_source::{ContentHash, RepoPath};
use serde::{Deserialize, Serialize};

use crate::fs::Stat;
use crate::{Directory, Durability};

/// Who may put files into an output directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ownership {
    /// A person may: the whole directory is listed, foreign files are found, and `.bindery-manifest` is
    /// written into it (the handbook).
    Shared,
    /// Nobody but us: only paths that are wanted now or were written before are looked at, and the manifest
    /// is the local one alone (the exports in the work directory).
    Ours,
}

/// A directory of outputs.
#[derive(Clone, Debug)]
pub struct OutputDir {
    directory: Directory,
    local: Directory,
    local_name: String,
    ownership: Ownership,
    durability: Durability,
}

/// A file as it is on disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OnDisk {
    /// Its stat.
    pub stat: Stat,
    /// The hash of its bytes.
    pub hash: ContentHash,
}

/// What an earlier run knows of the outputs: a file whose stat is still the same is not read again. Leave
/// smudged entries out.
pub type KnownOutputs = BTreeMap<RepoPath, OnDisk>;

impl OutputDir {
    /// The outputs in `directory`. `local` is a directory of ours (in the work directory) for the local
    /// manifest, which is named after `name` (`"handbook"`).
    pub fn new(
        directory: Directory,
        local: Directory,
        name: &str,
        ownership: Ownership,
        durability: Durability,
    ) -> Self {
        Self { directory, local, local_name: format!("{name}.manifest"), ownership, durability }
    }

    /// Where the outputs are.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }
}
