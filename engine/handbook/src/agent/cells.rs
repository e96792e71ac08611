//! Fields: what may stand in one, and how much.

use std::borrow::Cow;

use bindery_artifacts::escape::Tsv;
use bindery_source::RepoPath;

/// Characters of a name at most. Longer ones are cut, which no name that a person types is.
pub const MOST_NAME: usize = 200;

/// Characters of a signature, purpose, title or description at most.
pub const MOST_TEXT: usize = 300;

/// What marks a location outside the set.
pub(super) const BOUNDARY: &str = "boundary:";

/// A row under construction: fields with tabs between.
#[derive(Default)]
pub(super) struct Row {
    tsv: Tsv,
    has_fields: bool,
}

impl Row {
    pub(super) fn text(&mut self, text: &str, most: usize) -> &mut Self {
        self.next();
        self.tsv.field(&capped(text, most));
        self
    }

    pub(super) fn number(&mut self, number: u64) -> &mut Self {
        self.next();
        self.tsv.number(number);
        self
    }

    /// Where a file lies. Paths are never cut: a cut path leads nowhere.
    pub(super) fn path(&mut self, path: &str) -> &mut Self {
        self.next();
        self.tsv.field(&unmistakable(path));
        self
    }

    /// A line, or with `end` lines, of a file.
    pub(super) fn location(&mut self, path: &str, line: u32, end: Option<u32>) -> &mut Self {
        self.path(path);
        self.tsv.markup(":").number(line.into());
        if let Some(end) = end {
            self.tsv.markup("-").number(end.into());
        }
        self
    }

    /// The place of what an import names outside the set.
    pub(super) fn boundary(&mut self, specifier: &str) -> &mut Self {
        self.next();
        self.tsv.markup(BOUNDARY).field(&capped(specifier, MOST_NAME));
        self
    }

    fn next(&mut self) {
        if std::mem::replace(&mut self.has_fields, true) {
            self.tsv.markup("\t");
        }
    }

    pub(super) fn finish(self) -> String {
        self.tsv.finish()
    }
}

/// The text, cut after `most` characters.
pub(super) fn capped(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.chars().take(most - 1).chain(['…']).collect()),
    }
}

/// A path that cannot be taken for a boundary.
fn unmistakable(path: &str) -> String {
    let prefix = if path.starts_with(BOUNDARY) { "./" } else { "" };
    format!("{prefix}{path}")
}

/// A path as it stands in the tables.
pub fn escaped_path(path: &RepoPath) -> String {
    let mut row = Row::default();
    row.path(path.as_str());
    row.finish()
}

/// A name as it stands in the tables.
pub(super) fn escaped_name(name: &str) -> String {
    let mut row = Row::default();
    row.text(name, MOST_NAME);
    row.finish()
}

/// The path of a location: what stands before the last colon.
pub(super) fn path_of(location: &str) -> Option<&str> {
    Some(location.rsplit_once(':')?.0)
}
