//! Spans as a Chrome trace: the JSON array of begin and end events that `chrome://tracing` and Perfetto read.
//!
//! Format: the "Trace Event Format" document of the Catapult project, event kinds `B` and `E`. Events are
//! written as they come; a file that a kill cuts short is still readable, because the format allows the
//! closing bracket to be missing.

use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// The layer that writes the trace.
pub(crate) struct ChromeTrace {
    started: Instant,
    file: SharedFile,
}

/// Ends the array when dropped; the subscriber itself lives as long as the process.
pub(crate) struct Ended(SharedFile);

#[derive(Clone)]
struct SharedFile(Arc<Mutex<BufWriter<File>>>);

impl ChromeTrace {
    pub(crate) fn create(path: &Path) -> io::Result<(Self, Ended)> {
        let file = SharedFile(Arc::new(Mutex::new(BufWriter::new(File::create(path)?))));
        // The first event has no comma before it; this one says what the process is called.
        file.write(r#"[{"ph":"M","pid":1,"tid":1,"name":"process_name","args":{"name":"bindery"}}"#);
        Ok((Self { started: Instant::now(), file: file.clone() }, Ended(file)))
    }

    fn event(&self, phase: &str, metadata: &tracing::Metadata<'_>, name: &str, arguments: Option<&Fields>) {
        let microseconds = self.started.elapsed().as_nanos() as f64 / 1e3;
        let mut event = json!({
            "ph": phase,
            "pid": 1,
            "tid": thread_number(),
            "ts": microseconds,
            "cat": metadata.target(),
            "name": name,
        });
        if let Some(Fields(fields)) = arguments {
            event["args"] = Value::Object(fields.clone());
        }
        self.file.write(&format!(",\n{event}"));
    }
}

impl SharedFile {
    /// A trace that cannot be written any more costs the trace, not the run.
    fn write(&self, text: &str) {
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(text.as_bytes());
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.write("\n]\n");
        // As in `SharedFile::write`.
        let _ = self.0.0.lock().unwrap_or_else(PoisonError::into_inner).flush();
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for ChromeTrace {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            values.record(fields);
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            self.event("B", span.metadata(), span.name(), None);
        }
    }

    /// The fields go with the end, so that those recorded on the way are among them.
    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            self.event("E", span.metadata(), span.name(), span.extensions().get::<Fields>());
        }
    }

    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        // An event's own name is only its place in the source.
        let name =
            fields.0.get("message").and_then(Value::as_str).unwrap_or(event.metadata().name()).to_owned();
        self.event("i", event.metadata(), &name, Some(&fields));
    }
}

/// The fields of a span as JSON.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    fn set(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.set(field, format!("{value:?}"));
    }
}

/// A small number for the calling thread, in the order threads first ask.
fn thread_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: Cell<u64> = Cell::new(NEXT.fetch_add(1, Ordering::Relaxed));
    }
    NUMBER.with(Cell::get)
}
