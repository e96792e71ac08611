//! How long each phase of a run took: for the run report, and as spans for whoever listens.

use bindery_artifacts::{Phase, RunReport};
use bindery_store::Stopwatch;
use tracing::span::EnteredSpan;
use tracing::{Span, info_span};

/// A phase under way.
pub(crate) struct Timed {
    phase: Phase,
    clock: Stopwatch,
    _span: EnteredSpan,
}

impl Timed {
    pub(crate) fn start(phase: Phase) -> Self {
        Self { phase, _span: span(phase).entered(), clock: Stopwatch::start() }
    }

    /// Adds what has passed to the phase's time; a phase may come in several parts.
    pub(crate) fn end(self, report: &mut RunReport) {
        *report.microseconds.entry(self.phase).or_default() += self.clock.elapsed().as_micros() as u64;
    }
}

fn span(phase: Phase) -> Span {
    match phase {
        Phase::State => info_span!("state"),
        Phase::Scan => info_span!("scan"),
        Phase::Parse => info_span!("parse"),
        Phase::Resolve => info_span!("resolve"),
        Phase::Derive => info_span!("derive"),
        Phase::Render => info_span!("render"),
        Phase::Export => info_span!("export"),
        Phase::Write => info_span!("write"),
        Phase::Total => info_span!("run"),
    }
}
