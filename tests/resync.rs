//! `resync`: the handbook of a changed copy of the tree is the one a clean build of it writes.

#[path = "cli/sandbox.rs"]
#[allow(dead_code, reason = "each test binary uses its own part of the sandbox")]
mod sandbox;

mod harness;

use std::fs;
use std::path::Path;

use bindery_engine::{Options, Quiet, Repository, ResyncOutcome};
use harness::*;
use sandbox::{Run, Sandbox};

/// A root that was built, and a case whose `edited/` is a copy of it.
struct Scene {
    root: Sandbox,
    case: Sandbox,
}

impl Scene {
    fn new() -> Self {
        let (root, case) = (Sandbox::sample(), Sandbox::empty());
        for (path, bytes) in directory(root.path()) {
            let path = String::from_utf8(path).expect("the sample's names are text");
            case.write(format!("edited/{path}"), std::str::from_utf8(&bytes).expect("the sample is text"));
        }
        root.write("bindery.toml", "name = \"Renamed\"\ndepth = \"deep\"\n");
        root.run(["build"]).succeeded();
        Self { root, case }
    }

    /// One function changed, one file added, one removed.
    fn edit(&self) {
        let queue = self.case.read("edited/queue/src/queue.rs");
        let queue = queue.replace("self.urgent.pop_front().or_else", "self.idle.pop_front().or_else");
        self.case.write("edited/queue/src/queue.rs", &queue);
        self.case.write("edited/report/src/ferry_report/extra.py", "def extra():\n    return 1\n");
        fs::remove_file(self.case.path().join("edited/queue/src/spool.rs")).expect("the sample has it");
    }

    fn resync(&self) -> ResyncOutcome {
        let options = Options { root: Some(self.root.path().to_owned()), ..Options::default() };
        let repository = Repository::open(&options).expect("the root opens");
        repository.resync(self.case.path(), None, &Quiet).expect("the case is sound")
    }

    fn run(&self) -> Run {
        Run::of(self.root.command().args(["resync", "--case"]).arg(self.case.path()))
    }

    /// What a clean build of `edited/` with the root's configuration writes.
    fn clean(&self) -> Tree {
        let clean = Sandbox::empty();
        for (path, bytes) in directory(&self.case.path().join("edited")) {
            let path = String::from_utf8(path).expect("the sample's names are text");
            clean.write(path, std::str::from_utf8(&bytes).expect("the sample is text"));
        }
        clean.write("bindery.toml", &self.root.read("bindery.toml"));
        clean.run(["build"]).succeeded();
        handbook(&clean.path().join(".bindery/handbook"))
    }

    fn result(&self) -> Tree {
        handbook(&self.case.path().join("handbook"))
    }
}

fn handbook(path: &Path) -> Tree {
    everything_below(path)
}

fn messages(outcome: &ResyncOutcome) -> Vec<String> {
    let shown = outcome.findings.iter();
    shown
        .map(|finding| {
            let file = finding.file.rsplit('/').next().unwrap_or_default();
            format!("{file}:{}: {}", finding.line, finding.message)
        })
        .collect()
}

#[test]
fn the_handbook_equals_a_clean_build_and_only_what_changed_is_parsed() {
    let scene = Scene::new();
    scene.edit();
    // The edited tree's own configuration does not count.
    scene.case.write("edited/bindery.toml", "name = \"Other\"\n");
    let before = everything_below(scene.root.path());
    let outcome = scene.resync();
    assert_eq!(differences(&everything_below(scene.root.path()), &before), Vec::<String>::new());
    assert_eq!(differences(&scene.result(), &scene.clean()), Vec::<String>::new());
    assert_eq!((outcome.parsed, messages(&outcome)), (2, vec![]));
    let report = scene.case.read("resync-report.json");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["version"], 1);
    assert_eq!((&report["skipped"], &report["narrated"]), (&false.into(), &false.into()));
    assert_eq!(report["changedFiles"], serde_json::json!(["queue/src/queue.rs"]));
    assert_eq!(report["addedFiles"], serde_json::json!(["report/src/ferry_report/extra.py"]));
    assert_eq!(report["deletedFiles"], serde_json::json!(["queue/src/spool.rs"]));
    let cards = report["cardsRegenerated"].as_array().expect("a list");
    assert!(cards.contains(&"queue/src/queue.rs".into()) && !cards.contains(&"queue/src/spool.rs".into()));
    let stages = report["affectedStages"].as_array().expect("a list");
    assert!(stages.contains(&"queue".into()) && stages.contains(&"report".into()), "{stages:?}");
}

#[test]
fn a_root_that_was_never_built_and_a_second_resync_give_the_same() {
    let scene = Scene::new();
    fs::remove_dir_all(scene.root.path().join(".bindery")).expect("it was built");
    scene.edit();
    assert_eq!(scene.run().code, Some(0));
    assert!(!scene.root.path().join(".bindery/handbook").exists());
    let first = scene.result();
    assert_eq!(differences(&first, &scene.clean()), Vec::<String>::new());
    scene.case.write("edited/queue/src/queue.rs", &scene.root.read("queue/src/queue.rs"));
    scene.case.write("edited/queue/src/spool.rs", &scene.root.read("queue/src/spool.rs"));
    assert_eq!(scene.run().code, Some(0));
    assert_eq!(differences(&scene.result(), &scene.clean()), Vec::<String>::new());
    assert_ne!(scene.result(), first);
}

#[test]
fn an_empty_diff_means_nothing_to_do() {
    let scene = Scene::new();
    scene.edit();
    scene.case.write("change.diff", "");
    let run = scene.run();
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "nothing to do\n"), "{run:?}");
    assert!(!scene.case.path().join("handbook").exists());
    let expected = "{\n  \"version\": 1,\n  \"skipped\": true,\n  \"changedFiles\": [],\n  \"addedFiles\": [],\n  \"deletedFiles\": [],\n  \"affectedStages\": [],\n  \"cardsRegenerated\": [],\n  \"narrated\": false\n}\n";
    assert_eq!(scene.case.read("resync-report.json"), expected);
}

#[test]
fn declarations_and_diffs_that_do_not_match_are_findings() {
    let scene = Scene::new();
    scene.edit();
    scene.case.write(
        "plan.md",
        "Some words.\n\n```json\n{\n  \"will_modify\": [\"Queue.pop\", \"Queue.push\"],\n  \"will_add\": [\"extra\"]\n}\n```\n",
    );
    scene.case.write(
        "change.diff",
        "--- a/queue/src/queue.rs\n+++ b/queue/src/queue.rs\n@@ -1 +1 @@\n-x\n+y\n--- a/queue/src/job.rs\n+++ b/queue/src/job.rs\n@@ -1 +1 @@\n-x\n+y\n--- a/queue/src/spool.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
    );
    let found = messages(&scene.resync());
    let expected = [
        "change.diff:1: `report/src/ferry_report/extra.py` is added, and the diff does not name it",
        "change.diff:6: the diff says `queue/src/job.rs` is changed, and it is the same",
        "plan.md:5: `Queue.push` is declared to be modified and is not",
    ];
    for message in expected {
        assert!(found.iter().any(|found| found == message), "{message}: {found:#?}");
    }
    // What the removed file held is not declared either, and nothing else is wrong.
    let others = found.iter().filter(|found| !expected.contains(&found.as_str()));
    assert!(others.into_iter().all(|found| found.starts_with("plan.md:3: `queue.src.spool.")), "{found:#?}");
    assert_eq!(scene.run().code, Some(3));
    // The declared symbol's card counts as made again.
    let report: serde_json::Value =
        serde_json::from_str(&scene.case.read("resync-report.json")).expect("JSON");
    assert!(report["cardsRegenerated"].as_array().expect("a list").contains(&"queue/src/queue.rs".into()));
    assert_eq!(differences(&scene.result(), &scene.clean()), Vec::<String>::new());
}

#[test]
fn a_case_inside_the_root_is_no_part_of_it() {
    let scene = Scene::new();
    for (path, bytes) in directory(&scene.case.path().join("edited")) {
        let path = String::from_utf8(path).expect("the sample's names are text");
        scene.root.write(format!("cases/1/edited/{path}"), std::str::from_utf8(&bytes).expect("text"));
    }
    scene.root.write("cases/1/edited/worker/new.py", "def new():\n    pass\n");
    scene.root.run(["resync", "--case", "cases/1"]).succeeded();
    let report: serde_json::Value =
        serde_json::from_str(&scene.root.read("cases/1/resync-report.json")).expect("JSON");
    assert_eq!(report["addedFiles"], serde_json::json!(["worker/new.py"]));
    assert_eq!(
        (&report["changedFiles"], &report["deletedFiles"]),
        (&serde_json::json!([]), &serde_json::json!([]))
    );
}

#[test]
fn a_case_without_an_edited_tree_is_named_and_foreign_files_are_kept() {
    let scene = Scene::new();
    let run = Run::of(scene.root.command().args(["resync", "--case", "nowhere"]));
    assert_eq!(run.code, Some(2), "{run:?}");
    let empty = Sandbox::empty();
    let run = Run::of(scene.root.command().args(["resync", "--case"]).arg(empty.path()));
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stderr.contains("has no directory `edited`"), "{run:?}");
    scene.case.write("handbook/overview.md", "mine\n");
    let run = scene.run();
    assert_eq!((run.code, scene.case.read("handbook/overview.md").as_str()), (Some(3), "mine\n"), "{run:?}");
}
