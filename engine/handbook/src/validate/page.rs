use std::collections::BTreeSet;

/// What a file of any form links to, loads, and can be linked to by.
#[derive(Default)]
pub(crate) struct Page {
    /// Targets of links as they are written, with the lines they stand on.
    pub(crate) links: Vec<(String, u32)>,
    /// What a reader's program loads by itself: scripts, styles, pictures.
    pub(super) loads: Vec<(String, u32)>,
    /// The names links can lead to.
    pub(crate) anchors: BTreeSet<String>,
    /// Names that were there before.
    pub(crate) repeated: Vec<(String, u32)>,
}

impl Page {
    pub(super) fn add_anchor(&mut self, name: &str, line: u32) {
        if !self.anchors.insert(name.to_owned()) {
            self.repeated.push((name.to_owned(), line));
        }
    }
}

/// Where the lines of a text end. Pages of large stages have thousands of links: the line of each is looked up,
/// not counted.
pub(super) struct Lines(Vec<usize>);

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// The line a byte offset lies on, from 1.
    pub(super) fn at(&self, offset: usize) -> u32 {
        self.0.partition_point(|end| *end < offset) as u32 + 1
    }
}
