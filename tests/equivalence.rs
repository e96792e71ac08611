//! Incremental equals clean (R1), undo restores (R3), and the cache verifies (R6), over random edits of
//! every fixture repository. `BINDERY_NIGHTLY=1` runs the long lane. Seeds are printed; a failing seed is
//! run alone with `BINDERY_SEED=n`.

mod harness;

use bindery_engine::Options;
use bindery_store::fs::MemoryFileSystem;
use harness::*;

/// Edits per sequence.
const EDITS: usize = 5;

/// One random edit; says in words what it did.
fn edit(numbers: &mut Numbers, file_system: &MemoryFileSystem, pool: &Tree) -> String {
    // The configuration has edits of its own; a broken one is a finding and no build.
    let files: Vec<Vec<u8>> =
        sources(file_system).into_keys().filter(|path| path != b"bindery.toml").collect();
    if files.is_empty() {
        let (path, bytes) = numbers.pick(&pool.iter().collect::<Vec<_>>()).to_owned();
        file_system.write(path, bytes);
        return format!("restore {}", String::from_utf8_lossy(path));
    }
    let path = numbers.pick(&files).clone();
    let text = String::from_utf8_lossy(&file_system.contents(&path).unwrap_or_default()).into_owned();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = numbers.below(lines.len() + 1);
    let name = String::from_utf8_lossy(&path).into_owned();
    let write = |path: &[u8], lines: &[String]| file_system.write(path, (lines.join("\n") + "\n").as_bytes());
    match numbers.below(14) {
        0 => {
            let copied = if lines.is_empty() { String::new() } else { numbers.pick(&lines).clone() };
            lines.insert(at, copied);
            write(&path, &lines);
            format!("repeat a line in {name}")
        }
        1 if !lines.is_empty() => {
            let gone = numbers.below(lines.len());
            lines.remove(gone);
            write(&path, &lines);
            format!("delete line {} of {name}", gone + 1)
        }
        2 => {
            let line = numbers.pick(&[
                "# note",
                "// note",
                "",
                "def added():",
                "    return helper()",
                "fn added() { helper() }",
                "import os",
                "class Added: pass",
            ]);
            lines.insert(at, (*line).to_owned());
            write(&path, &lines);
            format!("insert `{line}` into {name}")
        }
        3 => {
            file_system.remove(&path);
            format!("remove {name}")
        }
        4 => {
            let target = [b"moved/", &path[..]].concat();
            let bytes = file_system.contents(&path).unwrap_or_default();
            file_system.remove(&path);
            file_system.write(&target, &bytes);
            format!("move {name} to moved/")
        }
        5 => {
            let bytes = file_system.contents(&path).unwrap_or_default();
            file_system.write(&[&path[..], b".py"].concat(), &bytes);
            format!("copy {name} to another language")
        }
        6 => {
            let (path, bytes) = numbers.pick(&pool.iter().collect::<Vec<_>>()).to_owned();
            if file_system.files(&[&path[..], b"/"].concat()).is_empty() {
                file_system.write(path, bytes);
            }
            format!("revert {}", String::from_utf8_lossy(path))
        }
        7 => {
            let bytes = file_system.contents(&path).unwrap_or_default();
            file_system.remove(&path);
            file_system.write(&[&path[..], b"/inner.py"].concat(), &bytes);
            format!("turn {name} into a directory")
        }
        8 => {
            let rule = numbers.pick(&["*.py\n", "moved/\n", "/src/\n", "", "!lib.rs\n*.rs\n"]);
            file_system.write(b".gitignore", rule.as_bytes());
            format!("write `{}` to .gitignore", rule.trim())
        }
        9 => {
            let text =
                numbers.pick(&["name = \"other\"\n", "depth = \"deep\"\n", "exclude = [\"moved/\"]\n", ""]);
            file_system.write(b"bindery.toml", text.as_bytes());
            format!("write `{}` to bindery.toml", text.trim())
        }
        10 => {
            file_system.write(&path, text.replace('\n', "\r\n").as_bytes());
            format!("give {name} CRLF line ends")
        }
        11 => {
            file_system.write(
                b"README.md",
                format!("# Title {}\n\nSome words about it all here.\n", numbers.below(3)).as_bytes(),
            );
            "write README.md".to_owned()
        }
        12 => {
            file_system.write(
                &path,
                text.replacen("def ", "def renamed_", 1).replacen("fn ", "fn renamed_", 1).as_bytes(),
            );
            format!("rename a function in {name}")
        }
        _ => {
            let other = numbers.pick(&files).clone();
            let (one, two) = (
                file_system.contents(&path).unwrap_or_default(),
                file_system.contents(&other).unwrap_or_default(),
            );
            file_system.write(&path, &two);
            file_system.write(&other, &one);
            format!("swap {name} and {}", String::from_utf8_lossy(&other))
        }
    }
}

#[test]
fn incremental_equals_clean() {
    for_each_seed(lane(2_000, 100_000), |seed, repositories| {
        let mut numbers = Numbers::new(seed);
        let repository = numbers.pick(repositories).clone();
        let file_system = fresh(&repository.files);
        build(&file_system).unwrap_or_else(|failure| panic!("seed {seed}, {}: {failure}", repository.name));
        let mut history = Vec::new();
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
