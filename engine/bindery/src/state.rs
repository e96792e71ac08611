//! What one run leaves for the next: every known input with its stat and hash, where its facts and its
//! resolution lie in the segments, who offers and who needs which key, and what was written.
//!
//! A file keeps its *slot* as long as it is known; slots are reused, never shown and never an order.
//! The state is a value: [`State::encode`] and [`State::decode`] are its only link to the disk, and
//! anything that does not decode is an empty state, which costs a full build and nothing else.

use std::collections::BTreeMap;

use bindery_source::{ContentHash, Language, RepoPath};
use serde::{Deserialize, Serialize};

use crate::blobs::Blob;
use crate::known::Known;
use crate::relation::Relation;
use crate::section::{Reader, Writer};

/// Raise it when the layout of the state or the meaning of a part of it changes.
const STATE_FORMAT: u32 = 1;

/// What a file is to the build.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum InputKind {
    /// A selected source file.
    Source(Language),
    /// A package manifest or tool configuration, read as data by a language's adapter.
    Manifest(Language),
    /// A README, read as data by the narrator.
    Readme,
    /// A source file in a language this build cannot analyse: counted, never read.
    OtherLanguage(Language),
}

/// How far a file got.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Status {
    /// Its facts were read.
    Scanned {
        /// The position-free half.
        summary: Blob,
        /// The rest of the facts.
        rest: Blob,
        /// Its resolution; none only while a build is under way.
        resolution: Option<Blob>,
    },
    /// A manifest's entries, or a README's text as the narrator takes it.
    Data(Blob),
    /// Reading failed; the message for `scan-coverage.json`.
    Unreadable(String),
    /// The parser got nothing; the message for `scan-coverage.json`.
    Unparsable(String),
    /// The parser died or panicked, which is our fault and tried again by every run.
    Failed(String),
    /// Left out for what its bytes say.
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
    /// Its first line names no language we know.
    NoLanguage,
    /// Its language is not compiled in.
    LanguageNotAnalysed,
}

/// One known input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    /// Where it lies.
    pub(crate) path: RepoPath,
    /// What it is to the build.
    pub(crate) kind: InputKind,
    /// The hash of its bytes; none if they could not be read.
    pub(crate) content: Option<ContentHash>,
    /// How far it got.
    pub(crate) status: Status,
    /// The line of the first error in its tree, for `scan-coverage.json`.
    pub(crate) first_error: Option<u32>,
    /// Who calls its functions; none if nobody does.
    pub(crate) callers: Option<Blob>,
    /// What went wrong with it through a fault of ours; the next run tries again.
    pub(crate) fault: Option<String>,
}

impl FileRecord {
    /// Whether facts of a source file were read.
    pub(crate) fn is_scanned(&self) -> bool {
        matches!((self.kind, &self.status), (InputKind::Source(_), Status::Scanned { .. }))
    }

    /// Whether the two say the same of the same bytes; where facts lie does not matter, they are a function
    /// of the bytes.
    pub(crate) fn is_same_as(&self, other: &FileRecord) -> bool {
        let status = match (&self.status, &other.status) {
            (Status::Scanned { .. }, Status::Scanned { .. }) | (Status::Data(_), Status::Data(_)) => true,
            (a, b) => a == b,
        };
        self.fault.is_none()
            && status
            && (&self.path, self.kind, self.content) == (&other.path, other.kind, other.content)
    }

    /// Whether the next run must look again although nothing moved: a read that failed may work then.
    pub(crate) fn is_provisional(&self) -> bool {
        self.fault.is_some() || matches!(self.status, Status::Unreadable(_))
    }

    /// Where its facts lie.
    pub(crate) fn facts_blobs(&self) -> (Option<Blob>, Option<Blob>) {
        match &self.status {
            Status::Scanned { summary, rest, .. } => (Some(*summary), Some(*rest)),
            Status::Data(data) => (Some(*data), None),
            _ => (None, None),
        }
    }

    /// Where its resolution lies.
    pub(crate) fn resolution_blob(&self) -> Option<Blob> {
        match &self.status {
            Status::Scanned { resolution, .. } => *resolution,
            _ => None,
        }
    }

    /// The blobs the record refers to.
    pub(crate) fn blobs(&self) -> Vec<Blob> {
        let (first, second) = self.facts_blobs();
        [first, second, self.resolution_blob(), self.callers].into_iter().flatten().collect()
    }
}

/// An output that is rendered from a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct PageRecord {
    /// The digest of exactly what it shows.
    pub(crate) model: ContentHash,
    /// The hash of its bytes.
    pub(crate) bytes: ContentHash,
}

/// Facts of a content that no file has at the moment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Retired {
    /// Their cache key.
    pub(crate) key: ContentHash,
    pub(crate) summary: Blob,
    pub(crate) rest: Blob,
    pub(crate) first_error: Option<u32>,
}

/// Everything one run leaves for the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// What resolutions, stages and pages were computed by; see [`crate::build_id`].
    pub(crate) build: Option<ContentHash>,
    /// Paths and stats of all inputs, directories and outputs, for the gate.
    pub(crate) known: Known,
    /// The inputs by slot.
    pub(crate) files: Vec<Option<FileRecord>>,
    /// Branch switches and reverts find their facts here.
    pub(crate) retired: Vec<Retired>,
    /// Key digest → slots of the files that offer it.
    pub(crate) offers: Relation,
    /// Key digest → slots of the files whose resolution asked for it.
    pub(crate) needs: Relation,
    /// Ids that several files declare → the path that keeps the plain id.
    pub(crate) clashes: BTreeMap<String, RepoPath>,
    /// The encoded sketch of each scanned file and its uses of state, by slot.
    pub(crate) sketches: Vec<Vec<u8>>,
    /// The stages, and what they were computed from.
    pub(crate) structure: Vec<u8>,
    /// The handbook's pages by path in it.
    pub(crate) pages: BTreeMap<RepoPath, PageRecord>,
    /// The digest of what the phase artifacts were last written from; none if they never were.
    pub(crate) exports: Option<ContentHash>,
}

impl Status {
    /// What the phase artifacts show of it.
    pub(crate) fn for_digest(&self) -> String {
        match self {
            Status::Scanned { .. } | Status::Data(_) => String::new(),
            other => format!("{other:?}"),
        }
    }
}

impl State {
    /// Every blob it refers to, with repetitions.
    pub(crate) fn blobs(&self) -> Vec<Blob> {
        let live = self.files.iter().flatten().flat_map(FileRecord::blobs);
        live.chain(self.retired.iter().flat_map(|retired| [retired.summary, retired.rest])).collect()
    }

    /// Follows blobs to their new places.
    pub(crate) fn relocate(&mut self, moved: &BTreeMap<Blob, Blob>) {
        let follow = |blob: &mut Blob| *blob = moved.get(blob).copied().unwrap_or(*blob);
        for file in self.files.iter_mut().flatten() {
            match &mut file.status {
                Status::Scanned { summary, rest, resolution } => {
                    follow(summary);
                    follow(rest);
                    resolution.iter_mut().for_each(follow);
                }
                Status::Data(data) => follow(data),
                _ => {}
            }
            file.callers.iter_mut().for_each(follow);
        }
        for retired in &mut self.retired {
            follow(&mut retired.summary);
            follow(&mut retired.rest);
        }
    }

    /// For the disk.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.value(&STATE_FORMAT);
        writer.value(&self.known);
        writer.value(&(&self.build, &self.exports));
        writer.value(&self.pages);
        writer.value(&(&self.files, &self.retired));
        self.offers.write(&mut writer);
        self.needs.write(&mut writer);
        writer.value(&self.clashes);
        writer.value(&self.sketches);
        writer.bytes(&self.structure);
        writer.finish()
    }

    /// Reads what [`State::encode`] wrote; none for another format or damage.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        if reader.value::<u32>()? != STATE_FORMAT {
            return None;
        }
        let known = reader.value()?;
        let (build, exports) = reader.value()?;
        let pages = reader.value()?;
        let (files, retired) = reader.value()?;
        let (offers, needs) = (Relation::read(&mut reader)?, Relation::read(&mut reader)?);
        let (clashes, sketches) = (reader.value()?, reader.value()?);
        let structure = reader.bytes()?.to_vec();
        Some(Self {
            build,
            known,
            files,
            retired,
            offers,
            needs,
            clashes,
            sketches,
            structure,
            pages,
            exports,
        })
    }

    /// Only the part the gate needs.
    pub(crate) fn decode_known(bytes: &[u8]) -> Option<(Known, Option<ContentHash>, Option<ContentHash>)> {
        let mut reader = Reader::new(bytes);
        if reader.value::<u32>()? != STATE_FORMAT {
            return None;
        }
        let known = reader.value()?;
        let (build, exports) = reader.value()?;
        Some((known, build, exports))
    }
}
