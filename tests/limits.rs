//! Large and deep repositories (R24): each is built within a stated time and memory, or what is over a limit is
//! listed. The fast lane samples them in memory; `BINDERY_NIGHTLY=1` builds the full sizes with the real program
//! and measures it with GNU `time` (use `--release` for figures worth comparing). Seconds are those of the processor:
//! what else the machine does adds none.

mod harness;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use bindery_engine::{BuildOutcome, QueryKind};
use bindery_store::fs::MemoryFileSystem;
use harness::*;

const MIB: usize = 1 << 20;

/// Builds, asserting the time; the test profile on a busy machine is slow, so this catches what is not linear.
fn build_within(file_system: &MemoryFileSystem, limit: Duration) -> BuildOutcome {
    let clock = Instant::now();
    let outcome = build(file_system).expect("it builds");
    let took = clock.elapsed();
    assert!(took < limit, "the build took {took:?}");
    outcome
}

fn coverage(file_system: &MemoryFileSystem) -> String {
    let bytes = file_system.contents(b".bindery/phase1/scan-coverage.json").expect("a build writes it");
    String::from_utf8(bytes.to_vec()).expect("it is text")
}

/// Bytes of everything that was written, cache included.
fn written(file_system: &MemoryFileSystem) -> usize {
    file_system.files(b".bindery/").values().map(|bytes| bytes.len()).sum()
}

const OTHER: (&str, &str) = ("other.py", "def other():\n    return 1\n");

/// A text that a 5 MB line is part of.
fn long_line(blanks: bool) -> String {
    let word = if blanks { "words " } else { "words+" };
    format!("def long():\n    return \"{}\"\n", word.repeat(5 * MIB / word.len()))
}

#[test]
fn a_file_over_the_limit_is_listed_and_the_rest_is_done() {
    for (extra, is_over) in [(1, true), (0, false)] {
        let file_system = MemoryFileSystem::with_files([OTHER]);
        // A comment of 10 MiB, blanks in it, as lines of 64 bytes.
        let line = format!("# {}\n", "comment ".repeat(8).trim_end());
        let mut text = line.repeat(10 * MIB / line.len());
        text.push_str(&" ".repeat(10 * MIB - text.len() + extra));
        file_system.write(b"big.py", text.as_bytes());
        let outcome = build_within(&file_system, Duration::from_secs(60));
        assert_eq!(outcome.report.files.unparsable, u64::from(is_over), "{extra} bytes over");
        assert_eq!(outcome.report.files.scanned, 2 - u64::from(is_over), "{extra} bytes over");
        let detail = "10485761 bytes, over the limit of 10485760 bytes per file";
        assert_eq!(coverage(&file_system).contains(detail), is_over, "{extra} bytes over");
    }
}

#[test]
fn a_line_of_5_mb_is_a_file_like_others_unless_it_is_minified() {
    for (blanks, scanned) in [(true, 2), (false, 1)] {
        let file_system = MemoryFileSystem::with_files([OTHER, ("long.py", &long_line(blanks))]);
        let outcome = build_within(&file_system, Duration::from_secs(30));
        assert_eq!(outcome.report.files.scanned, scanned, "blanks: {blanks}");
        assert_eq!(outcome.report.files.skipped.get("minified").copied().unwrap_or(0), 2 - scanned);
        let written = written(&file_system);
        assert!(written < MIB, "{written} bytes were written: the line is carried along");
    }
}

fn nested(open: &str, middle: &str, close: &str, depth: usize) -> String {
    format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
}

/// Files that nest 5,000 deep in each way a stage after parsing could descend into.
fn deep_files() -> Vec<(&'static str, String)> {
    const DEPTH: usize = 5_000;
    let function = |text: String| format!("fn f() {{ {text} }}\nfn g() {{}}\n");
    let rust_types = nested("Vec<", "u8", ">", DEPTH);
    let mut classes = String::new();
    for depth in 0..300 {
        writeln!(classes, "{}class C{depth}:", " ".repeat(depth)).expect("a string takes what is written");
    }
    writeln!(classes, "{}pass", " ".repeat(300)).expect("a string takes what is written");
    vec![
        ("brackets.py", format!("x = {}\n", nested("[", "1", "]", DEPTH))),
        ("calls.py", format!("def f(x):\n    return {}\n", nested("f(", "1", ")", DEPTH))),
        ("chain.py", format!("def f(x):\n    return x{}\n", ".y()".repeat(DEPTH))),
        ("operands.py", format!("def f(x):\n    return x{}\n", " + f(x)".repeat(DEPTH))),
        ("annotation.py", format!("def f(x: {}):\n    return x\n", nested("list[", "int", "]", DEPTH))),
        ("lambdas.py", format!("f = {}1\n", "lambda x: ".repeat(DEPTH))),
        ("classes.py", classes),
        ("brackets.rs", function(nested("(", "1", ")", DEPTH))),
        ("blocks.rs", function(nested("{", "g();", "}", DEPTH))),
        ("closures.rs", function(format!("{}1", "|x| ".repeat(DEPTH)))),
        ("chain.rs", function(format!("a{}", ".b()".repeat(DEPTH)))),
        ("types.rs", format!("type A = {rust_types};\nfn f(a: {rust_types}) {{}}\n")),
        ("modules.rs", nested("mod m { ", "pub fn f() {}", "}", DEPTH)),
        ("uses.rs", format!("use {};\n", nested("a::{", "b", "}", DEPTH))),
    ]
}

#[test]
fn nesting_5_000_deep_goes_through_every_stage() {
    // One line each, so they look minified.
    let by_name = ("bindery.toml", "include = [\"*.py\", \"*.rs\"]\n");
    let file_system = MemoryFileSystem::with_files([OTHER, by_name]);
    let files = deep_files();
    for (path, text) in &files {
        file_system.write(path.as_bytes(), text.as_bytes());
    }
    let outcome = build_within(&file_system, Duration::from_secs(120));
    assert_eq!(outcome.faults, Vec::<String>::new());
    let counts = &outcome.report.files;
    assert_eq!(counts.scanned + counts.unparsable, files.len() as u64 + 1, "{}", coverage(&file_system));
    eprintln!(
        "{} of {} files scanned, {} bytes written",
        counts.scanned,
        files.len() + 1,
        written(&file_system)
    );
    assert!(check(&file_system).expect("it can be checked").stale.is_empty());
}

/// A file of a repository of many: each calls the next one.
fn one_of_many(number: usize, count: usize) -> (String, String) {
    let module = |number: usize| format!("part_{}.sub_{}.m{number}", number % 20, number / 20 % 50);
    let next = (number + 1) % count;
    let text =
        format!("from {} import f{next}\n\n\ndef f{number}(x):\n    f{next}(x + {number})\n", module(next));
    (format!("{}.py", module(number).replace('.', "/")), text)
}

#[test]
fn five_thousand_files_are_built_and_one_edit_costs_one_file() {
    const COUNT: usize = 5_000;
    let file_system = MemoryFileSystem::new();
    for number in 0..COUNT {
        let (path, text) = one_of_many(number, COUNT);
        file_system.write(path.as_bytes(), text.as_bytes());
    }
    let outcome = build_within(&file_system, Duration::from_secs(120));
    assert_eq!(outcome.report.files.scanned, COUNT as u64);
    assert_eq!(outcome.report.queries[&QueryKind::Resolution].computed, COUNT as u64);
    let (path, text) = one_of_many(7, COUNT);
    file_system.write(path.as_bytes(), text.replace("x + 7", "x - 7").as_bytes());
    let outcome = build_within(&file_system, Duration::from_secs(30));
    assert_eq!(outcome.report.queries[&QueryKind::Facts].computed, 1);
    assert_eq!(outcome.report.queries[&QueryKind::Resolution].computed, 1);
}

/// A repository of the nightly lane and what its first build may take.
struct Large {
    name: &'static str,
    make: fn(&Path),
    seconds: f64,
    /// Resident memory at the peak, of the largest of the program's processes.
    mebibytes: u64,
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("it is below the root")).expect("directories can be made");
    fs::write(path, bytes).expect("files can be written");
}

const LARGE: [Large; 4] = [
    Large {
        name: "one file of 200 MB",
        make: |root| {
            write(&root.join("big.py"), &b"value = 1  # a line\n".repeat(10 * MIB));
            write(&root.join(OTHER.0), OTHER.1.as_bytes());
        },
        seconds: 2.0,
        mebibytes: 64,
    },
    Large {
        name: "100,000 files",
        make: |root| {
            for number in 0..100_000 {
                let (path, text) = one_of_many(number, 100_000);
                write(&root.join(path), text.as_bytes());
            }
        },
        seconds: 150.0,
        mebibytes: 1_536,
    },
    Large {
        name: "a line of 5 MB",
        make: |root| write(&root.join("long.py"), long_line(true).as_bytes()),
        seconds: 3.0,
        mebibytes: 128,
    },
    Large {
        name: "nesting 5,000 deep",
        make: |root| {
            write(&root.join("bindery.toml"), b"include = [\"*.py\", \"*.rs\"]\n");
            for (path, text) in deep_files() {
                write(&root.join(path), text.as_bytes());
            }
        },
        seconds: 10.0,
        mebibytes: 256,
    },
];

/// Runs the program under GNU `time`: exit code, seconds of the processor, peak resident mebibytes.
fn measured(arguments: &[&str], root: &Path) -> (Option<i32>, f64, u64) {
    let figures = root.with_extension("figures");
    let status = Command::new("/usr/bin/time")
        .args(["--format", "%U %S %M", "--output"])
        .arg(&figures)
        .arg(env!("CARGO_BIN_EXE_bindery"))
        .args(arguments)
        .arg(root)
        .arg("--quiet")
        .env_remove("CI")
        .status()
        .expect("the nightly lane needs GNU `time` as `/usr/bin/time`");
    let text = fs::read_to_string(figures).expect("`time` writes what it measured");
    // A command that fails has a line before the figures.
    let line = text.lines().next_back().expect("there is a line of figures");
    let figures: Vec<f64> = line.split(' ').map(|figure| figure.parse().expect("a number")).collect();
    let [user, system, kibibytes] = figures[..] else { panic!("three figures, not `{line}`") };
    (status.code(), user + system, (kibibytes / 1024.0).ceil() as u64)
}

#[test]
fn large_repositories_are_built_within_their_time_and_memory() {
    if lane(0, 1) == 0 {
        eprintln!("the full sizes are built with `BINDERY_NIGHTLY=1`");
        return;
    }
    let mut over = Vec::new();
    for large in &LARGE {
        let scratch = tempfile::tempdir().expect("a temporary directory can be made");
        let root = scratch.path().join("root");
        fs::create_dir(&root).expect("directories can be made");
        (large.make)(&root);
        for (what, arguments, limit) in [
            ("first build", &["build"][..], large.seconds),
            ("check, nothing changed", &["check"], large.seconds / 2.0),
            ("build, nothing changed", &["build"], large.seconds / 2.0),
        ] {
            let (code, seconds, mebibytes) = measured(arguments, &root);
            eprintln!("{:<20} {what:<24} {seconds:>7.2} s {mebibytes:>6} MiB", large.name);
            assert_eq!(code, Some(0), "{}, {what}", large.name);
            if seconds > limit || mebibytes > large.mebibytes {
                over.push(format!("{}, {what}: {seconds} s, {mebibytes} MiB", large.name));
            }
        }
    }
    assert!(over.is_empty(), "over the limits:\n{}", over.join("\n"));
}
