//! The inputs and the derived values. Each query's body is one call into a pure crate.

use std::sync::Arc;

use bindery_facts::FileFacts;
use bindery_graph::{Contents, Key, Lookup, Provided, Resolution, Unit};
use bindery_source::RepoPath;

/// One source file: its path and what was read off its bytes.
#[salsa::input(debug)]
pub(crate) struct SourceFile {
    /// Where it lies.
    #[returns(ref)]
    pub(crate) path: RepoPath,
    /// Its facts.
    #[returns(ref)]
    pub(crate) facts: Arc<FileFacts>,
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
}

/// What other files can see of a file. Equal after an edit inside a body.
#[salsa::tracked]
pub(crate) fn unit(db: &dyn Queries, file: SourceFile) -> Arc<Unit> {
    let contents = Contents::Source(file.facts(db).summary.clone());
    Arc::new(Unit { path: file.path(db).clone(), contents })
}

/// The file's calls, accesses and base types, resolved.
#[salsa::tracked]
pub(crate) fn resolution(db: &dyn Queries, file: SourceFile) -> Arc<Resolution> {
    let facts = file.facts(db);
    let entry = bindery_languages::for_language(facts.summary.language)
        .expect("a file's facts were read by the registered adapter of its language");
    Arc::new(bindery_graph::resolve(file.path(db), facts, entry.rules, &KeyAnswers(db)))
}

struct KeyAnswers<'db>(&'db dyn Queries);

impl Lookup for KeyAnswers<'_> {
    fn provided(&self, key: &Key) -> Arc<[Provided]> {
        self.0.key_answer(key).provided(self.0).clone()
    }
}
