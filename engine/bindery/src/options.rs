//! What a caller can ask of the façade.

use core::time::Duration;
use std::path::PathBuf;

/// What is analysed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Source {
    /// The files on disk.
    #[default]
    WorkingTree,
    /// What git's index holds, as a commit would take it. The handbook goes to the disk.
    Index,
    /// The same, compared with the handbook in the index.
    IndexAlone,
    /// What a commit holds, by any of its names.
    Commit(String),
}

/// How a repository is opened. Everything that is `None` follows the handbook's rules (§0, §2).
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The root, or a place to look for it from.
    pub root: Option<PathBuf>,
    /// What is analysed. What is not on disk has a work directory of its own inside the work directory.
    pub source: Source,
    /// The work directory; `.bindery` in the root without it.
    pub work_dir: Option<PathBuf>,
    /// The handbook's directory for this run, instead of the configuration's `out`.
    pub out: Option<PathBuf>,
    /// Lines of `bindery.toml` (`depth = "deep"`) that hold for this run instead of the file's. One that
    /// changes the handbook needs `out`.
    pub overrides: Vec<String>,
    /// The agent index is a form of the handbook in this run. Where it is not one anyway, this needs `out`.
    pub agent_site: bool,
    /// Threads and parse workers; the machine's cores without it.
    pub jobs: Option<usize>,
    /// Program and arguments that start a parse worker; without it everything is parsed in process.
    pub worker: Option<Vec<std::ffi::OsString>>,
    /// How long a small file may keep its parser; [`bindery_store::workers::PATIENCE`] without it. The last
    /// resort where no count holds a parser: the run fails over such a file, and nothing of it is cached.
    pub patience: Option<Duration>,
    /// Recompute everything served from the cache and report the first difference.
    pub verify: bool,
    /// Parse a sample of the files the cache has facts for, and compare; what differs is replaced and counted.
    pub recheck_sample: bool,
    /// Force outputs to the disk.
    pub durable: bool,
    /// Hash every input instead of trusting stats.
    pub hash_everything: bool,
    /// The ids of the stages whose pages are written, and nothing else; all pages if empty. Needs `out`.
    pub stages: Vec<String>,
    /// With [`Source::Index`]: bring the handbook in git's index up to date too.
    pub stage: bool,
    /// Let a build send source text to the narrator of the user's configuration, for this run.
    pub allow_send: bool,
    /// Contact nobody, whatever the configurations say.
    pub offline: bool,
    /// Remove kept prose that nothing asks for any more.
    pub prune_prose: bool,
    /// Handbook paths that may be taken over although they are not ours.
    pub overwrite: Vec<String>,
}

/// Receives progress. Calls come from several threads, cheap and often.
pub trait Progress: Sync {
    /// `done` of `total` units of a phase (`reading`, `resolving`, `rendering`, `writing`).
    fn step(&self, phase: &'static str, done: u64, total: u64);
}

/// Reports nothing.
pub struct Quiet;

impl Progress for Quiet {
    fn step(&self, _phase: &'static str, _done: u64, _total: u64) {}
}
