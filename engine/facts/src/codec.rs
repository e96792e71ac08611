use std::fmt;

use serde::{Serialize, de::DeserializeOwned};

/// A blob did not decode. The caller treats it as missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError(&'static str);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for DecodeError {}

/// The largest value [`decode`] unpacks; a blob that claims more is damaged.
const MAX_DECODED: usize = 1 << 30;

/// Packs a value for the disk or a pipe: postcard, then LZ4 with the length in front.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    let plain = postcard::to_stdvec(value).expect("facts hold only plain values, which postcard writes");
    lz4_flex::compress_prepend_size(&plain)
}

/// Unpacks what [`encode`] wrote. Bytes that were damaged give an error, never a panic or a huge
/// allocation; callers check a checksum first all the same.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    let (size, rest) =
        bytes.split_first_chunk::<4>().ok_or(DecodeError("blob is shorter than its header"))?;
    let size = u32::from_le_bytes(*size) as usize;
    // LZ4 expands at most 255 times, so a larger claim is damage.
    if size > MAX_DECODED || size / 255 > rest.len() {
        return Err(DecodeError("blob claims an impossible length"));
    }
    let plain = lz4_flex::decompress(rest, size).map_err(|_| DecodeError("blob does not decompress"))?;
    postcard::from_bytes(&plain).map_err(|_| DecodeError("blob does not decode"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_damage() {
        let value = vec![("a".to_owned(), 7u32); 100];
        let blob = encode(&value);
        assert_eq!(decode::<Vec<(String, u32)>>(&blob), Ok(value));
        assert!(decode::<Vec<(String, u32)>>(&blob[..blob.len() - 1]).is_err());
        assert!(decode::<Vec<(String, u32)>>(&[0xff; 40]).is_err());
        assert!(decode::<Vec<(String, u32)>>(&[]).is_err());
    }
}
