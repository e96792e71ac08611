//! The cache, the schemas, and the parse worker: what the command line offers besides building.

use bindery_languages::for_language;
use bindery_store::ContentStore;
use bindery_store::workers::{end_worker, serve};
use bindery_syntax::{WorkerAnswer, WorkerRequest, parse};

use crate::blobs::{Blob, Blobs};
use crate::outcome::{CacheOutcome, Failure};
use crate::repository::Repository;
use crate::state::Gate;

impl Repository {
    fn store(&self) -> ContentStore {
        ContentStore::open(&self.work, self.durability())
    }

    fn cache_outcome(&self, store: &ContentStore, affected: u64) -> CacheOutcome {
        let stats = store.stats();
        let (bytes, _) = store.read_state();
        let state = bytes.and_then(Gate::decode).and_then(Gate::state);
        let blobs = Blobs::new(self.store());
        let live: Vec<Blob> = state.map_or(Vec::new(), |state| state.blobs(&blobs));
        let live_bytes: u64 = live.iter().map(|blob| blob.place().length_on_disk()).sum();
        CacheOutcome {
            path: self.work.shown(b"cache"),
            entries: live.len() as u64,
            bytes: stats.segment_bytes + stats.state_bytes,
            unused_bytes: stats.segment_bytes.saturating_sub(live_bytes),
            affected,
        }
    }

    /// What the cache holds.
    pub fn cache_stats(&self) -> Result<CacheOutcome, Failure> {
        Ok(self.cache_outcome(&self.store(), 0))
    }

    /// Reads everything in the cache and checks it; `affected` counts what is damaged.
    pub fn cache_verify(&self) -> Result<CacheOutcome, Failure> {
        let store = self.store();
        let check = store.verify();
        Ok(self.cache_outcome(&store, check.bad.len() as u64))
    }

    /// Removes what nothing refers to; `affected` is the bytes freed.
    pub fn cache_gc(&self) -> Result<CacheOutcome, Failure> {
        let store = self.store();
        let freed = store.gc();
        Ok(self.cache_outcome(&store, freed))
    }

    /// Empties the cache; `affected` is the bytes freed.
    pub fn cache_clear(&self) -> Result<CacheOutcome, Failure> {
        let store = self.store();
        let freed = store.clear();
        Ok(self.cache_outcome(&store, freed))
    }
}

/// The JSON Schema of a file kind, as it is published.
pub fn schema(name: &str) -> Option<String> {
    let schema = bindery_artifacts::schema(name)?;
    serde_json::to_string_pretty(&schema).ok().map(|text| text + "\n")
}

/// The names [`schema`] knows.
pub fn schema_names() -> Vec<&'static str> {
    bindery_artifacts::Kind::ALL.iter().map(|kind| kind.name()).collect()
}

/// Answers parse requests on stdin and stdout until stdin closes, then ends the process.
pub fn serve_parse_worker() -> ! {
    bindery_syntax::exit_when_over_limit(|code| end_worker(u8::try_from(code).unwrap_or(1)));
    serve(&mut |request| {
        let Some(request) = WorkerRequest::decode(&request) else { end_worker(2) };
        let Some(entry) = for_language(request.language) else { end_worker(2) };
        WorkerAnswer::of(parse(entry.adapter, request.bytes, &request.limits)).encode()
    })
}
