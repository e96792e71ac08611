use std::collections::{BTreeMap, BTreeSet};

use bindery_source::ContentHash;

use super::{BlobRef, ContentStore};

/// A segment is rewritten when more than this part of it is holes, in percent.
const MOST_HOLES: u64 = 25;
/// With more segments than this, the small ones are joined.
const MANY_SEGMENTS: usize = 32;
/// What counts as small.
const SMALL_SEGMENT: u64 = 1 << 20;
/// Bytes moved at a time.
const BATCH: u64 = 8 << 20;

impl ContentStore {
    /// If a segment is over a quarter holes, or there are too many small ones: moves the live blobs out of
    /// those. `used` are the bytes in use by segment ([`BlobRef::length_on_disk`]), `live_in` gives the blobs
    /// in use that lie in some segments. The answer has each blob's key, its old and its new place; commit a
    /// state with these places, and the emptied segments go. None: there was nothing to do, or it cannot be done.
    pub fn compact(
        &self,
        used: &BTreeMap<u64, u64>,
        live_in: impl FnOnce(&BTreeSet<u64>) -> Vec<(ContentHash, BlobRef)>,
    ) -> Option<Vec<(ContentHash, BlobRef, BlobRef)>> {
        let victims = self.worth_rewriting(used);
        if victims.is_empty() {
            return None;
        }
        let live = live_in(&victims);
        let mut moved = Vec::with_capacity(live.len());
        let (mut batch, mut origins, mut bytes) = (Vec::new(), Vec::new(), 0);
        for (at, (key, place)) in live.iter().enumerate() {
            // A blob that is damaged keeps its place, where it stays a miss.
            if let Some(payload) = self.read_blob(place, *key) {
                bytes += payload.len() as u64;
                batch.push((*key, payload));
                origins.push(*place);
            }
            if bytes >= BATCH || at + 1 == live.len() {
                let places = self.append_blobs(&batch)?;
                let keys = batch.drain(..).map(|(key, _)| key);
                moved
                    .extend(keys.zip(origins.drain(..)).zip(places).map(|((key, from), to)| (key, from, to)));
                bytes = 0;
            }
        }
        Some(moved)
    }

    fn worth_rewriting(&self, used: &BTreeMap<u64, u64>) -> BTreeSet<u64> {
        let many = used.len() > MANY_SEGMENTS;
        let is_worth_it = |segment: u64, used: u64| {
            let Ok(stat) = self.file_system().lstat(&self.segment_path(segment)) else { return false };
            let holes = stat.size.saturating_sub(used);
            holes.saturating_mul(100) > stat.size.saturating_mul(MOST_HOLES)
                || many && stat.size < SMALL_SEGMENT
        };
        used.iter()
            .filter(|(segment, used)| is_worth_it(**segment, **used))
            .map(|(segment, _)| *segment)
            .collect()
    }
}
