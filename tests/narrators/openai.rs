//! Chat-completions endpoints.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::sandbox::{Run, Sandbox, files_below, number, reasons};
use crate::server::{Reply, Request, Server, says, told};

const KEY: &str = "sk-never-to-be-seen-8231";

fn asking(server: &Server, keys: &str) -> Sandbox {
    let sandbox = Sandbox::with("narrator = \"mine\"\n");
    sandbox.declare(&format!(
        "kind = \"openai\"\nendpoint = \"{}\"\nmodel = \"m-1\"\nallow_send = true\n{keys}",
        server.endpoint()
    ));
    sandbox
}

fn is_about(request: &Request, kind: &str) -> bool {
    request.unit().0 == kind
}

#[test]
fn every_unit_is_asked_for_once_in_a_structured_way() {
    let server = Server::start(|_, request| told(request));
    let sandbox = asking(&server, "concurrency = 3\n");
    let report = sandbox.build(&[]);
    let requests = server.requests();
    assert_eq!(
        (requests.len() as u64, number(&report, "received")),
        (number(&report, "units"), requests.len() as u64)
    );
    for request in &requests {
        assert_eq!((request.path.as_str(), request.authorization.as_deref()), ("/v1/chat/completions", None));
        assert_eq!(request.body["model"], "m-1");
        let form = &request.body["response_format"];
        assert_eq!((&form["type"], &form["json_schema"]["strict"]), (&json!("json_schema"), &json!(true)));
        let schema = json!({
            "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"],
            "additionalProperties": false,
        });
        assert_eq!(form["json_schema"]["schema"], schema);
    }
    let mut units: Vec<_> = requests.iter().map(Request::unit).collect();
    units.sort();
    units.dedup();
    assert_eq!(units.len(), requests.len(), "nothing is asked twice");
    assert!(sandbox.read(".bindery/handbook/queue.md").contains("\nTold of purpose queue/src/queue.rs.\n"));
    sandbox.build(&[]);
    assert_eq!(sandbox.run(&["check"]).code, Some(0));
    assert_eq!(server.requests().len(), requests.len());
}

#[test]
fn the_key_goes_to_the_endpoint_and_nowhere_else() {
    // The endpoint is talkative about the key, in what it says and where it fails.
    let server = Server::start(|_, request| match request.unit().0.as_str() {
        "purpose" => told(request),
        "stage-summary" => says(&json!({ "text": format!("Your key is {KEY}.") }).to_string()),
        _ => Reply::Status(400, "x-key: sk-never-to-be-seen-8231\r\n", format!("bad key {KEY}")),
    });
    let sandbox = asking(&server, "key_env = \"BINDERY_TEST_KEY\"\nretries = 0\nconcurrency = 1\n");
    let arguments = ["build", "-vv", "--trace", "trace.json", "--report", "report.json", "--format", "json"];
    let mut command = sandbox.command(&arguments);
    let run = Run::of(command.env("BINDERY_TEST_KEY", format!("{KEY}\n")).env("BINDERY_LOG", "trace"));
    assert_eq!(run.code, Some(0), "{run:?}");
    let requests = server.requests();
    let bearer = format!("Bearer {KEY}");
    assert!(requests.iter().all(|request| request.authorization.as_ref() == Some(&bearer)));
    assert!(!requests.iter().any(|request| request.body.to_string().contains(KEY)));
    let report: Value = serde_json::from_str(&sandbox.read("report.json")).expect("the report is JSON");
    let expected = ["the answer repeats the key", "the endpoint answered with status 400"];
    assert_eq!(reasons(&report["prose"]), expected);
    let has_key = |bytes: &[u8]| bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes());
    assert!(!has_key(run.stdout.as_bytes()) && !has_key(run.stderr.as_bytes()));
    for (path, bytes) in files_below(sandbox.path()) {
        assert!(!has_key(&bytes), "{}", path.display());
    }
    assert!(sandbox.root().join("trace.json").exists());
}

#[test]
fn without_the_key_nothing_is_sent() {
    let server = Server::start(|_, request| told(request));
    let sandbox = asking(&server, "key_env = \"BINDERY_TEST_KEY_THAT_IS_NOT_SET\"\n");
    let report = sandbox.build(&[]);
    let reason = "the environment variable `BINDERY_TEST_KEY_THAT_IS_NOT_SET` with the key is not set";
    assert_eq!(reasons(&report), [reason]);
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn an_overloaded_endpoint_is_asked_again_when_it_wants() {
    let server = Server::start(|before, request| match before {
        0 => Reply::Status(429, "retry-after: 2\r\n", "{}".to_owned()),
        1 => Reply::Status(503, "", String::new()),
        2 => Reply::Status(500, "retry-after: soon\r\n", String::new()),
        _ => told(request),
    });
    let sandbox = asking(&server, "concurrency = 1\n");
    let started = Instant::now();
    let report = sandbox.build(&[]);
    // Two seconds as asked for, then at least 500 and 1,000 ms halved.
    assert!(started.elapsed() >= Duration::from_millis(2_750));
    assert_eq!(report["missing"], json!([]));
    let requests = server.requests();
    assert_eq!(requests.len() as u64, number(&report, "units") + 3);
    let first: Vec<_> = requests[..4].iter().map(Request::unit).collect();
    assert!(first.iter().all(|unit| *unit == first[0]));
}

#[test]
fn an_endpoint_that_wants_too_much_patience_is_left_to_the_next_run() {
    let server = Server::start(|_, _| Reply::Status(429, "retry-after: 3600\r\n", String::new()));
    let sandbox = asking(&server, "concurrency = 1\n");
    let report = sandbox.build(&[]);
    let expected = ["not asked, because those before it failed", "the endpoint answered with status 429"];
    assert_eq!(reasons(&report), expected);
    assert_eq!(server.requests().len(), 5);
}

#[test]
fn a_refusal_ends_the_asking_at_once() {
    let server = Server::start(|_, _| Reply::Status(401, "", String::new()));
    let sandbox = asking(&server, "concurrency = 1\n");
    let report = sandbox.build(&[]);
    assert_eq!(server.requests().len(), 1);
    assert_eq!(
        report["missing"].as_array().map(|missing| missing.len() as u64),
        Some(number(&report, "units"))
    );
    assert_eq!(sandbox.run(&["check"]).code, Some(0));
}

#[test]
fn wrong_and_broken_answers_cost_their_units_and_are_asked_for_again() {
    for (wrong, reason) in [
        ((|| Reply::Cut) as fn() -> Reply, "the endpoint hung up"),
        (|| Reply::Status(200, "", "<html>".to_owned()), "the answer is not JSON"),
        (|| Reply::Status(200, "", "{\"choices\":[]}".to_owned()), "the answer has no message"),
        (|| says("Told."), "the answer is not JSON"),
        (|| says("{\"txt\":\"a\"}"), "the answer has a key that was not asked for"),
        (
            || Reply::Status(200, "", format!("{{\"x\":\"{}\"}}", "a".repeat(2 << 20))),
            "the answer is too long",
        ),
    ] {
        let server = Server::start(move |before, request| {
            // Not so many that it is given up.
            match is_about(request, "purpose") && before % 4 == 0 && before < 16 {
                true => wrong(),
                false => told(request),
            }
        });
        let sandbox = asking(&server, "concurrency = 1\n");
        let report = sandbox.build(&[]);
        assert_eq!(reasons(&report), [reason]);
        assert_eq!(report["missing"].as_array().map(Vec::len), Some(4), "{reason}");
        assert_eq!(server.requests().len() as u64, number(&report, "units"), "{reason}");
        let healed = Server::start(|_, request| told(request));
        sandbox.declare(&format!(
            "kind = \"openai\"\nendpoint = \"{}\"\nmodel = \"m-1\"\nallow_send = true\n",
            healed.endpoint()
        ));
        let report = sandbox.build(&[]);
        assert_eq!((report["missing"].clone(), healed.requests().len()), (json!([]), 4), "{reason}");
    }
}

#[test]
fn silence_has_an_end() {
    let server = Server::start(|_, _| Reply::Silence);
    let sandbox = asking(&server, "timeout_seconds = 1\nconcurrency = 8\n");
    let report = sandbox.build(&[]);
    assert_eq!(reasons(&report), ["no answer within 1 s", "not asked, because those before it failed"]);
    assert!(server.requests().len() <= 16, "what is under way may end, nothing else begins");
    server.forget();
    // Nobody listens there any more: a port that was free a moment ago.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = gone.expect("a port is free").port();
    sandbox.declare(&format!(
        "kind = \"openai\"\nendpoint = \"http://127.0.0.1:{port}\"\nmodel = \"m\"\nallow_send = true\nretries = 0\n"
    ));
    let report = sandbox.build(&[]);
    assert!(reasons(&report).contains(&"the endpoint cannot be reached".to_owned()), "{report}");
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Server::start(|_, request| told(request));
    let target: &'static str = format!("location: {}/chat/completions\r\n", elsewhere.endpoint()).leak();
    let server = Server::start(move |_, _| Reply::Status(307, target, String::new()));
    let sandbox = asking(&server, "concurrency = 1\n");
    assert!(reasons(&sandbox.build(&[])).contains(&"the endpoint answered with status 307".to_owned()));
    assert_eq!(elsewhere.requests().len(), 0);
}
