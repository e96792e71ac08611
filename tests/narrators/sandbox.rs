//! A copy of the sample repository, a configuration of the user's beside it, and narrators that are shell scripts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) struct Sandbox {
    directory: TempDir,
}

#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Answers everything with what it is about, and leaves a line in the file `asked` beside it.
pub(crate) const GOOD: &str = r#"#!/bin/sh
request=$(cat)
kind=$(printf '%s' "$request" | sed 's/^{"version":1,"kind":"\([^"]*\)".*/\1/')
subject=$(printf '%s' "$request" | sed 's/^{"version":1,"kind":"[^"]*","subject":"\([^"]*\)".*/\1/')
echo "$kind $subject" >> "$(dirname "$0")/asked"
case "$kind" in
  function) echo "{\"purpose\":\"Does $subject.\",\"dataFlow\":\"Flows through $subject.\",\"relations\":\"\"}" ;;
  *) echo "{\"text\":\"Told of $kind $subject.\"}" ;;
esac
"#;

impl Sandbox {
    /// The sample with `bindery.toml` as given.
    pub(crate) fn with(configuration: &str) -> Self {
        let sandbox = Self { directory: tempfile::tempdir().expect("a temporary directory can be made") };
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sample"), &sandbox.root());
        fs::create_dir_all(sandbox.user()).expect("directories can be made");
        fs::write(sandbox.root().join("bindery.toml"), configuration).expect("files can be written");
        sandbox
    }

    /// The sample with a narrator `mine` that is this script.
    pub(crate) fn told_by(script: &str) -> Self {
        let sandbox = Self::with("narrator = \"mine\"\n");
        sandbox.declare("kind = \"command\"\nprogram = [\"./tell\"]\nallow_send = true\n");
        sandbox.script(script);
        sandbox
    }

    /// Declares the narrator `mine`.
    pub(crate) fn declare(&self, keys: &str) {
        fs::write(self.user().join("config.toml"), format!("[narrators.mine]\n{keys}"))
            .expect("files can be written");
    }

    /// Makes the narrator's program this script.
    pub(crate) fn script(&self, script: &str) {
        let path = self.user().join("tell");
        fs::write(&path, script).expect("files can be written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("files can be made programs");
    }

    /// The repository.
    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("repository")
    }

    /// Where the user's configuration and the narrator's program lie.
    pub(crate) fn user(&self) -> PathBuf {
        self.directory.path().join("user")
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn read(&self, path: &str) -> String {
        let path = self.root().join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn replace(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "{path} has no {old}");
        fs::write(self.root().join(path), text.replacen(old, new, 1)).expect("files can be written");
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
        command.args(arguments).current_dir(self.root()).stdin(Stdio::null());
        for variable in
            ["BINDERY_LOG", "CI", "NO_COLOR", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]
        {
            command.env_remove(variable);
        }
        command.env("SOURCE_DATE_EPOCH", "0").env("BINDERY_CONFIG", self.user().join("config.toml"));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(&mut self.command(arguments))
    }

    /// Runs `bindery build` and gives what its report says of prose.
    pub(crate) fn build(&self, arguments: &[&str]) -> Value {
        let run = self.run(&[&["build", "--format", "json"], arguments].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        let report: Value = serde_json::from_str(&run.stdout).expect("the report is JSON");
        report["report"]["prose"].clone()
    }

    /// What the script was asked, sorted.
    pub(crate) fn asked(&self) -> Vec<String> {
        let asked = fs::read_to_string(self.user().join("asked")).unwrap_or_default();
        let mut asked: Vec<String> = asked.lines().map(str::to_owned).collect();
        asked.sort();
        asked
    }

    pub(crate) fn forget_asked(&self) {
        fs::remove_file(self.user().join("asked")).expect("the script was asked");
    }

    /// Every file of the handbook with its bytes.
    pub(crate) fn handbook(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let directory = self.root().join(".bindery/handbook");
        let files = files_below(&directory);
        let name = |path: PathBuf| path.strip_prefix(&directory).expect("it was found there").to_owned();
        files.into_iter().map(|(path, bytes)| (name(path), bytes)).collect()
    }
}

impl Run {
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().expect("the program can be started");
        let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// The number a report has at a key.
pub(crate) fn number(report: &Value, key: &str) -> u64 {
    report[key].as_u64().unwrap_or_else(|| panic!("no {key} in {report}"))
}

/// The reasons of the units a report misses, without repetitions.
pub(crate) fn reasons(report: &Value) -> Vec<String> {
    let missing = report["missing"].as_array().expect("the report lists what is missing");
    let mut reasons: Vec<String> =
        missing.iter().map(|missing| missing["reason"].as_str().unwrap_or_default().to_owned()).collect();
    reasons.sort();
    reasons.dedup();
    reasons
}

fn copy(from: &Path, to: &Path) {
    for (path, bytes) in files_below(from) {
        let target = to.join(path.strip_prefix(from).expect("the files were found below it"));
        fs::create_dir_all(target.parent().expect("a file lies in a directory"))
            .expect("directories can be made");
        fs::write(target, bytes).expect("files can be written");
    }
}

/// Every file below a directory with its bytes, sorted; the sample's own work directory left out.
pub(crate) fn files_below(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap_or_else(|error| panic!("{}: {error}", next.display())) {
            let path = entry.expect("the directory can be listed").path();
            match path.is_dir() {
                true if path.ends_with("sample/.bindery") => {}
                true => open.push(path),
                false => files.push((path.clone(), fs::read(&path).expect("files can be read"))),
            }
        }
    }
    files.sort();
    files
}
