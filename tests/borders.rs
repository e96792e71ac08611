//! Names do not lead from one language into another: `fixtures/borders` has the same modules, packages, types and
//! functions in every language, and calls of functions that only the others have.

mod harness;

use std::collections::BTreeMap;

use harness::*;

fn artifact(tree: &Tree, path: &str) -> serde_json::Value {
    serde_json::from_slice(&tree[format!(".bindery/{path}").as_bytes()]).expect("an artifact is JSON")
}

#[test]
fn the_same_names_in_every_language_stay_apart() {
    let repository = repository_of_fixtures("borders");
    let file_system = fresh(&repository.files);
    build(&file_system).expect("it builds");
    let tree = outputs(&file_system);
    let graph = artifact(&tree, "phase1/graph.json");
    assert_eq!(crossings(&graph, &repository.files), Vec::<String>::new());

    let mut calls: BTreeMap<&str, usize> = BTreeMap::new();
    for edge in graph["edges"].as_array().expect("a graph has edges") {
        let caller = edge["callerId"].as_str().expect("an edge has a caller");
        let path = graph["nodes"][caller]["file"].as_str().expect("a caller has a file");
        assert!(!is_stray(path), "{edge}: only the other languages have this function");
        let language = language_of(path, &repository.files[path.as_bytes()]).expect("it was analysed");
        *calls.entry(family_of(language)).or_default() += 1;
    }
    // Of `total` three, of `open`, `post` and `only_…` one each, of `report` one. Besides, Rust constructs in `new`
    // what the others construct in `open`; Go has `Total`, which other packages can call; the panel and the old
    // ledger are further scripts.
    let expected = [("go", 8), ("java", 7), ("python", 7), ("rust", 8), ("scripts", 9)];
    assert_eq!(calls, BTreeMap::from(expected));

    // Ten calls in each of six files; the two calls of `require` are JavaScript's own.
    let dropped = artifact(&tree, "phase1/dropped-calls.json");
    assert_eq!(dropped["metadata"]["totalDropped"], 62);
}

fn is_stray(path: &str) -> bool {
    path.starts_with("ledger/stray") || path.starts_with("ledger/Stray")
}

/// What is taken for a crossing is one: an edge between two of the languages is found, one within a family is not.
#[test]
fn a_call_into_another_language_is_noticed() {
    let files = repository_of_fixtures("borders").files;
    let node = |file: &str| serde_json::json!({ "file": file });
    let edge = |from: &str, to: &str| serde_json::json!({ "callerId": from, "calleeId": to });
    let graph = serde_json::json!({
        "nodes": {
            "go": node("ledger/ledger.go"), "ts": node("ledger/index.ts"), "tsx": node("ledger/panel.tsx"),
            "js": node("ledger/legacy.js"), "out": { "module": "ledger" },
        },
        "types": { "A": { "file": "ledger/Store.java", "supertypes": ["B", "Written"] }, "B": node("ledger/store.py") },
        "edges": [edge("ts", "tsx"), edge("js", "ts"), edge("go", "out"), edge("go", "ts")],
    });
    assert_eq!(crossings(&graph, &files), ["go -> ts", "A -> B"]);
}
