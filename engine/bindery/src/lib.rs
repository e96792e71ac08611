//! The façade: open a repository, build its handbook, check it, ask about it.
//!
//! Everything the command line, build scripts and tests do goes through [`Repository`]. This crate decides
//! what is affected and in which order things happen; it must never parse, resolve or render by itself,
//! and touches the disk only through `bindery-store`. Start reading at [`Repository`], then
//! `analysis.rs` (what changed) and `relink.rs` (what the change reaches).

mod analysis;
mod blobs;
mod build;
mod care;
mod compare;
mod compare_report;
mod digest;
mod exports;
mod files;
mod formats;
mod history;
mod hook;
mod identity;
mod inputs;
mod intake;
#[cfg(test)]
mod keys;
mod known;
mod narration;
mod options;
mod outcome;
mod piece;
mod plan;
mod present;
mod query;
mod reading;
mod readme;
mod relation;
mod relink;
mod repository;
mod resync;
mod run;
mod section;
mod settle;
mod setup;
mod skeleton_doctor;
mod skill;
mod snapshot;
mod staging;
mod state;
mod structure;
mod summary;
mod tables;
mod timing;
mod user_configuration;
mod validation;
mod watch;
mod why;

pub use bindery_artifacts::wording::{counted, grouped};
pub use bindery_artifacts::{ProseReport, QueryCounts, QueryKind, ResyncReport, RunReport};
pub use bindery_store::prefer_small_pages;
pub use care::{schema, schema_names, serve_parse_worker};
pub use compare::{affected, diff};
pub use hook::{HookAction, install_hook, uninstall_hook};
pub use options::{Options, Progress, Quiet, Source};
pub use outcome::*;
pub use plan::outcome::*;
pub use repository::{Repository, WORK_DIRECTORY};
pub use setup::{Check, Health, Origin, Setting, health, init};
pub use summary::summary;
pub use validation::validate_directory;
pub use watch::watch;

/// This version of Bindery.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
