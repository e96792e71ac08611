//! `watch` follows what happens on disk, with the real program.

mod harness;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use harness::{Tree, differences, lane, outputs_on_disk, scratch};

const BINDERY: &str = env!("CARGO_BIN_EXE_bindery");

/// Growth that a run of any length may show: what allocators keep of the largest build.
const MOST_GROWTH_KIB: u64 = 32 << 10;

struct Watching {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Watching {
    fn start(root: &Path) -> Self {
        let mut command = Command::new(BINDERY);
        command.arg("watch").arg(root).env_remove("CI").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let lines = BufReader::new(child.stdout.take().expect("its stdout is a pipe"));
        Self { child, lines }
    }

    /// The line of the next build; blocks until there was one.
    fn built(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("the program prints lines");
        assert!(line.starts_with("parsed "), "{line:?}");
        line
    }

    /// Waits for builds until the page shows a text: a build may have seen half of an edit.
    fn shown(&mut self, root: &Path, text: &str) {
        let pages = root.join(".bindery/handbook");
        let is_shown = || {
            let entries = fs::read_dir(&pages).expect("there is a handbook").flatten();
            entries
                .into_iter()
                .any(|entry| fs::read_to_string(entry.path()).is_ok_and(|page| page.contains(text)))
        };
        while !is_shown() {
            self.built();
        }
    }

    fn memory_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number of KiB")
    }
}

/// A repository of modules that call each other in a ring.
fn write_modules(root: &Path, modules: u64) {
    for module in 0..modules {
        let next = (module + 1) % modules;
        let text = format!(
            "from pkg{}.m{next} import f{next}\n\n\ndef f{module}():\n    return f{next}()\n",
            next % PACKAGES
        );
        let directory = root.join(format!("pkg{}", module % PACKAGES));
        fs::create_dir_all(&directory).expect("directories can be made");
        fs::write(directory.join(format!("m{module}.py")), text).expect("files can be written");
    }
}

const PACKAGES: u64 = 10;

/// Edits come in bursts, as editors and branch switches make them; what a burst leaves must be on the pages.
const EDITS_OF_A_BURST: u64 = 10;

/// The edit of that number, in one of the ways in which files change.
fn edit(root: &Path, edit: u64, modules: u64) {
    let module = edit % modules;
    let directory = root.join(format!("pkg{}", module % PACKAGES));
    let path = directory.join(format!("m{module}.py"));
    let text =
        format!("def f{module}():\n    return {edit}\n\n\ndef edited_{edit}():\n    return f{module}()\n");
    match edit / modules % 4 {
        0 => fs::write(path, text).expect("files can be written"),
        1 => {
            fs::write(directory.join(".tmp"), text).expect("files can be written");
            fs::rename(directory.join(".tmp"), path).expect("files can be renamed");
        }
        2 => {
            let inner = directory.join(format!("new{module}"));
            fs::create_dir_all(&inner).expect("directories can be made");
            fs::write(inner.join("b.py"), text).expect("files can be written");
        }
        _ => {
            // What came in a directory of its own goes with it.
            let _ = fs::remove_dir_all(directory.join(format!("new{module}")));
            fs::write(path, text).expect("files can be written");
        }
    }
}

/// Builds as `watch` does; what it says.
fn build(root: &Path) -> String {
    let mut command = Command::new(BINDERY);
    command.args(["build", "--artifacts", "none"]).arg(root).env_remove("CI");
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The outputs of a build of the same files with nothing left from earlier runs.
fn clean_outputs_on_disk(root: &Path) -> Tree {
    let clean = scratch();
    for (path, bytes) in harness::directory(root) {
        let path = clean.path().join(String::from_utf8(path).expect("these names are text"));
        fs::create_dir_all(path.parent().expect("it lies in a directory")).expect("directories can be made");
        fs::write(path, bytes).expect("files can be written");
    }
    build(clean.path());
    outputs_on_disk(clean.path())
}

#[test]
fn every_edit_reaches_the_handbook_and_memory_stays_flat() {
    let directory = scratch();
    let root = directory.path();
    let (modules, edits) = (lane(20, 200), lane(200, 10_000));
    write_modules(root, modules);
    let mut watching = Watching::start(root);
    let first = format!("parsed {modules} of {modules} files");
    assert!(watching.built().starts_with(&first), "the first build is at once");
    let mut measured = Vec::new();
    for burst in 0..edits / EDITS_OF_A_BURST {
        let numbers = burst * EDITS_OF_A_BURST..(burst + 1) * EDITS_OF_A_BURST;
        numbers.clone().for_each(|number| edit(root, number, modules));
        for number in numbers.clone() {
            watching.shown(root, &format!("edited_{number}"));
        }
        if [100, 1_000, 10_000].contains(&numbers.end) || numbers.end == edits {
            measured.push((numbers.end, watching.memory_kib()));
            let differing = differences(&outputs_on_disk(root), &clean_outputs_on_disk(root));
            assert_eq!(differing, Vec::<String>::new(), "after {} edits", numbers.end);
        }
    }
    eprintln!("{modules} files; KiB of memory after so many edits: {measured:?}");
    let (_, settled) = measured[0];
    for (edits, memory) in &measured {
        assert!(*memory < settled + MOST_GROWTH_KIB, "{memory} KiB after {edits} edits: {measured:?}");
    }
    let pid = i32::try_from(watching.child.id()).expect("ids of processes are small");
    let killed = Command::new("kill").args(["-INT", &pid.to_string()]).status();
    assert!(killed.expect("kill can be started").success());
    assert_eq!(watching.child.wait().expect("it ends").code(), Some(130));
    assert!(
        Command::new(BINDERY).arg("check").arg(root).env_remove("CI").status().expect("it starts").success()
    );
}
