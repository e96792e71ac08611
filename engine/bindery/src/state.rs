//! What one run leaves for the next: every known input with its stat and hash, where its facts and its
//! resolution lie in the segments, who offers and who needs which key, and what was written.
//!
//! A file keeps its *slot* as long as it is known; slots are reused, never shown and never an order.
//! What is small, or asked for in every run, is written whole each time ([`State::encode`]); all else lies in
//! [pieces](crate::piece) among the blobs. Anything that cannot be read back is an empty state, which costs
//! a full build and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use bindery_source::{ContentHash, Language, RepoPath};
use serde::{Deserialize, Serialize};

use crate::blobs::{Blob, Blobs};
use crate::files::{self, Files};
use crate::history::Commits;
use crate::known::Known;
use crate::piece::{Piece, Slots, Writable};
use crate::readme::About;
use crate::relation::Relation;
use crate::section::{Reader, Writer};

/// Raise it when the layout of the state or the meaning of a part of it changes.
const STATE_FORMAT: u32 = 5;

/// About what one file adds to the state's file: paths of 60 bytes, stats, hashes.
const BYTES_PER_FILE: usize = 192;

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

    /// Whether it is a manifest or a README that was read.
    pub(crate) fn is_data(&self) -> bool {
        matches!(self.status, Status::Data(_))
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

    /// Its facts under the key they were written with: an adapter that has changed since asks for another one.
    pub(crate) fn as_retired(&self) -> Option<Retired> {
        let (InputKind::Source(_), Status::Scanned { summary, rest, .. }) = (self.kind, &self.status) else {
            return None;
        };
        Some(Retired { key: summary.key(), summary: *summary, rest: *rest, first_error: self.first_error })
    }

    /// Follows blobs to their new places.
    pub(crate) fn relocate(&mut self, moved: &BTreeMap<Blob, Blob>) {
        let follow = |blob: &mut Blob| *blob = moved.get(blob).copied().unwrap_or(*blob);
        match &mut self.status {
            Status::Scanned { summary, rest, resolution } => {
                follow(summary);
                follow(rest);
                resolution.iter_mut().for_each(follow);
            }
            Status::Data(data) => follow(data),
            _ => {}
        }
        self.callers.iter_mut().for_each(follow);
    }

    /// The blobs the record refers to.
    pub(crate) fn blobs(&self) -> Vec<Blob> {
        let (first, second) = self.facts_blobs();
        [first, second, self.resolution_blob(), self.callers].into_iter().flatten().collect()
    }
}

/// A file of the handbook.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct PageRecord {
    /// The digest of the models it is rendered from.
    pub(crate) model: ContentHash,
    /// The hash of its bytes, the stamp left out.
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
    pub(crate) files: Files,
    /// Branch switches and reverts find their facts here.
    pub(crate) retired: Piece<Vec<Retired>>,
    /// Key digest → slots of the files that offer it.
    pub(crate) offers: Relation,
    /// Key digest → slots of the files whose resolution asked for it.
    pub(crate) needs: Relation,
    /// Ids that several files declare → the path that keeps the plain id.
    pub(crate) clashes: BTreeMap<String, RepoPath>,
    /// The encoded sketch of each scanned file and its uses of state, by slot.
    pub(crate) sketches: Slots<Vec<u8>>,
    /// What READMEs and manifests say about the whole; none if one of them changed.
    pub(crate) about: Option<About>,
    /// The stages, and what they were computed from; empty if there are none.
    pub(crate) structure: Piece<Vec<u8>>,
    /// What was read of git's history.
    pub(crate) commits: Piece<Commits>,
    /// The digests of the handbook's models, by the names of their Markdown pages.
    pub(crate) models: BTreeMap<String, ContentHash>,
    /// What each page shows of prose that a model wrote, see [`Narration`](crate::narration::Narration).
    pub(crate) prose: BTreeMap<String, ContentHash>,
    /// The handbook's files by path in it.
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

/// How a state lies in its file, beside what the gate reads first.
#[derive(Serialize, Deserialize)]
struct Root {
    files: files::Stored,
    retired: Blob,
    offers: (usize, Vec<Blob>),
    needs: (usize, Vec<Blob>),
    clashes: BTreeMap<String, RepoPath>,
    sketches: (usize, Vec<Blob>),
    about: Option<About>,
    structure: Blob,
    commits: Blob,
    models: BTreeMap<String, ContentHash>,
    prose: BTreeMap<String, ContentHash>,
    pages: BTreeMap<RepoPath, PageRecord>,
}

impl State {
    /// The segments that hold something it refers to, with the bytes it uses of each. All of it must be on disk.
    pub(crate) fn used(&self, blobs: &Blobs) -> BTreeMap<u64, u64> {
        let mut used = self.files.used(blobs);
        let retired = self.retired.get(blobs).iter().flat_map(|retired| [retired.summary, retired.rest]);
        for blob in retired.chain(self.pieces()) {
            *used.entry(blob.place().segment).or_default() += blob.place().length_on_disk();
        }
        used
    }

    /// The blobs of all pieces that lie in one.
    fn pieces(&self) -> impl Iterator<Item = Blob> + '_ {
        let parts =
            self.offers.parts.iter().chain(&self.needs.parts).chain(self.files.relations()).map(Piece::blob);
        let slots = self.files.pieces().chain(self.sketches.pieces.iter().map(Piece::blob));
        parts.chain(slots).chain([self.retired.blob(), self.structure.blob(), self.commits.blob()]).flatten()
    }

    /// Every blob it refers to in `segments`, pieces included, without repetitions.
    pub(crate) fn blobs_in(&self, segments: &BTreeSet<u64>, blobs: &Blobs) -> Vec<Blob> {
        let retired = self.retired.get(blobs).iter().flat_map(|retired| [retired.summary, retired.rest]);
        let is_in = |blob: &Blob| segments.contains(&blob.place().segment);
        let mut found: Vec<Blob> = self.files.blobs_in(segments, blobs);
        found.extend(retired.chain(self.pieces()).filter(is_in));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Every blob it refers to, without repetitions.
    pub(crate) fn blobs(&self, blobs: &Blobs) -> Vec<Blob> {
        self.blobs_in(&self.used(blobs).into_keys().collect(), blobs)
    }

    /// Follows blobs to their new places. `segments` are those something moved out of.
    pub(crate) fn relocate(&mut self, moved: &BTreeMap<Blob, Blob>, segments: &BTreeSet<u64>, blobs: &Blobs) {
        if moved.is_empty() {
            return;
        }
        fn follow(piece: &mut dyn Writable, moved: &BTreeMap<Blob, Blob>) {
            if let Some(blob) = piece.place().and_then(|blob| moved.get(&blob)) {
                piece.set_blob(*blob);
            }
        }
        self.each_piece(&mut |piece| follow(piece, moved));
        let is_moved =
            |retired: &Retired| [retired.summary, retired.rest].iter().any(|blob| moved.contains_key(blob));
        if self.retired.get(blobs).iter().any(is_moved) {
            for retired in self.retired.get_mut(blobs) {
                for blob in [&mut retired.summary, &mut retired.rest] {
                    *blob = moved.get(blob).copied().unwrap_or(*blob);
                }
            }
        }
        self.files.relocate(moved, segments, blobs);
    }

    /// Writes every piece that lies nowhere yet; false if that cannot be done.
    pub(crate) fn write_pieces(&mut self, blobs: &Blobs) -> bool {
        let mut unwritten = Vec::new();
        let mut write = |piece: Option<(ContentHash, Vec<u8>)>| unwritten.extend(piece);
        self.each_piece(&mut |piece| write(piece.unwritten()));
        let places = blobs.write(unwritten);
        let Some(moved) = blobs.flush() else { return false };
        let mut places = places.into_iter().map(|blob| moved.get(&blob).copied().unwrap_or(blob));
        self.each_piece(&mut |piece| {
            if piece.place().is_none()
                && let Some(place) = places.next()
            {
                piece.set_blob(place);
            }
        });
        true
    }

    fn each_piece(&mut self, with: &mut dyn FnMut(&mut dyn Writable)) {
        self.offers.parts.iter_mut().chain(&mut self.needs.parts).for_each(|piece| with(piece));
        self.files.each_piece(with);
        self.sketches.pieces.iter_mut().for_each(|piece| with(piece));
        with(&mut self.retired);
        with(&mut self.structure);
        with(&mut self.commits);
    }

    /// For the disk; none while a piece lies nowhere.
    pub(crate) fn encode(&self, blobs: &Blobs) -> Option<Vec<u8>> {
        let root = Root {
            files: self.files.stored(blobs)?,
            retired: self.retired.blob()?,
            offers: self.offers.stored()?,
            needs: self.needs.stored()?,
            clashes: self.clashes.clone(),
            sketches: self.sketches.stored()?,
            about: self.about.clone(),
            structure: self.structure.blob()?,
            commits: self.commits.blob()?,
            models: self.models.clone(),
            prose: self.prose.clone(),
            pages: self.pages.clone(),
        };
        let selected = self.known.selection.files.len() + self.known.wanted.len();
        let mut writer = Writer::with_capacity(selected * BYTES_PER_FILE);
        writer.value(&STATE_FORMAT);
        writer.value(&self.known);
        writer.value(&(&self.build, &self.exports));
        writer.value(&root);
        Some(writer.finish())
    }
}

/// The part of a state that the gate needs, and the rest as it was read.
pub(crate) struct Gate {
    pub(crate) known: Known,
    pub(crate) build: Option<ContentHash>,
    exports: Option<ContentHash>,
    bytes: Vec<u8>,
    /// Where the rest begins in `bytes`.
    end: usize,
}

impl Gate {
    /// Reads the beginning of what [`State::encode`] wrote; none for another format or damage.
    pub(crate) fn decode(bytes: Vec<u8>) -> Option<Self> {
        let mut reader = Reader::new(&bytes);
        if reader.value::<u32>()? != STATE_FORMAT {
            return None;
        }
        let known = reader.value()?;
        let (build, exports) = reader.value()?;
        let end = bytes.len() - reader.left();
        Some(Self { known, build, exports, bytes, end })
    }

    /// The whole state; none for damage.
    pub(crate) fn state(self) -> Option<State> {
        let Gate { known, build, exports, bytes, end } = self;
        let root: Root = Reader::new(bytes.get(end..)?).value()?;
        Some(State {
            build,
            known,
            files: Files::from_stored(root.files)?,
            retired: Piece::stored(root.retired),
            offers: Relation::from_stored(root.offers)?,
            needs: Relation::from_stored(root.needs)?,
            clashes: root.clashes,
            sketches: Slots::from_stored(root.sketches),
            about: root.about,
            structure: Piece::stored(root.structure),
            commits: Piece::stored(root.commits),
            models: root.models,
            prose: root.prose,
            pages: root.pages,
            exports,
        })
    }
}
