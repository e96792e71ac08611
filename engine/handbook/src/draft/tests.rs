use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::Role;
use bindery_source::Language;

use super::*;

fn sketch(path: &str) -> FileSketch {
    FileSketch {
        path: RepoPath::new(path),
        language: Language::Rust,
        role: Role::DomainLogic,
        lifecycle: "none".into(),
        function_count: 1,
        type_count: 0,
        is_entry_point: false,
        is_test: false,
        purpose: None,
        imported_files: Vec::new(),
        called_files: Vec::new(),
    }
}

fn using(path: &str, used: &[&str]) -> FileSketch {
    FileSketch { called_files: used.iter().map(|path| (RepoPath::new(path), 1)).collect(), ..sketch(path) }
}

fn sketches<P: AsRef<str>>(paths: &[P]) -> Vec<FileSketch> {
    paths.iter().map(|path| sketch(path.as_ref())).collect()
}

/// `count` files in a directory.
fn files(directory: &str, count: usize) -> Vec<String> {
    (0..count)
        .map(|n| format!("{directory}/{}{n}.rs", ["reader", "parser", "writer", "cache"][n % 4]))
        .collect()
}

/// Every stage on a line: depth by indentation, title, id, own files.
fn outline(draft: &Draft) -> String {
    let mut depths: BTreeMap<StageId, usize> = BTreeMap::new();
    let mut lines = Vec::new();
    for (at, stage) in draft.skeleton.stages.iter().enumerate() {
        let depth = stage.parent.as_ref().map_or(0, |parent| depths[parent] + 1);
        depths.insert(stage.id.clone(), depth);
        let own = draft.stage_of.iter().filter(|stage| **stage as usize == at).count();
        lines.push(format!("{}{} [{}] {own}", "  ".repeat(depth), stage.title, stage.id));
    }
    lines.join("\n")
}

/// The id of the top-level stage of each file.
fn top_stages(sketches: &[FileSketch]) -> BTreeMap<String, String> {
    let draft = draft_skeleton(sketches, "sample", &[]);
    let stages = &draft.skeleton.stages;
    let parents: BTreeMap<&StageId, Option<&StageId>> =
        stages.iter().map(|stage| (&stage.id, stage.parent.as_ref())).collect();
    let top = |stage: u32| {
        let mut id = &stages[stage as usize].id;
        while let Some(parent) = parents[id] {
            id = parent;
        }
        id.to_string()
    };
    sketches
        .iter()
        .zip(&draft.stage_of)
        .map(|(sketch, stage)| (sketch.path.to_string(), top(*stage)))
        .collect()
}

fn top_level_count(draft: &Draft) -> usize {
    draft.skeleton.stages.iter().filter(|stage| stage.parent.is_none() && !stage.crosscut).count()
}

#[test]
fn a_small_program_keeps_its_directories() {
    let mut paths: Vec<String> =
        ["main", "search", "logger"].map(|name| format!("crates/core/{name}.rs")).into();
    paths.extend(files("crates/core/flags", 9));
    paths.extend(files("tests", 5));
    paths.push("build.rs".to_owned());
    let mut sketches = sketches(&paths);
    sketches[0].is_entry_point = true;
    sketches[0].role = Role::Entrypoint;
    let draft = draft_skeleton(&sketches, "grep", &[]);
    assert_eq!(outline(&draft), "Core [core] 4\nFlags [core-flags] 9\nTests [tests] 5");
    assert_eq!(draft.skeleton.metadata.archetype, "Rust program");
}

#[test]
fn a_library_is_divided_by_directory_and_ordered_by_use() {
    let mut paths = vec!["src/lib.rs".to_owned()];
    for (directory, count) in
        [("src/fs", 12), ("src/net", 9), ("src/sync", 15), ("src/time", 7), ("src/util", 8)]
    {
        paths.extend(files(directory, count));
    }
    paths.extend(files("tests", 20));
    let mut sketches = sketches(&paths);
    for (user, used) in
        [("src/net/reader0.rs", "src/time/reader0.rs"), ("src/time/reader0.rs", "src/fs/reader0.rs")]
    {
        let at = paths.iter().position(|path| path == user).unwrap();
        sketches[at] = using(user, &[used]);
    }
    let draft = draft_skeleton(&sketches, "sample", &[]);
    assert_eq!(
        outline(&draft),
        "Sample core [root] 1\n\
         Networking [net] 9\n\
         Synchronization [sync] 15\n\
         Time [time] 7\n\
         File system [fs] 12\n\
         Utilities [crosscut-util] 8\n\
         Tests [tests] 20"
    );
}

#[test]
fn a_heading_names_a_directory_and_a_large_stage_gets_substages() {
    let mut paths = files("src/one", 30);
    paths.extend(files("src/two/inner", 14));
    paths.extend(files("src/two/outer", 14));
    paths.extend(["a", "b", "c", "d"].map(|name| format!("src/two/{name}.rs")));
    paths.extend(files("src/three", 20));
    paths.extend(files("src/four", 20));
    let headings = [DirectoryTitle { directory: "src/two".to_owned(), title: "Second thoughts".to_owned() }];
    let draft = draft_skeleton(&sketches(&paths), "sample", &headings);
    let expected = "Second thoughts [two] 4\n  Inner [two-inner] 14\n  Outer [two-outer] 14";
    assert!(outline(&draft).contains(expected), "{}", outline(&draft));
    let children = &draft.skeleton.stages.iter().find(|stage| stage.id.as_str() == "two").unwrap().children;
    assert_eq!(children.iter().map(StageId::as_str).collect::<Vec<_>>(), ["two-inner", "two-outer"]);
}

#[test]
fn names_divide_a_flat_directory() {
    let mut paths = Vec::new();
    for (word, count) in [("create", 40), ("delete", 35), ("describe", 60), ("modify", 30)] {
        paths.extend((0..count).map(|n| format!("src/client/{word}_thing{n}.rs")));
    }
    let draft = draft_skeleton(&sketches(&paths), "sample", &[]);
    let tops = draft.skeleton.stages.iter().filter(|stage| stage.parent.is_none());
    let titles: BTreeSet<&str> = tops.map(|stage| stage.title.as_str()).collect();
    assert_eq!(titles, BTreeSet::from(["Create", "Delete", "Describe", "Modify"]));
}

#[test]
fn no_page_is_longer_than_forty_files() {
    let mut paths = files("src/a", 500);
    paths.extend((0..300).map(|n| format!("src/b/x{n:03}/y{n}.rs")));
    paths.extend((0..200).map(|n| format!("tests/case{n}.rs")));
    let draft = draft_skeleton(&sketches(&paths), "sample", &[]);
    let mut own = vec![0; draft.skeleton.stages.len()];
    draft.stage_of.iter().for_each(|stage| own[*stage as usize] += 1);
    assert_eq!(own.iter().filter(|count| **count > 40).count(), 0, "{}", outline(&draft));
}

#[test]
fn the_order_of_the_files_and_their_prose_do_not_matter() {
    let mut paths = files("src/a", 30);
    paths.extend(files("src/b", 40));
    let forward = sketches(&paths);
    let mut backward: Vec<FileSketch> = forward.iter().rev().cloned().collect();
    backward[3].purpose = Some("Says something.".to_owned());
    let (one, other) = (draft_skeleton(&forward, "sample", &[]), draft_skeleton(&backward, "sample", &[]));
    assert_eq!(one.skeleton, other.skeleton);
    assert_eq!(one.stage_of, other.stage_of.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn ids_are_unique_and_parents_come_first() {
    let mut paths = files("src/util", 30);
    paths.extend(files("lib/util", 30));
    paths.extend(files("index", 20));
    paths.extend(files("日本", 20));
    let draft = draft_skeleton(&sketches(&paths), "sample", &[]);
    let mut seen = BTreeSet::new();
    for stage in &draft.skeleton.stages {
        assert!(stage.parent.as_ref().is_none_or(|parent| seen.contains(parent)));
        assert!(seen.insert(stage.id.clone()), "{} twice", stage.id);
    }
    assert_eq!(draft.stage_of.len(), 100);
}

#[test]
fn titles_are_unique_and_the_core_is_the_largest_that_could_be_called_so() {
    let mut paths = files("crates/core", 9);
    paths.extend(files("crates/grep", 1));
    paths.extend(files("crates/index", 2));
    paths.extend(files("crates/ignore", 12));
    paths.extend(files("crates/printer", 12));
    paths.extend(files("crates/searcher", 20));
    paths.extend(["build.rs", "fuzz/targets/glob.rs", "fuzz/targets/path.rs"].map(str::to_owned));
    let heading = |directory: &str, title: &str| DirectoryTitle {
        directory: directory.to_owned(),
        title: title.to_owned(),
    };
    let headings = [heading("crates/core", "sample core"), heading("crates/printer", "grep-printer")];
    let draft = draft_skeleton(&sketches(&paths), "sample", &headings);
    let titles: Vec<&str> = draft.skeleton.stages.iter().map(|stage| stage.title.as_str()).collect();
    let different: BTreeSet<String> = titles.iter().map(|title| title.to_lowercase()).collect();
    assert_eq!(different.len(), titles.len(), "{titles:?}");
    assert!(titles.contains(&"sample core"), "the README says so: {titles:?}");
    assert!(!titles.contains(&"Sample core"), "{titles:?}");
}

#[test]
fn a_substage_is_called_after_as_much_around_it_as_tells_it_apart() {
    let mut paths = Vec::new();
    for area in ["alpha", "beta", "gamma", "delta"] {
        paths.extend(files(&format!("src/{area}/backends/mysql"), 14));
        paths.extend(files(&format!("src/{area}/backends/{area}_only"), 14));
        paths.extend(files(&format!("src/{area}/front"), 14));
    }
    let draft = draft_skeleton(&sketches(&paths), "sample", &[]);
    let titles: BTreeSet<&str> = draft.skeleton.stages.iter().map(|stage| stage.title.as_str()).collect();
    for expected in ["Alpha: backends", "Alpha: backends: MySQL", "Beta only"] {
        assert!(titles.contains(expected), "{expected}: {}", outline(&draft));
    }
}

#[test]
fn two_flat_directories_give_at_least_four_stages() {
    let mut paths: Vec<String> = (0..30).map(|n| format!("src/a/file{n}.rs")).collect();
    paths.extend((0..30).map(|n| format!("src/b/file{n}.rs")));
    let draft = draft_skeleton(&sketches(&paths), "sample", &[]);
    assert!((4..=12).contains(&top_level_count(&draft)), "{}", outline(&draft));
}

#[test]
fn an_empty_repository_has_no_stages() {
    assert_eq!(draft_skeleton(&[], "", &[]).skeleton.stages, []);
}

/// A small generator of random numbers (xorshift) with a printed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// A repository of about 600 files: nested directories of uneven size, or many of equal size.
fn generated(random: &mut Random, is_even: bool) -> Vec<String> {
    let words = [
        "auth", "billing", "cart", "data", "export", "feed", "graph", "http", "import", "jobs", "keys", "log",
    ];
    let mut paths = vec!["src/main.rs".to_owned(), "build.rs".to_owned()];
    for n in 0.. {
        if paths.len() >= 600 {
            break;
        }
        let word = words[n % words.len()];
        let count = if is_even { 24 } else { 3 + random.below(90) };
        let nested = if n >= words.len() { format!("{word}{}", n / words.len()) } else { word.to_owned() };
        for file in 0..count {
            let inner = if file % 3 == 0 { format!("part{}/", file % 5) } else { String::new() };
            paths.push(format!("src/{nested}/{inner}file_{file}.rs"));
        }
    }
    paths.extend((0..40).map(|n| format!("tests/{}_{n}.rs", words[n % 6])));
    paths
}

/// One file added, moved or removed.
fn edited(paths: &[String], random: &mut Random) -> Vec<String> {
    let mut paths = paths.to_vec();
    let directory = |random: &mut Random, paths: &[String]| {
        paths[random.below(paths.len())]
            .rsplit_once('/')
            .map_or("src".to_owned(), |(directory, _)| directory.to_owned())
    };
    let kind = random.below(3);
    if kind > 0 {
        paths.remove(random.below(paths.len()));
    }
    if kind < 2 {
        let directory = directory(random, &paths);
        paths.push(format!("{directory}/fresh_{}.rs", random.below(1000)));
    }
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// How many of 200 edits moved another file to another top-level stage, and the largest share of
/// files (per mille) one of them moved beyond those of a single stage split or joined.
fn instability(paths: &[String], random: &mut Random) -> (usize, usize) {
    let before = top_stages(&sketches(paths));
    let (mut moving, mut worst) = (0, 0);
    for _ in 0..200 {
        let edited = edited(paths, random);
        let after = top_stages(&sketches(&edited));
        let moved: Vec<(&String, &String)> = before
            .iter()
            .filter_map(|(path, stage)| Some((stage, after.get(path).filter(|now| *now != stage)?)))
            .collect();
        moving += usize::from(!moved.is_empty());
        // Split or joined: all files that moved were in one stage before.
        let sources: BTreeSet<&String> = moved.iter().map(|(from, _)| *from).collect();
        if sources.len() > 1 {
            worst = worst.max(moved.len() * 1000 / paths.len());
            eprintln!("from {sources:?} to {:?}", moved.iter().map(|(_, to)| *to).collect::<BTreeSet<_>>());
        }
    }
    (moving, worst)
}

#[test]
fn one_file_seldom_moves_another() {
    for (seed, is_even) in [(1, false), (2, false), (3, false), (4, true)] {
        let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ (seed << 32));
        let paths = generated(&mut random, is_even);
        let draft = draft_skeleton(&sketches(&paths), "sample", &[]);
        let count = top_level_count(&draft);
        assert!((4..=12).contains(&count), "seed {seed}: {count} top-level stages\n{}", outline(&draft));
        let (moving, worst) = instability(&paths, &mut random);
        eprintln!(
            "seed {seed}: {} files, {count} stages, {moving} of 200 edits moved others, worst {worst} ‰",
            paths.len()
        );
        assert!(moving <= 10, "seed {seed}: {moving} of 200 edits moved other files");
        assert!(worst <= 20, "seed {seed}: one edit moved {worst} per mille of the files");
    }
}
