use std::cell::RefCell;
use std::fmt;

use serde::{Serialize, de::DeserializeOwned};
use zstd::bulk::{Compressor, Decompressor};

use crate::pack::{pack, unpack};

/// A blob did not decode. The caller treats it as missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError(pub(crate) &'static str);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for DecodeError {}

/// The largest value [`decode`] unpacks; a blob that claims more is damaged.
const MAX_DECODED: usize = 1 << 30;

/// How much larger than its blob a value can be. The compressor alone would go further, and then a damaged
/// length could make [`decode`] ask for memory that nothing on disk is the reason for.
const MAX_EXPANSION: usize = 1024;

/// Measured over the facts of Django 5.2 (2,823 files, 18.1 MB of source), bodies and display data in one
/// blob for each file, one core; postcard is what was here before, and LZ4 (`lz4_flex`) was its compressor:
///
/// | layout | plain | LZ4 | Zstandard 1 | Zstandard 3 |
/// |---|---|---|---|---|
/// | postcard | 20.2 MB | 11.8 MB; 57 ms, back in 10 ms | 9.8 MB; 80 ms, 32 ms | 9.4 MB; 101 ms, 36 ms |
/// | columns, bodies alone | 10.0 MB | 5.6 MB | 4.2 MB | 4.1 MB |
///
/// Neither part does it alone. An ideal order-0 coder with a model for each column would reach 3.5 MB in the
/// last line, at ten times the time for reading. In all, facts went from 14.9 MB (0.16 s to pack, 0.16 s to
/// unpack) to 6.1 MB (0.33 s and 0.26 s); a full build packs them once instead of twice and unpacks the
/// bodies twice instead of four times, and takes no longer. The library costs 24 s of CPU to build; it is
/// under the BSD licences of two and three clauses.
const LEVEL: i32 = 3;

/// Begins a frame that a decompressor skips (RFC 8878, 3.1.2); its length follows in four bytes.
const SKIPPED_FRAME: [u8; 4] = 0x184D_2A50_u32.to_le_bytes();

thread_local! {
    // Setting one up costs about as much as packing a small file.
    static COMPRESSOR: RefCell<Compressor<'static>> =
        RefCell::new(Compressor::new(LEVEL).expect("there is memory for a compressor"));
    static DECOMPRESSOR: RefCell<Decompressor<'static>> =
        RefCell::new(Decompressor::new().expect("there is memory for a decompressor"));
}

/// Packs a value for the disk or a pipe: in columns, then Zstandard with the length in front.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    let packed = pack(value);
    let mut blob = (packed.len() as u32).to_le_bytes().to_vec();
    let frame = COMPRESSOR.with_borrow_mut(|compressor| compressor.compress(&packed));
    blob.extend(frame.expect("there is memory for what is compressed"));
    let missing = (packed.len() / MAX_EXPANSION).saturating_sub(blob.len());
    if missing > 0 {
        blob.extend(SKIPPED_FRAME);
        blob.extend((missing as u32).to_le_bytes());
        blob.resize(blob.len() + missing, 0);
    }
    blob
}

/// Unpacks what [`encode`] wrote. Bytes that were damaged give an error, never a panic or a huge
/// allocation; callers check a checksum first all the same.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    let (size, frames) =
        bytes.split_first_chunk::<4>().ok_or(DecodeError("blob is shorter than its header"))?;
    let size = u32::from_le_bytes(*size) as usize;
    if size > MAX_DECODED || size / MAX_EXPANSION > bytes.len() {
        return Err(DecodeError("blob claims an impossible length"));
    }
    let packed = DECOMPRESSOR
        .with_borrow_mut(|decompressor| decompressor.decompress(frames, size))
        .map_err(|_| DecodeError("blob does not decompress"))?;
    if packed.len() != size {
        return Err(DecodeError("blob is shorter than it claims"));
    }
    unpack(&packed)
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

    #[test]
    fn what_compresses_too_well_is_padded() {
        let value = vec![0u32; 10_000_000];
        let blob = encode(&value);
        assert!(blob.len() >= 10_000_000 / MAX_EXPANSION, "{} bytes", blob.len());
        assert_eq!(decode::<Vec<u32>>(&blob), Ok(value));
        let mut claims_more = blob.clone();
        claims_more[..4].copy_from_slice(&(MAX_DECODED as u32).to_le_bytes());
        assert_eq!(decode::<Vec<u32>>(&claims_more), Err(DecodeError("blob claims an impossible length")));
    }
}
