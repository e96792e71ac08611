//! The inputs and the derived values. Each query's body is one call into a pure crate.

use std::any::Any;
use std::panic::AssertUnwindSafe;
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

/// What came of resolving a file.
#[derive(Clone, PartialEq, Debug)]
pub enum Resolved {
    /// Its calls, accesses and base types.
    Done(Arc<Resolution>),
    /// A fault of ours: the message of the panic. Everything else goes on.
    Panicked(String),
    /// Its facts cannot be had any more.
    FactsLost,
}

/// The file's calls, accesses and base types.
#[salsa::tracked]
pub(crate) fn resolution(db: &dyn Queries, file: SourceFile) -> Resolved {
    let Some(facts) = db.file_facts(file.path(db), file.content(db)) else { return Resolved::FactsLost };
    let entry = bindery_languages::for_language(facts.summary.language)
        .expect("a file's facts were read by the registered adapter of its language");
    let resolve = || bindery_graph::resolve(file.path(db), &facts, entry.rules, &KeyAnswers(db));
    match std::panic::catch_unwind(AssertUnwindSafe(resolve)) {
        Ok(resolution) => Resolved::Done(Arc::new(resolution)),
        Err(panic) if panic.is::<salsa::Cancelled>() => std::panic::resume_unwind(panic),
        Err(panic) => Resolved::Panicked(message(&*panic)),
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("resolution panicked: {}", text.unwrap_or("no message"))
}

struct KeyAnswers<'db>(&'db dyn Queries);

impl Lookup for KeyAnswers<'_> {
    fn provided(&self, key: &Key) -> Arc<[Provided]> {
        self.0.key_answer(key).provided(self.0).clone()
    }
}
