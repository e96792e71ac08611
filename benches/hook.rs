//! What the pre-commit hook costs beside `git status`, on a git copy of a real repository, in one run.
//!
//! `cargo bench --bench hook -- DIRECTORY`
//!
//! Prints medians of 11, wall clock, in milliseconds. The last rows are what `pre-commit run --all-files` takes, if it
//! is installed, and what it says of that is the hook's own part. `BINDERY` names another program to measure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const ROUNDS: usize = 11;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let Some(source) = arguments.next() else {
        println!("usage: cargo bench --bench hook -- DIRECTORY");
        return;
    };
    let scratch = tempfile::tempdir().expect("a temporary directory can be made");
    let repository = Repository::copy(Path::new(&source), scratch.path());
    println!("{} tracked files, medians of {ROUNDS}", repository.tracked());
    repository.measure();
}

struct Repository {
    root: PathBuf,
    program: String,
}

impl Repository {
    /// A copy with a committed handbook.
    fn copy(source: &Path, scratch: &Path) -> Self {
        let root = scratch.join("repository");
        let copied = Command::new("cp").arg("-r").arg(source).arg(&root).status();
        assert!(copied.expect("cp can be started").success());
        let _ = fs::remove_dir_all(root.join(".git"));
        let program = std::env::var("BINDERY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_bindery").to_owned());
        let repository = Self { root, program };
        fs::write(repository.root.join("bindery.toml"), "out = \"docs/handbook\"\n")
            .expect("it can be written");
        repository.git(&["init", "-q"]);
        repository.git(&["add", "-A"]);
        assert!(repository.bindery(&["build", "--staged", "--stage", "--quiet"]).status.success());
        repository.commit();
        // As in a clone; a repository whose objects all lie in files of their own is slow for git itself.
        repository.git(&["repack", "-adq"]);
        repository
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.root).env_remove("CI");
        command.output().unwrap_or_else(|error| panic!("`{program}` cannot be started: {error}"))
    }

    fn git(&self, arguments: &[&str]) -> Output {
        let output = self.run("git", arguments);
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        output
    }

    fn bindery(&self, arguments: &[&str]) -> Output {
        self.run(&self.program, arguments)
    }

    fn commit(&self) {
        self.git(&[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b.c",
            "commit",
            "-qnm",
            "round",
            "--allow-empty",
        ]);
    }

    fn tracked(&self) -> usize {
        self.git(&["ls-files"]).stdout.split(|&byte| byte == b'\n').count() - 1
    }

    /// Stages another body of the first function of the Python file of median size.
    fn stage_an_edit(&self, round: usize) {
        let listed = String::from_utf8_lossy(&self.git(&["ls-files", "*.py"]).stdout).into_owned();
        let mut files: Vec<(u64, PathBuf)> = listed
            .lines()
            .map(|line| self.root.join(line))
            .filter(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("):\n")))
            .map(|path| (fs::metadata(&path).map_or(0, |metadata| metadata.len()), path))
            .collect();
        files.sort();
        let (_, path) = &files[files.len() / 2];
        let text = fs::read_to_string(path).expect("the copy can be read");
        let head = text.lines().find(|line| line.trim_start().starts_with("def ") && line.ends_with("):"));
        let head = head.expect("the file has a function with a one-line head");
        let indent = &head[..head.len() - head.trim_start().len()];
        let edited = text.replacen(head, &format!("{head}\n{indent}    probe{round} = 1"), 1);
        fs::write(path, edited).expect("the copy can be written");
        self.git(&["add", "-u"]);
    }

    fn measure(&self) {
        let status = || self.git(&["status", "--porcelain"]);
        let check = || self.bindery(&["check", "--staged", "--quiet"]);
        let row = |name: &str, times: Vec<Duration>| {
            println!("{name:48} {:>8.1}", median(times).as_secs_f64() * 1e3);
        };
        let unchanged = |_| {};
        row("git status, nothing changed", times(unchanged, status, 0));
        row("check --staged, nothing changed", times(unchanged, check, 0));
        let edited = |round| {
            self.reset();
            self.stage_an_edit(round);
        };
        row("git status, one file staged", times(edited, status, 0));
        row("check --staged, one file staged", times(edited, check, 3));
        let build = || self.bindery(&["build", "--staged", "--stage", "--quiet"]);
        row("build --staged --stage, one file staged", times(edited, build, 0));
        self.reset();
        if Command::new("pre-commit").arg("--version").output().is_err() {
            println!("`pre-commit` is not installed");
            return;
        }
        let hook = format!(
            "repos:\n  - repo: local\n    hooks:\n      - id: bindery-check\n        name: bindery check\n        entry: {} check --staged\n        language: system\n        pass_filenames: false\n        always_run: true\n        require_serial: true\n",
            self.program
        );
        fs::write(self.root.join(".pre-commit-config.yaml"), hook).expect("it can be written");
        self.git(&["add", "-A"]);
        self.commit();
        self.pre_commit("nothing changed", unchanged, 0);
        self.pre_commit("one file staged", edited, 1);
    }

    /// The whole run, and the duration of the hook that pre-commit prints, which has two digits.
    fn pre_commit(&self, when: &str, prepare: impl Fn(usize), code: i32) {
        let hooks = std::cell::RefCell::new(Vec::new());
        let whole = times(
            prepare,
            || {
                let output = self.run("pre-commit", &["run", "--all-files", "--verbose"]);
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                let duration =
                    said.lines().find_map(|line| line.strip_prefix("- duration: ")?.strip_suffix('s'));
                let duration: f64 =
                    duration.and_then(|seconds| seconds.parse().ok()).unwrap_or_else(|| panic!("{output:?}"));
                hooks.borrow_mut().push(Duration::from_secs_f64(duration));
                output
            },
            code,
        );
        let whole = median(whole).as_secs_f64() * 1e3;
        let hook = median(hooks.into_inner()).as_secs_f64() * 1e3;
        println!(
            "{:48} {whole:>8.1}, of it the hook {hook:.0}",
            format!("pre-commit run --all-files, {when}")
        );
    }

    /// Back to what is committed.
    fn reset(&self) {
        self.git(&["reset", "-q", "--hard"]);
    }
}

/// How long each of the rounds took, preparation apart; each must end with this exit code.
fn times(prepare: impl Fn(usize), run: impl Fn() -> Output, code: i32) -> Vec<Duration> {
    let time = |round| {
        prepare(round);
        // Past the window in which a fresh write is not believed.
        std::thread::sleep(Duration::from_millis(60));
        let clock = Instant::now();
        let output = run();
        let time = clock.elapsed();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        time
    };
    (0..ROUNDS).map(time).collect()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
