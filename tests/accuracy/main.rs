//! How many of the shown calls are right, and how many of the calls are shown, against compilers and type
//! checkers that know nothing of Bindery.
//!
//! Off by default. `BINDERY_ACCURACY=DIRECTORY cargo test --release --test accuracy -- --nocapture` measures the
//! rows of `rows.toml` whose corpus lies in DIRECTORY; `BINDERY_ORACLES` names the folder with the comparers and
//! `BINDERY_ORACLE_TOOLS` the one their set-up wrote `env.sh` to. Truth files are kept in DIRECTORY and made when they
//! are missing; a row whose oracle is not installed is said to be left out. Prints one table, and fails if a row
//! falls under its floor.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

#[derive(Deserialize)]
struct Rows {
    rows: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    corpus: String,
    #[serde(default)]
    part: String,
    truth: String,
    #[serde(default)]
    plain: bool,
    #[serde(default = "yes")]
    constructions: bool,
    precision: f64,
    recall: f64,
}

fn yes() -> bool {
    true
}

/// Where everything outside the repository lies.
struct Places {
    corpora: PathBuf,
    oracles: PathBuf,
    tools: PathBuf,
}

impl Places {
    fn of_environment() -> Option<Self> {
        let place = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let corpora = place("BINDERY_ACCURACY")?;
        let needed = |name: &str| place(name).unwrap_or_else(|| panic!("{name} must be set too"));
        Some(Self { corpora, oracles: needed("BINDERY_ORACLES"), tools: needed("BINDERY_ORACLE_TOOLS") })
    }
}

/// What one row measured, in percent.
struct Measured {
    edges: u64,
    precision: f64,
    recall: f64,
}

#[test]
fn no_row_falls_under_its_floor() {
    let Some(places) = Places::of_environment() else {
        eprintln!("off: BINDERY_ACCURACY names no directory with corpora");
        return;
    };
    let text = include_str!("rows.toml");
    let Rows { rows } = toml::from_str(text).expect("the rows are well formed");
    println!("{:28} {:>8} {:>10} {:>8}   floors", "", "calls", "precision", "recall");
    let (mut under, mut measured) = (Vec::new(), 0);
    for row in &rows {
        let name = format!("{} {}", row.corpus, row.part);
        match measure(row, &places) {
            Ok(found) => {
                measured += 1;
                println!(
                    "{name:28} {:>8} {:>10.2} {:>8.2}   {} {}",
                    found.edges, found.precision, found.recall, row.precision, row.recall
                );
                if found.precision < row.precision || found.recall < row.recall {
                    under.push(name);
                }
            }
            Err(reason) => println!("{name:28} left out: {reason}"),
        }
    }
    assert!(measured > 0, "no row could be measured");
    assert!(under.is_empty(), "under the floor: {}", under.join(", "));
}

fn measure(row: &Row, places: &Places) -> Result<Measured, String> {
    let source = places.corpora.join(&row.corpus).join(&row.part);
    if !source.is_dir() {
        return Err("the corpus is not there".to_owned());
    }
    let truth = places.corpora.join(format!("{}.truth.json", row.corpus));
    if !truth.exists() {
        make_truth(row, &source, &truth, &places.tools)?;
    }
    let work = tempfile::tempdir().expect("a temporary directory can be made");
    let mut build = Command::new(env!("CARGO_BIN_EXE_bindery"));
    build.arg("build").arg(&source).arg("--quiet").arg("--work-dir").arg(work.path());
    let built = build.arg("--out").arg(work.path().join("handbook")).status();
    assert!(built.expect("the program starts").success(), "{} does not build", row.corpus);
    let graph = work.path().join("phase1/graph.json");
    if !row.constructions {
        without_constructions(&graph);
    }
    compare(row, places, &truth, &graph, &work.path().join("report.json"))
}

fn make_truth(row: &Row, source: &Path, truth: &Path, tools: &Path) -> Result<(), String> {
    let quoted = |path: &Path| format!("'{}'", path.display());
    let unfinished = truth.with_extension("unfinished");
    let command = row.truth.replace("SRC", &quoted(source)).replace("TRUTH", &quoted(&unfinished));
    let script = format!("source {} && {command}", quoted(&tools.join("env.sh")));
    let made = Command::new("bash").arg("-c").arg(script).output().map_err(|error| error.to_string())?;
    if !made.status.success() || fs::rename(&unfinished, truth).is_err() {
        return Err(format!("`{}` gives no truth", row.truth));
    }
    Ok(())
}

/// Takes the edges to constructors that no source declares out of a graph.
fn without_constructions(graph: &Path) {
    let text = fs::read_to_string(graph).expect("the graph was written");
    let mut value: serde_json::Value = serde_json::from_str(&text).expect("the graph is JSON");
    let edges = value["edges"].as_array_mut().expect("a graph has edges");
    edges.retain(|edge| edge["callType"] != "internal_constructor");
    fs::write(graph, value.to_string()).expect("the graph can be written");
}

fn compare(
    row: &Row,
    places: &Places,
    truth: &Path,
    graph: &Path,
    report: &Path,
) -> Result<Measured, String> {
    let mut compare = Command::new("python3");
    compare.arg(places.oracles.join("cgcmp.py")).arg("--truth").arg(truth);
    let compared = compare.arg("--graph").arg(graph).arg("--json").arg(report).output();
    let compared = compared.map_err(|error| error.to_string())?;
    let text = fs::read_to_string(report)
        .map_err(|_| String::from_utf8_lossy(&compared.stderr).lines().last().unwrap_or("?").to_owned())?;
    let report: serde_json::Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let summary = &report["summary"];
    let figure = |name: &str| summary[name].as_f64().ok_or(format!("the report has no `{name}`"));
    let (precision, recall) =
        if row.plain { ("precision", "recall") } else { ("precision_strict", "recall_static") };
    let edges = summary["truth_edges"].as_u64().unwrap_or(0);
    Ok(Measured { edges, precision: figure(precision)?, recall: figure(recall)? })
}
