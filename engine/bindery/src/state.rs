//! What one run leaves for the next: every known input with its stat and hash, where its facts and its
//! resolution lie in the segments, who offers and who needs which key, and what was written.
//!
//! A file keeps its *slot* as long as it is known; slots are reused, never shown and never an order.
//! The state is a value: [`State::encode`] and [`State::decode`] are its only link to the disk, and
//! anything that does not decode is an empty state, which costs a full build and nothing else.

use std::collections::BTreeMap;

use bindery_source::{ContentHash, Language, RepoPath};
use bindery_store::{BlobRef, Known, OutputRecord};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::relation::Relation;
use crate::section::{Reader, Writer};

/// What a file is to the build.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum InputKind {
    /// A selected source file.
    Source(Language),
    /// A package manifest or tool configuration, read as data by a language's adapter.
    Manifest(Language),
    /// A README, read as data by the narrator.
    Readme,
}

/// How far a file got.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Status {
    /// Its facts were read.
    Scanned {
        /// The position-free half.
        summary: BlobRef,
        /// The rest of the facts.
        rest: BlobRef,
        /// Its resolution.
        resolution: BlobRef,
    },
    /// A manifest's entries, or a README's text as the narrator takes it.
    Data(BlobRef),
    /// Reading failed; the message for `scan-coverage.json`.
    Unreadable(String),
    /// The parser got nothing; the message for `scan-coverage.json`.
    Unparsable(String),
    /// Left out for what its first lines say (generated, an LFS pointer).
    LeftOut(LeftOut),
}

/// Why a file's own contents leave it out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum LeftOut {
    /// It says that it is generated.
    Generated,
    /// It is minified.
    Minified,
    /// It is a pointer to large-file storage.
    LfsPointer,
}

/// One known input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    /// Where it lies.
    pub(crate) path: RepoPath,
    /// What it is to the build.
    pub(crate) kind: InputKind,
    /// The hash of its bytes; all zero if they could not be read.
    pub(crate) content: ContentHash,
    /// How far it got.
    pub(crate) status: Status,
    /// The digest of its sketch, by which a change of anything global is noticed.
    pub(crate) sketch: ContentHash,
}

/// A page or another output that is rendered from a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct PageRecord {
    /// The digest of exactly what it shows.
    pub(crate) model: ContentHash,
    /// The hash of its bytes.
    pub(crate) bytes: ContentHash,
}

/// Everything one run leaves for the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// What this state was built by and for; another value makes it an empty one.
    pub(crate) build: Option<ContentHash>,
    /// Paths and stats of all inputs, directories and ignore files, as the store compares them.
    pub(crate) known: Known,
    /// The inputs by slot.
    pub(crate) files: Vec<Option<FileRecord>>,
    /// Key digest → slots of the files that offer it.
    pub(crate) offers: Relation,
    /// Key digest → slots of the files whose resolution asked for it.
    pub(crate) needs: Relation,
    /// Callee's slot → slots of the files that call into it.
    pub(crate) callers: Relation,
    /// Ids that several files declare → the path that keeps the plain id.
    pub(crate) clashes: BTreeMap<String, RepoPath>,
    /// Facts of contents no file has at the moment, by cache key: branch switches and reverts find them.
    pub(crate) retired: Vec<(ContentHash, BlobRef, BlobRef)>,
    /// The encoded sketch of each scanned file, by slot.
    pub(crate) sketches: FxHashMap<u32, Vec<u8>>,
    /// The stages: see [`crate::structure`].
    pub(crate) structure: Vec<u8>,
    /// The handbook's pages by output path.
    pub(crate) pages: BTreeMap<String, PageRecord>,
    /// What lies in the handbook and export directories.
    pub(crate) outputs: Vec<OutputRecord>,
}
