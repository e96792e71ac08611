//! What goes where: stdout, stderr, colour, closed pipes, report and trace files.

use std::io;

use serde_json::Value;

use crate::sandbox::{Run, Sandbox};

#[test]
fn without_a_command_there_is_help() {
    let sandbox = Sandbox::empty();
    let stdout = sandbox.run::<&str>([]).succeeded();
    assert!(stdout.contains("Usage: bindery [OPTIONS] [COMMAND]\n") && stdout.contains("\nExit codes:\n"));
    assert_eq!(stdout, sandbox.run(["--help"]).succeeded());
    let version = format!("bindery {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(sandbox.run(["--version"]).succeeded(), version);
}

#[test]
fn bad_usage_is_exit_code_2_and_leaves_stdout_alone() {
    let sandbox = Sandbox::empty();
    let cases: [&[&str]; 10] = [
        &["frobnicate"],
        &["build", "--frobnicate"],
        &["build", "one", "two"],
        &["build", "--jobs", "0"],
        &["status", "--format", "xml"],
        &["symbol"],
        &["skeleton", "frobnicate"],
        &["schema", "no-such-schema"],
        &["build", "--config", "dept = \"deep\""],
        &["build", "no-such-directory"],
    ];
    for case in cases {
        let run = sandbox.run(case);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{case:?}: {run:?}");
        assert!(run.stderr.starts_with("error: "), "{case:?}: {run:?}");
    }
}

#[test]
fn a_missing_root_is_named() {
    let run = Sandbox::empty().run(["build", "no-such-directory"]);
    assert!(run.stderr.lines().next().is_some_and(|line| line.contains("`no-such-directory`")), "{run:?}");
}

#[test]
fn an_unknown_key_of_the_configuration_is_shown_with_its_place_and_the_nearest_match() {
    let sandbox = Sandbox::sample();
    sandbox.write("bindery.toml", "name = \"Ferry\"\nexlude = [\"report/\"]\n");
    let run = sandbox.run(["build"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{run:?}");
    for part in ["bindery.toml", "2", "`exlude`", "`exclude`"] {
        assert!(run.stderr.contains(part), "{part}: {run:?}");
    }
    assert!(!sandbox.path().join(".bindery/handbook").exists());
}

#[test]
fn quiet_says_nothing_when_there_is_nothing_to_say() {
    let sandbox = Sandbox::sample();
    sandbox.write("node_modules/a.py", "\n");
    let run = sandbox.run(["build", "--quiet"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    let run = sandbox.run(["check", "--quiet"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    sandbox.edit();
    let run = sandbox.run(["check", "--quiet"]);
    assert!(run.code == Some(3) && run.stdout.starts_with("outdated  "), "{run:?}");
}

#[test]
fn verbose_tells_times_and_reasons_on_stderr_only() {
    let sandbox = Sandbox::built();
    sandbox.edit();
    let run = sandbox.run(["build", "-vv"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1), "{run:?}");
    assert!(run.stderr.lines().any(|line| line.starts_with("total ") && line.ends_with(" ms")), "{run:?}");
    assert!(run.stderr.contains("queue/src/queue.rs: content changed"), "{run:?}");
}

#[test]
fn colour_can_be_forced_and_is_never_stronger_than_no_color() {
    let sandbox = Sandbox::empty();
    let stderr = |variables: &[(&str, &str)]| {
        let run = Run::of(sandbox.command().args(["schema", "nothing"]).envs(variables.iter().copied()));
        assert_eq!(run.code, Some(2), "{run:?}");
        run.stderr
    };
    assert!(stderr(&[]).starts_with("error: "), "no colour into a pipe");
    assert!(stderr(&[("CLICOLOR_FORCE", "1")]).starts_with("\u{1b}["));
    assert!(stderr(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]).starts_with("error: "));
}

#[test]
fn a_closed_stdout_ends_quietly() {
    let sandbox = Sandbox::built();
    let cases: [&[&str]; 6] =
        [&[], &["--help"], &["build"], &["check"], &["symbol", "Queue.push"], &["schema", "graph"]];
    for case in cases {
        let (reader, writer) = io::pipe().expect("a pipe can be made");
        drop(reader);
        let output =
            sandbox.command().args(case).stdout(writer).output().expect("the program can be started");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(0) && !stderr.contains("error"), "{case:?}: {stderr}");
    }
}

#[test]
fn a_full_stdout_is_a_fault() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    let output = Sandbox::empty().command().args(["schema", "graph"]).stdout(full).output();
    let output = output.expect("the program can be started");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: cannot write to stdout: "));
}

#[test]
fn the_log_goes_to_stderr_and_a_bad_filter_is_named() {
    let sandbox = Sandbox::sample();
    let run = Run::of(sandbox.command().arg("build").env("BINDERY_LOG", "trace"));
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1), "{run:?}");
    let run = Run::of(sandbox.command().arg("build").env("BINDERY_LOG", "a=b=c"));
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.starts_with("error: cannot read `BINDERY_LOG=a=b=c`: "), "{run:?}");
}

#[test]
fn report_and_trace_are_written_where_they_were_asked_for() {
    let sandbox = Sandbox::sample();
    sandbox.run(["build", "--report", "report.json", "--trace", "trace.json"]).succeeded();
    let report: Value = serde_json::from_str(&sandbox.read("report.json")).expect("a report is JSON");
    assert_eq!((&report["kind"], &report["version"]), (&"run-report".into(), &1.into()));
    assert_eq!(report["queries"]["facts"]["computed"], report["files"]["selected"]);
    let trace: Vec<Value> =
        serde_json::from_str(&sandbox.read("trace.json")).expect("a trace is a JSON array");
    let number = |phase: &str| trace.iter().filter(|event| event["ph"] == phase).count();
    assert!(number("B") > 0, "the engine's spans are in the trace");
    assert_eq!(number("B"), number("E"), "every span ends");
    let run = sandbox.run(["build", "--report", "no/such/directory/report.json"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.stderr.contains("error: cannot write the report `no/such/directory/report.json`: "),
        "{run:?}"
    );
}

#[test]
fn a_parse_worker_without_requests_ends_well() {
    let run = Sandbox::empty().run(["__parse-worker"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
}
