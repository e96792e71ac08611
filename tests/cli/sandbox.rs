//! A throw-away repository and a way to run the program in it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A directory that is gone when the test is over.
pub(crate) struct Sandbox {
    directory: TempDir,
}

/// What a run of the program left.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    /// A copy of the sample repository, outside any git repository.
    pub(crate) fn sample() -> Self {
        let sandbox = Self::empty();
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sample");
        copy(&sample, sandbox.path());
        sandbox
    }

    /// The sample with its handbook built.
    pub(crate) fn built() -> Self {
        let sandbox = Self::sample();
        let run = sandbox.run(["build"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        sandbox
    }

    pub(crate) fn empty() -> Self {
        Self { directory: tempfile::tempdir().expect("a temporary directory can be made") }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn read(&self, path: &str) -> String {
        let path = self.path().join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("the path is below the sandbox"))
            .expect("directories can be made");
        fs::write(path, text).expect("files can be written");
    }

    /// Adds a function that the page of its file shows.
    pub(crate) fn edit(&self) {
        let path = "queue/src/queue.rs";
        let source = self.read(path)
            + "\n/// Whether two queues hold the same jobs.\npub fn agree() -> bool {\n    true\n}\n";
        self.write(path, &source);
    }

    /// The program, to be run in the sandbox without anything of the user's environment that it looks at.
    pub(crate) fn command(&self) -> Command {
        self.command_of(Path::new(env!("CARGO_BIN_EXE_bindery")))
    }

    /// As [`Sandbox::command`], of a copy of the program.
    pub(crate) fn command_of(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).stdin(Stdio::null());
        for variable in ["BINDERY_LOG", "CI", "CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR", "RUST_BACKTRACE"] {
            command.env_remove(variable);
        }
        command.env("SOURCE_DATE_EPOCH", "0");
        command
    }

    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Run {
        Run::of(self.command().args(arguments))
    }

    /// Every file below the handbook with its contents, sorted.
    pub(crate) fn handbook(&self) -> Vec<(PathBuf, Vec<u8>)> {
        files_below(&self.path().join(".bindery/handbook"))
    }
}

impl Run {
    pub(crate) fn of(command: &mut Command) -> Self {
        let Output { status, stdout, stderr } = command.output().expect("the program can be started");
        let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
        Self { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
    }

    /// Fails the test unless the run ended well; gives its stdout.
    pub(crate) fn succeeded(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.stdout
    }
}

fn copy(from: &Path, to: &Path) {
    for (path, bytes) in files_below(from) {
        let target = to.join(path.strip_prefix(from).expect("the files were found below it"));
        fs::create_dir_all(target.parent().expect("a file lies in a directory"))
            .expect("directories can be made");
        fs::write(target, bytes).expect("files can be written");
    }
}

/// Every file below a directory with its contents, sorted; work directories left out below the sample.
fn files_below(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap_or_else(|error| panic!("{}: {error}", next.display())) {
            let path = entry.expect("the directory can be listed").path();
            match path.is_dir() {
                true if path.ends_with(".bindery") => {}
                true => open.push(path),
                false => files.push((path.clone(), fs::read(&path).expect("files can be read"))),
            }
        }
    }
    files.sort();
    files
}
