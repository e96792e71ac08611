//! R25, hook truth: `--staged` sees the index and nothing else, whatever state the repository is in, and changes
//! nothing of the user's but the handbook.
//!
//! Each state is a repository with a committed handbook, brought into that state by git itself. The handbook in the
//! index after `build --staged --stage` must be that of a plain build of exactly the blobs in the index.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const BINDERY: &str = env!("CARGO_BIN_EXE_bindery");
const HANDBOOK: &str = "docs/handbook";
const CORE: &str = "def start():\n    return helper()\n\n\ndef helper():\n    return 1\n";
const OTHER: &str = "from core import helper\n\n\ndef use():\n    return helper()\n";

/// What is to become of the state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// The handbook follows the index, exit code 0.
    Follows,
    /// The index cannot be built: exit code 3, nothing is touched.
    Refused,
    /// Something in the handbook's directory is not ours: exit code 3, it is kept.
    Kept,
}

use Expect::{Follows, Kept, Refused};

/// Name, how the repository gets there, and what is to become of it.
type State = (&'static str, fn(&Repo), Expect);

struct Repo {
    directory: TempDir,
    /// Where commands run, below the directory.
    here: &'static str,
    /// The root to analyse, below the top of the repository.
    root: &'static str,
    environment: std::cell::RefCell<Vec<(&'static str, String)>>,
}

impl Repo {
    fn empty(format: &str) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let repo = Self { directory, here: "", root: "", environment: Vec::new().into() };
        repo.git(&["init", "-q", "--object-format", format]);
        repo
    }

    /// With two files and a handbook, committed.
    fn committed(format: &str) -> Self {
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

    fn top(&self) -> &Path {
        self.directory.path()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.top().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("it lies in a directory")).expect("directories can be made");
        fs::write(path, text).expect("files can be written");
    }

    fn command(&self, program: &str) -> Command {
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

    fn run_git(&self, arguments: &[&str]) -> Output {
        self.command("git").args(arguments).output().expect("git can be started")
    }

    fn git(&self, arguments: &[&str]) -> Vec<u8> {
        let output = self.run_git(arguments);
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        output.stdout
    }

    fn bindery(&self, arguments: &[&str]) -> Output {
        let root = self.path(self.root);
        self.command(BINDERY).args(arguments).arg(root).output().expect("the program can be started")
    }

    /// `git status` without the handbook, and every file of the working tree but the handbook, with its bytes.
    fn users(&self) -> (Vec<u8>, BTreeMap<PathBuf, Vec<u8>>) {
        let exclude = format!(":(exclude,top,glob)**/{HANDBOOK}/**");
        let exclude_own = format!(":(exclude,top){HANDBOOK}");
        let arguments =
            ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--", ":/", &exclude, &exclude_own];
        (self.git(&arguments), files_below(self.top()))
    }

    /// What the index holds, as `mode` and blob, below the root to analyse.
    fn index(&self) -> BTreeMap<PathBuf, (String, Vec<u8>)> {
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
}

/// Every regular file with its bytes; git's own, ours and the handbook left out.
fn files_below(top: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
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

/// The handbook that a plain build of these blobs writes.
fn clean_handbook(index: &BTreeMap<PathBuf, (String, Vec<u8>)>) -> BTreeMap<PathBuf, Vec<u8>> {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for (path, (mode, bytes)) in index.iter().filter(|(path, _)| !path.starts_with(HANDBOOK)) {
        let target = directory.path().join(path);
        fs::create_dir_all(target.parent().expect("it lies in a directory"))
            .expect("directories can be made");
        match mode.as_str() {
            "120000" => symlink(OsStr::from_bytes(bytes), target).expect("links can be made"),
            _ => fs::write(target, bytes).expect("files can be written"),
        }
    }
    let mut command = Command::new(BINDERY);
    let output = command.args(["build", "--quiet"]).arg(directory.path()).env_remove("CI").output();
    let output = output.expect("the program can be started");
    assert!(output.status.success(), "{output:?}");
    let handbook = directory.path().join(HANDBOOK);
    let relative = |(path, bytes): (PathBuf, Vec<u8>)| {
        (path.strip_prefix(directory.path()).expect("it lies there").to_owned(), bytes)
    };
    files_below(&handbook).into_iter().map(relative).collect()
}

fn assert_state((name, prepare, expect): &State, repo: &Repo) {
    prepare(repo);
    let before = repo.users();
    let index_before = repo.index_if_merged();
    // `git status` itself runs filters.
    let ran = repo.path(".git/ran");
    let _ = fs::remove_file(&ran);
    let built = repo.bindery(&["build", "--staged", "--stage", "--quiet"]);
    assert!(!ran.exists(), "{name}: a program of the repository's ran");
    let code = built.status.code();
    assert_eq!(code, Some(if *expect == Follows { 0 } else { 3 }), "{name}: {built:?}");
    assert!(before == repo.users(), "{name}: something of the user's changed");
    if *expect == Refused {
        return;
    }
    let index = repo.index();
    let is_handbook = |path: &Path| path.starts_with(HANDBOOK);
    let others = |index: &BTreeMap<PathBuf, (String, Vec<u8>)>| {
        index
            .iter()
            .filter(|(path, _)| !is_handbook(path))
            .map(|(a, b)| (a.clone(), b.clone()))
            .collect::<Vec<_>>()
    };
    assert!(
        Some(others(&index)) == index_before.as_ref().map(others),
        "{name}: another path of the index changed"
    );
    if *expect == Kept {
        return;
    }
    let held = index.iter().filter(|(path, _)| is_handbook(path));
    let held: BTreeMap<PathBuf, Vec<u8>> =
        held.map(|(path, (_, bytes))| (path.clone(), bytes.clone())).collect();
    let clean = clean_handbook(&index);
    assert_eq!(held.keys().collect::<Vec<_>>(), clean.keys().collect::<Vec<_>>(), "{name}");
    for (path, bytes) in &clean {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(&held[path]), text(bytes), "{name}: {}", path.display());
    }
    let checked = repo.bindery(&["check", "--staged"]);
    assert_eq!(checked.status.code(), Some(0), "{name}: {checked:?}");
    let again = repo.bindery(&["build", "--staged", "--stage", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&again.stdout).expect("the report is JSON");
    assert_eq!(report["staged"], serde_json::json!([]), "{name}: a second run staged something");
}

impl Repo {
    fn index_if_merged(&self) -> Option<BTreeMap<PathBuf, (String, Vec<u8>)>> {
        self.git(&["ls-files", "--unmerged"]).is_empty().then(|| self.index())
    }

    fn stage(&self, path: &str, text: &str) {
        self.write(path, text);
        self.git(&["add", path]);
    }
}

const NEW: &str = "def extra():\n    return 2\n";

/// States of a repository that lies at the top of an ordinary checkout.
const STATES: &[State] = &[
    ("nothing is staged", |_| {}, Follows),
    ("an edit is staged", |repo| repo.stage("core.py", &format!("{CORE}\n\n{NEW}")), Follows),
    (
        "an edit is partly staged",
        |repo| {
            repo.stage("core.py", &format!("{CORE}\n\n{NEW}"));
            repo.write("core.py", "def half():\n    return\n");
        },
        Follows,
    ),
    ("an edit is not staged", |repo| repo.write("core.py", NEW), Follows),
    ("a file is new", |repo| repo.stage("new.py", NEW), Follows),
    ("a file is untracked", |repo| repo.write("untracked.py", NEW), Follows),
    (
        "a file is only announced",
        |repo| {
            repo.write("announced.py", NEW);
            repo.git(&["add", "--intent-to-add", "announced.py"]);
        },
        Follows,
    ),
    (
        "a deletion is staged, the file is there",
        |repo| drop(repo.git(&["rm", "-q", "--cached", "core.py"])),
        Follows,
    ),
    ("a deletion is staged", |repo| drop(repo.git(&["rm", "-q", "pkg/other.py"])), Follows),
    (
        "a deletion is not staged",
        |repo| fs::remove_file(repo.path("core.py")).expect("it can be removed"),
        Follows,
    ),
    ("a file is renamed", |repo| drop(repo.git(&["mv", "core.py", "kernel.py"])), Follows),
    (
        "a renamed file is edited further",
        |repo| {
            repo.git(&["mv", "core.py", "kernel.py"]);
            repo.write("kernel.py", NEW);
        },
        Follows,
    ),
    (
        "a file became a directory",
        |repo| {
            repo.git(&["rm", "-q", "core.py"]);
            repo.stage("core.py/inner.py", NEW);
        },
        Follows,
    ),
    (
        "a directory became a file",
        |repo| {
            repo.git(&["rm", "-rq", "pkg"]);
            repo.stage("pkg", "just text\n");
        },
        Follows,
    ),
    (
        "a file became executable",
        |repo| {
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(repo.path("core.py"), mode).expect("modes can be set");
            repo.git(&["add", "core.py"]);
        },
        Follows,
    ),
    (
        "a link is staged",
        |repo| {
            symlink("core.py", repo.path("link.py")).expect("links can be made");
            repo.git(&["add", "link.py"]);
        },
        Follows,
    ),
    (
        "a link out of the repository is staged",
        |repo| {
            symlink("/etc/hostname", repo.path("out.py")).expect("links can be made");
            repo.git(&["add", "out.py"]);
        },
        Follows,
    ),
    (
        "a file is a link on disk",
        |repo| {
            fs::remove_file(repo.path("core.py")).expect("it can be removed");
            symlink("pkg/other.py", repo.path("core.py")).expect("links can be made");
        },
        Follows,
    ),
    (
        "a submodule is staged",
        |repo| {
            let head = String::from_utf8(repo.git(&["rev-parse", "HEAD"])).expect("an id is text");
            let entry = format!("160000,{},sub", head.trim_end());
            repo.git(&["update-index", "--add", "--cacheinfo", &entry]);
        },
        Follows,
    ),
    (
        "the checkout is sparse",
        |repo| {
            repo.git(&["sparse-checkout", "set", "docs"]);
            assert!(!repo.path("pkg/other.py").exists(), "it is not sparse");
        },
        Follows,
    ),
    (
        "the index is sparse",
        |repo| {
            repo.git(&["sparse-checkout", "set", "--sparse-index", "docs"]);
        },
        Follows,
    ),
    (
        "an edit is hidden by skip-worktree",
        |repo| {
            repo.git(&["update-index", "--skip-worktree", "core.py"]);
            repo.write("core.py", NEW);
        },
        Follows,
    ),
    (
        "an edit is hidden by assume-unchanged",
        |repo| {
            repo.git(&["update-index", "--assume-unchanged", "core.py"]);
            repo.write("core.py", NEW);
        },
        Follows,
    ),
    ("a merge has conflicts", |repo| conflict(repo), Refused),
    (
        "a conflict is resolved",
        |repo| {
            conflict(repo);
            repo.stage("core.py", NEW);
        },
        Follows,
    ),
    ("HEAD is detached", |repo| drop(repo.git(&["checkout", "-q", "--detach"])), Follows),
    (
        "the commit is of some paths",
        |repo| {
            repo.write("core.py", NEW);
            repo.write("pkg/other.py", NEW);
            let index = repo.path(".git/next-index").display().to_string();
            fs::copy(repo.path(".git/index"), &index).expect("the index can be copied");
            repo.environment.borrow_mut().push(("GIT_INDEX_FILE", index));
            repo.git(&["add", "core.py"]);
        },
        Follows,
    ),
    (
        "git says where the repository is",
        |repo| {
            let (git, top) = (repo.path(".git"), repo.top().to_owned());
            let mut environment = repo.environment.borrow_mut();
            environment.push(("GIT_DIR", git.display().to_string()));
            environment.push(("GIT_WORK_TREE", top.display().to_string()));
        },
        Follows,
    ),
    (
        "line ends are converted",
        |repo| {
            repo.git(&["config", "core.autocrlf", "true"]);
            repo.stage(".gitattributes", "*.py text eol=crlf\n");
            repo.stage("core.py", "def start():\r\n    return 1\r\n");
        },
        Follows,
    ),
    (
        "a filter is configured",
        |repo| {
            repo.stage(".gitattributes", "*.py filter=shout\n*.md filter=shout\n");
            repo.git(&["update-index", "--add", "core.py"]);
            let marker = repo.path(".git/ran").display().to_string();
            repo.git(&["config", "filter.shout.clean", &format!("touch {marker}; cat")]);
            repo.git(&["config", "filter.shout.smudge", &format!("touch {marker}; cat")]);
        },
        Follows,
    ),
    (
        "hooks are configured",
        |repo| {
            let hooks = repo.path(".git/own-hooks");
            fs::create_dir_all(&hooks).expect("directories can be made");
            for name in ["post-index-change", "fsmonitor-watchman"] {
                let text = format!("#!/bin/sh\ntouch {}\n", repo.path(".git/ran").display());
                fs::write(hooks.join(name), text).expect("hooks can be written");
                let mode = fs::Permissions::from_mode(0o755);
                fs::set_permissions(hooks.join(name), mode).expect("modes can be set");
            }
            repo.git(&["config", "core.hooksPath", &hooks.display().to_string()]);
        },
        Follows,
    ),
    ("a tracked file is ignored now", |repo| repo.stage(".gitignore", "core.py\n"), Follows),
    ("an ignore file is not staged", |repo| repo.write(".gitignore", "core.py\n"), Follows),
    (
        "the configuration is changed in the index",
        |repo| repo.stage("bindery.toml", &format!("out = \"{HANDBOOK}\"\nname = \"Staged\"\n")),
        Follows,
    ),
    (
        "the configuration is changed on disk",
        |repo| repo.write("bindery.toml", &format!("out = \"{HANDBOOK}\"\nname = \"Disk\"\n")),
        Follows,
    ),
    (
        "only tracked files count",
        |repo| {
            repo.write("untracked.py", NEW);
            repo.stage("bindery.toml", &format!("out = \"{HANDBOOK}\"\nname = \"T\"\ninclude = [\"**\"]\n"));
        },
        Follows,
    ),
    ("a README is staged", |repo| repo.stage("README.md", "# Hooked\n\nWhat it does.\n"), Follows),
    (
        "names are odd",
        |repo| {
            repo.stage("tab\there.py", NEW);
            repo.stage("two\nlines.py", NEW);
            let name = repo.top().join(OsStr::from_bytes(b"latin\xe9.py"));
            fs::write(name, NEW).expect("files can be written");
            repo.git(&["add", "-A"]);
        },
        Follows,
    ),
    ("a file is no text", |repo| repo.stage("core.py", "def f():\n    return '\0'\n"), Follows),
    (
        "a page in the index was written by hand",
        |repo| repo.stage(&format!("{HANDBOOK}/mine.md"), "# Mine\n"),
        Kept,
    ),
    (
        "the handbook is gone from the disk",
        |repo| fs::remove_dir_all(repo.path(HANDBOOK)).expect("it can be removed"),
        Follows,
    ),
    (
        "the handbook is gone from the index",
        |repo| drop(repo.git(&["rm", "-rq", "--cached", HANDBOOK])),
        Follows,
    ),
    (
        "the handbook on disk follows the disk",
        |repo| {
            repo.stage("core.py", &format!("{CORE}\n\n{NEW}"));
            repo.write("core.py", NEW);
            assert!(repo.bindery(&["build"]).status.success());
        },
        Follows,
    ),
    ("the index is split", |repo| drop(repo.git(&["update-index", "--split-index"])), Follows),
    ("the index has version 4", |repo| drop(repo.git(&["update-index", "--index-version", "4"])), Follows),
    (
        "a stash is kept",
        |repo| {
            repo.write("core.py", NEW);
            repo.git(&["stash", "-q"]);
        },
        Follows,
    ),
];

/// A merge that stops at `core.py`.
fn conflict(repo: &Repo) {
    repo.git(&["checkout", "-qb", "side"]);
    repo.stage("core.py", "def side():\n    return 1\n");
    repo.git(&["commit", "-qm", "side"]);
    repo.git(&["checkout", "-q", "-"]);
    repo.stage("core.py", "def main():\n    return 1\n");
    repo.git(&["commit", "-qm", "main"]);
    assert!(!repo.run_git(&["merge", "-q", "side"]).status.success(), "there is no conflict");
}

#[test]
fn the_handbook_follows_the_index_in_every_state_and_nothing_else_changes() {
    for state in STATES {
        let repo = Repo::committed("sha1");
        assert_state(state, &repo);
    }
    eprintln!("{} states", STATES.len());
}

#[test]
fn a_repository_without_commits_has_an_index_too() {
    let repo = Repo::empty("sha1");
    repo.write("bindery.toml", &format!("out = \"{HANDBOOK}\"\nname = \"Hooks\"\n"));
    repo.write("core.py", CORE);
    assert_state(&("nothing but a configuration is staged", |_| {}, Follows), &unconfigured());
    repo.git(&["add", "-A"]);
    assert_state(&("the first commit is under way", |_| {}, Follows), &repo);
}

/// Without a commit, an index with nothing but a configuration.
fn unconfigured() -> Repo {
    let repo = Repo::empty("sha1");
    repo.stage("bindery.toml", &format!("out = \"{HANDBOOK}\"\nname = \"Hooks\"\n"));
    repo
}

#[test]
fn other_object_names_do_not_matter() {
    let repo = Repo::committed("sha256");
    assert_state(&("ids are of SHA-256", |repo| drop(repo.git(&["rm", "-q", "core.py"])), Follows), &repo);
}

#[test]
fn a_worktree_has_an_index_of_its_own() {
    let main = Repo::committed("sha1");
    let linked = tempfile::tempdir().expect("a temporary directory can be made");
    let path = linked.path().join("linked");
    main.git(&["worktree", "add", "-q", &path.display().to_string()]);
    let directory = tempfile::tempdir_in(linked.path()).expect("a temporary directory can be made");
    let moved = directory.path().join("tree");
    main.git(&["worktree", "move", &path.display().to_string(), &moved.display().to_string()]);
    let repo = Repo { directory, here: "tree", root: "", environment: Vec::new().into() };
    let output = repo.command("git").args(["rm", "-q", "core.py"]).output().expect("git can be started");
    assert!(output.status.success(), "{output:?}");
    let output = repo.command(BINDERY).args(["build", "--staged", "--stage"]).output();
    let output = output.expect("the program can be started");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let held = repo.run_git(&["grep", "--cached", "-c", "def helper()", "--", HANDBOOK]);
    assert_eq!(
        String::from_utf8_lossy(&held.stdout),
        "",
        "the handbook still shows what is not in this index"
    );
    let held = main.git(&["grep", "--cached", "-l", "def helper()", "--", HANDBOOK]);
    assert!(!held.is_empty(), "the other index changed too");
}

#[test]
fn the_root_may_lie_inside_the_repository() {
    let mut repo = Repo::empty("sha1");
    repo.root = "sub";
    repo.here = "";
    repo.stage("sub/bindery.toml", &format!("out = \"{HANDBOOK}\"\nname = \"Inner\"\n"));
    repo.stage("sub/core.py", CORE);
    repo.stage("elsewhere.py", NEW);
    assert_state(&("the root is a directory", |repo| repo.write("sub/core.py", NEW), Follows), &repo);
    repo.here = "sub";
    assert_state(&("commands run in it", |_| {}, Follows), &repo);
}

#[test]
fn an_installed_hook_takes_the_handbook_along_and_goes_again() {
    let repo = Repo::committed("sha1");
    let hook = repo.path(".git/hooks/pre-commit");
    assert!(repo.bindery(&["hook", "install"]).status.success());
    repo.stage("core.py", &format!("{CORE}\n\n{NEW}"));
    repo.write("core.py", "def later():\n    return\n");
    repo.git(&["commit", "-qm", "second"]);
    let page = repo.git(&["grep", "-l", "def extra()", "HEAD", "--", HANDBOOK]);
    assert!(!page.is_empty(), "the commit has no new page");
    let status = repo.git(&["status", "--porcelain"]);
    assert_eq!(String::from_utf8_lossy(&status), " M core.py\n");
    assert!(repo.bindery(&["hook", "install", "--check"]).status.success(), "ours can be replaced");
    repo.stage("core.py", NEW);
    let refused = repo.run_git(&["commit", "-qm", "third"]);
    assert!(!refused.status.success(), "an outdated handbook was committed: {refused:?}");
    assert!(repo.bindery(&["hook", "uninstall"]).status.success());
    assert!(!hook.exists());
    assert_eq!(repo.bindery(&["hook", "uninstall"]).status.code(), Some(3));
}

#[test]
fn a_hook_of_somebody_else_is_kept() {
    let repo = Repo::committed("sha1");
    let hooks = repo.path("own hooks");
    repo.git(&["config", "core.hooksPath", "own hooks"]);
    fs::create_dir_all(&hooks).expect("directories can be made");
    fs::write(hooks.join("pre-commit"), "#!/bin/sh\nmake lint\n").expect("hooks can be written");
    for action in ["install", "uninstall"] {
        let run = repo.bindery(&["hook", action]);
        assert_eq!(run.status.code(), Some(3), "{action}: {run:?}");
    }
    let kept = fs::read_to_string(hooks.join("pre-commit")).expect("it is there");
    assert_eq!(kept, "#!/bin/sh\nmake lint\n");
}

/// The hooks as pre-commit runs them; skipped, and said, where pre-commit is not installed.
#[test]
fn pre_commit_runs_the_hooks() {
    if Command::new("pre-commit").arg("--version").output().is_err() {
        eprintln!("skipped: `pre-commit` is not installed");
        return;
    }
    let definitions =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".pre-commit-hooks.yaml"))
            .expect("the definitions can be read");
    // The definitions as they are published, but for the program, which is the one under test.
    let local: String = definitions
        .replace("entry: bindery", &format!("entry: {BINDERY}"))
        .replace("language: rust", "language: system")
        .lines()
        .map(|line| format!("      {line}\n"))
        .collect();
    let repo = Repo::committed("sha1");
    repo.stage(".pre-commit-config.yaml", &format!("repos:\n  - repo: local\n    hooks:\n{local}"));
    let run = |hook: &str| {
        let mut command = repo.command("pre-commit");
        command.args(["run", "--all-files", hook]).output().expect("it can be started")
    };
    assert!(run("bindery-check").status.success(), "{:?}", run("bindery-check"));
    repo.stage("core.py", &format!("{CORE}\n\n{NEW}"));
    assert!(!run("bindery-check").status.success(), "an outdated handbook passes");
    run("bindery-build");
    assert!(run("bindery-check").status.success(), "{:?}", run("bindery-check"));
    assert!(run("bindery-build").status.success(), "{:?}", run("bindery-build"));
}
