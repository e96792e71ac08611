//! Edits against the files they name.
//!
//! An `old` block must occur exactly once in its file, byte for byte, as whole lines. Markdown cannot write a
//! block without a line end, so a block also fits the end of a file that has no final line end; the `new`
//! block then loses its own.
//!
//! What changes lies between the lines that `old` and `new` share at their starts and at their ends. Those are
//! the context: at least [`CONTEXT_LINES`] on each side, or on a side where the block begins or ends with the
//! file, whatever there is. An edit whose two blocks are equal changes nothing and needs no context. An empty
//! `old` block stands for a file that does not exist yet or is empty.

use bindery_artifacts::wording::counted;
use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memmem::Finder;

use crate::lines::{LineStarts, lines, without_last_line_end};
use crate::{CONTEXT_LINES, Edit, Plan, Problem};

/// What a path of a plan stands for, as the caller found it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// A file with these bytes.
    File(Vec<u8>),
    /// Nothing has that name.
    Missing,
    /// It may not be edited, or could not be read: why, and what can be done.
    Refused(String, Option<String>),
}

/// A file before and after the edits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileEdit {
    /// Its bytes before; none if it is created.
    pub before: Option<Vec<u8>>,
    /// Its bytes after.
    pub after: Vec<u8>,
}

/// Where an edit lies in its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacedEdit {
    /// The edit's number.
    pub number: u32,
    /// The file.
    pub file: String,
    /// First and last line of the `old` block in it; (0, 0) for a file that is created.
    pub lines: (u32, u32),
    /// Whether the two blocks differ.
    pub changes: bool,
}

/// The edits of a plan, found in their files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Resolved {
    /// The files that change, by path; files of edits that change nothing are left out.
    pub files: BTreeMap<String, FileEdit>,
    /// Every edit that was found.
    pub edits: Vec<PlacedEdit>,
    /// What does not fit, by line of the plan. Unless this is empty, [`Resolved::files`] is not to be used.
    pub problems: Vec<Problem>,
}

/// An edit's place in its file, as bytes.
struct Place<'p> {
    edit: &'p Edit,
    range: Range<usize>,
    new: &'p [u8],
}

/// Finds every edit in its file. `read` is asked once for each path.
pub fn resolve_edits(plan: &Plan, mut read: impl FnMut(&str) -> Content) -> Resolved {
    let mut by_file: BTreeMap<&str, Vec<&Edit>> = BTreeMap::new();
    for edit in &plan.edits {
        by_file.entry(&edit.file).or_default().push(edit);
    }
    let mut resolved = Resolved::default();
    for (path, edits) in by_file {
        let first = edits[0];
        if let Some(problem) = wrong_path(path) {
            resolved.problems.push(Problem::new(first.file_line, problem));
            continue;
        }
        let before = match read(path) {
            Content::File(bytes) => Some(bytes),
            Content::Missing => None,
            Content::Refused(message, hint) => {
                resolved.problems.push(Problem { line: first.file_line, message, hint });
                continue;
            }
        };
        resolved.add_file(path, before, &edits);
    }
    resolved.problems.sort();
    resolved.edits.sort_by_key(|edit| edit.number);
    resolved
}

/// What makes a path of a plan unfit to name a file below the root.
fn wrong_path(path: &str) -> Option<String> {
    let is_below = !path.is_empty()
        && path.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
        && !path.contains('\0');
    (!is_below).then(|| format!("`{path}` is no path below the root"))
}

impl Resolved {
    fn add_file(&mut self, path: &str, before: Option<Vec<u8>>, edits: &[&Edit]) {
        let bytes = before.as_deref().unwrap_or_default();
        if memchr::memchr(0, bytes).is_some() {
            let message = format!("`{path}` is no text: it has a NUL byte");
            return self.problems.push(Problem::new(edits[0].file_line, message));
        }
        let starts = LineStarts::of(bytes);
        let mut places: Vec<Place<'_>> = Vec::new();
        for edit in edits {
            match place(edit, bytes, before.is_some(), &starts) {
                Ok(place) => places.push(place),
                Err(problem) => self.problems.push(problem),
            }
        }
        places.sort_by_key(|place| (place.range.start, place.range.end, place.edit.line));
        for pair in places.windows(2) {
            let (one, other) = (&pair[0], &pair[1]);
            if other.range.start < one.range.end || one.range == other.range {
                let message =
                    format!("edit {} and edit {} overlap in `{path}`", one.edit.number, other.edit.number);
                let line = one.edit.line.max(other.edit.line);
                self.problems.push(Problem::new(line, message).with_hint("make one edit of them"));
            }
        }
        for place in &places {
            let lines = match before {
                Some(_) if !place.range.is_empty() => {
                    (starts.number(place.range.start), starts.number(place.range.end - 1))
                }
                _ => (0, 0),
            };
            let changes = place.edit.old.bytes != place.edit.new.bytes;
            let file = path.to_owned();
            self.edits.push(PlacedEdit { number: place.edit.number, file, lines, changes });
            self.problems.extend(missing_context(place, bytes));
        }
        let after = if self.problems.is_empty() { replaced(bytes, &places) } else { Vec::new() };
        if before.as_deref() != Some(&after[..]) {
            self.files.insert(path.to_owned(), FileEdit { before, after });
        }
    }
}

/// The bytes with every place's text in it. The places are in order and apart.
fn replaced(bytes: &[u8], places: &[Place<'_>]) -> Vec<u8> {
    let mut after = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for place in places {
        after.extend_from_slice(&bytes[done..place.range.start]);
        after.extend_from_slice(place.new);
        done = place.range.end;
    }
    after.extend_from_slice(&bytes[done..]);
    after
}

fn place<'p>(edit: &'p Edit, bytes: &[u8], exists: bool, starts: &LineStarts) -> Result<Place<'p>, Problem> {
    let (path, old) = (&edit.file, &edit.old.bytes[..]);
    let wrong = |message: String| Problem::new(edit.old.line, message);
    if old.is_empty() {
        return match bytes.is_empty() {
            true => Ok(Place { edit, range: 0..0, new: &edit.new.bytes }),
            false => Err(wrong(format!("the `old` block is empty, and `{path}` is there and is not"))
                .with_hint("an empty `old` block stands for a file that is created")),
        };
    }
    if !exists {
        let message = format!("there is no file `{path}`");
        return Err(
            Problem::new(edit.file_line, message).with_hint("to create it, leave the `old` block empty")
        );
    }
    let found = occurrences(bytes, old);
    match &found[..] {
        [] => Err(not_found(edit, bytes, starts)),
        [one] if !starts.is_start(one.start) => {
            let at = starts.number(one.start);
            Err(wrong(format!("the `old` block begins in the middle of {path}:{at}")))
        }
        [one] => {
            let is_whole = one.len() == old.len();
            let new = if is_whole { &edit.new.bytes } else { without_last_line_end(&edit.new.bytes) };
            Ok(Place { edit, range: one.clone(), new })
        }
        several => {
            let at: Vec<String> =
                several.iter().map(|range| format!("{path}:{}", starts.number(range.start))).collect();
            Err(wrong(format!("the `old` block occurs more than once: {}", at.join(", ")))
                .with_hint("more lines of context tell the places apart"))
        }
    }
}

/// Whether a passage occurs in a text exactly once, as an `old` block must.
pub fn occurs_once(bytes: &[u8], passage: &[u8]) -> bool {
    occurrences(bytes, passage).len() == 1
}

/// Where `old` occurs, also overlapping itself; three places at most, which is enough to say that one is not.
fn occurrences(bytes: &[u8], old: &[u8]) -> Vec<Range<usize>> {
    let finder = Finder::new(old);
    let mut found = Vec::new();
    let mut from = 0;
    while found.len() < 3
        && let Some(at) = finder.find(&bytes[from..])
    {
        found.push(from + at..from + at + old.len());
        from += at + 1;
    }
    let open_end = without_last_line_end(old);
    if open_end.len() < old.len() && !bytes.ends_with(b"\n") && bytes.ends_with(open_end) {
        found.push(bytes.len() - open_end.len()..bytes.len());
    }
    found
}

/// Says what `old` differs in: the line ends only, or from which line on.
fn not_found(edit: &Edit, bytes: &[u8], starts: &LineStarts) -> Problem {
    let (path, old) = (&edit.file, &edit.old.bytes[..]);
    let problem = Problem::new(edit.old.line, format!("the `old` block does not occur in `{path}`"));
    let with_feeds = |text: &[u8]| -> Vec<u8> {
        let lines = lines(text).into_iter();
        lines.flat_map(|line| [without_last_line_end(line), b"\n"].concat()).collect()
    };
    if !occurrences(&with_feeds(bytes), &with_feeds(old)).is_empty() {
        return problem.with_hint("only the line ends differ: one has CRLF, the other LF");
    }
    match nearest(bytes, old) {
        Some((offset, same)) => problem.with_hint(format!(
            "{path}:{} has its first {}, then differs",
            starts.number(offset),
            counted(same as u64, "line")
        )),
        None => problem,
    }
}

/// How many places are looked at for a near match.
const MOST_CANDIDATES: usize = 1_000;

/// Where most of the first lines of `old` stand in a row, and how many.
fn nearest(bytes: &[u8], old: &[u8]) -> Option<(usize, usize)> {
    let wanted = lines(old);
    let first = wanted.first().filter(|line| !line.trim_ascii().is_empty())?;
    let finder = Finder::new(first);
    let same = |at: usize| {
        let there = bytes[at..].split_inclusive(|byte| *byte == b'\n');
        wanted.iter().zip(there).take_while(|(wanted, there)| *wanted == there).count()
    };
    let candidates = finder.find_iter(bytes).take(MOST_CANDIDATES).map(|at| (at, same(at)));
    candidates.max_by_key(|(at, same)| (*same, std::cmp::Reverse(*at))).filter(|(_, same)| *same > 0)
}

/// Whether there is enough context around what changes; see the module's page.
fn missing_context(place: &Place<'_>, bytes: &[u8]) -> Option<Problem> {
    let (old, new) = (lines(&place.edit.old.bytes), lines(&place.edit.new.bytes));
    if old == new {
        return None;
    }
    let shared =
        |pairs: &mut dyn Iterator<Item = (&&[u8], &&[u8])>| pairs.take_while(|(a, b)| a == b).count();
    let head = shared(&mut old.iter().zip(&new));
    let tail = shared(&mut old.iter().rev().zip(new.iter().rev()));
    let wanted_head = if place.range.start == 0 { 0 } else { CONTEXT_LINES };
    let wanted_tail = if place.range.end == bytes.len() { 0 } else { CONTEXT_LINES };
    if head >= wanted_head && tail >= wanted_tail && wanted_head + wanted_tail <= old.len().min(new.len()) {
        return None;
    }
    let number = place.edit.number;
    let message = format!(
        "edit {number} has too little context: `old` and `new` begin with {head} and end with {tail} equal lines"
    );
    let hint =
        format!("{CONTEXT_LINES} lines on each side that the edit leaves alone, where the file has them");
    Some(Problem::new(place.edit.old.line, message).with_hint(hint))
}
