//! Every setting and every input from the surroundings flipped between two runs (R7): the second run gives what a
//! clean build gives, for the handbook and for the artifacts, and so does the way back. What is no input makes a
//! run that does nothing.

mod harness;

use std::path::PathBuf;
use std::sync::Arc;

use bindery_engine::{BuildOutcome, Options, QueryKind, Quiet, Repository};
use bindery_store::fs::MemoryFileSystem;
use bindery_store::{Environment, Interrupt};
use harness::*;

const STAGES: &str =
    "metadata:\n  version: 1\nstages:\n  - id: src\n    title: Source\n  - id: tools\n    title: Tools\n";

/// The small repository with something for every setting to act on.
fn repository() -> MemoryFileSystem {
    let file_system = fresh(&small().files);
    let nested = format!("x = {}1{}\n", "[".repeat(60), "]".repeat(60));
    for (path, text) in [
        ("stages.yaml", STAGES),
        ("tools/made.py", "# @generated\n\n\ndef made():\n    return 1\n"),
        ("vendor/theirs.py", "def theirs():\n    return 1\n"),
        ("tools/nested.py", &nested),
        ("tools/long.py", &"\n# words\ndef long():\n    return 1\n".repeat(200)),
    ] {
        file_system.write(path.as_bytes(), text.as_bytes());
    }
    file_system
}

/// What a run was given besides the files.
#[derive(Clone, Default)]
struct Given {
    /// `bindery.toml`.
    configuration: &'static str,
    source_date_epoch: Option<&'static str>,
    options: Options,
}

fn build_given(file_system: &MemoryFileSystem, given: &Given) -> BuildOutcome {
    let environment = Environment {
        source_date_epoch: given.source_date_epoch.map(str::to_owned),
        cores: 2,
        ..Environment::default()
    };
    let root = PathBuf::from("/repository");
    let repository = Repository::over(
        Arc::new(file_system.clone()),
        root,
        environment,
        &given.options,
        Interrupt::never(),
    );
    repository.and_then(|repository| repository.build(&Quiet)).expect("it builds")
}

/// Handbook and artifacts, wherever the run was told to put them.
fn written(file_system: &MemoryFileSystem, given: &Given) -> Tree {
    let mut tree = outputs(file_system);
    if given.configuration.contains("out =") || given.options.out.is_some() {
        tree.retain(|path, _| !path.starts_with(b".bindery/handbook/"));
        tree.extend(file_system.files(b"docs/"));
    }
    if given.configuration.contains("\"none\"") {
        tree.retain(|path, _| !path.starts_with(b".bindery/phase"));
    }
    tree
}

fn clean(given: &Given) -> Tree {
    let file_system = repository();
    file_system.write(b"bindery.toml", given.configuration.as_bytes());
    build_given(&file_system, given);
    written(&file_system, given)
}

/// Builds one way, then the other, then the first again, and compares each with a clean build. Whether the two
/// differ at all is returned.
fn flip(what: &str, one: &Given, other: &Given) -> bool {
    let file_system = repository();
    let expected = [clean(one), clean(other), clean(one)];
    for (given, expected) in [one, other, one].into_iter().zip(&expected) {
        file_system.write(b"bindery.toml", given.configuration.as_bytes());
        build_given(&file_system, given);
        let found = written(&file_system, given);
        let differing = differences(&found, expected);
        assert!(
            differing.is_empty(),
            "{what}: {:?} after another run (first) and clean (second):\n{}",
            given.configuration,
            differing.join("\n")
        );
    }
    expected[0] != expected[1]
}

/// Each setting of `bindery.toml`, with whether it shows in what is written.
const SETTINGS: [(&str, bool); 25] = [
    ("name = \"Other\"", true),
    ("out = \"docs\"", true),
    ("out = \"docs/deep/er\"", true),
    ("depth = \"deep\"", true),
    ("skeleton = \"stages.yaml\"", true),
    ("skeleton = \"stages.yaml\"\nstrategy = \"member\"", true),
    ("include = [\"vendor/\"]", true),
    ("include = [\"tools/made.py\"]", true),
    ("exclude = [\"tools/text.py\"]", true),
    ("link_template = \"https://example.org/{path}#{line}\"", true),
    ("artifacts = \"none\"", true),
    ("limits.file_bytes = 2000", true),
    ("limits.bracket_depth = 20", true),
    ("limits.memory_base = 1\nlimits.memory_per_byte = 1", true),
    ("limits.memory_base = 1", true),
    ("limits.memory_per_byte = 1", false),
    ("limits.ticks_base = 1\nlimits.ticks_per_kibibyte = 1", true),
    ("limits.ticks_base = 1", false),
    ("limits.ticks_per_kibibyte = 1", false),
    ("prose = \"prose.jsonl\"", false),
    ("narrator = \"extractive\"", false),
    ("formats = [\"markdown\"]", false),
    ("history = true", false),
    ("required_version = \">=0.0.1\"", false),
    ("artifacts = \"all\"", false),
];

#[test]
fn every_setting_flipped_gives_what_a_clean_build_gives() {
    on_all_cores(&SETTINGS, |(configuration, shows)| {
        let other = Given { configuration, ..Given::default() };
        assert_eq!(flip(configuration, &Given::default(), &other), *shows, "{configuration}: shows");
    });
    eprintln!("{} settings", SETTINGS.len());
}

#[test]
fn every_input_from_outside_flipped_gives_what_a_clean_build_gives() {
    let plain = Given::default();
    let dated = Given { source_date_epoch: Some("1000000000"), ..Given::default() };
    assert!(flip("SOURCE_DATE_EPOCH", &plain, &dated));
    let with = |options: Options| Given { options, ..Given::default() };
    let out = with(Options { out: Some("docs".into()), ..Options::default() });
    assert!(flip("--out", &plain, &out));
    let overridden = with(Options {
        out: Some("docs".into()),
        overrides: vec!["depth = \"deep\"".to_owned()],
        ..Options::default()
    });
    assert!(flip("--config", &out, &overridden));
}

/// What a run did that found its work done.
fn did_nothing(outcome: &BuildOutcome) -> bool {
    let report = &outcome.report;
    let computed: u64 = [QueryKind::Facts, QueryKind::Resolution, QueryKind::Page, QueryKind::Skeleton]
        .iter()
        .map(|query| report.queries[query].computed)
        .sum();
    (computed, report.pages.written, report.artifacts.written) == (0, 0, 0)
}

#[test]
fn what_is_no_input_makes_a_run_that_does_nothing() {
    let touch = |file_system: &MemoryFileSystem| {
        for (at, path) in sources(file_system).keys().enumerate() {
            file_system.set_mtime(path, 1_000_000_000 * at as i64);
        }
    };
    let rewrite = |file_system: &MemoryFileSystem| {
        for (path, bytes) in sources(file_system) {
            file_system.remove(&path);
            file_system.write(&path, &bytes);
        }
    };
    let non_input = |file_system: &MemoryFileSystem| {
        file_system.write(b"notes.txt", b"words\n");
        file_system.write(b"docs/guide.md", b"# Guide\n");
    };
    let run_record = |file_system: &MemoryFileSystem| file_system.remove(b".bindery/run.json");
    type Edit<'a> = &'a dyn Fn(&MemoryFileSystem);
    let cases: [(&str, Edit<'_>); 4] = [
        ("times", &touch),
        ("inodes", &rewrite),
        ("files of no language", &non_input),
        ("the last run's record", &run_record),
    ];
    for (what, change) in cases {
        let file_system = repository();
        build(&file_system).expect("it builds");
        change(&file_system);
        assert!(did_nothing(&build(&file_system).expect("it builds")), "{what}");
    }
    let options = [
        ("jobs", Options { jobs: Some(7), ..Options::default() }),
        ("durability", Options { durable: true, ..Options::default() }),
        ("hashing", Options { hash_everything: true, ..Options::default() }),
    ];
    for (what, options) in options {
        let file_system = repository();
        build(&file_system).expect("it builds");
        assert!(did_nothing(&build_with(&file_system, &options).expect("it builds")), "{what}");
    }
    // Another root: the same files, with their state, at another place.
    let file_system = repository();
    build(&file_system).expect("it builds");
    let environment = Environment { cores: 16, ci: true, ..Environment::default() };
    let elsewhere = Repository::over(
        Arc::new(file_system.clone()),
        PathBuf::from("/elsewhere"),
        environment,
        &Options::default(),
        Interrupt::never(),
    );
    assert!(did_nothing(&elsewhere.expect("it opens").build(&Quiet).expect("it builds")), "root, cores, CI");
}
