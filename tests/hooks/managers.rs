//! How the hook gets into a repository and out of it again: by itself, and with other people's hook managers.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{documented, is_installed};
use crate::repo::{BINDERY, CORE, HANDBOOK, NEW, Repo};

const CARGO_BINDERY: &str = env!("CARGO_BIN_EXE_cargo-bindery");

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

/// The commands of the README, in a repository that knows nothing of Bindery.
#[test]
fn two_commands_put_the_hook_into_a_repository_and_one_takes_it_out() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md"));
    let readme = readme.expect("the README can be read");
    let (_, section) = readme.split_once("### On every commit").expect("the README has this section");
    let commands: Vec<&str> =
        section.lines().filter_map(|line| line.strip_prefix("$ bindery ")).take(3).collect();
    let repo = Repo::empty("sha1");
    let run = |command: &str| {
        let output = repo.command("sh").args(["-c", &format!("{BINDERY} {command}")]).output();
        let output = output.expect("there is a shell");
        assert!(output.status.success(), "{command}: {output:?}");
    };
    repo.stage("core.py", CORE);
    repo.git(&["commit", "-qm", "theirs"]);
    commands[..2].iter().for_each(|command| run(command));
    let status = || String::from_utf8_lossy(&repo.git(&["status", "--porcelain"])).into_owned();
    assert_eq!(status(), "?? bindery.toml\n");
    repo.stage("core.py", &format!("{CORE}\n\n{NEW}"));
    repo.git(&["commit", "-qm", "before the configuration is staged"]);
    assert_eq!(status(), "?? bindery.toml\n");
    repo.git(&["add", "bindery.toml"]);
    repo.git(&["commit", "-qm", "with the configuration"]);
    assert_eq!(status(), "");
    assert!(!repo.git(&["grep", "-l", "def extra()", "HEAD", "--", HANDBOOK]).is_empty());
    run(commands[2]);
    let hooks = fs::read_dir(repo.path(".git/hooks")).expect("git makes it").flatten();
    let hooks = hooks.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let left: Vec<String> = hooks.filter(|name| !name.ends_with(".sample")).collect();
    assert_eq!(left, Vec::<String>::new());
    assert_eq!(status(), "");
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

/// A commit of what is staged must be refused and leave everything as it is.
fn assert_refused(repo: &Repo) {
    let (head, index) = (repo.git(&["rev-parse", "HEAD"]), repo.index());
    let users = repo.users();
    let commit = repo.run_git(&["commit", "-qm", "refused"]);
    assert!(!commit.status.success(), "an outdated handbook was committed: {commit:?}");
    assert_eq!(head, repo.git(&["rev-parse", "HEAD"]));
    assert!(index == repo.index() && users == repo.users(), "a refused commit changed something");
}

/// The hooks as pre-commit runs them.
#[test]
fn pre_commit_runs_the_hooks() {
    if !is_installed("pre-commit") {
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

/// Packs the program under test as `maturin build` does; the folder with the wheel. Compiling it once more would
/// say nothing about the wheel and take minutes, so where maturin has cargo compile, it is shown this program.
fn wheel(directory: &Path) -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let cargo = directory.join("cargo");
    // What is compiled is cargo's last argument.
    let script = "#!/bin/sh\n[ \"$1\" = rustc ] || exec \"$REAL_CARGO\" \"$@\"\nfor name; do :; done\ncat \"$0.$name\"\n";
    fs::write(&cargo, script).expect("files can be written");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("modes can be set");
    for (name, program) in [("bindery", BINDERY), ("cargo-bindery", CARGO_BINDERY)] {
        // Maturin takes away what was compiled.
        let copy = directory.join(name);
        fs::copy(program, &copy).expect("the program can be copied");
        let compiled = compiled(&manifest, name, &copy).to_string();
        fs::write(directory.join(format!("cargo.{name}")), compiled + "\n").expect("files can be written");
    }
    let wheels = directory.join("wheels");
    let mut maturin = Command::new("maturin");
    maturin.args(["build", "--profile", "dev", "--offline", "--locked", "--manifest-path"]).arg(&manifest);
    maturin.arg("--out").arg(&wheels).env("REAL_CARGO", env!("CARGO")).env("CARGO", &cargo);
    maturin.env("CARGO_TARGET_DIR", directory.join("target"));
    let packed = maturin.output().expect("maturin can be started");
    assert!(packed.status.success(), "{packed:?}");
    wheels
}

/// What cargo says of a program it has compiled
/// (<https://doc.rust-lang.org/cargo/reference/external-tools.html#artifact-messages>).
fn compiled(manifest: &Path, name: &str, program: &Path) -> Value {
    let root = manifest.parent().expect("a manifest lies in a directory").display().to_string();
    json!({
        "reason": "compiler-artifact",
        "package_id": format!("path+file://{root}#bindery@{}", env!("CARGO_PKG_VERSION")),
        "manifest_path": manifest,
        "target": {
            "kind": ["bin"], "crate_types": ["bin"], "name": name, "src_path": program,
            "edition": "2024", "doc": true, "doctest": false, "test": true,
        },
        "profile": {
            "opt_level": "0", "debuginfo": 0, "debug_assertions": true, "overflow_checks": true, "test": false,
        },
        "features": [], "filenames": [program], "executable": program, "fresh": true,
    })
}

/// A repository with the documented hook of language `python`, and the real pre-commit, which installs the wheel.
#[test]
fn a_wheel_brings_the_hook_to_people_without_rust() {
    if !is_installed("pre-commit") || !is_installed("maturin") {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let wheels = wheel(directory.path()).display().to_string();
    let home = directory.path().join("home");
    let repo = Repo::committed("sha1");
    repo.environment.borrow_mut().extend([
        ("PRE_COMMIT_HOME", home.display().to_string()),
        ("PIP_FIND_LINKS", wheels),
        // Nothing from anywhere else: what pre-commit itself needs to make an environment comes with virtualenv.
        ("PIP_NO_INDEX", "1".to_owned()),
        ("PIP_NO_BUILD_ISOLATION", "0".to_owned()),
        ("VIRTUALENV_SETUPTOOLS", "bundle".to_owned()),
    ]);
    let pre_commit = |arguments: &[&str]| {
        let output = repo.command("pre-commit").args(arguments).output().expect("it can be started");
        (output.status.success(), format!("{output:?}"))
    };
    repo.stage(".pre-commit-config.yaml", &documented(".pre-commit-config.yaml"));
    repo.git(&["commit", "-qm", "hook"]);
    let (is_fresh, said) = pre_commit(&["run", "--all-files"]);
    assert!(is_fresh, "{said}");
    let environments = fs::read_dir(&home).expect("pre-commit keeps environments there").flatten();
    let mut environments = environments.flat_map(|entry| fs::read_dir(entry.path()).into_iter().flatten());
    let is_installed = |entry: std::io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.path().join("bin/bindery").is_file())
    };
    assert!(environments.any(is_installed), "the program is not the one of the wheel");

    assert!(pre_commit(&["install"]).0);
    repo.stage("core.py", &format!("{CORE}\n\n{NEW}"));
    assert_refused(&repo);
    assert!(repo.bindery(&["build", "--staged", "--stage"]).status.success());
    repo.git(&["commit", "-qm", "fresh"]);
    assert!(pre_commit(&["uninstall"]).0);
    repo.stage("core.py", NEW);
    repo.git(&["commit", "-qm", "without the hook"]);
}

/// The documented configuration, run by the real lefthook.
#[test]
fn lefthook_runs_the_hook() {
    if !is_installed("lefthook") {
        return;
    }
    let repo = Repo::committed("sha1");
    let programs = Path::new(BINDERY).parent().expect("a program lies in a directory").display();
    let path = std::env::var("PATH").unwrap_or_default();
    repo.environment.borrow_mut().push(("PATH", format!("{programs}:{path}")));
    let lefthook = |action: &str| {
        let output = repo.command("lefthook").arg(action).output().expect("it can be started");
        assert!(output.status.success(), "{output:?}");
    };
    let configuration = documented("lefthook.yml");
    repo.stage("lefthook.yml", &configuration);
    lefthook("install");
    repo.git(&["commit", "-qm", "hook"]);

    // One file is partly staged, one is not staged, one is not tracked.
    repo.stage("core.py", &format!("{CORE}\n\n{NEW}"));
    repo.write("core.py", "def half():\n    return\n");
    repo.write("pkg/other.py", NEW);
    repo.write("untracked.py", NEW);
    let files = repo.users().1;
    repo.git(&["commit", "-qm", "partly"]);
    assert!(files == repo.users().1, "a file of the user's changed");
    let status = repo.git(&["status", "--porcelain"]);
    assert_eq!(String::from_utf8_lossy(&status), " M core.py\n M pkg/other.py\n?? untracked.py\n");
    let committed = repo.git(&["show", "--name-only", "--format=", "HEAD"]);
    let committed = String::from_utf8_lossy(&committed).into_owned();
    let others: Vec<&str> = committed.lines().filter(|path| !path.starts_with(HANDBOOK)).collect();
    assert_eq!(others, ["core.py"]);
    assert!(!repo.git(&["grep", "-l", "def extra()", "HEAD", "--", HANDBOOK]).is_empty(), "{committed}");
    assert!(repo.bindery(&["check", "--staged"]).status.success());

    let checking = configuration.replace("build --staged --stage", "check --staged");
    assert_ne!(configuration, checking);
    repo.stage("lefthook.yml", &checking);
    repo.git(&["commit", "-qm", "only check"]);
    repo.stage("core.py", NEW);
    assert_refused(&repo);
    lefthook("uninstall");
    repo.git(&["commit", "-qm", "without the hook"]);
}
