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
use std::process::Command;

use crate::repo::{BINDERY, CORE, HANDBOOK, NEW, Repo, files_below};

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
