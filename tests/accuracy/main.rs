//! How many of the shown calls are right, how many of the calls are shown, and whether every function and type is
//! found with its exact lines, against compilers and type checkers that know nothing of Bindery.
//!
//! Off by default. `BINDERY_ACCURACY=DIRECTORY cargo test --release --test accuracy -- --nocapture` measures the
//! rows of `rows.toml` whose corpus lies in DIRECTORY; `BINDERY_ORACLES` names the folder with the comparers and
//! `BINDERY_ORACLE_TOOLS` the one their set-up wrote `env.sh` to. `BINDERY_ACCURACY_ROWS=WORD` takes the rows whose
//! name has the word. Corpora that no package holds as a whole are put together by `corpora.sh`; truth files are kept
//! in DIRECTORY and made when they are missing, some by `truth.sh`. A row whose corpus or oracle is missing is said to
//! be left out. Prints one table, and fails if a row falls under its floor.

mod graph;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use graph::{Graph, Truth};

/// The kinds of definition in the truth that are symbols or types of the handbook.
const KINDS: &str =
    "function,method,methodsig,ctor,getter,setter,class,interface,struct,record,enum,trait,union,type";

#[derive(Deserialize)]
struct Rows {
    rows: Vec<Row>,
}

/// One row of `rows.toml`, which says what the keys mean.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    corpus: String,
    #[serde(default)]
    part: String,
    oracle: String,
    truth: String,
    #[serde(default)]
    plain: bool,
    #[serde(default = "yes")]
    constructions: bool,
    #[serde(default)]
    seen_by_both: bool,
    precision: Option<f64>,
    recall: Option<f64>,
    symbols: f64,
    spans: f64,
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

/// What one row measured; shares are in percent.
struct Measured {
    calls: Option<Calls>,
    /// Functions and types in the truth, those found, and those found with their exact lines.
    symbols: [u64; 3],
}

struct Calls {
    edges: u64,
    precision: f64,
    recall: f64,
}

impl Measured {
    fn share(&self, part: usize) -> f64 {
        self.symbols[part] as f64 * 100.0 / self.symbols[part - 1].max(1) as f64
    }

    fn is_under(&self, row: &Row) -> bool {
        let calls = self.calls.as_ref();
        let is_under =
            |floor: Option<f64>, found: Option<f64>| floor.is_some_and(|floor| found < Some(floor));
        is_under(row.precision, calls.map(|calls| calls.precision))
            || is_under(row.recall, calls.map(|calls| calls.recall))
            || is_under(Some(row.symbols), Some(self.share(1)))
            || is_under(Some(row.spans), Some(self.share(2)))
    }

    fn line(&self, row: &Row) -> String {
        let calls = self.calls.as_ref().map_or_else(
            || format!("{:>7} {:>9} {:>7}", "", "", ""),
            |calls| format!("{:>7} {:>9.2} {:>7.2}", calls.edges, calls.precision, calls.recall),
        );
        let floor = |floor: Option<f64>| floor.map_or_else(|| "-".to_owned(), |floor| floor.to_string());
        format!(
            "{calls} {:>7} {:>7.2} {:>7.2}   {} {} {} {}",
            self.symbols[0],
            self.share(1),
            self.share(2),
            floor(row.precision),
            floor(row.recall),
            row.symbols,
            row.spans
        )
    }
}

#[test]
fn no_row_falls_under_its_floor() {
    let Some(places) = Places::of_environment() else {
        eprintln!("off: BINDERY_ACCURACY names no directory with corpora");
        return;
    };
    let Rows { rows } = toml::from_str(include_str!("rows.toml")).expect("the rows are well formed");
    let wanted = std::env::var("BINDERY_ACCURACY_ROWS").unwrap_or_default();
    println!(
        "{:36} {:>7} {:>9} {:>7} {:>7} {:>7} {:>7}   floors",
        "", "calls", "precision", "recall", "symbols", "found", "exact"
    );
    let (mut under, mut measured) = (Vec::new(), 0);
    for row in &rows {
        let name = format!("{} {} ({})", row.corpus, row.part, row.oracle);
        if !name.contains(&wanted) {
            continue;
        }
        match measure(row, &places) {
            Ok(found) => {
                measured += 1;
                println!("{name:36} {}", found.line(row));
                if found.is_under(row) {
                    under.push(name);
                }
            }
            Err(reason) => println!("{name:36} left out: {reason}"),
        }
    }
    assert!(measured > 0, "no row could be measured");
    assert!(under.is_empty(), "under the floor: {}", under.join(", "));
}

fn measure(row: &Row, places: &Places) -> Result<Measured, String> {
    let corpus = places.corpora.join(&row.corpus);
    if !corpus.is_dir() {
        script(places, &format!("HERE/corpora.sh {} CORPORA", row.corpus), &[])?;
    }
    let source = corpus.join(&row.part);
    if !source.is_dir() {
        return Err("the corpus is not there".to_owned());
    }
    let truth = places.corpora.join(format!("{}.{}.json", row.corpus, row.oracle));
    if !truth.exists() {
        make_truth(row, &source, &truth, places)?;
    }
    let work = tempfile::tempdir().expect("a temporary directory can be made");
    build(&source, work.path());
    let graph = Graph::read(&work.path().join("phase1/graph.json"));
    let truth = Truth::read(&truth);
    let comparison = Comparison { places, work: work.path() };
    comparison.compare(row, graph, &truth)
}

/// Builds everything, what is left out by default too: the other side reads it as well.
fn build(source: &Path, work: &Path) {
    let mut build = Command::new(env!("CARGO_BIN_EXE_bindery"));
    build.arg("build").arg(source).arg("--quiet").arg("--work-dir").arg(work);
    build.arg("--out").arg(work.join("handbook")).args(["--config", "include = [\"**\"]"]);
    let built = build.status().expect("the program starts");
    assert!(built.success(), "{} does not build", source.display());
}

fn make_truth(row: &Row, source: &Path, truth: &Path, places: &Places) -> Result<(), String> {
    let unfinished = truth.with_extension("unfinished");
    script(places, &row.truth, &[("SRC", source), ("TRUTH", &unfinished)])?;
    fs::rename(&unfinished, truth).map_err(|_| format!("`{}` gives no truth", row.truth))
}

/// Runs a command with the oracles' tools at hand. HERE is this directory, CORPORA the one with the corpora.
fn script(places: &Places, command: &str, names: &[(&str, &Path)]) -> Result<(), String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/accuracy");
    let environment = places.tools.join("env.sh");
    let own = [("HERE", here.as_path()), ("CORPORA", places.corpora.as_path())];
    let mut text = format!("source ENVIRONMENT && {command}");
    for (name, path) in [("ENVIRONMENT", environment.as_path())].iter().chain(&own).chain(names) {
        text = text.replace(name, &format!("'{}'", path.display()));
    }
    let run = Command::new("bash").arg("-c").arg(text).output().map_err(|error| error.to_string())?;
    if run.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&run.stderr).lines().last().unwrap_or_default().to_owned();
    Err(format!("`{command}` fails: {said}"))
}

/// One comparison, whose files lie in `work`.
struct Comparison<'c> {
    places: &'c Places,
    work: &'c Path,
}

impl Comparison<'_> {
    fn compare(&self, row: &Row, mut graph: Graph, truth: &Truth) -> Result<Measured, String> {
        truth.write(&self.work.join("truth.json"));
        let found = self.run("symcmp.py", &["--kinds", KINDS])?;
        let count = |name: &str| found["ALL"][name].as_u64().unwrap_or(0);
        let symbols = [count("truth"), count("found"), count("span=")];
        if row.precision.is_none() && row.recall.is_none() {
            return Ok(Measured { calls: None, symbols });
        }
        if !row.constructions {
            graph.leave_out_constructions();
        }
        if row.seen_by_both {
            graph.leave_out_what_is_not_in(truth);
        }
        graph.write(&self.work.join("phase1/graph.json"));
        let summary = self.run("cgcmp.py", &[])?;
        let figure = |name: &str| summary[name].as_f64().ok_or(format!("the report has no `{name}`"));
        let (precision, recall) =
            if row.plain { ("precision", "recall") } else { ("precision_strict", "recall_static") };
        let edges = summary["truth_edges"].as_u64().unwrap_or(0);
        let calls = Calls { edges, precision: figure(precision)?, recall: figure(recall)? };
        Ok(Measured { calls: Some(calls), symbols })
    }

    /// The summary of what a comparer says of the graph.
    fn run(&self, comparer: &str, options: &[&str]) -> Result<Value, String> {
        let report = self.work.join("report.json");
        let mut compare = Command::new("python3");
        compare.arg(self.places.oracles.join(comparer)).args(options);
        compare.arg("--truth").arg(self.work.join("truth.json"));
        compare.arg("--graph").arg(self.work.join("phase1/graph.json")).arg("--json").arg(&report);
        let compared = compare.output().map_err(|error| error.to_string())?;
        let text = fs::read_to_string(&report).map_err(|_| {
            String::from_utf8_lossy(&compared.stderr).lines().last().unwrap_or("?").to_owned()
        })?;
        let report: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        Ok(report["summary"].clone())
    }
}
