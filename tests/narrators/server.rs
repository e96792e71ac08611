//! A server that speaks as much HTTP as it takes, and answers as a test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) authorization: Option<String>,
    pub(crate) body: Value,
}

/// What the server does about a request.
pub(crate) enum Reply {
    /// A whole response.
    Status(u16, &'static str, String),
    /// The head and half of the body, then the connection is closed.
    Cut,
    /// Nothing, while the connection stays open.
    Silence,
}

pub(crate) struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Request {
    /// The unit that is asked about: its kind and subject.
    pub(crate) fn unit(&self) -> (String, String) {
        let content = self.body["messages"][1]["content"].as_str().expect("there is a message of the user's");
        let content: Value = serde_json::from_str(content).expect("it is JSON");
        let text = |key: &str| content[key].as_str().expect("units have names").to_owned();
        (text("kind"), text("subject"))
    }
}

/// The answer of a model that does as it is told.
pub(crate) fn told(request: &Request) -> Reply {
    let (kind, subject) = request.unit();
    says(&json!({ "text": format!("Told of {kind} {subject}.") }).to_string())
}

/// A model's message.
pub(crate) fn says(content: &str) -> Reply {
    let answer = json!({ "choices": [{ "message": { "role": "assistant", "content": content } }] });
    Reply::Status(200, "", answer.to_string())
}

impl Server {
    /// `reply` gets each request and how many came before it.
    pub(crate) fn start(reply: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, reply) = (requests.clone(), Arc::new(reply));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, reply) = (seen.clone(), reply.clone());
                thread::spawn(move || serve(stream, &seen, &*reply));
            }
        });
        Self { port, requests }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// What came so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no test fails while it holds this").clone()
    }

    pub(crate) fn forget(&self) {
        self.requests.lock().expect("no test fails while it holds this").clear();
    }
}

fn serve(
    mut stream: TcpStream,
    seen: &Mutex<Vec<Request>>,
    reply: &(dyn Fn(usize, &Request) -> Reply + Sync),
) {
    let Some(request) = read_request(&stream) else { return };
    let before = {
        let mut seen = seen.lock().expect("no test fails while it holds this");
        seen.push(request.clone());
        seen.len() - 1
    };
    let head = |status: u16, headers: &str, length: usize| {
        format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n")
    };
    // A client that has gone is none of the server's business.
    let _ = match reply(before, &request) {
        Reply::Status(status, headers, body) => {
            stream.write_all(format!("{}{body}", head(status, headers, body.len())).as_bytes())
        }
        Reply::Cut => stream.write_all(format!("{}{{\"choices\":[", head(200, "", 1_000)).as_bytes()),
        Reply::Silence => stream.read(&mut [0]).map(drop),
    };
}

fn read_request(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let (mut length, mut authorization) = (0, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => authorization = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { path, authorization, body: serde_json::from_slice(&body).ok()? })
}
