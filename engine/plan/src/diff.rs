//! Which files a unified diff touches.

use std::collections::BTreeMap;

use crate::Problem;

/// What a diff does to a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DiffChange {
    /// It is there before and after.
    Changed,
    /// It is there only after.
    Added,
    /// It is there only before.
    Deleted,
}

/// Reads the files a unified diff names, as `diff -ru` and `git diff` write it, each with the line it is named
/// on. A rename is a deletion and an addition. Text between the files is passed over.
pub fn changed_in_diff(text: &str) -> Result<BTreeMap<String, (DiffChange, u32)>, Problem> {
    let mut files = Files::default();
    let mut lines = text.lines().zip(1u32..).peekable();
    while let Some((line, number)) = lines.next() {
        if let Some(paths) = line.strip_prefix("diff --git ") {
            files.begin(paths, number);
        } else if let Some(from) = line.strip_prefix("--- ") {
            if let Some((to, _)) = lines.next_if(|(next, _)| next.starts_with("+++ ")) {
                files.named(from, &to[4..], number);
            }
        } else if let Some(counts) = line.strip_prefix("@@ ") {
            let (mut old, mut new) = hunk(counts)
                .ok_or_else(|| Problem::new(number, "the diff has a hunk without line counts"))?;
            while old > 0 || new > 0 {
                let Some((line, _)) = lines.next() else {
                    return Err(Problem::new(number, "the diff ends within a hunk"));
                };
                match line.as_bytes().first() {
                    Some(b'-') => old = old.saturating_sub(1),
                    Some(b'+') => new = new.saturating_sub(1),
                    Some(b'\\') => {}
                    _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
                }
            }
        } else {
            files.header(line);
        }
    }
    files.end();
    Ok(files.found)
}

/// The line counts of `-1,3 +1,4 @@`.
fn hunk(text: &str) -> Option<(u64, u64)> {
    let mut words = text.split(' ');
    let mut count = |sign: char| {
        let (_, count) =
            words.next()?.strip_prefix(sign).map(|span| span.split_once(',').unwrap_or((span, "1")))?;
        count.parse().ok()
    };
    Some((count('-')?, count('+')?))
}

#[derive(Default)]
struct Files {
    found: BTreeMap<String, (DiffChange, u32)>,
    /// A file git announced and said nothing of yet: its path where both sides have the same one, what else is
    /// known of it, and its line.
    announced: Option<(Option<String>, DiffChange, u32)>,
}

impl Files {
    fn begin(&mut self, paths: &str, line: u32) {
        self.end();
        // `a/x b/x`: halves of equal length, unless it is a rename, which says its paths itself.
        let half = paths.len().saturating_sub(1) / 2;
        let path = match (paths.get(..half), paths.get(half + 1..)) {
            (Some(from), Some(to)) => {
                let (from, to) = (from.strip_prefix("a/"), to.strip_prefix("b/"));
                from.filter(|from| Some(*from) == to).map(str::to_owned)
            }
            _ => None,
        };
        self.announced = Some((path, DiffChange::Changed, line));
    }

    fn header(&mut self, line: &str) {
        let Some((path, change, at)) = &mut self.announced else { return };
        if line.starts_with("new file mode") {
            *change = DiffChange::Added;
        } else if line.starts_with("deleted file mode") {
            *change = DiffChange::Deleted;
        } else if let Some(from) = line.strip_prefix("rename from ") {
            *path = None;
            self.found.insert(unquoted(from), (DiffChange::Deleted, *at));
        } else if let Some(to) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
            *path = None;
            self.found.insert(unquoted(to), (DiffChange::Added, *at));
        }
    }

    fn named(&mut self, from: &str, to: &str, line: u32) {
        let (from, to) = (side(from, "a/"), side(to, "b/"));
        let (path, change) = match (from, to) {
            (Some(_), Some(to)) => (to, DiffChange::Changed),
            (None, Some(to)) => (to, DiffChange::Added),
            (Some(from), None) => (from, DiffChange::Deleted),
            (None, None) => return,
        };
        // Its headers said less than this; another file's are all there is to know of that.
        self.announced
            .take_if(|(announced, ..)| announced.as_ref().is_none_or(|announced| *announced == path));
        self.end();
        // A renamed file with hunks was entered by its header already.
        self.found.entry(path).or_insert((change, line));
    }

    fn end(&mut self) {
        if let Some((Some(path), change, line)) = self.announced.take() {
            self.found.entry(path).or_insert((change, line));
        }
    }
}

/// The path of one side; none for a side that has no file.
fn side(text: &str, prefix: &str) -> Option<String> {
    let path = text.split('\t').next().unwrap_or(text).trim_end_matches('\r');
    let path = unquoted(path);
    (path != "/dev/null").then(|| path.strip_prefix(prefix).unwrap_or(&path).to_owned())
}

/// A path as git writes it: in quotes, with escapes, where it has unusual bytes.
fn unquoted(path: &str) -> String {
    let Some(inner) = path.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return path.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        match (byte, (byte == b'\\').then(|| rest.next()).flatten()) {
            (_, Some(b't')) => bytes.push(b'\t'),
            (_, Some(b'n')) => bytes.push(b'\n'),
            (_, Some(first @ b'0'..=b'3')) => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    value = value * 8 + u32::from(rest.next().unwrap_or(b'0').wrapping_sub(b'0') & 7);
                }
                bytes.push(value as u8);
            }
            (_, Some(other)) => bytes.push(other),
            (byte, None) => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
