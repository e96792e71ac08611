//! How long the files of a directory take: the bare tree-sitter parse, the same within our limits, and
//! with the facts read off. One thread, seconds of CPU, the best of some rounds.
//!
//! `cargo run --release -p bindery-languages --example parse_speed -- DIRECTORY [ROUNDS]`
//!
//! The bare parse comes first, on the system's allocator as tree-sitter would have it, because the
//! counting one cannot be taken out again.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a measuring program reads files, arguments and the CPU time of its thread"
)]

use std::ops::ControlFlow;
use std::path::Path;

use bindery_languages::for_language;
use bindery_source::Language;
use bindery_syntax::{Adapter, Limits, Parsed, Refusal, Route, SourceText, parse, parse_tree, route};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct File {
    adapter: &'static dyn Adapter,
    bytes: Vec<u8>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().expect("the first argument is a directory");
    let rounds: u32 = arguments.next().map_or(3, |rounds| rounds.parse().expect("ROUNDS is a number"));
    let files = files_below(Path::new(&directory));
    let megabytes = files.iter().map(|file| file.bytes.len()).sum::<usize>() as f64 / 1e6;
    println!("{} files, {megabytes:.2} MB", files.len());

    let bare = report("bare parse", megabytes, None, best_of(rounds, || files.iter().for_each(parse_bare)));
    let scan = best_of(rounds, || files.iter().for_each(|file| _ = scan(file)));
    report("guards alone", megabytes, Some(bare), scan);
    let bounded = best_of(rounds, || files.iter().for_each(|file| _ = parse_bounded(file)));
    report("parse in limits", megabytes, Some(bare), bounded);
    report(
        "parse and facts",
        megabytes,
        Some(bare),
        best_of(rounds, || files.iter().for_each(parse_to_facts)),
    );
    report_highest_costs(&files);
}

fn report(what: &str, megabytes: f64, bare: Option<f64>, seconds: f64) -> f64 {
    let ratio = bare.map_or(String::new(), |bare| format!(", {:.3} of the bare parse", seconds / bare));
    println!("{what:16} {seconds:8.3} s CPU, {:8.2} MB/s{ratio}", megabytes / seconds);
    seconds
}

/// The highest costs over the files from 2,000 bytes on: what the limits are made from.
fn report_highest_costs(files: &[File]) {
    let (mut ticks, mut memory) = (0f64, 0f64);
    for file in files.iter().filter(|file| file.bytes.len() >= 2_000) {
        if let Some((bytes, cost)) = parse_bounded(file) {
            ticks = ticks.max(cost.ticks as f64 * 1024. / bytes as f64);
            memory = memory.max(cost.peak_bytes as f64 / bytes as f64);
        }
    }
    println!("highest costs: {ticks:.1} ticks per kibibyte, {memory:.0} bytes of memory per byte");
}

fn scan(file: &File) -> Result<(), Refusal> {
    match route(file.adapter.language(), &file.bytes, &Limits::default()) {
        Route::Unparsable(refusal) => Err(refusal),
        Route::InProcess | Route::Worker => Ok(()),
    }
}

fn parse_bare(file: &File) {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&file.adapter.grammar()).expect("the grammar fits this tree-sitter");
    std::hint::black_box(parser.parse(&file.bytes, None));
}

fn parse_bounded(file: &File) -> Option<(usize, bindery_syntax::Cost)> {
    scan(file).ok()?;
    let text = SourceText::decode(&file.bytes).ok()?;
    let mut go_on = || ControlFlow::Continue(());
    let parsed = parse_tree(&file.adapter.grammar(), text.as_str(), &Limits::default(), &mut go_on);
    parsed.ok().map(|(_, cost)| (text.as_str().len(), cost))
}

fn parse_to_facts(file: &File) {
    if let Parsed::Panicked { detail } = parse(file.adapter, &file.bytes, &Limits::default()) {
        eprintln!("an adapter panicked: {detail}");
    }
}

fn files_below(directory: &Path) -> Vec<File> {
    let (mut files, mut waiting) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(directory) = waiting.pop() {
        let mut entries: Vec<_> =
            std::fs::read_dir(directory).expect("the directory can be listed").flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::path);
        for entry in entries {
            let (path, kind) = (entry.path(), entry.file_type().expect("an entry has a type"));
            let extension = path.extension().and_then(|extension| extension.to_str());
            let language = extension.and_then(Language::from_extension).and_then(for_language);
            match language {
                _ if kind.is_dir() => waiting.push(path),
                Some(language) if kind.is_file() => {
                    files.push(File {
                        adapter: language.adapter,
                        bytes: std::fs::read(path).expect("the file can be read"),
                    });
                }
                _ => {}
            }
        }
    }
    files
}

fn best_of(rounds: u32, mut work: impl FnMut()) -> f64 {
    let round = |_| {
        let start = cpu_seconds();
        work();
        cpu_seconds() - start
    };
    (0..rounds).map(round).fold(f64::INFINITY, f64::min)
}

/// CPU seconds this thread has had (Linux: `/proc/thread-self/schedstat`, in nanoseconds).
fn cpu_seconds() -> f64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").expect("this example runs on Linux");
    let nanoseconds = times.split(' ').next().expect("the file has three numbers");
    nanoseconds.parse::<f64>().expect("the first is a number") / 1e9
}
