//! `affected`, `diff` and `build --stages`: two commits beside each other, held against clean builds of both.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

const BINDERY: &str = env!("CARGO_BIN_EXE_bindery");

struct History {
    directory: TempDir,
}

impl History {
    fn new() -> Self {
        let history = Self { directory: tempfile::tempdir().expect("a temporary directory can be made") };
        history.git(&["init", "-q"]);
        history
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).env_remove("CI").env("SOURCE_DATE_EPOCH", "0");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for name in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{name}_NAME"), "N").env(format!("GIT_{name}_EMAIL"), "n@example.org");
        }
        command
    }

    fn git(&self, arguments: &[&str]) {
        let output = self.command("git").args(arguments).output().expect("git can be started");
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("it lies in a directory")).expect("directories can be made");
        fs::write(path, text).expect("files can be written");
    }

    /// Commits everything and gives the commit a tag.
    fn commit(&self, tag: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", tag, "--allow-empty"]);
        self.git(&["tag", tag]);
    }

    fn bindery(&self, arguments: &[&str]) -> Output {
        self.command(BINDERY).args(arguments).output().expect("the program can be started")
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.bindery(&[arguments, &["--format", "json"]].concat());
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        serde_json::from_slice(&output.stdout).expect("the report is JSON")
    }

    /// The handbook of a commit, built from nothing, the stamp and the manifest left out.
    fn clean_handbook(&self, tag: &str) -> BTreeMap<String, String> {
        let tree = tempfile::tempdir().expect("a temporary directory can be made");
        self.git(&["worktree", "add", "-q", "--detach", &tree.path().join("t").display().to_string(), tag]);
        let root = tree.path().join("t");
        let output = self.command(BINDERY).args(["build", "-q"]).arg(&root).output();
        assert!(output.expect("the program can be started").status.success());
        let pages = pages(&root.join(".bindery/handbook"));
        self.git(&["worktree", "remove", "--force", &root.display().to_string()]);
        pages
    }
}

fn pages(directory: &Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(directory).expect("the handbook can be listed").flatten();
    let texts = files.map(|entry| {
        let text = fs::read_to_string(entry.path()).expect("pages are text");
        let lines = text.lines().filter(|line| !line.starts_with("<!-- bindery:stamp "));
        let name = entry.file_name().into_string().expect("pages have plain names");
        (name, lines.collect::<Vec<_>>().join("\n"))
    });
    texts.filter(|(name, _)| name != ".bindery-manifest").collect()
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().filter_map(|item| item["id"].as_str()).collect()
}

#[test]
fn a_diff_says_what_changed_in_meaning() {
    let history = History::new();
    history.write("a.py", "def one():\n    return two()\n\n\ndef two():\n    return 2\n");
    history.write(
        "b.py",
        "from a import one\n\n\ndef go():\n    return one()\n\n\ndef kept(x):\n    return x\n",
    );
    history.commit("v1");
    // `two` moves to c.py; `one` calls `go`, which closes a circle; `kept` has another head; a comment is no change.
    history.write("a.py", "import b\nfrom c import two\n\n\ndef one():\n    two()\n    return b.go()\n");
    history.write(
        "b.py",
        "# words\nfrom a import one\n\n\ndef go():\n    return one()\n\n\ndef kept(x, y):\n    return x\n",
    );
    history.write("c.py", "def two():\n    return 2\n");
    history.commit("v2");
    let diff = history.json(&["diff", "v1", "v2"]);
    assert_eq!((ids(&diff["added"]), ids(&diff["removed"])), (vec![], vec![]), "{diff}");
    assert_eq!(diff["moved"][0]["from"]["id"], "a.two");
    assert_eq!(diff["moved"][0]["to"]["id"], "c.two");
    assert_eq!(ids(&diff["changed"]), ["b.kept"]);
    assert_eq!(diff["gained"], json!([{ "caller": "a.one", "callee": "b.go" }]));
    assert_eq!(diff["lost"], json!([]));
    assert_eq!(diff["cycles"], json!([["a.one", "b.go"]]));
    assert_eq!(diff["cards"], json!(["c.py"]), "brief cards show no functions");
    let back = history.json(&["diff", "v2", "v1"]);
    assert_eq!(back["cycles"], json!([]));
    assert_eq!(back["lost"], json!([{ "caller": "a.one", "callee": "b.go" }]));
    let same = history.json(&["diff", "v2"]);
    assert_eq!((&same["stages"], &same["changed"]), (&json!([]), &json!([])), "the disk is at v2");
}

/// Three packages of six files each that call each other in a ring.
fn write_packages(history: &History) {
    for package in ["alpha", "beta", "gamma"] {
        for file in 0..6 {
            let next = (file + 1) % 6;
            let text = format!(
                "from {package}.m{next} import f{next}\n\n\ndef f{file}():\n    \"\"\"Does {package} {file}.\"\"\"\n    return f{next}()\n"
            );
            history.write(&format!("{package}/m{file}.py"), &text);
        }
        history.write(&format!("{package}/__init__.py"), "");
    }
}

/// 12 commits of all kinds; at each, what `affected` says is what differs between clean builds.
#[test]
fn affected_is_what_clean_builds_differ_in() {
    let history = History::new();
    write_packages(&history);
    history.commit("c0");
    let edits: [(&str, &dyn Fn()); 12] = [
        ("a body", &|| {
            history
                .write("alpha/m1.py", "from alpha.m2 import f2\n\n\ndef f1():\n    f2()\n    return f2()\n")
        }),
        ("a comment at the end", &|| {
            history.write(
                "alpha/m1.py",
                "from alpha.m2 import f2\n\n\ndef f1():\n    f2()\n    return f2()\n# end\n",
            )
        }),
        ("a call across packages", &|| {
            history
                .write("beta/m0.py", "from alpha.m0 import f0 as other\n\n\ndef f0():\n    return other()\n")
        }),
        ("a new file", &|| {
            history.write("gamma/extra.py", "from gamma.m0 import f0\n\n\ndef extra():\n    return f0()\n")
        }),
        ("a name changes", &|| {
            history.write("gamma/extra.py", "from gamma.m0 import f0\n\n\ndef renamed():\n    return f0()\n")
        }),
        ("a file goes", &|| fs::remove_file(history.path().join("gamma/extra.py")).expect("it is there")),
        ("a file moves", &|| history.git(&["mv", "beta/m3.py", "gamma/m3b.py"])),
        ("a package more", &|| {
            history.write("delta/m.py", "from beta.m1 import f1\n\n\ndef d():\n    return f1()\n")
        }),
        ("a README", &|| history.write("README.md", "# Words\n\nThey say what it is.\n")),
        ("a configuration", &|| history.write("bindery.toml", "name = \"Other\"\nexclude = [\"delta/\"]\n")),
        ("nothing", &|| {}),
        ("depth", &|| history.write("bindery.toml", "depth = \"deep\"\n")),
    ];
    let mut before = history.clean_handbook("c0");
    for (at, (what, edit)) in edits.iter().enumerate() {
        edit();
        let (old, new) = (format!("c{at}"), format!("c{}", at + 1));
        history.commit(&new);
        let after = history.clean_handbook(&new);
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let differing: Vec<&String> =
            names.into_iter().filter(|name| before.get(*name) != after.get(*name)).collect();
        let affected = history.json(&["affected", "--since", &old, "--to", &new]);
        assert_eq!(affected["pages"], json!(differing), "{what}");
        assert_eq!(
            affected,
            {
                let mut of_disk = history.json(&["affected", "--since", &old]);
                of_disk["to"] = json!(new);
                of_disk
            },
            "{what}: the files on disk are those of {new}"
        );
        before = after;
    }
}

#[test]
fn some_stages_can_be_written_alone() {
    let history = History::new();
    write_packages(&history);
    history.commit("v1");
    let whole = history.clean_handbook("v1");
    let stage = whole.keys().find(|name| name.contains("beta")).expect("beta has a page").clone();
    let id = stage.trim_end_matches(".md");
    let output = history.bindery(&["build", "--stages", id, "--out", "part"]);
    assert!(output.status.success(), "{output:?}");
    let part = pages(&history.path().join("part"));
    assert_eq!(part.keys().collect::<Vec<_>>(), [&stage]);
    assert!(history.bindery(&["build"]).status.success());
    assert_eq!(pages(&history.path().join(".bindery/handbook")), whole, "a whole build after a part of it");
    for wrong in [&["build", "--stages", "nope", "--out", "part"][..], &["build", "--stages", id]] {
        assert_eq!(history.bindery(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

/// The script of the CI pieces, with the variables a runner sets, over 50 commits: each time only what changed is
/// rendered, the summary says how much, and the handbook is that of a clean build.
#[test]
fn a_ci_job_renders_what_changed_and_says_so() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("build-integration/ci/handbook.sh");
    let history = History::new();
    write_packages(&history);
    history.commit("c0");
    let summaries = tempfile::tempdir().expect("a temporary directory can be made");
    let job = |summary: &Path, base: Option<&str>, mode: &str| {
        let mut command = history.command("sh");
        command.arg(&script).env("BINDERY", BINDERY).env("GITHUB_STEP_SUMMARY", summary);
        command.env("BINDERY_MODE", mode).env("GITHUB_ACTIONS", "true").env("CI", "true");
        command.env("BINDERY_BASE", base.unwrap_or_default());
        command.output().expect("the script can be started")
    };
    let read = |path: &Path| fs::read_to_string(path).expect("there is a summary");
    assert!(job(&summaries.path().join("c0"), None, "build").status.success());
    for number in 1..=50 {
        let (package, file) = (["alpha", "beta", "gamma"][number % 3], number % 6);
        let path = format!("{package}/m{file}.py");
        let text = fs::read_to_string(history.path().join(&path)).expect("the file is there");
        // A body, a comment at the end, a new function, in turn: the comment changes no page.
        let (edit, rendered) = match number % 3 {
            0 => (text.replacen("    return", "    f = 1\n    return", 1), 1),
            1 => (format!("{text}# {number}\n"), 0),
            _ => (format!("{text}\n\ndef extra{number}():\n    return {number}\n"), 1),
        };
        history.write(&path, &edit);
        let (tag, base) = (format!("c{number}"), format!("c{}", number - 1));
        history.commit(&tag);
        let summary = summaries.path().join(&tag);
        let output = job(&summary, Some(&base), "build");
        assert!(output.status.success(), "{tag}: {output:?}");
        let text = read(&summary);
        let pages_written = if rendered == 0 { "0 pages, wrote 0" } else { "1 page, wrote 2" };
        let counts = format!("Parsed 1 of 21 files, resolved 1, rendered {pages_written}, removed 0.");
        assert!(text.contains(&counts), "{tag}: {counts}\n{text}");
        assert!(text.contains("### What changed in meaning"), "{tag}: {text}");
        let built = pages(&history.path().join(".bindery/handbook"));
        assert_eq!(built, history.clean_handbook(&tag), "{tag}");
    }
    let summary = summaries.path().join("check");
    assert!(job(&summary, None, "check").status.success());
    assert!(read(&summary).contains("Up to date."));
    history.write("alpha/m0.py", "def other():\n    return 1\n");
    let output = job(&summary, None, "check");
    assert_eq!(output.status.code(), Some(3));
    let annotations = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        annotations.lines().all(|line| line.starts_with("::error file=.bindery/handbook/")),
        "{annotations}"
    );
    assert!(annotations.contains("alpha.md::outdated"), "{annotations}");
}
