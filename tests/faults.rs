//! Crashes, corruption, failing disks and clocks: R8, R10, R13, R14, R15 of the reliability goals.

mod harness;

use std::sync::Arc;

use bindery_engine::{FailureKind, Options, Quiet};
use bindery_store::ErrorKind;
use bindery_store::fs::{Fault, FaultFileSystem, FileSystem, MemoryFileSystem};
use harness::*;

/// Builds through a fault; returns what came of it and how many calls and writes there were.
fn faulty(file_system: &MemoryFileSystem, fault: Fault) -> (Result<(), String>, u64, u64) {
    faulty_with(file_system, fault, &Options::default())
}

fn faulty_with(
    file_system: &MemoryFileSystem,
    fault: Fault,
    options: &Options,
) -> (Result<(), String>, u64, u64) {
    let faulty = Arc::new(FaultFileSystem::new(Arc::new(file_system.clone()), fault));
    let outcome = open(faulty.clone(), options)
        .and_then(|repository| repository.build(&Quiet))
        .map(drop)
        .map_err(|failure| failure.to_string());
    (outcome, faulty.calls(), faulty.writes())
}

/// A built small repository with an edit that is not built yet.
fn edited() -> MemoryFileSystem {
    let file_system = fresh(&small().files);
    build(&file_system).expect("the small repository builds");
    file_system.write(
        b"src/store.rs",
        b"pub fn save(n: u32) -> u32 {\n    check(n)\n}\n\nfn check(n: u32) -> u32 {\n    n\n}\n",
    );
    file_system
        .write(b"tools/more.py", b"from tools.text import line\n\n\ndef more():\n    return line(\"y\")\n");
    file_system
}

fn assert_clean(file_system: &MemoryFileSystem, context: &str) {
    build(file_system).unwrap_or_else(|failure| panic!("{context}: the next run failed: {failure}"));
    let differing = differences(&outputs(file_system), &clean_outputs(file_system));
    assert!(differing.is_empty(), "{context}: {}", differing.join("\n"));
    let strays: Vec<String> = file_system
        .files(b"")
        .into_keys()
        .map(|path| String::from_utf8_lossy(&path).into_owned())
        .filter(|path| path.contains(".bindery-tmp-"))
        .collect();
    assert!(strays.is_empty(), "{context}: stray files {strays:?}");
}

/// A built small repository that loses a file and is to be called otherwise.
fn rearranged() -> MemoryFileSystem {
    let file_system = edited();
    build(&file_system).expect("the small repository builds");
    file_system.remove(b"tools/text.py");
    file_system.write(b"bindery.toml", b"name = \"Other\"\ndepth = \"deep\"\n");
    file_system
}

#[test]
fn a_crash_at_any_write_leaves_a_repository_the_next_run_repairs() {
    let mut points = 0;
    let starts: [(&str, &dyn Fn() -> MemoryFileSystem, bool); 5] = [
        ("first build", &|| fresh(&small().files), false),
        ("first build, durable", &|| fresh(&small().files), true),
        ("second build", &edited, false),
        ("second build, durable", &edited, true),
        ("build after a removal", &rearranged, false),
    ];
    for (name, start, durable) in starts {
        let options = Options { durable, ..Options::default() };
        let start = start();
        let (outcome, _, writes) = faulty_with(&start.snapshot(), Fault::None, &options);
        outcome.unwrap_or_else(|failure| panic!("{name}: {failure}"));
        for at in 1..=writes {
            let file_system = start.snapshot();
            let _ = faulty_with(&file_system, Fault::CrashAtWrite(at), &options);
            assert_clean(&file_system, &format!("{name}, crash at write {at}"));
        }
        eprintln!("{name}: {writes} crash points");
        points += writes;
    }
    eprintln!("{points} crash points");
    assert!(points >= 300, "{points} crash points are fewer than the lane promises");
}

#[test]
fn every_single_failing_call_is_survived_or_named() {
    let (_, calls, _) = faulty(&edited(), Fault::None);
    let kinds = [ErrorKind::NoSpace, ErrorKind::Io, ErrorKind::TooManyOpenFiles];
    let mut failures = 0;
    for at in 1..=calls {
        let kind = kinds[at as usize % kinds.len()];
        let file_system = edited();
        let before = outputs(&file_system);
        let (outcome, ..) = faulty(&file_system, Fault::FailCall(at, kind));
        // A run that ends well although a call failed has listed the fact: its outputs are its own. One that
        // ends badly leaves every output as it was or as it should be.
        if let Err(message) = outcome {
            failures += 1;
            assert!(message.contains('`'), "call {at}, {kind:?}: the message names no path: {message}");
            let clean = clean_outputs(&file_system);
            for (path, bytes) in outputs(&file_system) {
                let whole = before.get(&path) == Some(&bytes) || clean.get(&path) == Some(&bytes);
                assert!(whole, "call {at}: {} is half-written", String::from_utf8_lossy(&path));
            }
        }
        assert_clean(&file_system, &format!("call {at}, {kind:?}"));
    }
    eprintln!("{calls} calls failed in turn, {failures} of them end the build");
}

#[test]
fn a_disk_that_fills_up_costs_the_cache_or_ends_the_build_cleanly() {
    let (_, _, writes) = faulty(&edited(), Fault::None);
    for at in 1..=writes {
        let file_system = edited();
        let (outcome, ..) = faulty(&file_system, Fault::FailWritesFrom(at, ErrorKind::NoSpace));
        if let Err(message) = outcome {
            assert!(message.contains('`'), "write {at}: the message names no path: {message}");
        }
        assert_clean(&file_system, &format!("disk full from write {at}"));
    }
    eprintln!("{writes} fill points");
}

/// Damages one file of the cache at random; says how.
fn damage(numbers: &mut Numbers, file_system: &MemoryFileSystem) -> String {
    let files: Vec<Vec<u8>> = file_system
        .files(b".bindery/cache/")
        .into_keys()
        .filter(|path| !path.ends_with(b"CACHEDIR.TAG"))
        .collect();
    assert!(!files.is_empty(), "a built repository has a cache, of which each damage takes one file at most");
    let path = numbers.pick(&files).clone();
    let name = String::from_utf8_lossy(&path).into_owned();
    let mut bytes = file_system.contents(&path).unwrap_or_default().to_vec();
    let at = numbers.below(bytes.len().max(1));
    let what = match numbers.below(8) {
        0 if !bytes.is_empty() => {
            bytes[at] ^= 1 << numbers.below(8);
            "bit flip"
        }
        1 => {
            bytes.truncate(at);
            "truncation"
        }
        2 => {
            let end = (at + 64).min(bytes.len());
            bytes[at..end].fill(0);
            "zeroed page"
        }
        3 => {
            let other = numbers.pick(&files).clone();
            let theirs = file_system.contents(&other).unwrap_or_default().to_vec();
            file_system.write(&other, &bytes);
            bytes = theirs;
            "swap"
        }
        4 => {
            let end = (at + 8).min(bytes.len());
            bytes[at..end].fill(0xff);
            "huge length"
        }
        5 => {
            file_system.remove(&path);
            return format!("removal of {name}");
        }
        6 => {
            let shown = String::from_utf8_lossy(&bytes).replace('1', "9");
            bytes = shown.into_bytes();
            "other version"
        }
        _ => {
            bytes.extend_from_slice(b"trailing");
            "growth"
        }
    };
    file_system.write(&path, &bytes);
    format!("{what} of {name} at {at}")
}

#[test]
fn a_damaged_cache_is_a_slow_cache() {
    let built = edited();
    build(&built).expect("the small repository builds");
    let edited = built.snapshot();
    edited.write(b"tools/text.py", b"def line(word):\n    return word.upper()\n");
    let clean = [clean_outputs(&built), clean_outputs(&edited)];
    let seeds = seed_numbers(lane(2_000, 100_000));
    for seed in &seeds {
        let mut numbers = Numbers::new(*seed);
        let which = numbers.below(2);
        let file_system = [&built, &edited][which].snapshot();
        let what: Vec<String> = (0..=numbers.below(3)).map(|_| damage(&mut numbers, &file_system)).collect();
        build(&file_system).unwrap_or_else(|failure| panic!("seed {seed}, {what:?}: {failure}"));
        let differing = differences(&outputs(&file_system), &clean[which]);
        assert!(differing.is_empty(), "seed {seed}, {what:?}: {}", differing.join("\n"));
    }
    eprintln!("{} damaged caches", seeds.len());
}

#[test]
fn a_read_only_tree_can_be_checked_and_asked_but_not_built() {
    let file_system = fresh(&small().files);
    build(&file_system).expect("the small repository builds");
    file_system.set_read_only(true);
    let outcome = check(&file_system).expect("check writes nothing");
    assert!(outcome.stale.is_empty());
    let repository = open(Arc::new(file_system.clone()), &Options::default()).expect("it opens");
    assert_eq!(repository.callers("save").expect("look-ups write nothing").len(), 1);
    file_system.set_read_only(false);
    file_system.write(b"src/lib.rs", b"pub mod store;\n\npub fn renamed() {\n    store::save(2);\n}\n");
    file_system.set_read_only(true);
    assert!(!check(&file_system).expect("check writes nothing").stale.is_empty());
    let failure = build(&file_system).expect_err("outputs cannot be written");
    assert_eq!(failure.kind, FailureKind::Machine);
    assert!(failure.message.contains('`'), "the message names the path: {failure}");
}

#[test]
fn writes_within_one_tick_of_the_clock_are_all_seen() {
    let second = 1_000_000_000;
    for (granularity, step) in [(second, 1_000), (1_000_000, 0), (2 * second, 1)] {
        let file_system = fresh(&small().files);
        file_system.set_granularity(granularity);
        file_system.set_step(step);
        build(&file_system).expect("the small repository builds");
        for round in 0..100 / 3 {
            // Same size, same second.
            let text = format!("def line(word):\n    return word.m{:02}()\n", round % 100);
            file_system.write(b"tools/text.py", text.as_bytes());
            build(&file_system).expect("it builds");
            let differing = differences(&outputs(&file_system), &clean_outputs(&file_system));
            assert!(
                differing.is_empty(),
                "granularity {granularity}, round {round}: {}",
                differing.join("\n")
            );
        }
    }
}

#[test]
fn times_that_prove_nothing_hide_no_change() {
    let file_system = fresh(&small().files);
    build(&file_system).expect("the small repository builds");
    let now = file_system.clock();
    let path = b"tools/text.py";
    for (round, mtime) in [now, now - 3_600_000_000_000, now + 86_400_000_000_000, 0].into_iter().enumerate()
    {
        let text = format!("def line(word):\n    return word.t{round}()\n");
        file_system.write(path, text.as_bytes());
        file_system.set_mtime(path, mtime);
        build(&file_system).expect("it builds");
        let differing = differences(&outputs(&file_system), &clean_outputs(&file_system));
        assert!(differing.is_empty(), "mtime {mtime}: {}", differing.join("\n"));
    }
    let _ = file_system.lstat(path).expect("the file is there");
}
