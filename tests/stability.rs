//! One file more, less or elsewhere seldom moves another to another stage (handbook §4), on repositories from
//! outside: `BINDERY_CORPUS=DIR` names a directory of them, best checked out in full. The same is asserted of
//! generated trees beside the drafting itself.

mod harness;

use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::{Role, StageId};
use bindery_handbook::{FileSketch, draft_skeleton};
use bindery_source::{Language, RepoPath};
use harness::*;

/// The rule is for repositories from this size.
const FEWEST_FILES: usize = 500;
const EDITS: usize = 200;

/// What drafting looks at, taken from a built call graph.
fn sketches(tree: &Tree) -> Vec<FileSketch> {
    let graph = tree.get(&b".bindery/phase1/graph.json"[..]).expect("a build writes the graph");
    let graph: serde_json::Value = serde_json::from_slice(graph).expect("artifacts are JSON");
    let nodes = graph["nodes"].as_object().expect("the schema says so");
    let file = |id: &serde_json::Value| nodes[id.as_str().expect("the schema says so")]["file"].as_str();
    let mut calls: BTreeMap<&str, BTreeMap<&str, u32>> = BTreeMap::new();
    for path in graph["metadata"]["scannedFiles"].as_array().expect("the schema says so") {
        calls.entry(path.as_str().expect("the schema says so")).or_default();
    }
    for edge in graph["edges"].as_array().expect("the schema says so") {
        if let (Some(caller), Some(callee)) = (file(&edge["callerId"]), file(&edge["calleeId"]))
            && caller != callee
            && let Some(called) = calls.get_mut(caller)
        {
            *called.entry(callee).or_default() += 1;
        }
    }
    let called = |(path, calls): (&str, BTreeMap<&str, u32>)| {
        let calls = calls.into_iter().map(|(path, count)| (RepoPath::new(path), count));
        FileSketch { called_files: calls.collect(), ..blank(path) }
    };
    calls.into_iter().map(called).collect()
}

fn blank(path: &str) -> FileSketch {
    FileSketch {
        path: RepoPath::new(path),
        language: if path.ends_with(".rs") { Language::Rust } else { Language::Python },
        role: Role::DomainLogic,
        lifecycle: "none".into(),
        function_count: 1,
        type_count: 0,
        is_entry_point: false,
        is_test: false,
        purpose: None,
        imported_files: Vec::new(),
        called_files: Vec::new(),
    }
}

/// The top-level stage of each file.
fn top_stages(sketches: &[FileSketch]) -> BTreeMap<RepoPath, String> {
    let draft = draft_skeleton(sketches, "sample", &[]);
    let stages = &draft.skeleton.stages;
    let parents: BTreeMap<&StageId, Option<&StageId>> =
        stages.iter().map(|stage| (&stage.id, stage.parent.as_ref())).collect();
    let top = |stage: u32| {
        let mut id = &stages[stage as usize].id;
        while let Some(parent) = parents[id] {
            id = parent;
        }
        id.to_string()
    };
    let placed = sketches.iter().zip(&draft.stage_of);
    placed.map(|(sketch, stage)| (sketch.path.clone(), top(*stage))).collect()
}

/// One file added, moved or removed.
fn edited(sketches: &[FileSketch], numbers: &mut Numbers) -> Vec<FileSketch> {
    let mut edited = sketches.to_vec();
    let kind = numbers.below(3);
    let moved = (kind > 0).then(|| edited.remove(numbers.below(edited.len())));
    if kind < 2 {
        let beside = numbers.pick(&edited).path.to_string();
        let directory = beside.rsplit_once('/').map_or("", |(directory, _)| directory);
        let ending = if beside.ends_with(".rs") { "rs" } else { "py" };
        let fresh = format!("{directory}/fresh_{}.{ending}", numbers.below(1000));
        let fresh = RepoPath::new(fresh.trim_start_matches('/'));
        let sketch = moved.unwrap_or_else(|| blank(fresh.as_str()));
        edited.push(FileSketch { path: fresh, ..sketch });
    }
    edited.sort_by(|a, b| a.path.cmp(&b.path));
    edited.dedup_by(|a, b| a.path == b.path);
    edited
}

#[test]
fn one_file_seldom_moves_another_in_repositories_from_outside() {
    let Some(corpus) = std::env::var_os("BINDERY_CORPUS") else {
        eprintln!("BINDERY_CORPUS names no directory: nothing to draft");
        return;
    };
    for entry in std::fs::read_dir(corpus).expect("BINDERY_CORPUS can be listed").flatten() {
        if !entry.path().is_dir() {
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        let file_system = fresh(&directory(&entry.path()));
        build(&file_system).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        let sketches = sketches(&outputs(&file_system));
        let before = top_stages(&sketches);
        let stages: BTreeSet<&String> = before.values().collect();
        let mut numbers = Numbers::new(1);
        let (mut moving, mut worst) = (0, 0);
        for _ in 0..EDITS {
            let after = top_stages(&edited(&sketches, &mut numbers));
            let moved: Vec<&String> = before
                .iter()
                .filter_map(|(path, stage)| after.get(path).filter(|now| *now != stage).map(|_| stage))
                .collect();
            moving += usize::from(!moved.is_empty());
            // Split or joined: all files that moved were in one stage before.
            if moved.iter().collect::<BTreeSet<_>>().len() > 1 {
                worst = worst.max(moved.len() * 1000 / before.len());
            }
        }
        let files = sketches.len();
        let stages = stages.len();
        eprintln!(
            "{name}: {files} files, {stages} stages, {moving} of {EDITS} edits moved others, worst {worst} ‰"
        );
        if files >= FEWEST_FILES {
            assert!(moving * 100 <= EDITS * 5, "{name}: {moving} of {EDITS} edits moved other files");
            assert!(worst <= 20, "{name}: one edit moved {worst} ‰ of the files");
        }
    }
}
