//! The layout of a packed value: a serde format that sorts what it writes into columns.
//!
//! Postcard writes field after field; bytes of one meaning then lie far apart, and a compressor finds
//! little. Here every field of every type has two columns, one for what chooses (variants, options,
//! lengths, yes or no) and one for what counts (numbers, names). Numbers are differences to the one before
//! in their column, in as few bytes as they need: positions and indices mostly take one. Every text is
//! written once, and where it first occurs only its length is; a text that is the two before it joined by
//! a dot (owner, name, qualname) is not written at all.
//!
//! Columns are numbered as types first occur, by the writer and the reader alike, so nothing about types is
//! stored. Packed, before compression:
//!
//! | part | |
//! |---|---|
//! | number of columns, length of each | as few bytes as they need, seven bits each, lowest first |
//! | the columns | one after the other; the first has the lengths of the texts |
//! | the texts | UTF-8, one after the other, in order of first occurrence |
//!
//! As with postcard, a value can only be read as the type it was written as. What is read is checked against
//! what is there: no length makes anything be allocated, and damage is an error.

mod reader;
mod writer;

pub(crate) use reader::unpack;
pub(crate) use writer::pack;

/// Codes in a column of texts; what is above stands for a text that was there before.
const NEW_TEXT: u64 = 0;
const JOINED_TEXT: u64 = 1;
const KNOWN_TEXTS: u64 = 2;

/// A place in the layout: a pair of columns.
type Field = usize;

/// The field of a value that is no part of another.
const ROOT: Field = 1;
/// What stands for the variant where there is none.
const NO_VARIANT: u32 = u32::MAX;

/// Which fields there are, in the order in which they first occurred.
struct Layout {
    groups: Vec<Group>,
    /// Where in `groups` a type was last found, by a hash of what identifies it.
    recent: [u16; 128],
    fields: usize,
}

/// The fields of a struct, of a variant, or of the tuples at one place.
struct Group {
    name: &'static str,
    variant: u32,
    count: usize,
    first: Field,
}

impl Group {
    #[inline]
    fn is(&self, name: &'static str, variant: u32, count: usize) -> bool {
        (self.variant, self.count) == (variant, count) && (std::ptr::eq(self.name, name) || self.name == name)
    }
}

impl Layout {
    fn new() -> Self {
        Self { groups: Vec::new(), recent: [0; 128], fields: ROOT + 1 }
    }

    /// The first of the `count` fields of a type, which are new if the type is.
    #[inline]
    fn first_field(&mut self, name: &'static str, variant: u32, count: usize) -> Field {
        let initial = name.bytes().next().unwrap_or_default();
        let slot = (usize::from(initial) + 5 * name.len() + 11 * variant as usize) % self.recent.len();
        match self.groups.get(usize::from(self.recent[slot])) {
            Some(group) if group.is(name, variant, count) => group.first,
            _ => self.find(slot, name, variant, count),
        }
    }

    fn find(&mut self, slot: usize, name: &'static str, variant: u32, count: usize) -> Field {
        let at = self.groups.iter().position(|group| group.is(name, variant, count)).unwrap_or_else(|| {
            self.groups.push(Group { name, variant, count, first: self.fields });
            self.fields += count;
            self.groups.len() - 1
        });
        self.recent[slot] = u16::try_from(at).unwrap_or_default();
        self.groups[at].first
    }
}

/// Numbers below zero and above it in turn, so that small ones of either sign are small.
fn zigzag(difference: i64) -> u64 {
    ((difference << 1) ^ (difference >> 63)) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
    struct Everything {
        numbers: (u8, u16, u32, u64, i8, i16, i32, i64),
        extremes: Vec<(u64, i64)>,
        floats: (f32, f64),
        character: char,
        is_true: bool,
        texts: Vec<String>,
        nothing: (),
        maybe: [Option<Option<u32>>; 3],
        kinds: Vec<Kind>,
        map: BTreeMap<String, Kind>,
        array: [u8; 32],
    }

    #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
    enum Kind {
        Unit,
        Newtype(Box<Kind>),
        Tuple(u32, String),
        Fields { name: String, kinds: Vec<Kind> },
    }

    fn everything() -> Everything {
        let kinds = vec![
            Kind::Unit,
            Kind::Newtype(Box::new(Kind::Tuple(7, "seven".to_owned()))),
            Kind::Fields {
                name: "é".to_owned(),
                kinds: vec![Kind::Unit, Kind::Tuple(9, "seven".to_owned())],
            },
        ];
        Everything {
            numbers: (u8::MAX, u16::MAX, u32::MAX, u64::MAX, i8::MIN, i16::MIN, i32::MIN, i64::MIN),
            extremes: vec![(0, 0), (u64::MAX, i64::MAX), (1, i64::MIN), (u64::MAX, 0)],
            floats: (0.5, -1.25),
            character: 'ß',
            is_true: true,
            texts: ["", "a", "b", "a.b", "b", "", ".", "a.b"].map(str::to_owned).to_vec(),
            nothing: (),
            maybe: [None, Some(None), Some(Some(3))],
            map: BTreeMap::from([("x".to_owned(), Kind::Unit), ("y".to_owned(), kinds[1].clone())]),
            kinds,
            array: [0xA5; 32],
        }
    }

    #[test]
    fn every_shape_round_trips() {
        let packed = pack(&everything());
        assert_eq!(unpack(&packed), Ok(everything()));
    }

    #[test]
    fn a_text_is_written_once_and_a_joined_one_never() {
        let once = pack(&vec!["owner", "name", "owner.name", "name"]);
        let text = String::from_utf8_lossy(&once);
        assert_eq!(text.matches("owner").count(), 1);
        assert_eq!(text.matches("name").count(), 1);
    }

    #[test]
    fn damage_is_an_error() {
        let packed = pack(&everything());
        for length in 0..packed.len() {
            assert!(unpack::<Everything>(&packed[..length]).is_err(), "cut to {length} bytes");
        }
        let longer = [&packed[..], b"x"].concat();
        assert!(unpack::<Everything>(&longer).is_err(), "a rest that nothing asked for");
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 0xFF;
            // It may be another value; it must not be a panic.
            let _ = unpack::<Everything>(&damaged);
        }
        assert!(unpack::<Vec<u64>>(&[0xFF; 64]).is_err());
    }

    #[test]
    fn differences_of_either_sign_are_small() {
        assert_eq!([0, -1, 1, -2, i64::MAX, i64::MIN].map(zigzag), [0, 1, 2, 3, u64::MAX - 1, u64::MAX]);
        for difference in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(unzigzag(zigzag(difference)), difference);
        }
    }
}
