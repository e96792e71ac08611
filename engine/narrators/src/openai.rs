//! A chat-completions endpoint, as Ollama, llama.cpp, vLLM and hosted services have it.
//!
//! The answer is asked for by JSON Schema (`response_format`), and checked all the same: not every server keeps to it.
//! A request is tried again only where the endpoint says that it did not do it (429, 500, 502, 503, 504) or was not
//! reached; one that broke off in the middle may have been paid for, and is left to the next run.

use core::time::Duration;
use std::time::SystemTime;

use bindery_artifacts::{NarratorRequest, ProseTexts};
use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::Response;

use crate::answer::{LONGEST_ANSWER, texts};
use crate::wait::{LONGEST_RETRY_AFTER, backoff, retry_after};
use crate::{Cancel, Problem, Secret};

pub(crate) struct OpenAiNarrator {
    agent: Agent,
    address: String,
    key: Option<Secret>,
    timeout: Duration,
    retries: u32,
}

/// What came of one attempt.
enum Attempt {
    Done(Result<ProseTexts, Problem>),
    /// It may be tried again, after what the endpoint asks for if it does.
    Again(Problem, Option<Duration>),
}

impl OpenAiNarrator {
    pub(crate) fn new(endpoint: &str, key: Option<Secret>, timeout: Duration, retries: u32) -> Self {
        let agent = Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("bindery/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        let address = format!("{}/chat/completions", endpoint.trim_end_matches('/'));
        Self { agent, address, key, timeout, retries }
    }

    pub(crate) fn answer(&self, request: &NarratorRequest, cancel: &Cancel) -> Result<ProseTexts, Problem> {
        let body = body(request).to_string();
        for attempt in 0.. {
            if cancel.is_raised() {
                return Err(Problem::Cancelled);
            }
            let (problem, asked_for) = match self.attempt(&body, request) {
                Attempt::Done(result) => return result,
                Attempt::Again(problem, asked_for) => (problem, asked_for),
            };
            if attempt >= self.retries || asked_for.is_some_and(|wait| wait > LONGEST_RETRY_AFTER) {
                return Err(problem);
            }
            let own = backoff(attempt, fastrand::f64());
            if cancel.wait(asked_for.map_or(own, |asked_for| asked_for.max(own))) {
                return Err(Problem::Cancelled);
            }
        }
        Err(Problem::Cancelled)
    }

    fn attempt(&self, body: &str, request: &NarratorRequest) -> Attempt {
        let mut call = self.agent.post(&self.address).header("content-type", "application/json");
        if let Some(key) = &self.key {
            call = call.header("authorization", &format!("Bearer {}", key.expose()));
        }
        let response = match call.send(body) {
            Ok(response) => response,
            Err(error) => return self.failed(&error),
        };
        let status = response.status().as_u16();
        match status {
            200..300 => Attempt::Done(self.texts(response, request)),
            429 | 500 | 502 | 503 | 504 => Attempt::Again(Problem::Status(status), wanted_wait(&response)),
            _ => Attempt::Done(Err(Problem::Status(status))),
        }
    }

    /// The error's own words stay inside: what is in them is not ours.
    fn failed(&self, error: &ureq::Error) -> Attempt {
        let is_refused =
            matches!(error, ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused);
        match error {
            ureq::Error::Timeout(_) => Attempt::Done(Err(Problem::TooSlow(self.timeout))),
            ureq::Error::ConnectionFailed => Attempt::Again(Problem::Connection("cannot be reached"), None),
            ureq::Error::HostNotFound => {
                Attempt::Done(Err(Problem::Connection("has an address that is not known")))
            }
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) => {
                Attempt::Done(Err(Problem::Connection("cannot be trusted: the connection cannot be secured")))
            }
            _ if is_refused => Attempt::Again(Problem::Connection("cannot be reached"), None),
            _ => Attempt::Done(Err(Problem::Connection("hung up"))),
        }
    }

    fn texts(
        &self,
        response: Response<ureq::Body>,
        request: &NarratorRequest,
    ) -> Result<ProseTexts, Problem> {
        let read = response.into_body().into_with_config().limit(LONGEST_ANSWER).read_to_string();
        let body = read.map_err(|error| match error {
            ureq::Error::Timeout(_) => Problem::TooSlow(self.timeout),
            ureq::Error::BodyExceedsLimit(_) => Problem::TooLong,
            _ => Problem::Connection("hung up"),
        })?;
        let answer: Value = serde_json::from_str(&body).map_err(|_| Problem::NotJson)?;
        let message = &answer["choices"][0]["message"];
        let content = message["content"].as_str();
        let content = content.ok_or_else(|| Problem::WrongForm("has no message".to_owned()))?;
        let texts = texts(content, request)?;
        if self.key.as_ref().is_some_and(|key| texts.values().any(|text| key.is_in(text))) {
            return Err(Problem::WrongText("repeats the key".to_owned()));
        }
        Ok(texts)
    }
}

fn wanted_wait(response: &Response<ureq::Body>) -> Option<Duration> {
    let header = response.headers().get("retry-after")?.to_str().ok()?;
    retry_after(header, SystemTime::now())
}

fn body(request: &NarratorRequest) -> Value {
    let subject = json!({ "kind": request.kind, "subject": request.subject, "lang": request.lang, "shown": request.shown });
    json!({
        "model": request.model,
        "messages": [
            { "role": "system", "content": request.instructions },
            { "role": "user", "content": subject.to_string() },
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": { "name": "prose", "strict": true, "schema": schema(request) },
        },
    })
}

fn schema(request: &NarratorRequest) -> Value {
    let names: Vec<&str> = request.fields.keys().map(|field| field.name()).collect();
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    json!({ "type": "object", "properties": properties, "required": names, "additionalProperties": false })
}
