use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bindery_facts::FileFacts;
use bindery_graph::{Key, Lookup};
use bindery_source::{ContentHash, RepoPath};
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap};
use salsa::Setter;
use salsa::plumbing::FromId;

use crate::queries::{KeyAnswer, Queries, Resolved, SourceFile, resolution};

/// Shards of the key table: more than cores, so that parallel resolutions seldom wait for each other.
const SHARDS: usize = 64;

type KeyShard = Mutex<FxHashMap<Key, KeyAnswer>>;

/// A query that ran, with the file it ran for; queries served from memory do not appear.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Executed {
    /// The query's name (`resolution`).
    pub query: &'static str,
    /// The file.
    pub path: RepoPath,
}

/// What happened to a file since the database last knew it.
#[derive(Clone, Debug)]
pub enum FileChange {
    /// It is new, or has another content.
    Set(RepoPath, ContentHash),
    /// It is gone.
    Removed(RepoPath),
}

/// Where the database gets what it was not told: answers to keys on first use, and facts by content.
/// Both must be pure as long as [`Database::apply`] reports every change.
pub trait Source: Lookup + Send + Sync {
    /// The facts of a file with this content; none if they cannot be had any more, which leaves the file
    /// without a resolution.
    fn facts(&self, path: &RepoPath, content: ContentHash) -> Option<Arc<FileFacts>>;
}

/// The salsa database with its inputs.
#[salsa::db]
#[derive(Clone)]
pub struct Database {
    storage: salsa::Storage<Self>,
    keys: Arc<[KeyShard]>,
    source: Arc<dyn Source>,
    files: Arc<FxHashMap<RepoPath, SourceFile>>,
    events: Arc<Mutex<Vec<salsa::DatabaseKeyIndex>>>,
}

#[salsa::db]
impl salsa::Database for Database {}

#[salsa::db]
impl Queries for Database {
    fn key_answer(&self, key: &Key) -> KeyAnswer {
        let mut shard = lock(self.shard(key));
        if let Some(answer) = shard.get(key) {
            return *answer;
        }
        let answer = KeyAnswer::new(self, self.source.provided(key));
        shard.insert(key.clone(), answer);
        answer
    }

    fn file_facts(&self, path: &RepoPath, content: ContentHash) -> Option<Arc<FileFacts>> {
        self.source.facts(path, content)
    }
}

impl Database {
    /// A database that asks `source` for what it is not told.
    pub fn new(source: Arc<dyn Source>) -> Self {
        let events = Arc::new(Mutex::new(Vec::new()));
        let log = events.clone();
        let storage = salsa::Storage::new(Some(Box::new(move |event| {
            if let salsa::EventKind::WillExecute { database_key } = event.kind {
                lock(&log).push(database_key);
            }
        })));
        let keys = (0..SHARDS).map(|_| KeyShard::default()).collect();
        Self { storage, keys, source, files: Arc::default(), events }
    }

    /// Takes over changed files and the keys whose answers changed. Keys nobody asked for yet stay
    /// unmade; they will be filled from the source when they are.
    pub fn apply(&mut self, changes: impl IntoIterator<Item = FileChange>, changed_keys: &[Key]) {
        for change in changes {
            match change {
                FileChange::Set(path, content) => match self.files.get(&path) {
                    Some(file) => {
                        let file = *file;
                        file.set_content(self).to(content);
                    }
                    None => {
                        let file = SourceFile::new(self, path.clone(), content);
                        Arc::make_mut(&mut self.files).insert(path, file);
                    }
                },
                FileChange::Removed(path) => {
                    Arc::make_mut(&mut self.files).remove(&path);
                }
            }
        }
        for key in changed_keys {
            let known = lock(self.shard(key)).get(key).copied();
            if let Some(answer) = known {
                let provided = self.source.provided(key);
                answer.set_provided(self).to(provided);
            }
        }
    }

    /// The resolutions of `paths`, in their order, computed in parallel; files the database was not
    /// told of are left out.
    pub fn resolutions(&self, paths: &[RepoPath]) -> Vec<(RepoPath, Resolved)> {
        let files: Vec<(&RepoPath, SourceFile)> =
            paths.iter().filter_map(|path| Some((path, *self.files.get(path)?))).collect();
        let next = AtomicUsize::new(0);
        // One handle per thread, all taking from one queue: salsa handles are not shared between threads.
        let handles: Vec<Self> = (0..rayon::current_num_threads()).map(|_| self.clone()).collect();
        let mut resolved: Vec<(usize, Resolved)> = handles
            .into_par_iter()
            .flat_map_iter(|db| {
                let (next, files) = (&next, &files);
                std::iter::from_fn(move || {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    files.get(at).map(|(_, file)| (at, resolution(&db, *file).clone()))
                })
            })
            .collect();
        resolved.sort_unstable_by_key(|(at, _)| *at);
        resolved.into_iter().map(|(at, resolution)| (files[at].0.clone(), resolution)).collect()
    }

    /// The queries that ran since the last call, sorted.
    pub fn take_executed(&self) -> Vec<Executed> {
        let events = std::mem::take(&mut *lock(&self.events));
        let mut executed: Vec<Executed> = events.iter().filter_map(|key| self.executed(*key)).collect();
        executed.sort_unstable();
        executed
    }

    fn executed(&self, key: salsa::DatabaseKeyIndex) -> Option<Executed> {
        let name = salsa::Database::ingredient_debug_name(self, key.ingredient_index());
        let query = ["resolution"].into_iter().find(|query| name == *query)?;
        let file = SourceFile::from_id(key.key_index());
        Some(Executed { query, path: file.path(self).clone() })
    }

    fn shard(&self, key: &Key) -> &KeyShard {
        use std::hash::BuildHasher;
        &self.keys[FxBuildHasher.hash_one(key) as usize % SHARDS]
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A panic while the lock was held is reported by whoever caught it; the data stays usable.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
