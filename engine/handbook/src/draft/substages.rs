//! Below the top level: dividing the files of one stage until every page is short enough to read.
//!
//! A stage of more than [`LARGEST_UNDIVIDED`] files is divided by the entries of its directory; where
//! a directory holds very many entries, those whose names start with the same word count as one. The
//! largest groups become substages, the rest stays with the stage itself, and a rest that would make
//! too long a page is cut into runs by name. Divided again where still too large.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::partition::{Part, PartKind};
use super::threshold::{threshold, weighted};
use crate::naming;

/// A stage of more files gets substages.
pub(crate) const LARGEST_UNDIVIDED: usize = 25;
/// A page shows at most this many files, unless one directory level cannot be divided further.
const LARGEST_PAGE: usize = 40;
/// Substages by size; runs by name come on top.
const MOST_SUBSTAGES: u64 = 11;
/// Smaller groups stay with the stage itself.
const SMALLEST_SUBSTAGE: u64 = 4;
/// With more entries than this, entries whose names start with the same word count as one.
const MANY_ENTRIES: usize = 25;
/// Substages of substages end here; what is left is cut into runs by name.
const DEEPEST: usize = 6;

/// A part, and the stages below it.
pub(crate) struct Divided<'a> {
    /// The part; its files are those that no substage took.
    pub(crate) part: Part<'a>,
    /// The place of the stage it belongs to in the list, parents first.
    pub(crate) parent: Option<usize>,
    /// How many words of entry names the part was chosen by.
    words: usize,
    depth: usize,
}

/// Divides every part as far as it needs, parents before children.
pub(crate) fn divide_all<'a>(paths: &[&'a str], parts: Vec<Part<'a>>) -> Vec<Divided<'a>> {
    let whole = |part| Divided { part, parent: None, words: 0, depth: 0 };
    let mut stages: Vec<Divided<'a>> = parts.into_iter().map(whole).collect();
    let mut next = 0;
    while next < stages.len() {
        if stages[next].part.files.len() > LARGEST_UNDIVIDED && !is_run(&stages[next].part) {
            let substages = divide(paths, &mut stages[next]);
            let (words, depth) = (stages[next].words, stages[next].depth + 1);
            stages.extend(substages.into_iter().map(|part| {
                let words = words_behind(&part, words);
                Divided { part, parent: Some(next), words, depth }
            }));
        }
        next += 1;
    }
    stages
}

fn is_run(part: &Part<'_>) -> bool {
    matches!(part.kind, PartKind::Run(..))
}

fn words_behind(part: &Part<'_>, before: usize) -> usize {
    if matches!(part.kind, PartKind::Words(_)) { before + 1 } else { 0 }
}

/// Takes substages out of a stage's files.
fn divide<'a>(paths: &[&'a str], stage: &mut Divided<'a>) -> Vec<Part<'a>> {
    let files = std::mem::take(&mut stage.part.files);
    let base = common_directory(paths, &files);
    let words = if base.len() > stage.part.directory.len() { 0 } else { stage.words };
    stage.words = words;
    let groups = groups(paths, base, &files, words);
    let (mut substages, rest) = chosen(base, groups, files.len());
    let is_deepest = stage.depth >= DEEPEST;
    if is_deepest {
        stage.part.files = substages.into_iter().flat_map(|part| part.files).chain(rest).collect();
        stage.part.files.sort_unstable();
        substages = Vec::new();
    } else {
        stage.part.files = rest;
    }
    if stage.part.files.len() > LARGEST_PAGE {
        let rest = std::mem::take(&mut stage.part.files);
        substages.extend(runs(paths, base, &rest));
    }
    substages
}

/// The longest directory that all `files` lie below.
fn common_directory<'a>(paths: &[&'a str], files: &[u32]) -> &'a str {
    let [first, .., last] = files else { return "" };
    let (first, last) = (paths[*first as usize], paths[*last as usize]);
    let shared = first.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count();
    first.as_bytes()[..shared].iter().rposition(|byte| *byte == b'/').map_or("", |slash| &first[..slash])
}

/// The entry of directory `base` that a path goes through, and whether it is a directory.
fn entry<'a>(path: &'a str, base: &str) -> (&'a str, bool) {
    let rest = &path[below(base)..];
    rest.split_once('/').map_or((rest, false), |(directory, _)| (directory, true))
}

struct Group<'a> {
    directory: Option<&'a str>,
    entries: usize,
    files: Vec<u32>,
}

/// The files by the directory entry they go through, or, where there are many entries, by the first
/// word of it that tells them apart. Keyed by that name; files that stand alone have the empty one.
fn groups<'a>(paths: &[&'a str], base: &str, files: &[u32], words: usize) -> BTreeMap<String, Group<'a>> {
    // The files are sorted, so those behind one entry are neighbours.
    let through = |file: &u32| entry(paths[*file as usize], base);
    let entries: Vec<&[u32]> = files.chunk_by(|a, b| through(a) == through(b)).collect();
    let by_word = entries.len() > MANY_ENTRIES;
    let names = || entries.iter().map(|files| through(&files[0]).0);
    let skipped = if by_word { words.max(shared_words(names)) } else { 0 };
    let mut groups: BTreeMap<String, Group<'a>> = BTreeMap::new();
    for files in &entries {
        let (name, is_directory) = through(&files[0]);
        let key = match (by_word, is_directory) {
            (true, _) => telling_word(name, skipped).map_or_else(String::new, str::to_lowercase),
            (false, true) => name.to_owned(),
            (false, false) => String::new(),
        };
        let group = groups.entry(key).or_insert(Group { directory: None, entries: 0, files: Vec::new() });
        group.entries += 1;
        group.directory = is_directory.then(|| &paths[files[0] as usize][..below(base) + name.len()]);
        group.files.extend_from_slice(files);
    }
    groups
}

/// Where the part of a path starts that lies below `base`.
fn below(base: &str) -> usize {
    if base.is_empty() { 0 } else { base.len() + 1 }
}

/// A word of an entry's name, by its place; the extension and a leading `test` are left out.
fn telling_word(name: &str, place: usize) -> Option<&str> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    let mut words = naming::word_slices(stem);
    let says_test =
        words.next().is_some_and(|word| word.eq_ignore_ascii_case("test")) && words.next().is_some();
    naming::word_slices(stem).nth(place + usize::from(says_test))
}

/// How many leading words nine tenths of the names have in common: they tell nothing.
fn shared_words<'n, I: Iterator<Item = &'n str>>(names: impl Fn() -> I) -> usize {
    let total = names().count();
    let is_shared = |place: &usize| {
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        names()
            .filter_map(|name| telling_word(name, *place))
            .for_each(|word| *counts.entry(word).or_default() += 1);
        counts.values().any(|count| count * 10 >= total * 9)
    };
    (0..4).take_while(is_shared).count()
}

/// Splits groups into those that become substages and the files of all others.
fn chosen<'a>(
    base: &'a str,
    mut groups: BTreeMap<String, Group<'a>>,
    total: usize,
) -> (Vec<Part<'a>>, Vec<u32>) {
    let mut rest = groups.remove("").map_or_else(Vec::new, |group| group.files);
    let anchor = |name: &str| format!("{base}/{name}");
    let weights: Vec<u64> =
        groups.iter().map(|(name, group)| weighted(group.files.len(), &anchor(name))).collect();
    let bar = threshold(&weights, SMALLEST_SUBSTAGE * 1000, MOST_SUBSTAGES, |_| 0);
    let mut parts = Vec::new();
    for ((name, group), weight) in groups.into_iter().zip(weights) {
        if weight < bar || group.files.len() == total {
            rest.extend(group.files);
            continue;
        }
        let (directory, kind) = match group.directory {
            Some(directory) if group.entries == 1 => (directory, PartKind::Directory),
            _ => (base, PartKind::Words(name)),
        };
        parts.push(Part { directory, kind, files: group.files, is_shared: false });
    }
    rest.sort_unstable();
    (parts, rest)
}

/// Cuts files into runs of at most a page. Entries of `base` are kept whole; a directory that alone
/// is longer than a page is a part of its own, to be divided again.
fn runs<'a>(paths: &[&'a str], base: &'a str, files: &[u32]) -> Vec<Part<'a>> {
    let mut parts: Vec<Part<'a>> = Vec::new();
    let mut run: Vec<u32> = Vec::new();
    for group in files.chunk_by(|a, b| entry(paths[*a as usize], base) == entry(paths[*b as usize], base)) {
        if run.len() + group.len() > LARGEST_PAGE {
            parts.extend(run_part(paths, base, std::mem::take(&mut run)));
        }
        if group.len() > LARGEST_PAGE {
            let path = paths[group[0] as usize];
            let directory = &path[..below(base) + entry(path, base).0.len()];
            parts.push(Part {
                directory,
                kind: PartKind::Directory,
                files: group.to_vec(),
                is_shared: false,
            });
        } else {
            run.extend(group);
        }
    }
    parts.extend(run_part(paths, base, run));
    parts
}

fn run_part<'a>(paths: &[&'a str], base: &'a str, files: Vec<u32>) -> Option<Part<'a>> {
    let name = |file: u32| entry(paths[file as usize], base).0.to_owned();
    let kind = PartKind::Run(name(*files.first()?), name(*files.last()?));
    Some(Part { directory: base, kind, files, is_shared: false })
}
