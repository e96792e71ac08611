//! Bytes as lines. A line ends with its line feed; a carriage return before it belongs to the line.

use memchr::memchr_iter;

/// Where each line of a text begins.
pub(crate) struct LineStarts(Vec<usize>);

impl LineStarts {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr_iter(b'\n', bytes).map(|at| at + 1).filter(|at| *at < bytes.len()));
        Self(starts)
    }

    /// The number (from 1) of the line that the byte at `offset` is on.
    pub(crate) fn number(&self, offset: usize) -> u32 {
        u32::try_from(self.0.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }

    /// Whether a line begins at `offset`.
    pub(crate) fn is_start(&self, offset: usize) -> bool {
        self.0.binary_search(&offset).is_ok()
    }
}

/// The lines of a text, each with its end.
pub(crate) fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// The text without the end of its last line.
pub(crate) fn without_last_line_end(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}
