//! What a set of directory entries is about, told by their names: the terms that stand out, or else the first
//! and the last.

use std::collections::BTreeMap;

use crate::naming;

/// A term stands out if the files behind it are so many times those of the average entry.
const STANDS_OUT: usize = 3;
/// The terms that stand out speak for all if at least one file in so many is behind them.
const SPEAKS_FOR: usize = 4;
/// No more terms than these go into one title.
const MOST_TERMS: usize = 3;

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

/// A title for a run of entries: the terms that stand out among them, else from where to where it goes.
pub(super) fn run_title(entries: &[(&str, usize)]) -> String {
    standing_out(entries).unwrap_or_else(|| span_title(entries))
}

/// A title for what has no name of its own: its largest entries.
pub(super) fn largest_title(entries: &[(&str, usize)]) -> String {
    let mut largest: Vec<(&str, usize)> = telling(entries);
    largest.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let named = largest.iter().map(|(name, _)| naming::phrase(telling_part(name))).collect();
    enumerated(named, largest.len() <= MOST_TERMS)
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

/// Entries count for the term their name begins with.
fn standing_out(entries: &[(&str, usize)]) -> Option<String> {
    let telling = telling(entries);
    let mut terms: BTreeMap<String, (usize, Vec<&str>)> = BTreeMap::new();
    for (name, files) in &telling {
        let term = terms.entry(naming::words(telling_part(name)).into_iter().next()?).or_default();
        term.0 += files;
        term.1.push(name);
    }
    let files: usize = entries.iter().map(|(_, files)| files).sum();
    let mut found: Vec<(String, (usize, Vec<&str>))> =
        terms.into_iter().filter(|(_, (behind, _))| behind * entries.len() >= files * STANDS_OUT).collect();
    found.sort_by(|a, b| b.1.0.cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
    found.truncate(MOST_TERMS);
    let covered: usize = found.iter().map(|(_, (behind, _))| behind).sum();
    if covered * SPEAKS_FOR < files {
        return None;
    }
    let is_all = found.iter().map(|(_, (_, names))| names.len()).sum::<usize>() == telling.len();
    let named = found.into_iter().map(|(term, (_, names))| match names.as_slice() {
        [only] => naming::phrase(telling_part(only)),
        _ => naming::phrase(&term),
    });
    Some(enumerated(named.collect(), is_all))
}

fn enumerated(mut named: Vec<String>, is_all: bool) -> String {
    named.truncate(MOST_TERMS);
    if !is_all {
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

/// A name without extension and without a `test` at its beginning or end, unless that is all of it.
fn telling_part(entry: &str) -> &str {
    let stem = stem(entry);
    let is_separator = |c: char| c == '_' || c == '-';
    let tests = ["tests", "test"];
    let behind = tests.iter().find_map(|test| stem.strip_prefix(test)?.strip_prefix(is_separator));
    let before = tests.iter().find_map(|test| stem.strip_suffix(test)?.strip_suffix(is_separator));
    behind.or(before).filter(|part| !part.is_empty()).unwrap_or(stem)
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
        // 18 files in 9 entries, 2 on average: `m2m` has 6 in two entries, `mail` 6 in one.
        let others = ["max", "mem", "messages", "mixins", "mock", "modern"].map(|name| (name, 1));
        let run = [&[("m2m_through", 4), ("m2m_signals", 2), ("mail_tests", 6)][..], &others].concat();
        assert_eq!(run_title(&run), "M2m, mail and others");
        assert_eq!(run_title(&run[..3]), "M2m to mail", "of three entries none has three times the average");
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
        let entries = [("build.rs", 1), ("fuzz", 3), ("packaging", 2)];
        assert_eq!(largest_title(&entries), "Fuzz, packaging and build");
        let entries = [("a", 1), ("b", 2), ("c", 1), ("d", 1)];
        assert_eq!(largest_title(&entries), "B, a, c and others");
    }
}
