//! R26 with the real cargo: the example crate is built again and again. It compiles everything once more, as build
//! dependencies, so it runs only where `BINDERY_EXAMPLE` is set, as the gate does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use serde_json::Value;

/// A copy of the example, or of something made from it, and where cargo works on it.
struct Example {
    directory: tempfile::TempDir,
    _alone: MutexGuard<'static, ()>,
}

/// One at a time: cargo tells packages of workspaces at other places not apart in one target directory, and a target
/// directory for each would compile everything again.
static ALONE: Mutex<()> = Mutex::new(());

/// What a run of cargo did.
struct Run {
    succeeded: bool,
    /// All that cargo and the build script said to a person.
    said: String,
    /// Whether a build script ran.
    ran: bool,
    /// Whether everything was there already, in cargo's own words.
    fresh: bool,
    /// The `OUT_DIR` of the example's script, if it is known.
    out: Option<PathBuf>,
}

impl Example {
    /// None where these tests do not run.
    fn new() -> Option<Self> {
        if std::env::var_os("BINDERY_EXAMPLE").is_none() {
            eprintln!("skipped: `BINDERY_EXAMPLE` is not set");
            return None;
        }
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let example = Self { directory, _alone: ALONE.lock().unwrap_or_else(PoisonError::into_inner) };
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        for file in ["Cargo.toml", "build.rs", "src/lib.rs"] {
            let text = fs::read_to_string(here.join("example").join(file)).expect("the example can be read");
            // The dependency lies where it does.
            let dependency = format!("path = {:?}", here.display().to_string());
            example.write(file, &text.replace("path = \"..\"", &dependency));
        }
        // The versions the workspace is tested with.
        fs::copy(here.join("../Cargo.lock"), example.path("Cargo.lock"))
            .expect("the lock file can be copied");
        Some(example)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect("the file can be read")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("it lies in a directory")).expect("directories can be made");
        fs::write(path, text).expect("files can be written");
    }

    /// A cargo command here; `wrapper` starts it.
    fn cargo(&self, wrapper: &[&str], arguments: &[&str]) -> Run {
        let mut words = wrapper.iter().copied().chain([env!("CARGO")]);
        let mut command = Command::new(words.next().expect("there is at least cargo"));
        let output = command
            .args(words)
            .args(arguments)
            .args(["-vv", "--offline"])
            .current_dir(self.directory.path())
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("example"))
            .env_remove("CARGO_BUILD_TARGET")
            .output()
            .expect("cargo can be started");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let messages = String::from_utf8_lossy(&output.stdout).into_owned();
        let messages: Vec<Value> =
            messages.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let out = messages.iter().find(|message| {
            message["package_id"].as_str().is_some_and(|id| id.contains("bindery-example"))
                && message["out_dir"].is_string()
        });
        Run {
            succeeded: output.status.success(),
            ran: said.lines().any(|line| line.contains("Running `") && line.contains("build-script-build`")),
            fresh: messages.iter().all(|message| message["fresh"] != false),
            out: out.and_then(|message| message["out_dir"].as_str()).map(PathBuf::from),
            said,
        }
    }

    /// Builds, which must succeed.
    fn build(&self) -> Run {
        self.build_by(&[])
    }

    fn build_by(&self, wrapper: &[&str]) -> Run {
        let run = self.cargo(wrapper, &["build", "--message-format", "json"]);
        assert!(run.succeeded, "{}", run.said);
        run
    }

    /// Builds and asserts that nothing is done.
    fn assert_fresh(&self, when: &str) {
        let run = self.build();
        assert!(!run.ran && run.fresh, "{when}: {}", run.said);
    }

    /// Everything that lies here, with contents; but for cargo's lock file, which is cargo's.
    fn tree(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let files = stamps(self.directory.path()).into_keys();
        let files = files.filter(|path| !path.ends_with("Cargo.lock"));
        files.map(|path| (path.clone(), fs::read(&path).expect("it can be read"))).collect()
    }
}

impl Run {
    /// Every file that a crate sees of what the script wrote, with its time stamp.
    fn pages(&self) -> BTreeMap<PathBuf, SystemTime> {
        let out = self.out.as_deref().expect("cargo says where the script wrote");
        let mut pages = stamps(&out.join("handbook"));
        assert!(pages.len() > 2, "there is no handbook");
        pages.extend(stamps(out).into_iter().filter(|(path, _)| path.ends_with("handbook.rs")));
        pages
    }

    fn instructions(&self) -> Vec<String> {
        let output = self.out.as_deref().expect("cargo says where the script wrote").with_file_name("output");
        let output = fs::read_to_string(output).expect("cargo keeps what a script says");
        output.lines().map(str::to_owned).collect()
    }
}

/// Every file below a directory, with its time stamp.
fn stamps(directory: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let mut files = BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).expect("it can be listed").flatten() {
            let stamp = entry.metadata().and_then(|metadata| metadata.modified());
            match entry.path().is_dir() {
                true => open.push(entry.path()),
                false => drop(files.insert(entry.path(), stamp.expect("it has a time stamp"))),
            }
        }
    }
    files
}

#[test]
fn cargo_runs_the_script_when_an_input_changes_and_only_then() {
    let Some(example) = Example::new() else { return };
    let sources = example.tree();
    let first = example.build();
    assert!(first.ran, "the first build does not run it");
    example.assert_fresh("a second build");
    let before = first.pages();
    example.write("src/lib.rs", &example.read("src/lib.rs"));
    let touched = example.build();
    assert!(touched.ran, "a touched input does not run it");
    assert_eq!(before, touched.pages(), "it wrote something");
    assert!(sources == example.tree(), "something was written outside OUT_DIR");
    example.assert_fresh("after a touched input");
    example.write("src/new.rs", "//! New.\n\npub fn fresh() {}\n");
    let added = example.build();
    assert!(added.ran, "a new file in a source directory does not run it");
    let pages = added.pages();
    let shown = pages.keys().any(|page| fs::read_to_string(page).is_ok_and(|text| text.contains("fresh")));
    assert!(shown, "the new file is on no page");
    example.assert_fresh("after a new file");
    // Neither the package's own directory, which holds what cargo writes, nor anything of cargo's is watched.
    let root = format!("cargo::rerun-if-changed={}", example.directory.path().display());
    let instructions = added.instructions();
    assert!(instructions.contains(&format!("{root}/src")), "{instructions:?}");
    assert!(instructions.contains(&format!("{root}/Cargo.toml")), "{instructions:?}");
    let others = instructions.iter().filter(|line| !line.starts_with(&format!("{root}/")));
    assert_eq!(others.collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn problems_have_file_and_line() {
    let Some(example) = Example::new() else { return };
    example.write("bindery.toml", "name = \"Example\"\ndepht = \"deep\"\n");
    let run = example.cargo(&[], &["build"]);
    assert!(!run.succeeded);
    let expected = "error: bindery-example@0.1.0: bindery: bindery.toml:2:";
    assert!(run.said.lines().any(|line| line.starts_with(expected)), "{}", run.said);
    // A narrator of the user's is not asked, and what is said of it comes from the user's own configuration.
    example.write("bindery.toml", "narrator = \"mine\"\n");
    let instructions = example.build().instructions();
    assert!(
        instructions.contains(&"cargo::rerun-if-env-changed=BINDERY_CONFIG".to_owned()),
        "{instructions:?}"
    );
    fs::remove_file(example.path("bindery.toml")).expect("it is there");
    assert!(example.build().ran, "a configuration that is gone does not run it");
    example.assert_fresh("without a configuration");
}

#[test]
fn an_older_rust_is_spoken_to_in_its_own_way() {
    let Some(example) = Example::new() else { return };
    let manifest = example.read("Cargo.toml");
    let older = manifest.replace("edition = \"2024\"", "edition = \"2021\"\nrust-version = \"1.70\"");
    assert_ne!(manifest, older);
    example.write("Cargo.toml", &older);
    // This cargo refuses the newer syntax from a package of that age.
    let instructions = example.build().instructions();
    assert!(!instructions.is_empty());
    for line in &instructions {
        assert!(line.starts_with("cargo:rerun-if-changed="), "{line}");
    }
    example.assert_fresh("a second build");
    example.write("bindery.toml", "\ndepht = \"deep\"\n");
    // What appears in the package's own directory is not noticed by itself.
    example.write("src/lib.rs", &example.read("src/lib.rs"));
    let run = example.cargo(&[], &["build"]);
    assert!(!run.succeeded);
    assert!(run.said.contains("bindery: bindery.toml:2:"), "{}", run.said);
}

/// As root too: without the capabilities that make root ignore modes.
#[test]
fn a_read_only_source_tree_is_enough() {
    let Some(example) = Example::new() else { return };
    let lock = example.build();
    assert!(lock.succeeded);
    let modes = |modes: &str| {
        let changed = Command::new("chmod").args(["-R", modes]).arg(example.directory.path()).status();
        assert!(changed.expect("chmod can be started").success());
    };
    example.write("src/more.rs", "pub fn more() {}\n");
    modes("a-w");
    let unprivileged: &[&str] =
        &["setpriv", "--bounding-set", "-dac_override", "--inh-caps", "-dac_override", "--"];
    let is_root = fs::write(example.path("probe"), "").is_ok();
    let wrapper = if is_root { unprivileged } else { &[] };
    let probe = Command::new(wrapper.first().unwrap_or(&"sh"))
        .args(wrapper.get(1..).unwrap_or_default())
        .args(if is_root { &["sh", "-c", "! touch src/probe"][..] } else { &["-c", "! touch src/probe"] })
        .current_dir(example.directory.path())
        .status();
    assert!(probe.expect("it can be started").success(), "the source tree is not read-only");
    let run = example.build_by(wrapper);
    let is_shown =
        run.pages().keys().any(|page| fs::read_to_string(page).is_ok_and(|text| text.contains("more")));
    assert!(run.ran && is_shown, "{}", run.said);
    modes("u+w");
}

/// The example as a library that another package of a workspace uses, with the handbook of the whole workspace.
#[test]
fn a_dependency_has_the_handbook_of_its_workspace() {
    let Some(example) = Example::new() else { return };
    let library = example.read("Cargo.toml").replace("[workspace]\n", "");
    example.write("library/Cargo.toml", &library);
    example.write("library/src/lib.rs", &example.read("src/lib.rs"));
    example.write("library/build.rs", &example.read("build.rs").replace("of_package", "of_workspace"));
    for path in ["src/lib.rs", "build.rs"] {
        fs::remove_file(example.path(path)).expect("it was copied");
    }
    example.write("Cargo.toml", "[workspace]\nmembers = [\"app\", \"library\"]\nresolver = \"3\"\n");
    let app = "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nbindery-example = { path = \"../library\" }\n";
    example.write("app/Cargo.toml", app);
    let main = "fn main() {\n    print!(\"{}\", bindery_example::HANDBOOK_OVERVIEW);\n}\n";
    example.write("app/src/main.rs", main);
    let sources = example.tree();
    let built = example.build();
    let overview =
        built.out.as_deref().expect("cargo says where the script wrote").join("handbook/overview.md");
    let overview = fs::read_to_string(overview).expect("there is an overview");
    assert!(overview.contains("app/src/main.rs"), "{overview}");
    assert!(sources == example.tree(), "something was written outside OUT_DIR");
    example.assert_fresh("a second build");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("example/debug/app");
    let printed = Command::new(program).output().expect("the program can be started");
    assert_eq!(String::from_utf8_lossy(&printed.stdout), overview);
    example.write("app/src/main.rs", &format!("{main}\nfn later() {{}}\n"));
    assert!(example.build().ran, "an edit elsewhere in the workspace does not run it");
    example.assert_fresh("after an edit elsewhere");
}

/// What `cargo publish` does before it sends anything: the package is built from its archive, and cargo checks that
/// the build changed nothing in it.
#[test]
fn a_package_is_built_from_its_archive() {
    let Some(example) = Example::new() else { return };
    let here = env!("CARGO_MANIFEST_DIR");
    let patch = format!("patch.crates-io.bindery-build.path={here:?}");
    let run = example.cargo(&[], &["package", "--allow-dirty", "--config", &patch]);
    assert!(run.succeeded, "{}", run.said);
    assert!(run.ran && run.said.contains("Verifying bindery-example"), "{}", run.said);
    let unpacked = Path::new(env!("CARGO_TARGET_TMPDIR")).join("example/package/bindery-example-0.1.0");
    let files: Vec<PathBuf> = stamps(&unpacked).into_keys().collect();
    let names = ["Cargo.lock", "Cargo.toml", "Cargo.toml.orig", "build.rs", "src/lib.rs"];
    assert_eq!(files, names.map(|name| unpacked.join(name)));
}
