use std::collections::{BTreeMap, BTreeSet};

use bindery_source::ContentHash;

use super::records::record_length;
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
    /// those. The answer has today's place of every blob, in the order given; commit a state with these
    /// places, and the emptied segments go. None: there was nothing to do, or it cannot be done.
    pub fn compact(&self, live: &[(ContentHash, BlobRef)]) -> Option<Vec<BlobRef>> {
        let blobs: BTreeMap<BlobRef, ContentHash> = live.iter().map(|(key, place)| (*place, *key)).collect();
        let victims = self.worth_rewriting(&blobs);
        if victims.is_empty() {
            return None;
        }
        let mut moved: BTreeMap<BlobRef, BlobRef> = BTreeMap::new();
        let mut batch: Vec<(ContentHash, Vec<u8>)> = Vec::new();
        let mut origins: Vec<BlobRef> = Vec::new();
        let mut waiting = blobs.iter().filter(|(place, _)| victims.contains(&place.segment)).peekable();
        while let Some((place, key)) = waiting.next() {
            // A blob that is damaged keeps its place, where it stays a miss.
            if let Some(payload) = self.read_blob(place, *key) {
                batch.push((*key, payload));
                origins.push(*place);
            }
            let bytes: u64 = batch.iter().map(|(_, payload)| payload.len() as u64).sum();
            if bytes >= BATCH || waiting.peek().is_none() {
                moved.extend(origins.drain(..).zip(self.append_blobs(&batch)?));
                batch.clear();
            }
        }
        Some(live.iter().map(|(_, place)| *moved.get(place).unwrap_or(place)).collect())
    }

    fn worth_rewriting(&self, blobs: &BTreeMap<BlobRef, ContentHash>) -> BTreeSet<u64> {
        let mut used: BTreeMap<u64, u64> = BTreeMap::new();
        for place in blobs.keys() {
            *used.entry(place.segment).or_default() += record_length(place.length);
        }
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
