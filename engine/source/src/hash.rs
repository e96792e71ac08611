use std::fmt;

use serde::{Deserialize, Serialize};

/// The BLAKE3 of a byte string: a file's contents, a page, a cache key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Hashes `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// 64 lower-case hexadecimal digits.
    pub fn to_hex(self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    /// Reads what [`ContentHash::to_hex`] wrote; none for anything else.
    pub fn from_hex(hex: &str) -> Option<Self> {
        blake3::Hash::from_hex(hex).ok().map(|hash| Self(*hash.as_bytes()))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex()[..16])
    }
}

/// The first eight bytes of a BLAKE3, where a collision costs time but never correctness, or where
/// 64 bits are enough for a change to show (lookup keys and fingerprints).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Digest64(pub u64);

/// Hashes a sequence of fields so that no two different sequences collide by concatenation: every
/// field enters with its tag and its length.
///
/// The fields are collected and hashed at once: keys are short, and an incremental hasher takes longer to
/// set up and feed (2 KB of state, a call for each length) than one block takes to hash.
pub struct KeyHasher(Vec<u8>);

impl KeyHasher {
    /// Starts a key of the given kind (`"facts"`, `"page"`).
    pub fn new(kind: &str) -> Self {
        let mut hasher = Self(Vec::with_capacity(256));
        hasher.field("kind", kind.as_bytes());
        hasher
    }

    /// Adds one field.
    pub fn field(&mut self, tag: &str, value: &[u8]) -> &mut Self {
        for part in [tag.as_bytes(), value] {
            self.0.extend_from_slice(&(part.len() as u64).to_le_bytes());
            self.0.extend_from_slice(part);
        }
        self
    }

    /// The full hash of all fields so far.
    pub fn finish(&self) -> ContentHash {
        ContentHash::of(&self.0)
    }

    /// The short hash of all fields so far.
    pub fn finish64(&self) -> Digest64 {
        let bytes = self.finish().0;
        let mut first = [0; 8];
        first.copy_from_slice(&bytes[..8]);
        Digest64(u64::from_le_bytes(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_run_into_each_other() {
        let key = |a: &str, b: &str| KeyHasher::new("t").field(a, b.as_bytes()).finish();
        assert_ne!(key("a", "bc"), key("ab", "c"));
        assert_eq!(key("a", "bc"), key("a", "bc"));
    }

    #[test]
    fn hex_round_trips() {
        let hash = ContentHash::of(b"x");
        assert_eq!(ContentHash::from_hex(&hash.to_hex()), Some(hash));
        assert_eq!(ContentHash::from_hex("xyz"), None);
    }
}
