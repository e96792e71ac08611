//! `skeleton doctor`: a pinned skeleton follows the repository by small patches.

#[path = "cli/sandbox.rs"]
#[allow(dead_code, reason = "each test binary uses its own part of the sandbox")]
mod sandbox;

use std::path::Path;
use std::process::Command;

use sandbox::Sandbox;

fn module(sandbox: &Sandbox, path: &str, imports: &[&str]) {
    let mut text: String = imports.iter().map(|import| format!("from {import} import value\n")).collect();
    text.push_str("\n\ndef value():\n    return 1\n");
    sandbox.write(path, &text);
}

/// A program of five packages that use each other in one direction, with a pinned skeleton.
fn pinned() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("bindery.toml", "skeleton = \"skeleton.yaml\"\n");
    for (package, used) in [("app", "core"), ("core", "net"), ("net", "store"), ("store", "base")] {
        for number in 0..8 {
            module(&sandbox, &format!("{package}/m{number}.py"), &[&format!("{used}.m{number}")]);
        }
    }
    for number in 0..8 {
        module(&sandbox, &format!("base/m{number}.py"), &[]);
    }
    sandbox.run(["skeleton", "pin"]).succeeded();
    sandbox
}

fn remove(sandbox: &Sandbox, directory: &str) {
    std::fs::remove_dir_all(sandbox.path().join(directory)).expect("it is there");
}

/// Applies the patch to a copy with `git apply` and gives what comes of it.
fn applied_by_git(sandbox: &Sandbox, patch: &str) -> String {
    let copy = Sandbox::empty();
    copy.write("skeleton.yaml", &sandbox.read("skeleton.yaml"));
    copy.write("change.patch", patch);
    let applied = Command::new("git")
        .args(["apply", "--unidiff-zero", "change.patch"])
        .current_dir(copy.path())
        .output()
        .expect("git can be started");
    assert!(applied.status.success(), "{}\n{patch}", String::from_utf8_lossy(&applied.stderr));
    copy.read("skeleton.yaml")
}

#[test]
fn a_fresh_pin_is_clean() {
    let sandbox = pinned();
    let run = sandbox.run(["skeleton", "doctor"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""), "{run:?}");
}

#[test]
fn a_stage_that_is_gone_and_files_without_one_are_mended_by_the_expected_patch() {
    let sandbox = pinned();
    let before = sandbox.read("skeleton.yaml");
    let expected_order = "order:\n  - app\n  - core\n  - net\n  - store\n  - base\nstages:\n";
    assert!(before.contains(expected_order), "{before}");
    // A person's comments stay where they are.
    let commented = before
        .replace("  - core\n", "  - core # the heart\n")
        .replace("  - id: store\n", "  # kept on disk\n  - id: store\n");
    sandbox.write("skeleton.yaml", &commented);
    remove(&sandbox, "net");
    for number in 0..8 {
        module(&sandbox, &format!("core/m{number}.py"), &[&format!("wire.m{number}")]);
        module(&sandbox, &format!("wire/m{number}.py"), &[&format!("store.m{number}")]);
    }
    let run = sandbox.run(["skeleton", "doctor"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    let gone = "no file belongs to stage `net` any more";
    let unassigned = "8 files belong to no stage: `wire/m0.py`, `wire/m1.py`, `wire/m2.py`, …";
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 4, "{run:?}");
    assert!(lines[0].ends_with(gone) && lines[2].ends_with(unassigned), "{run:?}");
    let expected = commented
        .replace("draftedBy: skeleton-synth", "draftedBy: skeleton-doctor")
        .replace("  - net\n", "  - wire\n");
    let start = expected.find("  - id: net\n").expect("the stage is listed");
    let end = expected.find("  # kept on disk\n").expect("the comment is there");
    let net = &expected[start..end];
    // The new stage stands where the draft has it, behind `core`, as the one that is gone did.
    let wire = net.replace("Networking", "Wire").replace("net", "wire");
    let expected = expected.replace(net, &wire);
    assert_eq!(applied_by_git(&sandbox, &run.stdout), expected, "{}", run.stdout);
    assert!(run.stdout.contains(&format!("@@ {gone}; {unassigned}\n")), "{}", run.stdout);
    sandbox.run(["skeleton", "doctor", "--write"]).succeeded();
    assert_eq!(sandbox.read("skeleton.yaml"), expected);
    let again = sandbox.run(["skeleton", "doctor"]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), ""), "{again:?}");
    sandbox.run(["build"]).succeeded();
}

#[test]
fn an_order_against_the_flow_moves_only_what_must_move() {
    let sandbox = pinned();
    // Now the foundation uses the application, and nothing uses the foundation.
    for number in 0..8 {
        module(&sandbox, &format!("store/m{number}.py"), &[]);
        module(&sandbox, &format!("base/m{number}.py"), &[&format!("app.m{number}")]);
    }
    let run = sandbox.run(["skeleton", "doctor", "--write"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let order = "order:\n  - base\n  - app\n  - core\n  - net\n  - store\nstages:\n";
    let text = sandbox.read("skeleton.yaml");
    assert!(text.contains(order), "{text}");
    assert!(run.stdout.contains("the order no longer follows the flow: `base` uses `app`"), "{run:?}");
    let changed = run.stdout.lines().filter(|line| line.starts_with(['+', '-'])).count();
    // Two file names, one line that moves, one that says who did it.
    assert_eq!(changed, 2 + 2 + 2, "{}", run.stdout);
    assert_eq!(sandbox.run(["skeleton", "doctor"]).code, Some(0));
}

#[test]
fn a_stage_that_grew_gets_the_parts_that_a_draft_has() {
    let sandbox = pinned();
    for part in ["alpha", "beta", "gamma"] {
        for number in 0..10 {
            module(&sandbox, &format!("core/{part}/m{number}.py"), &[]);
        }
    }
    let run = sandbox.run(["skeleton", "doctor", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!((run.code, &report["kind"]), (Some(3), &"skeleton-doctor".into()), "{run:?}");
    let findings = report["findings"].as_array().expect("a list");
    assert!(!findings.is_empty());
    for finding in findings {
        assert_eq!((&finding["kind"], &finding["stage"]), (&"too-large".into(), &"core".into()), "{report}");
        assert_eq!(finding["message"], "stage `core` has 38 files of its own");
    }
    sandbox.run(["skeleton", "doctor", "--write"]).succeeded();
    let text = sandbox.read("skeleton.yaml");
    for part in ["alpha", "beta", "gamma"] {
        assert!(text.contains(&format!("  - id: core-{part}\n")), "{text}");
    }
    assert!(text.contains("    parent: core\n"), "{text}");
    assert_eq!(sandbox.run(["skeleton", "doctor"]).code, Some(0));
}

#[test]
fn a_persons_skeleton_is_only_reported_on() {
    let sandbox = pinned();
    let text = sandbox.read("skeleton.yaml").replace("draftedBy: skeleton-synth", "draftedBy: user");
    sandbox.write("skeleton.yaml", &text);
    remove(&sandbox, "net");
    for number in 0..8 {
        module(&sandbox, &format!("core/m{number}.py"), &[]);
    }
    for arguments in [&["skeleton", "doctor"][..], &["skeleton", "doctor", "--write"]] {
        let run = sandbox.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{run:?}");
        assert!(run.stderr.contains("no file belongs to stage `net` any more"), "{run:?}");
        assert_eq!(sandbox.read("skeleton.yaml"), text);
    }
}

#[test]
fn a_skeleton_in_another_style_is_mended_too() {
    let sandbox = pinned();
    let flow = "metadata: {version: 1, archetype: x, draftedBy: skeleton-synth}\norder: [app, core, net, store, base]\nstages: [{id: app, title: App}, {id: core, title: Core}, {id: net, title: Net}, {id: store, title: Store}, {id: base, title: Base}]\n";
    sandbox.write("skeleton.yaml", flow);
    remove(&sandbox, "net");
    for number in 0..8 {
        module(&sandbox, &format!("core/m{number}.py"), &[]);
    }
    let run = sandbox.run(["skeleton", "doctor", "--write"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("the whole text is written anew"), "{run:?}");
    let text = sandbox.read("skeleton.yaml");
    assert!(text.contains("draftedBy: skeleton-doctor") && !text.contains("id: net"), "{text}");
    assert_eq!(sandbox.run(["skeleton", "doctor"]).code, Some(0));
}

#[test]
fn without_a_skeleton_there_is_nothing_to_hold_against_the_facts() {
    let sandbox = Sandbox::sample();
    let run = sandbox.run(["skeleton", "doctor"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.starts_with("error: `bindery.toml` names no skeleton\n"), "{run:?}");
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).current_dir(directory).output();
    let output = output.expect("git can be started");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// This repository, pinned fifty commits ago, where it has so many: the patch to today's state is small, git applies
/// it, and the second look finds nothing.
#[test]
fn after_fifty_commits_of_this_repository_the_patch_is_small() {
    const COMMITS: usize = 50;
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let count = Command::new("git").args(["rev-list", "--count", "HEAD"]).current_dir(here).output();
    let count: Option<usize> =
        count.ok().and_then(|output| String::from_utf8(output.stdout).ok()?.trim().parse().ok());
    if count.is_none_or(|count| count < COMMITS + 10) {
        eprintln!("skipped: this is no checkout with {} commits", COMMITS + 10);
        return;
    }
    let sandbox = Sandbox::empty();
    let source = here.display().to_string();
    git(sandbox.path(), &["clone", "--quiet", &source, "."]);
    git(sandbox.path(), &["checkout", "--quiet", &format!("HEAD~{COMMITS}")]);
    sandbox.write("bindery.toml", "skeleton = \"skeleton.yaml\"\n");
    sandbox.run(["skeleton", "pin"]).succeeded();
    assert_eq!(sandbox.run(["skeleton", "doctor"]).code, Some(0), "a fresh pin is clean");
    git(sandbox.path(), &["checkout", "--quiet", "-"]);
    let redrafted = lines_of_a_new_draft(&sandbox);
    let run = sandbox.run(["skeleton", "doctor"]);
    let changed = run.stdout.lines().filter(|line| line.starts_with(['+', '-'])).count();
    eprintln!("{changed} lines of patch, {redrafted} of a new draft:\n{}{}", run.stdout, run.stderr);
    if run.code == Some(3) {
        let expected = applied_by_git(&sandbox, &run.stdout);
        sandbox.run(["skeleton", "doctor", "--write"]).succeeded();
        assert_eq!(sandbox.read("skeleton.yaml"), expected);
    }
    assert_eq!(sandbox.run(["skeleton", "doctor"]).stderr, "");
    // Small: less than what starting over would change.
    assert!(changed < redrafted, "{changed} lines, and a new draft changes {redrafted}");
}

/// How many lines of the pinned skeleton a new draft would change.
fn lines_of_a_new_draft(sandbox: &Sandbox) -> usize {
    sandbox.write("bindery.toml", "");
    let draft = sandbox.run(["skeleton", "draft"]).succeeded();
    sandbox.write("bindery.toml", "skeleton = \"skeleton.yaml\"\n");
    sandbox.write(".bindery/draft.yaml", &draft);
    let mut command = Command::new("git");
    command.args(["diff", "--no-index", "--no-color", "skeleton.yaml", ".bindery/draft.yaml"]);
    let output = command.current_dir(sandbox.path()).output().expect("git can be started");
    let diff = String::from_utf8(output.stdout).expect("skeletons are text");
    diff.lines().skip(4).filter(|line| line.starts_with(['+', '-'])).count()
}
