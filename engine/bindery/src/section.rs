//! The state file's outer shape: length-prefixed values, one after the other.

use serde::{Serialize, de::DeserializeOwned};

/// Appends length-prefixed values.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    /// With room for `bytes` bytes before it grows.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    pub(crate) fn value<T: Serialize>(&mut self, value: &T) {
        let start = self.0.len();
        self.0.extend([0; 8]);
        let bytes = postcard::to_extend(value, std::mem::take(&mut self.0));
        self.0 = bytes.expect("the state holds only plain values, which postcard writes");
        let length = (self.0.len() - start - 8) as u64;
        self.0[start..start + 8].copy_from_slice(&length.to_le_bytes());
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

    /// Bytes not yet read.
    pub(crate) fn left(&self) -> usize {
        self.0.len()
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
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
