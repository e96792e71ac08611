//! `build --depfile` with the real Make and the real Ninja: nothing to do is nothing done, every input counts, and an
//! input that is gone is no error.

mod harness;

use std::fs;
use std::path::Path;
use std::process::Command;

use harness::{documented, is_installed};

/// Names in the syntax of neither, of one, or of both.
const NAMES: [&str; 14] = [
    "plain.py",
    "two words.py",
    "hash#tag.py",
    "colon:here.py",
    "dollar$sign.py",
    "back\\slash.py",
    "back\\ blank.py",
    "two\\\\ blanks.py",
    "per%cent.py",
    "[id].py",
    "til~de.py",
    "(group)/page.py",
    "deep/er/in side.py",
    "ümlaut.py",
];

/// A build system with the documented rule for `docs.stamp`, in a directory beside the sources.
struct System {
    program: &'static str,
    /// What it prints when there is nothing to do.
    idle: &'static str,
    directory: tempfile::TempDir,
}

impl System {
    fn new(program: &'static str, file: &str, idle: &'static str) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        for name in NAMES {
            write(&directory.path().join("src").join(name), "def f():\n    return 1\n");
        }
        write(&directory.path().join("src/.gitignore"), "ignored/\n");
        let rule = documented(file).replace("bindery build", "bindery build ../src");
        write(&directory.path().join("out").join(file), &rule);
        Self { program, idle, directory }
    }

    /// Runs it; whether it did anything. It must succeed.
    fn run(&self) -> bool {
        let programs = Path::new(env!("CARGO_BIN_EXE_bindery")).parent().expect("a program lies somewhere");
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new(self.program)
            .current_dir(self.directory.path().join("out"))
            .env("PATH", format!("{}:{path}", programs.display()))
            .env("LC_ALL", "C")
            .env_remove("CI")
            .env_remove("MAKEFLAGS")
            .output()
            .expect("it can be started");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{}: {output:?}", self.program);
        !said.contains(self.idle)
    }

    /// Does something to a source until that is gone or younger than the last run: clocks of files tick slowly.
    fn edit(&self, path: &str, change: impl Fn(&Path)) {
        let path = self.directory.path().join("src").join(path);
        let modified = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        let stamp = modified(&self.directory.path().join("out/docs.stamp"));
        assert!(stamp.is_some(), "the rule makes no `docs.stamp`");
        loop {
            change(&path);
            if !path.exists() || modified(&path) > stamp {
                return;
            }
        }
    }

    fn page_with(&self, text: &str) -> bool {
        let pages = fs::read_dir(self.directory.path().join("src/.bindery/handbook"));
        let mut pages = pages.expect("there is a handbook").flatten();
        pages.any(|page| fs::read_to_string(page.path()).is_ok_and(|page| page.contains(text)))
    }

    fn assert_follows_its_inputs(&self) {
        assert!(self.run(), "the first run does nothing");
        assert!(!self.run(), "a second run does something");
        for name in NAMES {
            self.edit(name, |path| write(path, "def f():\n    return 1\n"));
            assert!(self.run(), "`{name}` was touched and nothing is done");
            assert!(!self.run(), "`{name}` was touched and something is done twice");
        }
        self.edit("deep/er", |directory| {
            let _ = fs::remove_file(directory.join("fresh.py"));
            write(&directory.join("fresh.py"), "def appeared():\n    return 1\n");
        });
        assert!(self.run() && self.page_with("appeared"), "a new file goes unnoticed");
        self.edit("ignored/noise.py", |path| write(path, "def noise():\n    return 1\n"));
        assert!(!self.run(), "an ignored directory counts");
        for name in NAMES {
            self.edit(name, |path| drop(fs::remove_file(path)));
            assert!(self.run(), "`{name}` is gone and nothing is done");
            assert!(!self.run(), "`{name}` is gone and something is done twice");
        }
        self.edit("deep/er", |path| drop(fs::remove_dir_all(path)));
        assert!(self.run(), "a directory is gone and nothing is done");
        assert!(!self.page_with("appeared"));
        assert!(!self.run(), "a directory is gone and something is done twice");
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("it lies in a directory")).expect("directories can be made");
    fs::write(path, text).expect("files can be written");
}

#[test]
fn make_runs_what_a_changed_input_asks_for() {
    if is_installed("make") {
        System::new("make", "Makefile", "is up to date").assert_follows_its_inputs();
    }
}

#[test]
fn ninja_runs_what_a_changed_input_asks_for() {
    if is_installed("ninja") {
        System::new("ninja", "build.ninja", "no work to do").assert_follows_its_inputs();
    }
}

/// A name that no depfile can hold is said to be missing from it.
#[test]
fn names_that_cannot_be_spelled_are_said() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    write(&directory.path().join("it's.py"), "def f():\n    return 1\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
    command.args(["build", "--depfile", "docs.stamp.d", "."]).current_dir(directory.path()).env_remove("CI");
    let output = command.output().expect("the program can be started");
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("warning: `it's.py` cannot be named in a depfile"), "{said}");
    let depfile = fs::read_to_string(directory.path().join("docs.stamp.d")).expect("it is written");
    assert_eq!(depfile, "docs.stamp:\n");
}
