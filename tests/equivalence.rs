//! Incremental equals clean (R1), undo restores (R3), and the cache verifies (R6), over random edits of
//! every fixture repository. `BINDERY_NIGHTLY=1` runs the long lane. Seeds are printed; a failing seed is
//! run alone with `BINDERY_SEED=n`.

mod harness;

use std::collections::{BTreeMap, BTreeSet};

use bindery_engine::Options;
use bindery_source::Language;
use bindery_store::fs::MemoryFileSystem;
use harness::*;

/// Edits per sequence.
const EDITS: usize = 5;

/// What a copy's name may end in.
const ENDINGS: [&str; 7] = [".go", ".java", ".js", ".py", ".rs", ".ts", ".tsx"];

/// Half of the sequences begin with every form of the handbook.
const ALL_FORMATS: &str = "formats = [\"markdown\", \"html\", \"html-single\", \"agent\"]\n";

/// One random edit; says in words what it did.
fn edit(numbers: &mut Numbers, file_system: &MemoryFileSystem, pool: &Tree) -> String {
    // The configuration has edits of its own; a broken one is a finding and no build.
    let files: Vec<Vec<u8>> =
        sources(file_system).into_keys().filter(|path| path != b"bindery.toml").collect();
    if files.is_empty() {
        let (path, bytes) = numbers.pick(&pool.iter().collect::<Vec<_>>()).to_owned();
        file_system.write(path, bytes);
        return format!("restore {}", shown(path));
    }
    let path = numbers.pick(&files).clone();
    match numbers.below(14) {
        0..5 => edit_lines(numbers, file_system, &path),
        5..8 => move_file(numbers, file_system, &path),
        8..11 => edit_surroundings(numbers, file_system),
        11 => revert(numbers, file_system, pool),
        12 => {
            let name = [&path[..], numbers.pick(&ENDINGS).as_bytes()].concat();
            file_system.write(&name, &file_system.contents(&path).unwrap_or_default());
            format!("copy {} to {}", shown(&path), shown(&name))
        }
        _ => {
            let other = numbers.pick(&files).clone();
            let contents = [&path, &other].map(|path| file_system.contents(path).unwrap_or_default());
            file_system.write(&path, &contents[1]);
            file_system.write(&other, &contents[0]);
            format!("swap {} and {}", shown(&path), shown(&other))
        }
    }
}

fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// An edit of one file's text.
fn edit_lines(numbers: &mut Numbers, file_system: &MemoryFileSystem, path: &[u8]) -> String {
    let text = shown(&file_system.contents(path).unwrap_or_default());
    let mut lines: Vec<&str> = text.lines().collect();
    let (at, name) = (numbers.below(lines.len() + 1), shown(path));
    let what = match numbers.below(5) {
        0 => {
            let copied = if lines.is_empty() { "" } else { *numbers.pick(&lines) };
            lines.insert(at, copied);
            format!("repeat a line in {name}")
        }
        1 if !lines.is_empty() => {
            let gone = numbers.below(lines.len());
            lines.remove(gone);
            format!("delete line {} of {name}", gone + 1)
        }
        2 => {
            file_system.write(path, text.replace('\n', "\r\n").as_bytes());
            return format!("give {name} CRLF line ends");
        }
        3 => {
            let word =
                numbers.pick(&["def ", "fn ", "func ", "function ", "class ", "void ", "import ", "static "]);
            file_system.write(path, text.replacen(word, &format!("{word}renamed_"), 1).as_bytes());
            return format!("rename what follows the first `{word}` in {name}");
        }
        _ => {
            let line = *numbers.pick(lines_of(&name));
            lines.insert(at, line);
            format!("insert `{line}` into {name}")
        }
    };
    file_system.write(path, (lines.join("\n") + "\n").as_bytes());
    what
}

/// Lines to put into a file: of its own language, else of two.
fn lines_of(name: &str) -> &'static [&'static str] {
    match language_of(name, b"").map(family_of) {
        Some("go") => &[
            "// note",
            "",
            "func added() { helper() }",
            "import \"fmt\"",
            "import . \"example.org/added\"",
            "type Added struct { Base }",
            "func (b Base) Added() Base { return b }",
            "//go:build linux",
            "package added",
        ],
        Some("java") => &[
            "// note",
            "",
            "void added() { helper(); }",
            "void added(String text) { added(); }",
            "import java.util.List;",
            "import added.*;",
            "class Added extends Base { }",
            "default int added() { return 1; }",
            "package added;",
        ],
        Some("scripts") => &[
            "// note",
            "",
            "export function added() { helper(); }",
            "export * from './added';",
            "import { helper } from './helper';",
            "const { helper } = require('./helper');",
            "export class Added extends Base { helper() { super.helper(); } }",
            "export default added;",
            "declare global { interface Added { helper(): void } }",
        ],
        _ => &[
            "# note",
            "// note",
            "",
            "def added():",
            "    return helper()",
            "fn added() { helper() }",
            "import os",
            "class Added: pass",
        ],
    }
}

/// A file goes, for good or to another place.
fn move_file(numbers: &mut Numbers, file_system: &MemoryFileSystem, path: &[u8]) -> String {
    let bytes = file_system.contents(path).unwrap_or_default();
    file_system.remove(path);
    let name = shown(path);
    match numbers.below(3) {
        0 => format!("remove {name}"),
        1 => {
            file_system.write(&[b"moved/", path].concat(), &bytes);
            format!("move {name} to moved/")
        }
        _ => {
            let ending = numbers.pick(&ENDINGS);
            file_system.write(&[path, b"/inner", ending.as_bytes()].concat(), &bytes);
            format!("turn {name} into a directory with a `{ending}`")
        }
    }
}

/// An edit of what is no source: ignore rules, configuration, README.
fn edit_surroundings(numbers: &mut Numbers, file_system: &MemoryFileSystem) -> String {
    let (path, texts): (&str, &[&str]) = *numbers.pick(&[
        (".gitignore", &["*.py\n", "moved/\n", "/src/\n", "", "!lib.rs\n*.rs\n"][..]),
        (
            "bindery.toml",
            &[
                "name = \"other\"\n",
                "depth = \"deep\"\n",
                "formats = [\"agent\"]\n",
                "formats = [\"markdown\", \"agent\"]\n",
                "exclude = [\"moved/\"]\n",
                "[limits]\nfile_bytes = 200\n",
                "link_template = \"https://example.org/{path}#{line}\"\n",
                "",
            ],
        ),
        (
            "README.md",
            &[
                "# Title 0\n\nSome words about it all here.\n",
                "# Title 1\n\nOther words about it.\n",
                "# Title 1\n",
            ],
        ),
    ]);
    let text = numbers.pick(texts);
    file_system.write(path.as_bytes(), text.as_bytes());
    format!("write `{}` to {path}", text.trim())
}

/// A file gets back what it said at the start.
fn revert(numbers: &mut Numbers, file_system: &MemoryFileSystem, pool: &Tree) -> String {
    let (path, bytes) = numbers.pick(&pool.iter().collect::<Vec<_>>()).to_owned();
    if file_system.files(&[&path[..], b"/"].concat()).is_empty() {
        file_system.write(path, bytes);
    }
    format!("revert {}", shown(path))
}

#[test]
fn incremental_equals_clean() {
    for_each_seed(lane(2_000, 100_000), |seed, repositories| {
        let mut numbers = Numbers::new(seed);
        let repository = numbers.pick(repositories).clone();
        let file_system = fresh(&repository.files);
        let mut history = Vec::new();
        if numbers.below(2) == 0 {
            file_system.write(b"bindery.toml", ALL_FORMATS.as_bytes());
            history.push(ALL_FORMATS.to_owned());
        }
        build(&file_system).unwrap_or_else(|failure| panic!("seed {seed}, {}: {failure}", repository.name));
        for _ in 0..EDITS {
            history.push(edit(&mut numbers, &file_system, &repository.files));
            if numbers.below(4) == 0 {
                let found = check(&file_system).unwrap_or_else(|failure| {
                    panic!("seed {seed}, {}, check after {history:#?}: {failure}", repository.name)
                });
                history.push(format!("check: {} stale", found.stale.len()));
            }
            build(&file_system).unwrap_or_else(|failure| {
                panic!("seed {seed}, {}, after {history:#?}: {failure}", repository.name)
            });
            let differing = differences(&outputs(&file_system), &clean_outputs(&file_system));
            assert!(
                differing.is_empty(),
                "seed {seed}, {}: incremental (first) and clean (second) differ after {history:#?}:\n{}",
                repository.name,
                differing.join("\n")
            );
        }
    });
}

/// The fast lane is long enough for every language.
#[test]
fn every_language_has_its_share_of_the_sequences() {
    let repositories = seeds();
    let mut sequences: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..2_000 {
        let repository = Numbers::new(seed).pick(&repositories).clone();
        let names = repository.files.keys().filter_map(|path| std::str::from_utf8(path).ok());
        let languages = names.filter_map(|name| language_of(name, b"")).map(Language::name);
        for language in languages.collect::<BTreeSet<_>>() {
            *sequences.entry(language).or_default() += 1;
        }
    }
    let least = [
        ("go", 250),
        ("java", 150),
        ("javascript", 50),
        ("python", 250),
        ("rust", 250),
        ("tsx", 20),
        ("typescript", 150),
    ];
    for (language, least) in least {
        let found = sequences.get(language).copied().unwrap_or_default();
        assert!(found >= least, "{found} sequences of edits with {language}, not {least}");
    }
    eprintln!("sequences by language: {sequences:?}");
}

#[test]
fn undo_restores_the_bytes_and_then_writes_nothing() {
    for_each_seed(lane(1_000, 20_000), |seed, repositories| {
        let mut numbers = Numbers::new(seed ^ 0xABCD);
        let repository = numbers.pick(repositories).clone();
        let file_system = fresh(&repository.files);
        build(&file_system).unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
        let before = outputs(&file_system);
        let what = edit(&mut numbers, &file_system, &repository.files);
        build(&file_system).unwrap_or_else(|failure| panic!("seed {seed}, after {what}: {failure}"));
        for path in sources(&file_system).keys() {
            file_system.remove(path);
        }
        for (path, bytes) in &repository.files {
            file_system.write(path, bytes);
        }
        build(&file_system).unwrap_or_else(|failure| panic!("seed {seed}, after undoing {what}: {failure}"));
        let differing = differences(&before, &outputs(&file_system));
        assert!(differing.is_empty(), "seed {seed}, {}, {what}:\n{}", repository.name, differing.join("\n"));
        let again = build(&file_system).unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
        assert_eq!(
            (again.report.pages.written, again.report.artifacts.written),
            (0, 0),
            "seed {seed}, {what}"
        );
    });
}

#[test]
fn verify_finds_no_difference() {
    for_each_seed(lane(100, 20_000), |seed, repositories| {
        let mut numbers = Numbers::new(seed ^ 0x5EED);
        let repository = numbers.pick(repositories).clone();
        let file_system = fresh(&repository.files);
        build(&file_system).unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
        for _ in 0..EDITS {
            edit(&mut numbers, &file_system, &repository.files);
            build(&file_system).unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
        }
        let options = Options { verify: true, ..Options::default() };
        let outcome =
            build_with(&file_system, &options).unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
        assert_eq!(outcome.report.replaced_cache_entries, 0, "seed {seed}, {}", repository.name);
        assert_eq!(outcome.report.pages.written, 0, "seed {seed}, {}", repository.name);
    });
}
