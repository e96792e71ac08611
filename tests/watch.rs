//! `watch` follows what happens on disk, with the real program.

mod harness;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use harness::{lane, scratch};

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

#[test]
fn every_edit_reaches_the_handbook_and_memory_stays_flat() {
    let directory = scratch();
    let root = directory.path();
    fs::create_dir(root.join("pkg")).expect("directories can be made");
    fs::write(root.join("pkg/a.py"), "def first():\n    return 1\n").expect("files can be written");
    let mut watching = Watching::start(root);
    assert!(watching.built().starts_with("parsed 1 of 1 file"), "the first build is at once");
    let mut settled = 0;
    let edits = lane(40, 10_000);
    for edit in 0..edits {
        let text = format!("def edited_{edit}():\n    return {edit}\n");
        match edit % 4 {
            0 => fs::write(root.join("pkg/a.py"), text).expect("files can be written"),
            1 => {
                fs::write(root.join("pkg/.tmp"), text).expect("files can be written");
                fs::rename(root.join("pkg/.tmp"), root.join("pkg/a.py")).expect("files can be renamed");
            }
            2 => {
                let inner = root.join(format!("pkg/new{}", edit % 8));
                fs::create_dir_all(&inner).expect("directories can be made");
                fs::write(inner.join("b.py"), text).expect("files can be written");
            }
            _ => {
                let inner = root.join(format!("pkg/new{}", (edit - 1) % 8));
                fs::write(inner.join("b.py"), text).expect("files can be written");
            }
        }
        watching.shown(root, &format!("edited_{edit}"));
        if edit == 20 {
            settled = watching.memory_kib();
        }
    }
    let memory = watching.memory_kib();
    assert!(memory < settled + MOST_GROWTH_KIB, "{memory} KiB after {edits} edits, {settled} after 20");
    eprintln!("{edits} edits, {settled} KiB after 20 and {memory} KiB at the end");
    let pid = i32::try_from(watching.child.id()).expect("ids of processes are small");
    let killed = Command::new("kill").args(["-INT", &pid.to_string()]).status();
    assert!(killed.expect("kill can be started").success());
    assert_eq!(watching.child.wait().expect("it ends").code(), Some(130));
    assert!(
        Command::new(BINDERY).arg("check").arg(root).env_remove("CI").status().expect("it starts").success()
    );
}
