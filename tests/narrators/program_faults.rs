//! Programs that answer wrongly, partly, too late or not at all, and runs that are stopped in the middle.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::sandbox::{GOOD, Sandbox, number, reasons};

/// Declares `mine` with one request at a time and keys besides.
fn one_by_one(sandbox: &Sandbox, keys: &str) {
    let keys =
        format!("kind = \"command\"\nprogram = [\"./tell\"]\nallow_send = true\nconcurrency = 1\n{keys}");
    sandbox.declare(&keys);
}

#[test]
fn a_wrong_answer_costs_its_unit_and_is_asked_for_again() {
    for (answer, reason) in [
        ("echo nonsense", "the answer is not JSON"),
        ("echo '{\"text\": \"cut'", "the answer is not JSON"),
        (":", "the answer is not JSON"),
        ("printf '\\377'", "the answer is not JSON"),
        ("echo '{\"words\":\"a\"}'", "the answer has a key that was not asked for"),
        ("echo '{}'", "the answer has no `text`"),
        ("echo '{\"text\":[\"a\"]}'", "the answer has no text as `text`"),
        ("echo '{\"text\":\"\"}'", "the answer has nothing in `text`"),
        ("echo '{\"text\":\"a\\u001b[2J\"}'", "the answer has the control character U+001B in `text`"),
        ("head -c 2000000 /dev/zero | tr '\\0' a", "the answer is too long"),
        ("echo '{\"text\":\"a\"}'; exit 7", "the program ended with code 7"),
        ("kill -9 $$", "the program was ended by signal 9"),
    ] {
        let script = GOOD.replace("  function)", &format!("  purpose) {answer} ;;\n  function)"));
        let sandbox = Sandbox::told_by(&script);
        one_by_one(&sandbox, "");
        let report = sandbox.build(&[]);
        assert!(reasons(&report).contains(&reason.to_owned()), "{answer}: {report}");
        assert_eq!(
            report["missing"].as_array().map(Vec::len),
            Some(if reason.contains("program") {
                // What may hold for everything makes a run give up: sixteen files come before all else.
                number(&report, "units") as usize
            } else {
                16
            }),
            "{answer}"
        );
        assert_eq!(sandbox.json(".bindery/phase2/cards/queue/src/queue.rs.json")["purpose"], "");
        assert_eq!(sandbox.run(&["check"]).code, Some(0), "{answer}");
        sandbox.script(GOOD);
        let asked = sandbox.asked().len() as u64;
        let report = sandbox.build(&[]);
        assert_eq!(report["missing"], serde_json::json!([]), "{answer}");
        assert_eq!(sandbox.asked().len() as u64 - asked, number(&report, "received"), "{answer}");
        assert_eq!(number(&report, "units"), number(&report, "received") + number(&report, "reused"));
    }
}

#[test]
fn a_program_that_is_not_there_is_tried_once() {
    let sandbox = Sandbox::with("narrator = \"mine\"\n");
    one_by_one(&sandbox, "");
    let report = sandbox.build(&[]);
    let expected =
        ["not asked, because those before it failed", "the program cannot be started: entity not found"];
    assert_eq!(reasons(&report), expected);
}

#[test]
fn a_program_is_never_taken_from_the_repository() {
    let sandbox = Sandbox::told_by(GOOD);
    let theirs = sandbox.root().join("tell");
    fs::write(&theirs, "#!/bin/sh\ntouch \"$(dirname \"$0\")/owned\"\n").expect("files can be written");
    Command::new("chmod").arg("755").arg(&theirs).status().expect("chmod is there");
    sandbox.build(&[]);
    assert!(!sandbox.root().join("owned").exists());
    assert!(sandbox.asked().len() > 16);
}

#[test]
fn a_program_that_takes_too_long_is_killed_with_what_it_started() {
    let script = "#!/bin/sh\nsleep 600 &\necho $$ $! > \"$(dirname \"$0\")/pids\"\nwait\n";
    let sandbox = Sandbox::told_by(script);
    one_by_one(&sandbox, "timeout_seconds = 1\n");
    let report = sandbox.build(&[]);
    assert_eq!(reasons(&report), ["no answer within 1 s", "not asked, because those before it failed"]);
    let pids = fs::read_to_string(sandbox.user().join("pids")).expect("the script was started");
    for pid in pids.split_whitespace() {
        assert!(!is_alive(pid), "{pid} is still there");
    }
}

/// Whether a process runs; one that waits to be reaped does not.
fn is_alive(pid: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    status.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with('Z'))
}

/// A build that stands still in its fourth request; the script tells through a FIFO when it is there.
struct Standing {
    sandbox: Sandbox,
    build: Child,
    asked: usize,
}

fn standing() -> Standing {
    let script = GOOD.replace(
        "case \"$kind\" in\n",
        "here=\"$(dirname \"$0\")\"\nif [ \"$(wc -l < \"$here/asked\")\" -ge 4 ]; then\n  \
         echo $$ > \"$here/pid\"\n  echo there > \"$here/arrived\"\n  read answer < \"$here/never\"\nfi\ncase \"$kind\" in\n",
    );
    let sandbox = Sandbox::told_by(&script);
    one_by_one(&sandbox, "");
    for fifo in ["arrived", "never"] {
        let made = Command::new("mkfifo").arg(sandbox.user().join(fifo)).status();
        assert!(made.is_ok_and(|status| status.success()));
    }
    let mut command = sandbox.command(&["build"]);
    let build = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it can be started");
    wait_for(&sandbox.user().join("arrived"));
    let asked = sandbox.asked().len();
    Standing { sandbox, build, asked }
}

/// Blocks until somebody writes to a FIFO.
fn wait_for(fifo: &Path) {
    let mut text = String::new();
    fs::File::open(fifo).and_then(|mut file| file.read_to_string(&mut text)).expect("the FIFO can be read");
    assert_eq!(text, "there\n");
}

fn signal(pid: &str, name: &str) {
    let sent = Command::new("kill").arg(format!("-{name}")).arg(pid).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

#[test]
fn a_killed_run_loses_the_unit_under_way_and_no_other() {
    let Standing { sandbox, mut build, asked } = standing();
    assert_eq!(asked, 4);
    build.kill().expect("it can be killed");
    build.wait().expect("it was killed");
    // The narrator's program outlives who asked it; it is told to go on, and finds nobody there.
    signal(fs::read_to_string(sandbox.user().join("pid")).expect("it left its number").trim(), "KILL");
    sandbox.script(GOOD);
    let report = sandbox.build(&[]);
    assert_eq!((number(&report, "reused"), report["missing"].clone()), (3, serde_json::json!([])));
    assert_eq!(sandbox.asked().len(), asked + number(&report, "received") as usize);
    assert!(!sandbox.root().join(".bindery/phase3/pending").exists());
}

#[test]
fn an_interrupted_run_keeps_what_is_finished_and_leaves_no_program() {
    let Standing { sandbox, mut build, asked } = standing();
    signal(&build.id().to_string(), "INT");
    assert_eq!(build.wait().expect("it ends").code(), Some(130));
    let pid = fs::read_to_string(sandbox.user().join("pid")).expect("it left its number");
    assert!(!is_alive(pid.trim()));
    sandbox.script(GOOD);
    let report = sandbox.build(&[]);
    assert_eq!(number(&report, "reused"), 3);
    assert_eq!(sandbox.asked().len(), asked + number(&report, "received") as usize);
}
