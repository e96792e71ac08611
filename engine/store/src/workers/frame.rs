use bindery_source::ContentHash;

/// Mark, length, checksum.
pub(super) const HEADER: usize = 1 + 8 + 8;

/// The first byte of every frame.
const MARK: u8 = b'M';

/// Longer frames are nonsense: a file of 10 MiB and its facts stay far below.
const LONGEST: u64 = 1 << 31;

/// A frame's header, once it has been checked for sense.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameHeader {
    pub(super) length: usize,
    check: [u8; 8],
}

pub(super) fn header_of(payload: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[0] = MARK;
    header[1..9].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    header[9..].copy_from_slice(&check(payload));
    header
}

/// None for what no worker and no pool ever sends, such as a stray line printed to stdout.
pub(super) fn parse_header(bytes: &[u8; HEADER]) -> Option<FrameHeader> {
    let (mark, rest) = bytes.split_first()?;
    let (length, check) = rest.split_first_chunk::<8>()?;
    let length = u64::from_le_bytes(*length);
    let check = *check.first_chunk::<8>()?;
    let is_frame = *mark == MARK && length <= LONGEST;
    is_frame.then_some(FrameHeader { length: usize::try_from(length).ok()?, check })
}

impl FrameHeader {
    pub(super) fn fits(&self, payload: &[u8]) -> bool {
        payload.len() == self.length && check(payload) == self.check
    }
}

fn check(payload: &[u8]) -> [u8; 8] {
    let hash = ContentHash::of(payload).0;
    let mut first = [0; 8];
    first.copy_from_slice(&hash[..8]);
    first
}
