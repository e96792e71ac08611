//! `BINDERY_LOG` and `--trace`: the two ways to look on while the engine works.
//!
//! Without either no subscriber is installed, and a span of the engine costs one atomic load.

use std::path::Path;

use bindery_engine::Failure;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;

use crate::chrome_trace::{ChromeTrace, Ended};

/// The environment variable with the log filter.
const VARIABLE: &str = "BINDERY_LOG";

/// Installs what was asked for. What is returned ends the trace file when it is dropped.
pub(crate) fn start(trace_file: Option<&Path>) -> Result<Option<Ended>, Failure> {
    let filter = filter()?;
    if filter.is_none() && trace_file.is_none() {
        return Ok(None);
    }
    let log = filter.map(|filter| {
        let is_coloured = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
        tracing_subscriber::fmt::layer()
            .with_writer(std::io::stderr)
            .with_ansi(is_coloured)
            .with_filter(filter)
    });
    let (trace, ended) = match trace_file.map(create).transpose()? {
        Some((trace, ended)) => (Some(trace), Some(ended)),
        None => (None, None),
    };
    let subscriber = tracing_subscriber::registry().with(log).with(trace);
    tracing::subscriber::set_global_default(subscriber).expect("this is the only place that installs one");
    Ok(ended)
}

fn create(path: &Path) -> Result<(ChromeTrace, Ended), Failure> {
    ChromeTrace::create(path)
        .map_err(|error| Failure::machine(format!("cannot write the trace `{}`: {error}", path.display())))
}

fn filter() -> Result<Option<Targets>, Failure> {
    let Some(text) = std::env::var_os(VARIABLE).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let text = text.to_string_lossy();
    let filter = text.parse::<Targets>().map_err(|error| {
        Failure::usage(format!("cannot read `{VARIABLE}={text}`: {error}")).with_hint(
            "write a level (`debug`) or levels by crate (`bindery_store=debug,bindery_engine=trace`)",
        )
    })?;
    Ok(Some(filter))
}
