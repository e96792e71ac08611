//! Names and trees meant to confuse: R17 (names) and R18 (nothing is written outside), on a real disk.

mod harness;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use harness::*;

const BINDERY: &str = env!("CARGO_BIN_EXE_bindery");

fn bindery(arguments: &[&str], root: &Path) -> (Option<i32>, String) {
    let output = Command::new(BINDERY)
        .args(arguments)
        .arg(root)
        .env_remove("CI")
        .output()
        .expect("the program starts");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Names a file system may fold together, cut or refuse, in Python and Rust endings.
fn names() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = Vec::new();
    let plain = [
        "a.py",
        "A.py",
        "b.rs",
        "B.rs",
        "caf\u{e9}.py",
        "cafe\u{301}.py",
        "trailing .py",
        "dot..py",
        " lead.py",
        "con.py",
        "CON.py",
        "aux.rs",
        "nul.py",
        "com1.py",
        "lpt9.rs",
        "prn.py",
        "a:b.py",
        "new\nline.py",
        "tab\there.py",
        "quote\".py",
        "back\\slash.py",
        "pipe|.py",
        "star*.py",
        "question?.py",
        "less<more>.py",
        "percent%41.py",
        "percentA.py",
        "hash#.py",
        "tilde~.py",
        "dollar$.py",
        "semi;.py",
        "amp&.py",
        "paren().py",
        "brack[].py",
        "brace{}.py",
        "back`tick`.py",
        "under_score.py",
        "\u{202e}rtl.py",
        "zero\u{200b}width.py",
        "emoji\u{1f600}.py",
        "overview.py",
        "index.py",
        "register.py",
        "-dash.py",
        "--flag.py",
        "_coverage.py",
        "__init__.py",
        "index.md.py",
        ".hidden.py",
        "..double.py",
        "x.json.py",
    ];
    names.extend(plain.iter().map(|name| name.as_bytes().to_vec()));
    names.extend([b"\xff\xfe.py".to_vec(), b"bad\x80utf.rs".to_vec(), b"%FF%FE.py".to_vec()]);
    names.push([&[b'n'; 252][..], b".py"].concat());
    names.push([&[b'm'; 252][..], b".rs"].concat());
    names.extend([
        b"dir.json/inner.py".to_vec(),
        b"dir/inner.py".to_vec(),
        b"Dir/inner.py".to_vec(),
        b"con/x.py".to_vec(),
    ]);
    names
}

#[test]
fn every_name_has_its_own_card_and_none_is_lost() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let root = directory.path();
    let mut written = 0;
    for name in names() {
        let path = root.join(OsStr::from_bytes(&name));
        fs::create_dir_all(path.parent().expect("it has a parent")).expect("directories can be made");
        let text = if name.ends_with(b".rs") { "pub fn f() {}\n" } else { "def f():\n    pass\n" };
        // A file system that folds or refuses a name has one fewer; what it takes must come back.
        if !path.exists() && fs::write(&path, text).is_ok() {
            written += 1;
        }
    }
    assert!(written >= 55, "{written} names could be written");
    let (code, message) = bindery(&["build"], root);
    assert_eq!(code, Some(0), "{message}");
    let graph = fs::read_to_string(root.join(".bindery/phase1/graph.json")).expect("the graph is there");
    let coverage =
        fs::read_to_string(root.join(".bindery/phase2/cards/_coverage.json")).expect("the coverage is there");
    // `\xff\xfe.py` and the file that is really called `%FF%FE.py` are spelled alike (handbook §0): the second
    // is listed as left out for that.
    let skipped =
        Command::new(BINDERY).args(["status", "--skipped"]).arg(root).output().expect("the program starts");
    let skipped = String::from_utf8_lossy(&skipped.stdout).into_owned();
    assert!(skipped.contains("same-spelling"), "{skipped}");
    let scanned = written - 1;
    assert!(coverage.contains(&format!("\"nFiles\": {scanned},")), "{written} written: {coverage}");
    assert_eq!(graph.matches("\"qualname\":\"f\"").count(), scanned, "every file has its function");
    let mut cards = 0;
    let mut pending = vec![root.join(".bindery/phase2/cards")];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).expect("cards can be listed").flatten() {
            if entry.path().is_dir() {
                pending.push(entry.path());
            } else {
                cards += 1;
            }
        }
    }
    assert_eq!(cards, scanned + 1, "a card each, and the coverage");
    assert_eq!(bindery(&["check"], root).0, Some(0));
    eprintln!("{written} names");
}

#[test]
fn nothing_is_ever_written_outside() {
    let seeds = seed_numbers(lane(200, 5_000));
    let traps = traps();
    let combinations: Mutex<BTreeSet<Vec<usize>>> = Mutex::default();
    on_all_cores(&seeds, |seed| {
        let chosen = spring(*seed, &traps);
        combinations.lock().expect("no scenario fails while it holds the lock").insert(chosen);
    });
    let combinations = combinations.into_inner().expect("no scenario failed").len();
    eprintln!("{} trees, {combinations} combinations of {} traps", seeds.len(), traps.len());
}

/// Builds and checks a tree with one to four of the traps, which it returns, and compares the outside.
fn spring(seed: u64, traps: &[(&str, Trap)]) -> Vec<usize> {
    let mut numbers = Numbers::new(seed);
    let scratch = scratch();
    let (root, outside) = (scratch.path().join("root"), scratch.path().join("outside"));
    for directory in [&root, &outside.join("handbook"), &outside.join("cache")] {
        fs::create_dir_all(directory).expect("directories can be made");
    }
    for (path, text) in [
        (outside.join("secret.py"), "def secret():\n    return 42\n"),
        (outside.join("kept.md"), "# Kept\n"),
        (outside.join("handbook/overview.md"), "# Theirs\n"),
        (root.join("own.py"), "def own():\n    return secret()\n"),
    ] {
        fs::write(path, text).expect("files can be written");
    }
    let chosen: Vec<usize> = (0..1 + numbers.below(4)).map(|_| numbers.below(traps.len())).collect();
    let names: Vec<&str> = chosen.iter().map(|trap| traps[*trap].0).collect();
    // A tree built before holds outputs the traps then take the place of.
    if numbers.below(2) == 0 {
        assert_eq!(bindery(&["build"], &root).0, Some(0), "seed {seed}: a plain tree");
    }
    for trap in &chosen {
        traps[*trap].1(&root, &outside);
    }
    let before = everything_below(&outside);
    for command in [&["build"][..], &["check"], &["cache", "gc"], &["build", "--durable"]] {
        let (code, message) = bindery(command, &root);
        assert!(matches!(code, Some(0..=3)), "seed {seed}, {names:?}, {command:?}: {code:?} {message}");
    }
    let differing = differences(&before, &everything_below(&outside));
    assert!(differing.is_empty(), "seed {seed}, {names:?}: {}", differing.join("\n"));
    let graph = root.join(".bindery/phase1/graph.json");
    let graph = if graph.is_file() { fs::read_to_string(graph).unwrap_or_default() } else { String::new() };
    assert!(
        !graph.contains("\"name\":\"secret\",\"qualname\""),
        "seed {seed}, {names:?}: the outside was read"
    );
    chosen
}

/// Changes the first tree so that something in it leads to the second.
type Trap = Box<dyn Fn(&Path, &Path) + Sync>;

/// Makes room for `path`.
fn clear(path: &Path) {
    fs::create_dir_all(path.parent().expect("it is below the root")).ok();
    let _ = fs::remove_file(path);
    let _ = fs::remove_dir_all(path);
}

/// A link at `name` to `target` outside.
fn link(name: &'static str, target: &'static str) -> Trap {
    Box::new(move |root, outside| {
        clear(&root.join(name));
        let _ = symlink(outside.join(target), root.join(name));
    })
}

/// A link at `name` whose target is spelled relative to it.
fn relative_link(name: &'static str, target: &'static str) -> Trap {
    Box::new(move |root, _| {
        clear(&root.join(name));
        let _ = symlink(target, root.join(name));
    })
}

/// `name` is the same file as `target` outside.
fn hard_link(name: &'static str, target: &'static str) -> Trap {
    Box::new(move |root, outside| {
        clear(&root.join(name));
        let _ = fs::hard_link(outside.join(target), root.join(name));
    })
}

fn pipe(name: &'static str) -> Trap {
    Box::new(move |root, _| {
        clear(&root.join(name));
        let _ = Command::new("mkfifo").arg(root.join(name)).status();
    })
}

fn file(name: &'static str, text: &'static str) -> Trap {
    Box::new(move |root, _| {
        clear(&root.join(name));
        let _ = fs::write(root.join(name), text);
    })
}

fn directory(name: &'static str) -> Trap {
    Box::new(move |root, _| {
        clear(&root.join(name));
        let _ = fs::create_dir_all(root.join(name).join("inner"));
    })
}

/// Two of the traps above in one.
fn both(one: Trap, other: Trap) -> Trap {
    Box::new(move |root, outside| {
        one(root, outside);
        other(root, outside);
    })
}

const CLAIMS_OUTSIDE: &str = "# bindery 0.1.0\n0000000000000000000000000000000000000000000000000000000000000000 ../../../outside/secret.py\n";

fn traps() -> Vec<(&'static str, Trap)> {
    vec![
        ("the work directory leads outside", link(".bindery", "")),
        ("the handbook leads outside", link(".bindery/handbook", "handbook")),
        ("a page leads outside", link(".bindery/handbook/overview.md", "kept.md")),
        ("a page is a file outside", hard_link(".bindery/handbook/index.md", "kept.md")),
        ("the manifest leads outside", link(".bindery/handbook/.bindery-manifest", "kept.md")),
        ("the manifest claims a file outside", file(".bindery/handbook/.bindery-manifest", CLAIMS_OUTSIDE)),
        ("a directory has a page's name", directory(".bindery/handbook/overview.md")),
        ("an export directory leads outside", link(".bindery/phase1", "")),
        ("cards lead outside", link(".bindery/phase2/cards", "handbook")),
        ("an export is a file outside", hard_link(".bindery/phase1/graph.json", "kept.md")),
        ("the run's record leads outside", link(".bindery/run.json", "kept.md")),
        ("the run's record is a file outside", hard_link(".bindery/run.json", "kept.md")),
        ("the lock leads outside", link(".bindery/lock", "kept.md")),
        ("the lock is a file outside", hard_link(".bindery/lock", "kept.md")),
        ("the lock is a pipe", pipe(".bindery/lock")),
        ("the names of parsed files lead outside", link(".bindery/parsing", "kept.md")),
        ("the names of parsed files are a file outside", hard_link(".bindery/parsing", "kept.md")),
        ("the cache leads outside", link(".bindery/cache", "cache")),
        ("the cache's segments lead outside", link(".bindery/cache/segments", "cache")),
        ("the cache's head leads outside", link(".bindery/cache/HEAD", "kept.md")),
        ("the cache's head is a file outside", hard_link(".bindery/cache/HEAD", "kept.md")),
        ("the cache's head is a pipe", pipe(".bindery/cache/HEAD")),
        ("a source leads outside", link("linked.py", "secret.py")),
        ("a source leads outside through `..`", relative_link("up.py", "../outside/secret.py")),
        ("a directory leads outside", link("linked", "")),
        ("a source is a pipe", pipe("pipe.py")),
        ("an ignore file is a pipe", pipe(".gitignore")),
        ("the configuration leads outside", link("bindery.toml", "kept.md")),
        ("the configuration points above the root", file("bindery.toml", "out = \"../outside\"\n")),
        ("the configuration points at `..` within", file("bindery.toml", "out = \"docs/../../outside\"\n")),
        (
            "the configuration points through a link",
            both(link("docs", ""), file("bindery.toml", "out = \"docs/handbook\"\n")),
        ),
        (
            "the skeleton lies outside",
            both(link("stages.yaml", "kept.md"), file("bindery.toml", "skeleton = \"stages.yaml\"\n")),
        ),
        ("links in a circle", both(relative_link("a.py", "b.py"), relative_link("b.py", "a.py"))),
        ("a link to the directory it is in", relative_link("self", ".")),
        ("a link that leads nowhere", relative_link("gone.py", "nowhere.py")),
    ]
}
