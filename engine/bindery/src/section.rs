//! The state file's outer shape: length-prefixed values, one after the other.

use serde::{Serialize, de::DeserializeOwned};

/// Appends length-prefixed values.
#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend((bytes.len() as u64).to_le_bytes());
        self.0.extend(bytes);
    }

    pub(crate) fn value<T: Serialize>(&mut self, value: &T) {
        let bytes =
            postcard::to_stdvec(value).expect("the state holds only plain values, which postcard writes");
        self.bytes(&bytes);
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads what a [`Writer`] wrote; every method gives none at the end or on damage.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let (length, rest) = self.0.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (bytes, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn value<T: DeserializeOwned>(&mut self) -> Option<T> {
        postcard::from_bytes(self.bytes()?).ok()
    }
}
