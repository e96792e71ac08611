//! Names and trees meant to confuse: R17 (names) and R18 (nothing is written outside), on a real disk.

mod harness;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

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

/// The contents of everything below a directory, links by their targets.
fn snapshot(directory: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).expect("it can be listed").flatten() {
            let path = entry.path();
            let bytes = match fs::read_link(&path) {
                Ok(target) => target.as_os_str().as_bytes().to_vec(),
                Err(_) if path.is_dir() => {
                    pending.push(path.clone());
                    b"directory".to_vec()
                }
                Err(_) => fs::read(&path).unwrap_or_default(),
            };
            tree.insert(path.as_os_str().as_bytes().to_vec(), bytes.into());
        }
    }
    tree
}

#[test]
fn nothing_is_ever_written_outside() {
    let seeds = seed_numbers(lane(60, 5_000));
    for seed in &seeds {
        let mut numbers = Numbers::new(*seed);
        let scratch = tempfile::tempdir().expect("a temporary directory can be made");
        let (root, outside) = (scratch.path().join("root"), scratch.path().join("outside"));
        for directory in [&root, &outside, &outside.join("handbook")] {
            fs::create_dir_all(directory).expect("directories can be made");
        }
        fs::write(outside.join("secret.py"), "def secret():\n    return 42\n").expect("files can be written");
        fs::write(root.join("own.py"), "def own():\n    return secret()\n").expect("files can be written");
        let mut traps = Vec::new();
        for _ in 0..1 + numbers.below(3) {
            traps.push(trap(&mut numbers, &root, &outside));
        }
        let before = snapshot(&outside);
        let (code, message) = bindery(&["build"], &root);
        assert!(matches!(code, Some(0..=3)), "seed {seed}, {traps:?}: {code:?} {message}");
        let _ = bindery(&["check"], &root);
        let differing = differences(&before, &snapshot(&outside));
        assert!(differing.is_empty(), "seed {seed}, {traps:?}: {}", differing.join("\n"));
        let graph = fs::read_to_string(root.join(".bindery/phase1/graph.json")).unwrap_or_default();
        assert!(
            !graph.contains("\"name\":\"secret\",\"qualname\""),
            "seed {seed}, {traps:?}: the outside was read"
        );
    }
    eprintln!("{} trees", seeds.len());
}

fn trap(numbers: &mut Numbers, root: &Path, outside: &Path) -> &'static str {
    let link = |name: &str, target: &Path| {
        let _ = fs::remove_dir_all(root.join(name));
        let _ = symlink(target, root.join(name));
    };
    match numbers.below(11) {
        0 => {
            link(".bindery", outside);
            "the work directory leads outside"
        }
        1 => {
            let _ = fs::create_dir_all(root.join(".bindery"));
            link(".bindery/handbook", &outside.join("handbook"));
            "the handbook leads outside"
        }
        2 => {
            let _ = fs::create_dir_all(root.join(".bindery"));
            link(".bindery/phase1", outside);
            "an export directory leads outside"
        }
        3 => {
            link("linked.py", &outside.join("secret.py"));
            "a source file leads outside"
        }
        4 => {
            link("linked", outside);
            "a directory leads outside"
        }
        5 => {
            fs::write(root.join("bindery.toml"), "out = \"../outside\"\n").expect("files can be written");
            "the configuration points above the root"
        }
        6 => {
            link("docs", outside);
            fs::write(root.join("bindery.toml"), "out = \"docs/handbook\"\n").expect("files can be written");
            "the configuration points through a link"
        }
        7 => {
            let _ = Command::new("mkfifo").arg(root.join("pipe.py")).status();
            "a FIFO has a source's name"
        }
        8 => {
            let _ = fs::create_dir_all(root.join(".bindery/cache"));
            link(".bindery/cache/segments", outside);
            "the cache leads outside"
        }
        9 => {
            let _ = fs::create_dir_all(root.join(".bindery/handbook"));
            let text = format!("# bindery 0.1.0\n{} ../../../outside/secret.py\n", "0".repeat(64));
            fs::write(root.join(".bindery/handbook/.bindery-manifest"), text).expect("files can be written");
            "the manifest claims a file outside"
        }
        _ => {
            link("cycle_a", &root.join("cycle_b"));
            link("cycle_b", &root.join("cycle_a"));
            link("gone.py", Path::new("nowhere.py"));
            "links that lead nowhere or in circles"
        }
    }
}
