use bindery_source::{ContentHash, KeyHasher};

/// Where a blob lies. Plain numbers, to be kept in the state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlobRef {
    /// The segment's name.
    pub segment: u64,
    /// Where the blob's record begins.
    pub offset: u64,
    /// Bytes of the payload.
    pub length: u64,
}

impl BlobRef {
    /// Bytes the blob takes in its segment.
    pub fn length_on_disk(&self) -> u64 {
        record_length(self.length)
    }
}

const SEGMENT_MAGIC: &[u8; 8] = b"BINDSEG2";
const STATE_MAGIC: &[u8; 8] = b"BINDSTA1";

/// Length, the beginnings of the key and of the checksum: there are three or four records for a file, and
/// whole hashes would be a tenth of the cache. 128 bits of BLAKE3 tell everything apart that happens by
/// accident; of the key, which the place implies and the checksum covers, 64 bits do.
const RECORD_HEADER: usize = 8 + KEY + CHECK;
const KEY: usize = 8;
const CHECK: usize = 16;

/// A segment ready to be written.
pub(super) struct Segment {
    pub(super) name: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) places: Vec<BlobRef>,
}

/// Lays out blobs one after the other. The name follows from keys and checksums, so equal segments have
/// equal names on every machine and writing one twice is harmless.
pub(super) fn segment_of(blobs: &[(ContentHash, Vec<u8>)]) -> Segment {
    let total: usize = blobs.iter().map(|(_, payload)| RECORD_HEADER + payload.len()).sum();
    let mut bytes = Vec::with_capacity(SEGMENT_MAGIC.len() + total);
    bytes.extend_from_slice(SEGMENT_MAGIC);
    let mut name = KeyHasher::new("segment");
    let mut places = Vec::with_capacity(blobs.len());
    for (key, payload) in blobs {
        let key = beginning(*key);
        let check = checksum(key, payload);
        name.field("record", &check);
        places.push(BlobRef { segment: 0, offset: bytes.len() as u64, length: payload.len() as u64 });
        bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&key);
        bytes.extend_from_slice(&check);
        bytes.extend_from_slice(payload);
    }
    let name = name.finish64().0;
    places.iter_mut().for_each(|place| place.segment = name);
    Segment { name, bytes, places }
}

/// The checksum covers the key too: a payload under another's header is as bad as a flipped bit.
fn checksum(key: [u8; KEY], payload: &[u8]) -> [u8; CHECK] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&key);
    hasher.update(&(payload.len() as u64).to_le_bytes());
    hasher.update(payload);
    beginning(ContentHash(*hasher.finalize().as_bytes()))
}

fn beginning<const N: usize>(hash: ContentHash) -> [u8; N] {
    *hash.0.first_chunk().expect("a hash has 32 bytes, more than any header takes of it")
}

/// Bytes on disk of a blob with so many bytes of payload.
pub(super) fn record_length(payload: u64) -> u64 {
    payload.saturating_add(RECORD_HEADER as u64)
}

/// The payload of a record, if it has this length and key and its checksum is right.
pub(super) fn payload(mut record: Vec<u8>, length: u64, key: ContentHash) -> Option<Vec<u8>> {
    let header = read_header(&record)?;
    let whole = record.len() as u64 == record_length(length) && header.length == length;
    if !whole
        || header.key != beginning(key)
        || header.check != checksum(header.key, &record[RECORD_HEADER..])
    {
        return None;
    }
    record.drain(..RECORD_HEADER);
    Some(record)
}

struct RecordHeader {
    length: u64,
    key: [u8; KEY],
    check: [u8; CHECK],
}

fn read_header(record: &[u8]) -> Option<RecordHeader> {
    let (length, rest) = record.split_first_chunk::<8>()?;
    let (key, rest) = rest.split_first_chunk()?;
    let (check, _) = rest.split_first_chunk()?;
    Some(RecordHeader { length: u64::from_le_bytes(*length), key: *key, check: *check })
}

/// Reads a whole segment record by record: for each, where it begins and whether it is good. Ends at the
/// first record whose length leads out of the segment.
pub(super) fn checked_records(bytes: &[u8]) -> Vec<(u64, bool)> {
    let mut records = Vec::new();
    if !bytes.starts_with(SEGMENT_MAGIC) {
        return vec![(0, false)];
    }
    let mut offset = SEGMENT_MAGIC.len();
    while offset < bytes.len() {
        let rest = &bytes[offset..];
        let header = read_header(rest);
        let end = header.as_ref().and_then(|header| usize::try_from(record_length(header.length)).ok());
        let (Some(header), Some(record)) = (header, end.and_then(|end| rest.get(..end))) else {
            records.push((offset as u64, false));
            return records;
        };
        let good = checksum(header.key, &record[RECORD_HEADER..]) == header.check;
        records.push((offset as u64, good));
        offset += record.len();
    }
    records
}

/// The contents of a state file.
pub(super) fn state_file(state: &[u8]) -> Vec<u8> {
    let hash = ContentHash::of(state);
    [STATE_MAGIC.as_slice(), &(state.len() as u64).to_le_bytes(), &hash.0, state].concat()
}

/// The state in a state file, if it is whole and the one with this hash.
pub(super) fn state_in(mut file: Vec<u8>, expected: ContentHash) -> Option<Vec<u8>> {
    let rest = file.strip_prefix(STATE_MAGIC)?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let (hash, state) = rest.split_first_chunk::<32>()?;
    let whole = u64::from_le_bytes(*length) == state.len() as u64;
    if !whole || *hash != expected.0 || ContentHash::of(state) != expected {
        return None;
    }
    let start = file.len() - state.len();
    file.drain(..start);
    Some(file)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// R7: what a record and a segment's name are checked by, each input flipped once.
    #[test]
    fn every_input_of_a_records_checksum_and_a_segments_name_shows() {
        let (one, two) = (ContentHash::of(b"1"), ContentHash::of(b"2"));
        let checksum = |key, payload: &[u8]| checksum(beginning(key), payload);
        let checks = [
            checksum(one, b"ab"),
            checksum(two, b"ab"),
            checksum(one, b"ac"),
            checksum(one, b"a"),
            checksum(one, b"ab\0"),
        ];
        assert_eq!(checks.iter().collect::<BTreeSet<_>>().len(), checks.len());
        let name = |blobs: &[(ContentHash, &[u8])]| {
            segment_of(&blobs.iter().map(|(key, payload)| (*key, payload.to_vec())).collect::<Vec<_>>()).name
        };
        let names = [
            name(&[(one, b"a"), (two, b"b")]),
            name(&[(two, b"b"), (one, b"a")]),
            name(&[(two, b"a"), (one, b"b")]),
            name(&[(one, b"a")]),
            name(&[(one, b"a"), (two, b"c")]),
            name(&[(one, b"a"), (two, b"b"), (two, b"b")]),
            name(&[(one, b"ab"), (two, b"")]),
        ];
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        assert_eq!(name(&[(one, b"a"), (two, b"b")]), names[0]);
    }

    #[test]
    fn every_bit_of_a_record_and_of_a_state_file_is_checked() {
        let key = ContentHash::of(b"key");
        let segment = segment_of(&[(key, b"payload".to_vec())]);
        let record = segment.bytes[SEGMENT_MAGIC.len()..].to_vec();
        assert_eq!(payload(record.clone(), 7, key).as_deref(), Some(&b"payload"[..]));
        assert_eq!(payload(record.clone(), 6, key), None, "another length than the state says");
        assert_eq!(payload(record.clone(), 7, ContentHash::of(b"other")), None, "another key");
        let file = state_file(b"state");
        let hash = ContentHash::of(b"state");
        assert_eq!(state_in(file.clone(), hash).as_deref(), Some(&b"state"[..]));
        assert_eq!(state_in(file.clone(), ContentHash::of(b"other")), None);
        for bit in 0..record.len() * 8 {
            let mut damaged = record.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(payload(damaged, 7, key), None, "bit {bit} of the record");
        }
        for bit in 0..file.len() * 8 {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(state_in(damaged, hash), None, "bit {bit} of the state file");
        }
    }
}
