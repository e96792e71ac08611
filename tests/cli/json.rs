//! The JSON form of every reporting command: one object with `kind` and `version`, and the keys that programs
//! rely on.

use serde_json::{Map, Value};

use crate::sandbox::Sandbox;

/// Runs with `--format json`, checks exit code and envelope, and gives the object.
fn report(sandbox: &Sandbox, code: i32, kind: &str, arguments: &[&str]) -> Map<String, Value> {
    let run = sandbox.run(arguments.iter().chain(&["--format", "json"]));
    assert_eq!(run.code, Some(code), "{arguments:?}: {run:?}");
    let object: Map<String, Value> =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {run:?}"));
    let envelope = (object.get("kind"), object.get("version"));
    assert_eq!(envelope, (Some(&kind.into()), Some(&1.into())), "{arguments:?}");
    object
}

fn keys(object: &Map<String, Value>) -> Vec<&str> {
    object.keys().map(String::as_str).collect()
}

#[test]
fn every_reporting_command_has_its_keys_in_order() {
    let sandbox = Sandbox::sample();
    let cases: [(&str, &[&str], &[&str]); 15] = [
        ("build", &["build"], &["handbook", "foreign", "staged", "faults", "warnings", "report"]),
        ("check", &["check"], &["isFresh", "writtenBy", "stale", "faults", "warnings"]),
        ("status", &["status"], &["inputs", "resolved", "outputs", "skipped"]),
        ("why", &["why", "overview.md"], &["subject", "isStale", "from", "to"]),
        ("symbol", &["symbol", "push"], &["name", "symbols"]),
        ("callers", &["callers", "push"], &["name", "symbols"]),
        ("callees", &["callees", "main"], &["name", "symbols"]),
        ("skeleton-draft", &["skeleton", "draft"], &["skeleton"]),
        ("cache-stats", &["cache", "stats"], &["path", "entries", "bytes", "unusedBytes"]),
        (
            "cache-verify",
            &["cache", "verify"],
            &["path", "entries", "bytes", "unusedBytes", "damagedEntries"],
        ),
        ("cache-gc", &["cache", "gc"], &["path", "entries", "bytes", "unusedBytes", "freedBytes"]),
        ("schema-names", &["schema"], &["names"]),
        ("init", &["init"], &["path"]),
        ("config-show", &["config", "show"], &["root", "settings"]),
        ("doctor", &["doctor"], &["tool", "checks"]),
    ];
    for (kind, arguments, expected) in cases {
        let object = report(&sandbox, 0, kind, arguments);
        assert_eq!(keys(&object)[2..], *expected, "{kind}");
    }
}

#[test]
fn a_stale_output_has_path_and_state() {
    let sandbox = Sandbox::built();
    sandbox.edit();
    let object = report(&sandbox, 3, "check", &["check", "--diff"]);
    assert_eq!(object["isFresh"], false);
    let stale = object["stale"].as_array().expect("a list");
    assert!(!stale.is_empty());
    for output in stale {
        assert_eq!((&output["state"], output["diff"].is_string()), (&"outdated".into(), true), "{output}");
    }
    let object = report(&sandbox, 0, "status", &["status"]);
    assert_eq!(object["inputs"], serde_json::json!([{"path": "queue/src/queue.rs", "change": "changed"}]));
}

#[test]
fn a_look_up_gives_places_and_calls() {
    let sandbox = Sandbox::built();
    let object = report(&sandbox, 0, "symbol", &["symbol", "Summary.of"]);
    let symbol = object["symbols"][0].as_object().expect("one symbol");
    assert_eq!(keys(symbol), ["id", "kind", "file", "lineStart", "lineEnd", "signature", "stage"]);
    let object = report(&sandbox, 0, "callees", &["callees", "Summary.of"]);
    let calls = object["symbols"][0]["calls"].as_array().expect("a list of calls");
    assert!(
        calls.iter().any(|call| call["id"] == "report.src.ferry_report.summary.Summary.add"),
        "{calls:?}"
    );
    let empty = report(&sandbox, 3, "callers", &["callers", "does_not_exist"]);
    assert_eq!(empty["symbols"], serde_json::json!([]));
}
