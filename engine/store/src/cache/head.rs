use bindery_source::ContentHash;

/// Which `HEAD` the store had when its state was read. None: there was none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HeadVersion(pub(super) Option<ContentHash>);

/// The contents of `HEAD`: which state is current, and which segments it refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Head {
    pub(super) state: ContentHash,
    pub(super) segments: Vec<u64>,
}

const FIRST_LINE: &str = "bindery cache 1";

impl Head {
    /// Lines of text, the last of which is the checksum of the others.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut text = format!("{FIRST_LINE}\nstate {}\n", self.state.to_hex());
        for segment in &self.segments {
            text.push_str(&format!("segment {segment:016x}\n"));
        }
        let check = ContentHash::of(text.as_bytes()).to_hex();
        text.push_str(&format!("check {check}\n"));
        text.into_bytes()
    }

    /// Reads it back; none for anything that is not exactly what was written.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let body_end = text.strip_suffix('\n')?.rfind('\n')? + 1;
        let check = text[body_end..].strip_prefix("check ")?.strip_suffix('\n')?;
        if check != ContentHash::of(&bytes[..body_end]).to_hex() {
            return None;
        }
        let mut lines = text[..body_end].lines();
        (lines.next()? == FIRST_LINE).then_some(())?;
        let state = ContentHash::from_hex(lines.next()?.strip_prefix("state ")?)?;
        let segment = |line: &str| u64::from_str_radix(line.strip_prefix("segment ")?, 16).ok();
        Some(Self { state, segments: lines.map(segment).collect::<Option<_>>()? })
    }

    /// The name of the file the state is in.
    pub(super) fn state_name(&self) -> String {
        state_name(self.state)
    }
}

pub(super) fn state_name(state: ContentHash) -> String {
    format!("state-{}", &state.to_hex()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R7: a head is what was written, to the bit.
    #[test]
    fn every_bit_of_a_head_is_checked() {
        let head = Head { state: ContentHash::of(b"state"), segments: vec![1, 0xabc] };
        let bytes = head.to_bytes();
        assert_eq!(Head::parse(&bytes), Some(head.clone()));
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Head::parse(&damaged), None, "bit {bit}");
        }
        for other in [
            Head { state: ContentHash::of(b"other"), ..head.clone() },
            Head { segments: vec![1], ..head.clone() },
            Head { segments: vec![0xabc, 1], ..head.clone() },
        ] {
            assert_ne!(other.to_bytes(), bytes);
        }
    }
}
