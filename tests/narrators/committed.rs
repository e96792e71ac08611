//! Prose that is committed with the handbook: the file, and builds elsewhere that have nothing else.

use std::fs;

use crate::sandbox::{GOOD, Run, Sandbox, number};

const COMMITTED: &str = "narrator = \"mine\"\nprose = \"docs/prose.jsonl\"\nout = \"docs/handbook\"\n";

fn committed() -> Sandbox {
    let sandbox = Sandbox::with(COMMITTED);
    sandbox.declare("kind = \"command\"\nprogram = [\"./tell\"]\nmodel = \"one\"\nallow_send = true\n");
    sandbox.script(GOOD);
    sandbox.build(&[]);
    sandbox
}

/// A command for somebody who has the repository and no configuration.
fn elsewhere(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    let mut command = sandbox.command(arguments);
    Run::of(command.env_remove("BINDERY_CONFIG").env_remove("XDG_CONFIG_HOME").env_remove("HOME"))
}

#[test]
fn the_file_is_sorted_and_a_line_an_answer() {
    let sandbox = committed();
    let text = sandbox.read("docs/prose.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.is_sorted() && text.ends_with("}\n"));
    assert_eq!(lines.len(), sandbox.asked().len());
    let line: serde_json::Value = serde_json::from_str(lines[0]).expect("each line is JSON");
    assert_eq!(line["model"], "one");
    assert_eq!(line["texts"]["text"], format!("Told of {}.", line["unit"].as_str().unwrap_or_default()));
    assert!(!sandbox.root().join(".bindery/phase3/prose.jsonl").exists());
}

#[test]
fn whoever_has_the_file_needs_no_narrator() {
    let sandbox = committed();
    let handbook = crate::sandbox::files_below(&sandbox.root().join("docs"));
    let asked = sandbox.asked();
    fs::remove_dir_all(sandbox.root().join(".bindery")).expect("directories can be removed");
    assert_eq!(elsewhere(&sandbox, &["check"]).stdout, "up to date\n");
    fs::remove_dir_all(sandbox.root().join(".bindery")).expect("directories can be removed");
    fs::remove_dir_all(sandbox.root().join("docs/handbook")).expect("directories can be removed");
    assert_eq!(elsewhere(&sandbox, &["build"]).code, Some(0));
    assert_eq!(crate::sandbox::files_below(&sandbox.root().join("docs")), handbook);
    assert_eq!(sandbox.asked(), asked);
}

#[test]
fn a_check_without_the_file_takes_the_pages_text() {
    let sandbox = committed();
    fs::remove_file(sandbox.root().join("docs/prose.jsonl")).expect("files can be removed");
    fs::remove_dir_all(sandbox.root().join(".bindery")).expect("directories can be removed");
    let asked = sandbox.asked();
    for run in
        [sandbox.run(&["check", "--diff"]), elsewhere(&sandbox, &["check"]), elsewhere(&sandbox, &["status"])]
    {
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(!run.stdout.contains("outdated"), "{run:?}");
    }
    assert_eq!(sandbox.asked(), asked);
    // Not just anything on the page will do.
    sandbox.replace("docs/handbook/queue.md", "Told of purpose queue/src/queue.rs.", "<b>Told</b>.");
    assert_eq!(elsewhere(&sandbox, &["check"]).code, Some(3));
}

#[test]
fn another_model_is_asked_anew_and_takes_the_others_place() {
    let sandbox = committed();
    let lines = sandbox.read("docs/prose.jsonl").lines().count();
    sandbox.declare("kind = \"command\"\nprogram = [\"./tell\"]\nmodel = \"two\"\nallow_send = true\n");
    assert_eq!(number(&sandbox.build(&[]), "received"), lines as u64);
    let text = sandbox.read("docs/prose.jsonl");
    assert!(!text.contains("\"model\":\"one\"") && !text.contains("\"model\": \"one\""), "{text}");
    assert_eq!(text.lines().count(), lines);
}

#[test]
fn a_merge_that_leaves_lines_twice_does_no_harm_and_a_broken_line_is_named() {
    let sandbox = committed();
    let (text, asked) = (sandbox.read("docs/prose.jsonl"), sandbox.asked());
    let path = sandbox.root().join("docs/prose.jsonl");
    let twice: String = text.lines().rev().chain(text.lines()).map(|line| format!("{line}\n")).collect();
    fs::write(&path, twice).expect("files can be written");
    assert_eq!(sandbox.run(&["check"]).code, Some(0));
    sandbox.build(&[]);
    assert_eq!(sandbox.read("docs/prose.jsonl"), text);
    assert_eq!(sandbox.asked(), asked);
    let broken = text.replacen('\n', "\n<<<<<<< ours\n", 1);
    fs::write(&path, &broken).expect("files can be written");
    let run = sandbox.run(&["build"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stderr.contains("docs/prose.jsonl:2:"), "{run:?}");
    assert_eq!(sandbox.read("docs/prose.jsonl"), broken, "what a person must mend is left alone");
}
