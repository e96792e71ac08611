//! The inputs and the derived values. Each query's body is one call into a pure crate.

use std::sync::Arc;

use bindery_facts::FileFacts;
use bindery_graph::{Key, Lookup, Provided, Resolution};
use bindery_source::{ContentHash, RepoPath};

/// One source file: its path and the hash of its bytes, which its facts are a function of.
#[salsa::input(debug)]
pub(crate) struct SourceFile {
    /// Where it lies.
    #[returns(ref)]
    pub(crate) path: RepoPath,
    /// What it says.
    #[returns(copy)]
    pub(crate) content: ContentHash,
}

/// What answers one lookup key.
#[salsa::input]
pub(crate) struct KeyAnswer {
    #[returns(ref)]
    pub(crate) provided: Arc<[Provided]>,
}

/// What the queries ask of the database.
#[salsa::db]
pub(crate) trait Queries: salsa::Database {
    /// The input that holds the answer to `key`, made on first use.
    fn key_answer(&self, key: &Key) -> KeyAnswer;

    /// The facts of a file with this content.
    fn file_facts(&self, path: &RepoPath, content: ContentHash) -> Option<Arc<FileFacts>>;
}

/// The file's calls, accesses and base types, resolved; none if its facts were lost.
#[salsa::tracked]
pub(crate) fn resolution(db: &dyn Queries, file: SourceFile) -> Option<Arc<Resolution>> {
    let facts = db.file_facts(file.path(db), file.content(db))?;
    let entry = bindery_languages::for_language(facts.summary.language)
        .expect("a file's facts were read by the registered adapter of its language");
    Some(Arc::new(bindery_graph::resolve(file.path(db), &facts, entry.rules, &KeyAnswers(db))))
}

struct KeyAnswers<'db>(&'db dyn Queries);

impl Lookup for KeyAnswers<'_> {
    fn provided(&self, key: &Key) -> Arc<[Provided]> {
        self.0.key_answer(key).provided(self.0).clone()
    }
}
