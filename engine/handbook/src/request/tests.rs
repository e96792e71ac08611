use bindery_facts::DeclKind;
use bindery_graph::Symbol;

use super::*;
use crate::sample::{SampleFile, plain_id};
use crate::{CrossReferences, sketch};

fn file() -> SampleFile {
    SampleFile::new("task.py").decl(DeclKind::Function, "run", [1, 2], "Runs it.").decl(
        DeclKind::Function,
        "stop",
        [4, 5],
        "",
    )
}

const SOURCE: &str = "def run():\n    go()\n\ndef stop():\n    halt()\n";

fn requests(source: &str, narrator: &str, is_deep: bool) -> Vec<ProseRequest> {
    let file = file();
    let (view, text) = (file.view(), FileText::new(source));
    let sketch = sketch(&view);
    let callers = |symbol: &Symbol| match symbol.qualname.as_str() {
        "stop" => vec![Symbol { path: symbol.path.clone(), qualname: "run".into() }],
        _ => Vec::new(),
    };
    let references = CrossReferences { id_of: &plain_id, callers_of: &callers, page_of: &|_| None };
    let mut requests = file_requests(&view, &sketch, &text, narrator, is_deep);
    if is_deep {
        requests.extend(function_requests(&view, &sketch, &text, narrator, &references));
    }
    requests
}

fn units(requests: &[ProseRequest]) -> Vec<String> {
    requests.iter().map(|request| request.unit.to_string()).collect()
}

#[test]
fn a_file_has_one_request_and_deep_ones_for_itself_and_each_function() {
    assert_eq!(units(&requests(SOURCE, "mine", false)), ["purpose task.py"]);
    let expected = ["purpose task.py", "description task.py", "function task.run", "function task.stop"];
    assert_eq!(units(&requests(SOURCE, "mine", true)), expected);
}

#[test]
fn a_function_is_shown_with_its_own_lines_and_its_callers() {
    let requests = requests(SOURCE, "mine", true);
    let [run, stop] = [&requests[2].shown, &requests[3].shown];
    assert_eq!(run["source"], "def run():\n    go()\n");
    assert_eq!(run["doc"], "Runs it.");
    assert_eq!(stop["source"], "def stop():\n    halt()\n");
    assert_eq!(stop["called_by"], serde_json::json!(["task.run"]));
}

#[test]
fn the_digest_changes_with_what_is_shown_and_with_the_narrator_and_nothing_else() {
    let digests = |source: &str, narrator: &str| -> Vec<ContentHash> {
        requests(source, narrator, true).iter().map(|request| request.digest).collect()
    };
    let before = digests(SOURCE, "mine");
    assert_eq!(digests(SOURCE, "mine"), before);
    assert_eq!(digests(&SOURCE.replace('\n', "\r\n"), "mine"), before, "line ends make no difference");
    let renamed = digests(SOURCE, "other");
    assert!(before.iter().zip(&renamed).all(|(a, b)| a != b));
    let edited = digests(&SOURCE.replace("halt()", "quit()"), "mine");
    let differs: Vec<bool> = before.iter().zip(&edited).map(|(a, b)| a != b).collect();
    assert_eq!(differs, [true, true, false, true], "file, description, `run`, `stop`");
}

#[test]
fn what_is_shown_is_capped() {
    let long = format!("def run():\n    {}\n", "é".repeat(20_000));
    let requests = requests(&long, "mine", true);
    let source = requests[0].shown["source"].as_str().expect("it is a text");
    assert!(source.len() <= 12_003 && source.ends_with('…'));
    assert!(requests[2].shown["source"].as_str().is_some_and(|source| source.len() <= 8_003));
    assert_eq!(requests[0].bytes, requests[0].shown.to_string().len() as u64);
}
