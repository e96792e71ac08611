//! Progress with counts, on a terminal only.
//!
//! One line on stderr that is drawn over, at most twenty times a second and not in a run's first fifth of a
//! second, so that quick runs show nothing. A bar of our own: it starts no thread and costs one relaxed load
//! per step, which matters because steps come once per file from every thread.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bindery_engine::{Progress, grouped};

use crate::console::Console;

const FIRST_DRAWN_MS: u64 = 200;
const DRAWN_EVERY_MS: u64 = 50;
const BAR_WIDTH: u64 = 24;
const CLEAR_LINE: &str = "\r\x1b[2K";

/// Draws progress; clears its line when dropped.
pub(crate) struct TerminalProgress {
    started: Instant,
    is_shown: bool,
    /// Milliseconds after the start at which the next line is due.
    next_due: AtomicU64,
}

impl TerminalProgress {
    /// Shown only if a person looks on and wants it.
    pub(crate) fn new(console: &Console) -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let is_shown = !console.is_quiet() && !is_dumb && std::io::stderr().is_terminal();
        Self { started: Instant::now(), is_shown, next_due: AtomicU64::new(FIRST_DRAWN_MS) }
    }

    /// Whether a line is due; true for one of the threads that ask at the same time.
    fn is_due(&self) -> bool {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let due = self.next_due.load(Ordering::Relaxed);
        let next = now.saturating_add(DRAWN_EVERY_MS);
        now >= due && self.next_due.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

impl Progress for TerminalProgress {
    fn step(&self, phase: &'static str, done: u64, total: u64) {
        if self.is_shown && self.is_due() {
            // A terminal that has gone is no reason to stop.
            let _ = write!(std::io::stderr(), "{CLEAR_LINE}{}", line(phase, done, total));
        }
    }
}

impl Drop for TerminalProgress {
    fn drop(&mut self) {
        let was_drawn = self.next_due.load(Ordering::Relaxed) != FIRST_DRAWN_MS;
        if self.is_shown && was_drawn {
            // As above.
            let _ = write!(std::io::stderr(), "{CLEAR_LINE}");
        }
    }
}

fn line(phase: &str, done: u64, total: u64) -> String {
    let filled = (done.min(total) * BAR_WIDTH).checked_div(total).unwrap_or(0);
    let bar: String = (0..BAR_WIDTH).map(|at| if at < filled { '=' } else { ' ' }).collect();
    format!("{phase:<10} [{bar}] {}/{}", grouped(done), grouped(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_phase_share_and_counts() {
        assert_eq!(line("resolving", 1_500, 3_000), "resolving  [============            ] 1,500/3,000");
        assert_eq!(line("writing", 0, 0), "writing    [                        ] 0/0");
        assert_eq!(line("reading", 9, 3), "reading    [========================] 9/3");
    }
}
