//! From a file's bytes to its record: what its first lines say, the cache by content, the parser.

use std::ops::ControlFlow;
use std::sync::Arc;

use bindery_facts::{DecodeError, FileFacts, Summary, decode};
use bindery_graph::{Contents, Unit};
use bindery_languages::{LanguageEntry, READING, for_language};
use bindery_source::{ContentHash, KeyHasher, Language, RepoPath};
use bindery_syntax::{Cancelled, Limits, PackedFacts, Parsed, SourceText, parse_observed};

use crate::state::LeftOut;

/// The key facts are cached under (handbook §6):
///
/// | enters | because |
/// |---|---|
/// | the bytes | they are what is read |
/// | the language | the same bytes mean other things in it |
/// | [`READING`] | it stands for the adapters and grammars, which decide what is read off, and for the form of blobs |
/// | the limits | they decide which files are unparsable |
///
/// Path, times and permissions stay out, so a renamed or copied file hits.
pub(crate) fn facts_key(content: ContentHash, entry: &LanguageEntry, limits: &Limits) -> ContentHash {
    key_of(content, entry.adapter.language(), READING, limits)
}

pub(crate) fn key_of(
    content: ContentHash,
    language: Language,
    reading: &str,
    limits: &Limits,
) -> ContentHash {
    let mut key = KeyHasher::new("facts");
    key.field("content", &content.0)
        .field("language", language.name().as_bytes())
        .field("reading", reading.as_bytes());
    limits.enter(&mut key);
    key.finish()
}

/// Whether a file's own bytes say that nobody wrote them.
pub(crate) fn left_out(language: Language, bytes: &[u8]) -> Option<LeftOut> {
    if bindery_syntax::is_lfs_pointer(bytes) {
        return Some(LeftOut::LfsPointer);
    }
    let source = SourceText::decode(bytes).ok()?;
    if bindery_syntax::is_marked_generated(language, source.as_str()) {
        return Some(LeftOut::Generated);
    }
    bindery_syntax::is_minified(source.as_str()).then_some(LeftOut::Minified)
}

/// Facts packed for the segments, and the half that stays in memory.
pub(crate) struct Packed {
    /// The position-free half.
    pub(crate) summary: Arc<Summary>,
    /// Both halves for the disk.
    pub(crate) blobs: PackedFacts,
}

impl Packed {
    /// Packs facts that were read in this process.
    pub(crate) fn new(facts: FileFacts) -> Self {
        Self { summary: facts.summary.clone(), blobs: PackedFacts::new(facts) }
    }

    /// Takes over what a worker packed.
    pub(crate) fn of_worker(blobs: PackedFacts) -> Result<Self, DecodeError> {
        Ok(Self { summary: Arc::new(decode(&blobs.summary)?), blobs })
    }

    /// What others see of the file at `path`.
    pub(crate) fn unit(&self, path: &RepoPath) -> Arc<Unit> {
        Arc::new(Unit { path: path.clone(), contents: Contents::Source(self.summary.clone()) })
    }
}

/// Parses in this process, unless `on_tick` breaks.
pub(crate) fn parse_here(
    language: Language,
    bytes: &[u8],
    limits: &Limits,
    on_tick: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Parsed, Cancelled> {
    let entry = for_language(language).expect("inputs are selected by the registry's own languages");
    parse_observed(entry.adapter, bytes, limits, on_tick)
}
