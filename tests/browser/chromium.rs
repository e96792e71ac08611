//! A real Chromium, driven over its DevTools protocol.
//!
//! By a client of our own, because the tests need a dozen commands of that protocol and the libraries bring all of it:
//! `headless_chrome` 1.0.22 adds 49 crates to Cargo.lock and generates its code from 1.5 MB of JSON at each build,
//! `chromiumoxide` 0.9.1 adds 68 crates, an asynchronous runtime among them, and 111,000 lines that were generated.
//! `thirtyfour` and `fantoccini` talk to a second program that must be installed in the browser's own version.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

/// Nothing the browser answers takes longer, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

const FLAGS: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
    "about:blank",
];

/// Where the browser is: `BINDERY_CHROMIUM`, else the first of the usual names on the search path.
fn program() -> Option<PathBuf> {
    let named = std::env::var_os("BINDERY_CHROMIUM").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let usual = std::env::split_paths(&path)
        .flat_map(|directory| names.map(|name| directory.join(name)))
        .find(|program| program.is_file());
    named.or(usual)
}

/// A page of a browser of its own, which ends with it.
pub(crate) struct Page {
    process: Child,
    socket: WebSocket<TcpStream>,
    session: String,
    calls: u64,
    events: VecDeque<Value>,
    /// What the page reported as wrong: console errors, uncaught exceptions, refusals.
    pub(crate) complaints: Vec<String>,
    /// Every address the page asked for.
    pub(crate) requests: Vec<String>,
    _profile: TempDir,
}

impl Page {
    /// Opens an empty page; none if there is no browser here, which is said, unless
    /// `BINDERY_REQUIRE_BROWSER` asks for one.
    pub(crate) fn open() -> Option<Page> {
        let Some(program) = program() else {
            let is_required = std::env::var_os("BINDERY_REQUIRE_BROWSER").is_some();
            assert!(!is_required, "BINDERY_REQUIRE_BROWSER is set and no chromium was found");
            eprintln!("skipped: no chromium was found; install it or set BINDERY_CHROMIUM");
            return None;
        };
        let profile = TempDir::new().expect("a temporary directory can be made");
        let mut process = Command::new(&program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{} cannot be run: {error}", program.display()));
        let address = listening(&mut process);
        let authority = address.trim_start_matches("ws://").split('/').next().expect("there is one part");
        let stream = TcpStream::connect(authority).expect("the browser listens there");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit can be set");
        let (socket, _) =
            tungstenite::client(address.as_str(), stream).expect("the browser speaks WebSocket");
        let mut page = Page {
            process,
            socket,
            session: String::new(),
            calls: 0,
            events: VecDeque::new(),
            complaints: Vec::new(),
            requests: Vec::new(),
            _profile: profile,
        };
        let target = page.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached =
            page.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        page.session = attached["sessionId"].as_str().expect("a session has an id").to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        Some(page)
    }

    /// Sends a command and gives its result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(message.to_string())).expect("the browser reads");
        loop {
            let message = self.receive();
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.events.push_back(message);
        }
    }

    fn receive(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.socket.read().expect("the browser answers in time") {
                let message: Value = serde_json::from_str(&text).expect("the browser sends JSON");
                self.note(&message);
                return message;
            }
        }
    }

    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                self.complaints.push(parameters["exceptionDetails"].to_string())
            }
            Some("Runtime.consoleAPICalled") if parameters["type"] != "log" => {
                self.complaints.push(parameters["args"].to_string());
            }
            Some("Log.entryAdded") => self.complaints.push(parameters["entry"].to_string()),
            Some("Network.requestWillBeSent") => {
                self.requests.extend(parameters["request"]["url"].as_str().map(str::to_owned));
            }
            _ => {}
        }
    }

    /// Goes to an address and waits until it is loaded.
    pub(crate) fn go(&mut self, address: &str) {
        self.events.clear();
        let answer = self.call("Page.navigate", json!({ "url": address }));
        assert!(answer["errorText"].is_null(), "{address}: {answer}");
        // Another place on the same page loads nothing.
        if answer["loaderId"].is_string() {
            self.wait_for_load();
        }
    }

    /// Waits for the end of the loading that an earlier command began.
    pub(crate) fn wait_for_load(&mut self) {
        loop {
            let event = self.events.pop_front();
            let event = event.unwrap_or_else(|| self.receive());
            if event["method"] == "Page.loadEventFired" {
                return;
            }
        }
    }

    /// The value of an expression; a promise is waited for.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let answer = self.call(
            "Runtime.evaluate",
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true }),
        );
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// The value of an expression that is a text.
    pub(crate) fn text(&mut self, expression: &str) -> String {
        let value = self.value(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression} is {value}")).to_owned()
    }

    /// Waits until an expression is true.
    pub(crate) fn until(&mut self, condition: &str) {
        self.value(&format!(
            "new Promise((done, fail) => {{ const start = performance.now(); (function look() {{
               if ({condition}) done(true);
               else if (performance.now() - start > 60000) fail(new Error('never true'));
               else setTimeout(look, 5);
             }})(); }})"
        ));
    }

    /// Presses and releases a key.
    pub(crate) fn press(&mut self, key: &str) {
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            "Escape" => 27,
            "ArrowUp" => 38,
            "ArrowDown" => 40,
            "/" => 191,
            other => panic!("no code is known for {other}"),
        };
        let mut down = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        match key {
            "Enter" => down["text"] = json!("\r"),
            "/" => down["text"] = json!("/"),
            _ => {}
        }
        self.call("Input.dispatchKeyEvent", down);
        self.call(
            "Input.dispatchKeyEvent",
            json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code }),
        );
    }

    /// Types a text into what has the focus.
    pub(crate) fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// The size of the window.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// What the system prefers, `light` or `dark`.
    pub(crate) fn prefer(&mut self, scheme: &str) {
        let feature = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": feature }));
    }

    /// Whether the page's own scripts run.
    pub(crate) fn allow_scripts(&mut self, are_allowed: bool) {
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": !are_allowed }));
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Where the browser listens, which it says when it is ready.
fn listening(process: &mut Child) -> String {
    let mut lines = BufReader::new(process.stderr.take().expect("its output is ours")).lines();
    let address = lines
        .by_ref()
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("DevTools listening on ").map(str::to_owned))
        .expect("the browser says where it listens");
    // It would end if nobody read what it says later.
    std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
    address
}

/// The address of a file.
pub(crate) fn address(path: &Path) -> String {
    format!("file://{}", path.display())
}
