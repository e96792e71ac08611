//! What other programs read is held against their own schemas: SARIF against the one of OASIS, CI files and hook
//! definitions against what their services publish.
//!
//! `BINDERY_SARIF_SCHEMA` names the SARIF 2.1.0 schema (`src/schema.json` of the crate `serde-sarif`). The programs
//! `check-jsonschema` and `pre-commit` bring the others; where they are not installed the tests say that they were
//! skipped, unless `BINDERY_REQUIRE_CHECK_JSONSCHEMA=1`.

use std::path::Path;
use std::process::Command;

use bindery_artifacts::sarif::{MOST_RESULTS, SarifFinding, SarifRule, sarif_log};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// The schema, unless it is not at hand.
fn sarif_schema() -> Option<Validator> {
    let Some(path) = std::env::var_os("BINDERY_SARIF_SCHEMA") else {
        eprintln!("skipped: BINDERY_SARIF_SCHEMA does not name the schema of SARIF 2.1.0");
        return None;
    };
    let text = std::fs::read_to_string(&path).expect("BINDERY_SARIF_SCHEMA names a file");
    // One of its patterns ends in a bracket that was never opened, which strict readers of patterns refuse.
    let text = text.replace("{2}]?$", "{2}\\\\]?$");
    let schema: Value = serde_json::from_str(&text).expect("a schema is JSON");
    assert!(schema["$id"].as_str().is_some_and(|id| id.ends_with("sarif-schema-2.1.0.json")));
    Some(jsonschema::draft7::options().should_validate_formats(true).build(&schema).expect("it is a schema"))
}

/// What the schema says against a log.
fn objections(schema: &Validator, log: &Value) -> Vec<String> {
    schema.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn a_log_of_validate_is_sarif() {
    let Some(schema) = sarif_schema() else { return };
    let sandbox = Sandbox::built();
    let log = |code: i32| {
        let run = sandbox.run(["validate", "--format", "sarif"]);
        assert_eq!(run.code, Some(code), "{run:?}");
        serde_json::from_str::<Value>(&run.stdout).expect("a log is JSON")
    };
    let sound = log(0);
    assert_eq!(objections(&schema, &sound), Vec::<String>::new());
    assert_eq!(sound["runs"][0]["results"], json!([]));
    sandbox.write(".bindery/handbook/a b/é#.md", "[x](gone.md)\n\n[y](../queue.md#gone)\n\u{202e}");
    let broken = log(3);
    assert_eq!(objections(&schema, &broken), Vec::<String>::new());
    let rules: Vec<&str> = broken["runs"][0]["results"]
        .as_array()
        .expect("results are a list")
        .iter()
        .filter_map(|result| result["ruleId"].as_str())
        .collect();
    for rule in ["link-target", "link-anchor", "manifest", "encoding", "hidden-characters"] {
        assert!(rules.contains(&rule), "{rule} is not among {rules:?}");
    }
}

#[test]
fn a_log_of_the_most_and_oddest_findings_is_sarif() {
    let Some(schema) = sarif_schema() else { return };
    let rules = [SarifRule { id: "one", sentence: "One holds." }];
    let odd = ["a b.md", "%", "é\u{202e}", "a:b", "//x", "..", "\u{0}\u{7f}", "C:\\x", "?q#f", "[x]{y}|z^`"];
    let findings: Vec<SarifFinding<'_>> = odd
        .into_iter()
        .cycle()
        .take(MOST_RESULTS + 1)
        .zip(0..)
        .map(|(file, line)| SarifFinding {
            rule: "one",
            file,
            line: (line % 3 > 0).then_some(line),
            message: file,
        })
        .collect();
    let log: Value = serde_json::from_str(&sarif_log("1.2.3", &rules, &findings)).expect("a log is JSON");
    assert_eq!(objections(&schema, &log), Vec::<String>::new());
    // The schema is one that can say no.
    for (place, wrong) in [
        ("/version", json!("2.0.0")),
        ("/runs/0/results/1/locations/0/physicalLocation/region/startLine", json!(0)),
        ("/runs/0/results/0/message", json!({})),
        ("/runs/0/results/0/level", json!("fatal")),
    ] {
        let mut log = log.clone();
        *log.pointer_mut(place).unwrap_or_else(|| panic!("a log has {place}")) = wrong;
        assert_ne!(objections(&schema, &log), Vec::<String>::new(), "{place}");
    }
}

/// Whether `check-jsonschema` takes a file for one of a schema it brings along; none if it is not installed.
fn is_valid(schema: &str, file: &Path) -> Option<bool> {
    let mut command = Command::new("check-jsonschema");
    match command.args(["--builtin-schema", schema]).arg(file).output() {
        Ok(output) => Some(output.status.success()),
        Err(_) => {
            let is_required = std::env::var_os("BINDERY_REQUIRE_CHECK_JSONSCHEMA").is_some();
            assert!(
                !is_required,
                "BINDERY_REQUIRE_CHECK_JSONSCHEMA is set and `check-jsonschema` cannot be run"
            );
            eprintln!("skipped: `check-jsonschema` is not installed");
            None
        }
    }
}

#[test]
fn ci_files_are_what_their_services_read() {
    let ci = Path::new(env!("CARGO_MANIFEST_DIR")).join("build-integration/ci");
    for (schema, file, from, to) in [
        ("vendor.github-actions", "action.yml", "using: composite", "using: 7"),
        (
            "vendor.github-workflows",
            "examples/github.yml",
            "runs-on: ubuntu-latest",
            "runs-at: ubuntu-latest",
        ),
        ("vendor.gitlab-ci", "examples/gitlab.yml", "when: always", "when: sometimes"),
    ] {
        let Some(valid) = is_valid(schema, &ci.join(file)) else { return };
        assert!(valid, "{file} is not what {schema} says");
        let text = std::fs::read_to_string(ci.join(file)).expect("the file can be read");
        assert!(text.contains(from), "{file} has no `{from}`");
        let sandbox = Sandbox::empty();
        sandbox.write("broken.yml", &text.replacen(from, to, 1));
        assert_eq!(is_valid(schema, &sandbox.path().join("broken.yml")), Some(false), "{file} with `{to}`");
    }
}

#[test]
fn hook_definitions_are_what_pre_commit_reads() {
    let is_valid = |file: &Path| {
        let output = Command::new("pre-commit").arg("validate-manifest").arg(file).output().ok()?;
        Some(output.status.success())
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(".pre-commit-hooks.yaml");
    let Some(valid) = is_valid(&file) else {
        eprintln!("skipped: `pre-commit` is not installed");
        return;
    };
    assert!(valid, "pre-commit does not take the definitions");
    let sandbox = Sandbox::empty();
    let text = std::fs::read_to_string(&file).expect("the definitions can be read");
    sandbox.write("broken.yaml", &text.replacen("entry:", "entrance:", 1));
    assert_eq!(is_valid(&sandbox.path().join("broken.yaml")), Some(false));
}
