//! A many-to-many relation between 64-bit keys and file slots, cut into parts by the first bits of the key.
//!
//! This is the shape in which the state answers "who offers this key" and "who asked for it". A question reads
//! one part, a change reads and writes the parts its keys fall into.
//!
//! Keys are kept to their first 48 bits: with a million keys two of them collide once in 560 repositories, and
//! a collision costs a look at a file in vain, since whoever looks compares the whole key.

use serde::{Deserialize, Serialize};

use crate::blobs::{Blob, Blobs};
use crate::piece::Piece;

/// Keys in one part, about. Twice and half as many were measured at 22,553 files and make no difference
/// above the noise.
const KEYS_PER_PART: usize = 1024;
/// Parts at most, as a power of two.
const MOST_BITS: u32 = 12;
/// The bits of a key that are kept.
const KEPT_BITS: u32 = 48;

/// See the module's page.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub(crate) parts: Vec<Piece<Part>>,
    /// (key, slot) pairs in all.
    pairs: usize,
}

impl Default for Relation {
    fn default() -> Self {
        Self { parts: vec![Piece::default()], pairs: 0 }
    }
}

impl Relation {
    /// How to find it again; none while a part lies nowhere.
    pub(crate) fn stored(&self) -> Option<(usize, Vec<Blob>)> {
        Some((self.pairs, self.parts.iter().map(Piece::blob).collect::<Option<_>>()?))
    }

    /// From what [`Relation::stored`] gave; none if it does not fit together.
    pub(crate) fn from_stored((pairs, blobs): (usize, Vec<Blob>)) -> Option<Self> {
        let fits = blobs.len().is_power_of_two() && blobs.len() <= 1 << MOST_BITS;
        fits.then(|| Self { parts: blobs.into_iter().map(Piece::stored).collect(), pairs })
    }

    /// Whether it has no pair.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs == 0
    }

    /// The slots of `key`, ascending; empty for an unknown key.
    pub(crate) fn slots(&self, key: u64, blobs: &Blobs) -> &[u32] {
        let key = kept(key);
        self.parts[self.part_of(key)].get(blobs).slots(key)
    }

    /// This relation without the `removed` pairs and with the `added` ones.
    pub(crate) fn patched(
        &self,
        removed: Vec<(u64, u32)>,
        added: Vec<(u64, u32)>,
        blobs: &Blobs,
    ) -> Relation {
        let mut patched = self.clone();
        let (removed, added) = (sorted(removed), sorted(added));
        let room = self.parts.len() * KEYS_PER_PART;
        if self.pairs + added.len() > 8 * room && self.parts.len() < 1 << MOST_BITS {
            patched = self.recut(self.pairs + added.len(), blobs);
        }
        let (mut removed, mut added) = (&removed[..], &added[..]);
        for at in 0..patched.parts.len() {
            let (gone, rest) =
                removed.split_at(removed.partition_point(|(key, _)| patched.part_of(*key) <= at));
            removed = rest;
            let (new, rest) = added.split_at(added.partition_point(|(key, _)| patched.part_of(*key) <= at));
            added = rest;
            if !gone.is_empty() || !new.is_empty() {
                let part = patched.parts[at].get_mut(blobs);
                let before = part.slots.len();
                *part = part.patched(gone, new);
                patched.pairs = patched.pairs + part.slots.len() - before;
            }
        }
        patched
    }

    /// The same pairs in as many parts as `pairs` ask for.
    fn recut(&self, pairs: usize, blobs: &Blobs) -> Relation {
        let parts = pairs.div_ceil(KEYS_PER_PART).next_power_of_two().min(1 << MOST_BITS);
        let mut cut = Relation { parts: vec![Piece::default(); parts], pairs: self.pairs };
        for part in &self.parts {
            for (key, slot) in part.get(blobs).pairs() {
                let at = cut.part_of(key);
                cut.parts[at].get_mut(blobs).push((key, slot));
            }
        }
        cut
    }

    /// The part a key that was cut to size falls into.
    fn part_of(&self, key: u64) -> usize {
        (key >> (KEPT_BITS - self.parts.len().ilog2())) as usize
    }
}

/// The key without the bits that are not kept; two keys are one to a relation if they are equal so.
pub(crate) fn as_kept(key: u64) -> u64 {
    kept(key) << (u64::BITS - KEPT_BITS)
}

fn kept(key: u64) -> u64 {
    key >> (u64::BITS - KEPT_BITS)
}

fn sorted(pairs: Vec<(u64, u32)>) -> Vec<(u64, u32)> {
    let mut pairs: Vec<(u64, u32)> = pairs.into_iter().map(|(key, slot)| (kept(key), slot)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Keys with the file slots that belong to each, both ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Packed", try_from = "Packed")]
pub(crate) struct Part {
    keys: Vec<u64>,
    /// Where each key's slots begin in `slots`; one more element than `keys`, unless all is empty.
    starts: Vec<u32>,
    slots: Vec<u32>,
}

/// A part on disk: each key and each slot as its distance from the one before, which varints make short.
#[derive(Serialize, Deserialize)]
struct Packed {
    keys: Vec<u64>,
    counts: Vec<u32>,
    slots: Vec<u32>,
}

impl From<Part> for Packed {
    fn from(part: Part) -> Self {
        let mut last = 0;
        let keys = part.keys.iter().map(|key| key - std::mem::replace(&mut last, *key)).collect();
        let counts = part.starts.windows(2).map(|bounds| bounds[1] - bounds[0]).collect();
        let mut slots = Vec::with_capacity(part.slots.len());
        for bounds in part.starts.windows(2) {
            let mut last = 0;
            let own = &part.slots[bounds[0] as usize..bounds[1] as usize];
            slots.extend(own.iter().map(|slot| slot - std::mem::replace(&mut last, *slot)));
        }
        Self { keys, counts, slots }
    }
}

impl TryFrom<Packed> for Part {
    type Error = &'static str;

    fn try_from(packed: Packed) -> Result<Self, Self::Error> {
        const DAMAGED: &str = "the arrays of a relation do not fit together";
        if packed.counts.len() != packed.keys.len() {
            return Err(DAMAGED);
        }
        let mut part = Part::default();
        let (mut key, mut deltas) = (0_u64, packed.slots.iter());
        for (step, count) in packed.keys.iter().zip(&packed.counts) {
            key = key.checked_add(*step).filter(|key| *key < 1 << KEPT_BITS).ok_or(DAMAGED)?;
            let mut slot = 0_u32;
            for _ in 0..*count {
                slot = deltas.next().and_then(|step| slot.checked_add(*step)).ok_or(DAMAGED)?;
                part.push((key, slot));
            }
        }
        if deltas.next().is_some() || part.keys.len() != packed.keys.len() {
            return Err(DAMAGED);
        }
        Ok(part)
    }
}

impl Part {
    fn slots(&self, key: u64) -> &[u32] {
        match self.keys.binary_search(&key) {
            Ok(at) => &self.slots[self.starts[at] as usize..self.starts[at + 1] as usize],
            Err(_) => &[],
        }
    }

    /// Every (key, slot) pair, ascending.
    fn pairs(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.keys.iter().zip(self.starts.windows(2)).flat_map(|(key, bounds)| {
            self.slots[bounds[0] as usize..bounds[1] as usize].iter().map(|slot| (*key, *slot))
        })
    }

    /// One merge pass; both lists are sorted and without repetitions.
    fn patched(&self, removed: &[(u64, u32)], added: &[(u64, u32)]) -> Part {
        let mut kept = self.pairs().filter(|pair| removed.binary_search(pair).is_err()).peekable();
        let mut added = added.iter().copied().peekable();
        let mut patched = Part::default();
        loop {
            let pair = match (kept.peek(), added.peek()) {
                (Some(a), Some(b)) if a == b => kept.next().and(added.next()),
                (Some(a), Some(b)) if a < b => kept.next(),
                (Some(_), None) => kept.next(),
                _ => added.next(),
            };
            match pair {
                Some(pair) => patched.push(pair),
                None => return patched,
            }
        }
    }

    /// Adds a pair that is not below the last one.
    fn push(&mut self, (key, slot): (u64, u32)) {
        if self.keys.last() != Some(&key) {
            if self.starts.is_empty() {
                self.starts.push(0);
            }
            self.keys.push(key);
            self.starts.push(self.slots.len() as u32);
        }
        self.slots.push(slot);
        if let Some(end) = self.starts.last_mut() {
            *end = self.slots.len() as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use bindery_store::fs::MemoryFileSystem;
    use bindery_store::{ContentStore, Directory, Durability};

    use super::*;

    fn blobs() -> Blobs {
        let directory = Directory::new(Arc::new(MemoryFileSystem::new()), b"");
        Blobs::new(ContentStore::open(&directory, Durability::Renamed))
    }

    /// A key whose kept bits are `number` times a large odd number, so that keys spread over all parts.
    fn key(number: u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn pairs(relation: &Relation, blobs: &Blobs) -> Vec<(u64, u32)> {
        relation.parts.iter().flat_map(|part| part.get(blobs).pairs().collect::<Vec<_>>()).collect()
    }

    #[test]
    fn looks_up_and_patches() {
        let blobs = blobs();
        let (a, b, c) = (key(5), key(9), key(2));
        let old = Relation::default().patched(vec![], vec![(a, 1), (a, 2), (b, 1), (c, 7), (a, 2)], &blobs);
        assert_eq!((old.slots(a, &blobs), old.slots(c, &blobs)), (&[1, 2][..], &[7][..]));
        assert_eq!((old.slots(key(3), &blobs), old.pairs), (&[][..], 4));
        let new = old.patched(vec![(a, 1), (b, 1), (key(3), 9)], vec![(c, 6), (a, 2)], &blobs);
        assert_eq!((new.slots(a, &blobs), new.slots(c, &blobs)), (&[2][..], &[6, 7][..]));
        assert_eq!((new.slots(b, &blobs), new.pairs), (&[][..], 3));
        assert_eq!(old.slots(a, &blobs), [1, 2], "the old one is as it was");
    }

    #[test]
    fn many_pairs_are_cut_into_parts_and_few_changes_touch_few_of_them() {
        let blobs = blobs();
        let all: Vec<(u64, u32)> = (0..40_000).map(|number| (key(number), number as u32 % 100)).collect();
        let mut grown = Relation::default();
        for some in all.chunks(7_000) {
            grown = grown.patched(vec![], some.to_vec(), &blobs);
        }
        let at_once = Relation::default().patched(vec![], all.clone(), &blobs);
        assert_eq!(pairs(&grown, &blobs), pairs(&at_once, &blobs));
        assert_eq!(pairs(&at_once, &blobs).len(), 40_000);
        assert_eq!(at_once.parts.len(), 64, "40,000 keys, 1,024 in a part, to the next power of two");
        let unwritten =
            |relation: &Relation| relation.parts.iter().filter(|part| part.blob().is_none()).count();
        let mut written = at_once.clone();
        for part in &mut written.parts {
            use crate::piece::Writable;
            let blob = blobs.write(vec![part.unwritten().unwrap()])[0];
            part.set_blob(blob);
        }
        let (length, places) = written.stored().unwrap();
        let read = Relation::from_stored((length, places)).unwrap();
        assert_eq!(pairs(&read, &blobs), pairs(&at_once, &blobs));
        let patched = read.patched(vec![(key(17), 17)], vec![(key(18), 40)], &blobs);
        assert_eq!(unwritten(&patched), 2, "one part lost a pair, another gained one");
        let touched: BTreeSet<usize> = [key(17), key(18)].map(|key| patched.part_of(kept(key))).into();
        assert_eq!(touched.len(), 2);
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        let part = |keys: &[u64], counts: &[u32], slots: &[u32]| {
            Part::try_from(Packed { keys: keys.into(), counts: counts.into(), slots: slots.into() })
        };
        assert!(part(&[1, 2], &[1, 2], &[4, 1, 1]).is_ok());
        assert!(part(&[1], &[], &[]).is_err(), "a key without a count");
        assert!(part(&[1], &[4], &[1]).is_err(), "fewer slots than counted");
        assert!(part(&[1], &[1], &[1, 2]).is_err(), "more slots than counted");
        assert!(part(&[1], &[0], &[]).is_err(), "a key without slots");
        assert!(part(&[1 << 48], &[1], &[1]).is_err(), "a key that is too large");
        assert!(part(&[1], &[2], &[u32::MAX, 1]).is_err(), "a slot that is too large");
        assert_eq!(Relation::from_stored((0, Vec::new())).map(|_| ()), None);
    }
}
