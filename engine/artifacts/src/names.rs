//! File names made from text of the repository.
//!
//! A name made here is valid on every file system, cannot leave its directory and never equals
//! another one, also where upper and lower case are the same.

use bindery_source::{ContentHash, RepoPath};
use std::collections::BTreeMap;

use crate::StageId;

/// Bytes a file name may have on every file system, the longest extension and the temporary suffix
/// of an atomic write left out.
const LONGEST_SEGMENT: usize = 200;
/// Bytes a path below the work directory may have, so that it can be created below a deep root.
const LONGEST_PATH: usize = 800;

/// The card files of a set of files, relative to [`crate::files::CARDS`], by file.
///
/// A file's name follows from its path alone unless two names clash where case does not count; then
/// all of them get a suffix, so that the outcome does not depend on the order of the files.
pub fn card_names<'a>(paths: impl IntoIterator<Item = &'a RepoPath>) -> BTreeMap<&'a RepoPath, String> {
    let mut by_folded: BTreeMap<String, Vec<&'a RepoPath>> = BTreeMap::new();
    for path in paths {
        by_folded.entry(fold(&spelled(path))).or_default().push(path);
    }
    let mut names = BTreeMap::new();
    for group in by_folded.values() {
        for path in group {
            names.insert(*path, name_of(path, group.len() > 1));
        }
    }
    names
}

/// What two card names must differ in, so that the driver can tell which files share a name.
pub fn card_clash_key(path: &RepoPath) -> String {
    fold(&spelled(path))
}

/// The card file of one file; `clashes` if another file has the same [`card_clash_key`].
pub fn card_name(path: &RepoPath, clashes: bool) -> String {
    name_of(path, clashes)
}

fn name_of(path: &RepoPath, clashes: bool) -> String {
    let spelled = spelled(path);
    let needs_suffix = clashes
        || spelled.len() > LONGEST_PATH
        || spelled.split('/').any(|segment| segment.len() > LONGEST_SEGMENT || is_reserved(segment))
        || spelled.eq_ignore_ascii_case("_coverage");
    match needs_suffix {
        true => format!("{}.json", suffixed(&spelled, path.as_str())),
        false => format!("{spelled}.json"),
    }
}

/// The path with unsafe bytes as `%XX`: what Windows forbids, controls, everything outside ASCII
/// (normal forms differ between file systems), `%` and `~` themselves, a dot or space at the end of a
/// segment, and the dot of a directory's `.json`, which only cards end in.
fn spelled(path: &RepoPath) -> String {
    let mut out = String::with_capacity(path.as_str().len());
    for (number, segment) in path.as_str().split('/').enumerate() {
        if number > 0 {
            shield_json_directory(&mut out);
            out.push('/');
        }
        for (at, byte) in segment.bytes().enumerate() {
            let is_last = at + 1 == segment.len();
            let is_plain = byte.is_ascii_graphic() && !b"%~<>:\"\\|?*".contains(&byte);
            match is_plain && !(is_last && byte == b'.') || (byte == b' ' && !is_last) {
                true => out.push(char::from(byte)),
                false => out.push_str(&format!("%{byte:02X}")),
            }
        }
    }
    out
}

fn shield_json_directory(out: &mut String) {
    const ENDING: &str = ".json";
    let start = out.len().saturating_sub(ENDING.len());
    if out.is_char_boundary(start) && out[start..].eq_ignore_ascii_case(ENDING) {
        out.replace_range(start..=start, "%2E");
    }
}

fn fold(spelled: &str) -> String {
    spelled.to_ascii_lowercase()
}

/// Cuts what is too long and adds `~` and 16 hexadecimal digits of the path's BLAKE3 to the end.
fn suffixed(spelled: &str, path: &str) -> String {
    let hash = &ContentHash::of(path.as_bytes()).to_hex()[..16];
    let is_usable = spelled.len() <= LONGEST_PATH
        && spelled
            .split('/')
            .rev()
            .skip(1)
            .all(|segment| segment.len() <= LONGEST_SEGMENT && !is_reserved(segment));
    let kept = match is_usable {
        true => spelled,
        false => spelled.rsplit('/').next().unwrap_or(spelled),
    };
    let (directory, name) = kept.rsplit_once('/').map_or(("", kept), |(directory, name)| (directory, name));
    let separator = if directory.is_empty() { "" } else { "/" };
    let shortened: String = name.chars().take(LONGEST_SEGMENT - 17).collect();
    format!("{directory}{separator}{shortened}~{hash}")
}

/// Names that Windows keeps for devices, whatever their extension.
fn is_reserved(segment: &str) -> bool {
    let stem = segment.split('.').next().unwrap_or(segment).trim_end().to_ascii_lowercase();
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul" | "conin$" | "conout$")
        || (stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.ends_with(|c: char| c.is_ascii_digit() && c != '0'))
}

/// Page names that a stage may not take: pages and directories of the handbook, and device names.
const RESERVED_PAGES: [&str; 13] = [
    "overview",
    "index",
    "register",
    "registers",
    "readme",
    "skill",
    "agent",
    "html",
    "handbook",
    "stages",
    "references",
    "assets",
    "unassigned",
];

/// The id itself if it can be a page's name as it stands, else the id with the suffix `-stage`.
///
/// [`stage_page_names`] does this for a whole skeleton, where ids must stay apart.
pub fn stage_page_name(id: &StageId) -> String {
    let lower = id.as_str().to_ascii_lowercase();
    let is_unsafe = RESERVED_PAGES.contains(&lower.as_str())
        || is_reserved(&lower)
        || lower.ends_with('.')
        || lower.len() > LONGEST_SEGMENT;
    let kept: String = id.as_str().chars().take(LONGEST_SEGMENT).collect();
    match is_unsafe {
        true => format!("{kept}-stage"),
        false => kept,
    }
}

/// The page name (without extension) of each stage; names that differ only in case, or are equal, get
/// `-` and 16 hexadecimal digits of the id's BLAKE3.
pub fn stage_page_names<'a>(ids: impl IntoIterator<Item = &'a StageId>) -> BTreeMap<&'a StageId, String> {
    let mut by_folded: BTreeMap<String, Vec<&'a StageId>> = BTreeMap::new();
    for id in ids {
        by_folded.entry(stage_page_name(id).to_ascii_lowercase()).or_default().push(id);
    }
    let mut names = BTreeMap::new();
    for group in by_folded.values() {
        let is_alone = group.iter().all(|id| *id == group[0]);
        for id in group {
            let hash = &ContentHash::of(id.as_str().as_bytes()).to_hex()[..16];
            let name = stage_page_name(id);
            names.insert(*id, if is_alone { name } else { format!("{name}-{hash}") });
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str]) -> Vec<String> {
        let paths: Vec<RepoPath> = paths.iter().map(|path| RepoPath::new(path)).collect();
        let names = card_names(&paths);
        paths.iter().map(|path| names[path].clone()).collect()
    }

    #[test]
    fn plain_paths_mirror_the_tree() {
        assert_eq!(names(&["src/a b.rs", "lib.py"]), ["src/a b.rs.json", "lib.py.json"]);
    }

    #[test]
    fn unsafe_bytes_are_spelled_out() {
        assert_eq!(names(&["a:b/é~%.rs", "x./y\n"]), ["a%3Ab/%C3%A9%7E%25.rs.json", "x%2E/y%0A.json"]);
        assert_eq!(names(&["a.JSON/b", "a"]), ["a%2EJSON/b.json", "a.json"]);
        assert_eq!(names(&["../etc ", "..."]), [".%2E/etc%20.json", "..%2E.json"]);
    }

    #[test]
    fn names_that_differ_only_in_case_get_a_hash() {
        let hash = |path: &str| ContentHash::of(path.as_bytes()).to_hex()[..16].to_owned();
        let expected = [format!("A.rs~{}.json", hash("A.rs")), format!("a.rs~{}.json", hash("a.rs"))];
        assert_eq!(names(&["A.rs", "a.rs"]), expected);
    }

    #[test]
    fn reserved_and_long_names_get_a_hash() {
        let names =
            names(&["aux.rs", "d/com1", "_coverage", &"x".repeat(300), &format!("nul/{}", "y/".repeat(3))]);
        for name in &names {
            let stem = name.strip_suffix(".json").unwrap();
            let (_, hash) = stem.rsplit_once('~').unwrap();
            assert_eq!(hash.len(), 16, "{name}");
            assert!(name.split('/').all(|segment| segment.len() <= 220), "{name}");
        }
        assert!(names[0].starts_with("aux.rs~") && names[1].starts_with("d/com1~"));
        assert!(!names[4].contains("nul/"));
    }

    #[test]
    fn a_stage_never_takes_the_name_of_a_page() {
        let id = |text: &str| StageId::new(text).unwrap();
        assert_eq!(stage_page_name(&id("Overview")), "Overview-stage");
        assert_eq!(stage_page_name(&id("nul.x")), "nul.x-stage");
        assert_eq!(stage_page_name(&id("parsing")), "parsing");
        let ids = [id("a"), id("A"), id("index"), id("index-stage")];
        let names = stage_page_names(&ids);
        let folded: std::collections::BTreeSet<String> =
            names.values().map(|name| name.to_ascii_lowercase()).collect();
        assert_eq!(folded.len(), 4);
        assert!(names.values().all(|name| StageId::new(name.as_str()).is_ok()));
    }
}
