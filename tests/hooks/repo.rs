//! A repository of git's to run hooks in.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

pub(crate) const BINDERY: &str = env!("CARGO_BIN_EXE_bindery");
pub(crate) const HANDBOOK: &str = "docs/handbook";
pub(crate) const CORE: &str = "def start():\n    return helper()\n\n\ndef helper():\n    return 1\n";
pub(crate) const OTHER: &str = "from core import helper\n\n\ndef use():\n    return helper()\n";
pub(crate) const NEW: &str = "def extra():\n    return 2\n";

pub(crate) struct Repo {
    pub(crate) directory: TempDir,
    /// Where commands run, below the directory.
    pub(crate) here: &'static str,
    /// The root to analyse, below the top of the repository.
    pub(crate) root: &'static str,
    pub(crate) environment: std::cell::RefCell<Vec<(&'static str, String)>>,
}

impl Repo {
    pub(crate) fn empty(format: &str) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let repo = Self { directory, here: "", root: "", environment: Vec::new().into() };
        repo.git(&["init", "-q", "--object-format", format]);
        repo
    }

    /// With two files and a handbook, committed.
    pub(crate) fn committed(format: &str) -> Self {
        let repo = Self::empty(format);
        repo.write("bindery.toml", &format!("out = \"{HANDBOOK}\"\nname = \"Hooks\"\n"));
        repo.write("core.py", CORE);
        repo.write("pkg/other.py", OTHER);
        repo.git(&["add", "-A"]);
        let built = repo.bindery(&["build", "--staged", "--stage"]);
        assert!(built.status.success(), "{built:?}");
        repo.git(&["commit", "-qm", "first"]);
        repo
    }

    pub(crate) fn top(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.top().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("it lies in a directory")).expect("directories can be made");
        fs::write(path, text).expect("files can be written");
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path(self.here)).stdin(Stdio::null());
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "CI", "BINDERY_LOG"] {
            command.env_remove(name);
        }
        for name in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{name}_NAME"), "N").env(format!("GIT_{name}_EMAIL"), "n@example.org");
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.envs(self.environment.borrow().iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run_git(&self, arguments: &[&str]) -> Output {
        self.command("git").args(arguments).output().expect("git can be started")
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> Vec<u8> {
        let output = self.run_git(arguments);
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        output.stdout
    }

    pub(crate) fn bindery(&self, arguments: &[&str]) -> Output {
        let root = self.path(self.root);
        self.command(BINDERY).args(arguments).arg(root).output().expect("the program can be started")
    }

    /// `git status` without the handbook, and every file of the working tree but the handbook, with its bytes.
    pub(crate) fn users(&self) -> (Vec<u8>, BTreeMap<PathBuf, Vec<u8>>) {
        let exclude = format!(":(exclude,top,glob)**/{HANDBOOK}/**");
        let exclude_own = format!(":(exclude,top){HANDBOOK}");
        let arguments =
            ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--", ":/", &exclude, &exclude_own];
        (self.git(&arguments), files_below(self.top()))
    }

    /// What the index holds, as `mode` and blob, below the root to analyse.
    pub(crate) fn index(&self) -> BTreeMap<PathBuf, (String, Vec<u8>)> {
        let root = format!("{}{}", self.root, if self.root.is_empty() { "" } else { "/" });
        let listed = self.git(&["ls-files", "-z", "--stage", "--full-name", ":/"]);
        let announced =
            self.git(&["diff", "--name-only", "-z", "--diff-filter=A", "--ita-invisible-in-index"]);
        let announced: Vec<&[u8]> = announced.split(|&byte| byte == 0).collect();
        let mut entries = BTreeMap::new();
        for record in listed.split(|&byte| byte == 0).filter(|record| !record.is_empty()) {
            let tab = record.iter().position(|&byte| byte == b'\t').expect("a path follows a tab");
            let head = String::from_utf8_lossy(&record[..tab]).into_owned();
            let words: Vec<&str> = head.split(' ').collect();
            let path = &record[tab + 1..];
            let Some(path) = path.strip_prefix(root.as_bytes()).filter(|_| !announced.contains(&path)) else {
                continue;
            };
            if words[0] != "160000" {
                let blob = self.git(&["cat-file", "blob", words[1]]);
                entries.insert(PathBuf::from(OsStr::from_bytes(path)), (words[0].to_owned(), blob));
            }
        }
        entries
    }

    pub(crate) fn index_if_merged(&self) -> Option<BTreeMap<PathBuf, (String, Vec<u8>)>> {
        self.git(&["ls-files", "--unmerged"]).is_empty().then(|| self.index())
    }

    pub(crate) fn stage(&self, path: &str, text: &str) {
        self.write(path, text);
        self.git(&["add", path]);
    }
}

/// Every regular file with its bytes; git's own, ours and the handbook left out.
pub(crate) fn files_below(top: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![top.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).expect("it can be listed").flatten() {
            let path = entry.path();
            let kind = entry.file_type().expect("its kind is known");
            if [".git", ".bindery"].map(OsStr::new).contains(&&*entry.file_name()) || path.ends_with(HANDBOOK)
            {
                continue;
            }
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() {
                files.insert(path.clone(), fs::read(path).expect("it can be read"));
            }
        }
    }
    files
}
