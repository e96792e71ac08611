//! A many-to-many relation between 64-bit keys and file slots, in sorted arrays.
//!
//! This is the shape in which the state answers "who offers this key" and "who asked for it". Reading
//! it is one copy of each array; a change is one merge pass over them.

use rustc_hash::FxHashSet;

use crate::section::{Reader, Writer};

/// Keys with the file slots that belong to each, both ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Relation {
    keys: Vec<u64>,
    /// Where each key's slots begin in `slots`; one more element than `keys`, unless all is empty.
    starts: Vec<u32>,
    slots: Vec<u32>,
}

impl Relation {
    /// The slots of `key`, ascending; empty for an unknown key.
    pub(crate) fn slots(&self, key: u64) -> &[u32] {
        match self.keys.binary_search(&key) {
            Ok(at) => &self.slots[self.starts[at] as usize..self.starts[at + 1] as usize],
            Err(_) => &[],
        }
    }

    /// Whether it has no pair.
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Every (key, slot) pair, ascending.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.keys.iter().zip(self.starts.windows(2)).flat_map(|(key, bounds)| {
            self.slots[bounds[0] as usize..bounds[1] as usize].iter().map(|slot| (*key, *slot))
        })
    }

    /// This relation without the pairs of `dropped` slots and with `added` pairs.
    pub(crate) fn patched(&self, dropped: &FxHashSet<u32>, mut added: Vec<(u64, u32)>) -> Relation {
        added.sort_unstable();
        added.dedup();
        let mut kept = self.pairs().filter(|(_, slot)| !dropped.contains(slot)).peekable();
        let mut added = added.into_iter().peekable();
        let mut patched = Relation::with_capacity(self.keys.len(), self.slots.len() + added.len());
        loop {
            let pair = match (kept.peek(), added.peek()) {
                (Some(a), Some(b)) if a <= b => kept.next(),
                (Some(_), None) => kept.next(),
                _ => added.next(),
            };
            match pair {
                Some(pair) => patched.push(pair),
                None => break,
            }
        }
        patched
    }

    fn with_capacity(keys: usize, slots: usize) -> Self {
        Self {
            keys: Vec::with_capacity(keys),
            starts: Vec::with_capacity(keys + 1),
            slots: Vec::with_capacity(slots),
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

    pub(crate) fn write(&self, writer: &mut Writer) {
        writer.u64s(&self.keys);
        writer.u32s(&self.starts);
        writer.u32s(&self.slots);
    }

    /// Reads what `write` wrote; none if the arrays do not fit together.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let (keys, starts, slots) = (reader.u64s()?, reader.u32s()?, reader.u32s()?);
        let fits = if keys.is_empty() {
            starts.is_empty() && slots.is_empty()
        } else {
            starts.len() == keys.len() + 1
                && starts[0] == 0
                && starts.is_sorted()
                && starts[keys.len()] as usize == slots.len()
        };
        fits.then_some(Self { keys, starts, slots })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(pairs: &[(u64, u32)]) -> Relation {
        Relation::default().patched(&FxHashSet::default(), pairs.to_vec())
    }

    #[test]
    fn looks_up_and_patches() {
        let old = relation(&[(5, 1), (5, 2), (9, 1), (2, 7)]);
        assert_eq!(old.slots(5), [1, 2]);
        assert_eq!(old.slots(2), [7]);
        assert_eq!(old.slots(3), [] as [u32; 0]);
        let new = old.patched(&FxHashSet::from_iter([1]), vec![(5, 1), (1, 1), (5, 1)]);
        assert_eq!(new.pairs().collect::<Vec<_>>(), [(1, 1), (2, 7), (5, 1), (5, 2)]);
        assert_eq!(new.slots(9), [] as [u32; 0]);
    }

    #[test]
    fn round_trips_and_refuses_arrays_that_do_not_fit() {
        let old = relation(&[(5, 1), (5, 2), (9, 1)]);
        let mut writer = Writer::default();
        old.write(&mut writer);
        let bytes = writer.finish();
        assert_eq!(Relation::read(&mut Reader::new(&bytes)), Some(old));
        let mut writer = Writer::default();
        writer.u64s(&[1]);
        writer.u32s(&[0, 4]);
        writer.u32s(&[1]);
        assert_eq!(Relation::read(&mut Reader::new(&writer.finish())), None);
    }
}
