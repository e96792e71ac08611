//! The parts of the state that are read only when they are asked for.
//!
//! A [`Piece`] is one value in one blob; [`Slots`] are an array cut into pieces. A run that changes one file
//! reads and writes the few pieces that mention it and refers to all others where they lie. Measured on
//! django after one edit (2,823 files): a state read and written whole cost 70 MB of memory and 45 of 90 ms.
//!
//! A piece that cannot be read is remembered in [`Blobs`] and looks empty; whoever makes something of what
//! was read asks [`Blobs::check_lost`] first.

use std::sync::{Arc, OnceLock};

use bindery_source::ContentHash;
use serde::{Serialize, de::DeserializeOwned};

use crate::blobs::{Blob, Blobs};

/// A value as the blobs hold it.
pub(crate) trait Stored: Serialize + DeserializeOwned + Default + Clone {}

impl<T: Serialize + DeserializeOwned + Default + Clone> Stored for T {}

/// One value, in memory, in a blob, or both.
#[derive(Clone, Debug)]
pub(crate) struct Piece<T> {
    /// Where it lies; none if it is not what any blob holds.
    blob: Option<Blob>,
    value: OnceLock<Arc<T>>,
}

impl<T> Piece<T> {
    /// A value that no blob holds yet.
    pub(crate) fn new(value: T) -> Self {
        Self { blob: None, value: OnceLock::from(Arc::new(value)) }
    }

    /// A value that `blob` holds.
    pub(crate) fn stored(blob: Blob) -> Self {
        Self { blob: Some(blob), value: OnceLock::new() }
    }

    /// Where it lies, if it lies anywhere as it is.
    pub(crate) fn blob(&self) -> Option<Blob> {
        self.blob
    }
}

impl<T: Default> Default for Piece<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Stored> Piece<T> {
    /// The value, read if need be.
    pub(crate) fn get(&self, blobs: &Blobs) -> &T {
        self.value.get_or_init(|| {
            let read = self.blob.as_ref().and_then(|blob| blobs.read(blob));
            let value = read.and_then(|bytes| postcard::from_bytes(&bytes).ok());
            Arc::new(value.unwrap_or_else(|| {
                blobs.note_lost();
                T::default()
            }))
        })
    }

    /// The value for changing; it then lies nowhere until it is written.
    pub(crate) fn get_mut(&mut self, blobs: &Blobs) -> &mut T {
        self.get(blobs);
        self.blob = None;
        Arc::make_mut(self.value.get_mut().expect("it was read just above"))
    }
}

/// What writing asks of a piece, whatever its value.
pub(crate) trait Writable {
    /// What to write, if no blob holds the value.
    fn unwritten(&self) -> Option<(ContentHash, Vec<u8>)>;

    /// Where it lies, if it lies anywhere as it is.
    fn place(&self) -> Option<Blob>;

    /// Says where it lies now.
    fn set_blob(&mut self, blob: Blob);
}

impl<T: Stored> Writable for Piece<T> {
    fn unwritten(&self) -> Option<(ContentHash, Vec<u8>)> {
        let value = self.value.get().filter(|_| self.blob.is_none())?;
        let bytes =
            postcard::to_stdvec(&**value).expect("the state holds only plain values, which postcard writes");
        Some((ContentHash::of(&bytes), bytes))
    }

    fn place(&self) -> Option<Blob> {
        self.blob
    }

    fn set_blob(&mut self, blob: Blob) {
        self.blob = Some(blob);
    }
}

/// Slots in one piece.
pub(crate) const PER_PIECE: usize = 64;

/// Values by slot. A slot without one is free.
#[derive(Clone, Debug)]
pub(crate) struct Slots<T> {
    pub(crate) pieces: Vec<Piece<Vec<Option<T>>>>,
    /// One more than the highest slot ever used.
    length: usize,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { pieces: Vec::new(), length: 0 }
    }
}

impl<T: Serialize + DeserializeOwned + Clone> Slots<T> {
    /// How to find it again; none while a piece lies nowhere.
    pub(crate) fn stored(&self) -> Option<(usize, Vec<Blob>)> {
        Some((self.length, self.pieces.iter().map(Piece::blob).collect::<Option<_>>()?))
    }

    /// From what [`Slots::stored`] gave.
    pub(crate) fn from_stored((length, blobs): (usize, Vec<Blob>)) -> Self {
        Self { pieces: blobs.into_iter().map(Piece::stored).collect(), length }
    }

    /// One more than the highest slot ever used.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// The value in a slot.
    pub(crate) fn get(&self, slot: u32, blobs: &Blobs) -> Option<&T> {
        let piece = self.pieces.get(slot as usize / PER_PIECE)?;
        piece.get(blobs).get(slot as usize % PER_PIECE)?.as_ref()
    }

    /// The value in a slot, for changing; none for a free slot.
    pub(crate) fn get_mut(&mut self, slot: u32, blobs: &Blobs) -> Option<&mut T> {
        self.get(slot, blobs)?;
        let piece = self.pieces.get_mut(slot as usize / PER_PIECE)?;
        piece.get_mut(blobs).get_mut(slot as usize % PER_PIECE)?.as_mut()
    }

    /// Sets or frees a slot.
    pub(crate) fn set(&mut self, slot: u32, value: Option<T>, blobs: &Blobs) {
        let slot = slot as usize;
        while self.pieces.len() <= slot / PER_PIECE {
            self.pieces.push(Piece::default());
        }
        let piece = self.pieces[slot / PER_PIECE].get_mut(blobs);
        if piece.len() <= slot % PER_PIECE {
            piece.resize(slot % PER_PIECE + 1, None);
        }
        piece[slot % PER_PIECE] = value;
        self.length = self.length.max(slot + 1);
    }

    /// Every used slot with its value, ascending. Reads everything.
    pub(crate) fn iter<'a>(&'a self, blobs: &'a Blobs) -> impl Iterator<Item = (u32, &'a T)> {
        self.pieces.iter().enumerate().flat_map(move |(at, piece)| {
            let values = piece.get(blobs).iter().enumerate();
            values
                .filter_map(move |(within, value)| Some(((at * PER_PIECE + within) as u32, value.as_ref()?)))
        })
    }
}
