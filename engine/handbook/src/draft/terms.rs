//! What a set of directory entries is about, told by their names: the subjects that stand out, or else the
//! first and the last.

use std::collections::BTreeMap;

use crate::naming;

/// The subjects that stand out speak for all if at least one file in so many is behind them.
const SPEAKS_FOR: usize = 3;
/// Entries whose names begin with the same word are one subject from this number.
const FEWEST_OF_A_WORD: usize = 3;
/// No more subjects than these go into one title, but one more where that is all.
const MOST_SUBJECTS: usize = 3;

/// The entries of directory `base` that `files` (places in the sorted `paths`) go through, in order, with how
/// many of the files each holds.
pub(super) fn entries<'a>(paths: &[&'a str], base: &str, files: &[u32]) -> Vec<(&'a str, usize)> {
    let below = |path: &'a str| {
        // What joined from the directory around it does not lie below.
        path.strip_prefix(base).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
    };
    let mut entries: Vec<(&str, usize)> = Vec::new();
    for file in files {
        let rest = below(paths[*file as usize]);
        let name = rest.split_once('/').map_or(rest, |(directory, _)| directory);
        match entries.last_mut() {
            Some((last, count)) if *last == name => *count += 1,
            _ => entries.push((name, 1)),
        }
    }
    entries
}

/// A title for a run of entries: the subjects that stand out among them, else from where to where it goes.
pub(super) fn run_title(entries: &[(&str, usize)]) -> String {
    standing_out(entries).unwrap_or_else(|| span_title(entries))
}

/// A title for what has no name of its own: its largest entries.
pub(super) fn largest_title(entries: &[(&str, usize)]) -> String {
    let telling = telling(entries);
    let subjects = telling.iter().map(|(name, files)| (naming::phrase(stem(name)), *files)).collect();
    enumerated(subjects, telling.len())
}

/// From the first entry to the last.
pub(super) fn span_title(entries: &[(&str, usize)]) -> String {
    let telling = telling(entries);
    let (Some((first, _)), Some((last, _))) = (telling.first(), telling.last()) else { return String::new() };
    let (first, last) = (telling_part(first), telling_part(last));
    match first == last {
        true => naming::title(first),
        false => format!("{} to {}", naming::title(first), naming::phrase(last)),
    }
}

/// The subjects that more files are behind than behind the average entry.
fn standing_out(entries: &[(&str, usize)]) -> Option<String> {
    let telling = telling(entries);
    let files: usize = entries.iter().map(|(_, files)| files).sum();
    let mut by_word: BTreeMap<String, Vec<(&str, usize)>> = BTreeMap::new();
    for (name, files) in &telling {
        let word = naming::words(telling_part(name)).into_iter().find(|word| !is_test(word));
        by_word.entry(word.unwrap_or_default()).or_default().push((name, *files));
    }
    let mut subjects: Vec<(String, usize)> = Vec::new();
    for (word, of_word) in by_word {
        if of_word.len() >= FEWEST_OF_A_WORD && !word.is_empty() {
            subjects.push((naming::phrase(&word), of_word.iter().map(|(_, files)| files).sum()));
        } else {
            subjects.extend(of_word.iter().map(|(name, files)| (naming::phrase(telling_part(name)), *files)));
        }
    }
    let all = subjects.len();
    subjects.retain(|(_, behind)| behind * entries.len() > files);
    let covered: usize = subjects.iter().map(|(_, behind)| behind).sum();
    (covered > 0 && covered * SPEAKS_FOR >= files).then(|| enumerated(subjects, all))
}

/// The largest of the subjects, which are some of `all`.
fn enumerated(mut subjects: Vec<(String, usize)>, all: usize) -> String {
    subjects.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    subjects.truncate(if all == MOST_SUBJECTS + 1 { all } else { MOST_SUBJECTS });
    let mut named: Vec<String> = subjects.into_iter().map(|(subject, _)| subject).collect();
    if named.len() < all {
        named.push("others".to_owned());
    }
    naming::capitalized(&naming::enumeration(&named))
}

/// The entries without those whose name only speaks for the directory, unless these are all.
fn telling<'e>(entries: &[(&'e str, usize)]) -> Vec<(&'e str, usize)> {
    let tells = |entry: &&(&str, usize)| !naming::speaks_for_directory(stem(entry.0));
    let telling: Vec<_> = entries.iter().filter(tells).copied().collect();
    if telling.is_empty() { entries.to_vec() } else { telling }
}

/// A name without its extension; of a file also without a `test` at its beginning or end, unless that is all.
fn telling_part(entry: &str) -> &str {
    let stem = stem(entry);
    if stem.len() == entry.len() {
        return stem;
    }
    let is_separator = |c: char| c == '_' || c == '-';
    let tests = ["tests", "test"];
    let behind = tests.iter().find_map(|test| stem.strip_prefix(test)?.strip_prefix(is_separator));
    let before = tests.iter().find_map(|test| stem.strip_suffix(test)?.strip_suffix(is_separator));
    behind.or(before).filter(|part| !part.is_empty()).unwrap_or(stem)
}

fn is_test(word: &str) -> bool {
    word == "test" || word == "tests"
}

pub(super) fn stem(entry: &str) -> &str {
    entry.rsplit_once('.').map_or(entry, |(stem, _)| if stem.is_empty() { entry } else { stem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_counted_below_their_directory() {
        let paths = ["a/b.rs", "a/c/d.rs", "a/c/e/f.rs", "a/g.rs"];
        assert_eq!(entries(&paths, "a", &[0, 1, 2, 3]), [("b.rs", 1), ("c", 2), ("g.rs", 1)]);
        assert_eq!(entries(&paths, "", &[1, 2]), [("a", 2)]);
    }

    #[test]
    fn what_stands_out_names_a_run() {
        // 21 files in 10 entries, 2.1 on average; `m2m` has 6 in three entries.
        let others = ["max", "mem", "messages", "mixins", "mock", "modern"].map(|name| (name, 1));
        let run =
            [&[("m2m_one", 2), ("m2m_two", 2), ("m2m_three", 2), ("mail_tests", 9)][..], &others].concat();
        assert_eq!(run_title(&run), "Mail tests, m2m and others");
        // Two entries are no subject by their word, and have less than 19 / 9 each.
        assert_eq!(run_title(&run[1..]), "Mail tests and others");
        // Two of nine files are less than a third.
        assert_eq!(run_title(&[&[("made", 2)][..], &others, &[("more", 1)]].concat()), "Made to more");
    }

    #[test]
    fn where_nothing_stands_out_a_run_goes_from_first_to_last() {
        let run: Vec<(&str, usize)> =
            ["__init__.py", "test_add.py", "test_cut.py", "test_slice.py"].map(|name| (name, 1)).into();
        assert_eq!(run_title(&run), "Add to slice");
        assert_eq!(run_title(&run[1..2]), "Add");
        assert_eq!(run_title(&run[..1]), "Init", "the only name there is");
    }

    #[test]
    fn what_has_no_name_is_called_after_its_largest_entries() {
        let entries = [("build.rs", 1), ("fuzz", 3), ("packaging", 2), ("tests-integration", 1)];
        assert_eq!(largest_title(&entries[..3]), "Fuzz, packaging and build");
        assert_eq!(largest_title(&entries), "Fuzz, packaging, build and tests integration");
        let entries = [("a", 1), ("b", 2), ("c", 1), ("d", 1), ("e", 1)];
        assert_eq!(largest_title(&entries), "B, a, c and others");
    }
}
