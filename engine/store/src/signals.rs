use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};

/// A request of the user or the system to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// `kill`.
    Terminate,
}

impl Signal {
    /// The exit code of a process that stopped for it: 130 or 143.
    pub fn exit_code(self) -> u8 {
        match self {
            Signal::Interrupt => 130,
            Signal::Terminate => 143,
        }
    }
}

/// Whether the run should stop. Clones share one answer.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// One that only [`Interrupt::raise`] sets, for tests and for use inside other programs.
    pub fn never() -> Self {
        Self::default()
    }

    /// One that SIGINT and SIGTERM set. The second such signal ends the process at once, with the same exit
    /// code. SIGPIPE stays ignored, as Rust programs start out: a closed stdout is an error of the writing
    /// call ([`std::io::ErrorKind::BrokenPipe`]). Where a handler cannot be installed, signals end the
    /// process as they do by default.
    pub fn on_signals() -> Self {
        let interrupt = Self::default();
        for (number, signal) in [(SIGINT, Signal::Interrupt), (SIGTERM, Signal::Terminate)] {
            let again = Arc::new(AtomicBool::new(false));
            // Handlers run in order of registration: the first signal finds `again` unset.
            let code = i32::from(signal.exit_code());
            let _ = signal_hook::flag::register_conditional_shutdown(number, code, again.clone());
            let _ = signal_hook::flag::register(number, again);
            let value = usize::from(signal.exit_code());
            let _ = signal_hook::flag::register_usize(number, interrupt.0.clone(), value);
        }
        interrupt
    }

    /// Asks to stop.
    pub fn raise(&self, signal: Signal) {
        self.0.store(usize::from(signal.exit_code()), Ordering::SeqCst);
    }

    /// The request to stop, if there is one.
    pub fn received(&self) -> Option<Signal> {
        match self.0.load(Ordering::SeqCst) {
            0 => None,
            143 => Some(Signal::Terminate),
            _ => Some(Signal::Interrupt),
        }
    }
}
