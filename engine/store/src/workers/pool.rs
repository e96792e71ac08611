use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::child::WorkerChild;
use crate::signals::Interrupt;

/// How long a worker may usually take for a small request, and half of it more for each MiB (see
/// [`patience_with`]).
///
/// The slowest input known that ends at the limit of ticks, `)*` to a Rust parser, takes 8.5 s for each MiB,
/// a seventh of what it gets: the time decides only where no count does.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// How long a request of so many bytes may take if a small one may take `patience`.
pub fn patience_with(patience: Duration, bytes: usize) -> Duration {
    const DOUBLED_AT: f64 = (2 << 20) as f64;
    patience.mul_f64(1.0 + bytes as f64 / DOUBLED_AT)
}

/// How a worker is started.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    /// The program, usually this one ([`crate::Environment`]).
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// How a worker that gave no answer ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It exited by itself with this code.
    Exited(i32),
    /// A signal ended it.
    Killed(i32),
    /// It gave no answer for too long and was killed.
    Silent,
    /// It could not be started, or talked nonsense and was killed.
    Unusable,
}

/// The outcome of one request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// What the worker answered.
    Done(Vec<u8>),
    /// The worker ended while it had the request. Retrying is the caller's decision.
    Lost(Ending),
    /// The user asked to stop before the request was answered.
    Interrupted,
}

/// Runs requests on several workers at once, each of them handling one request at a time.
#[derive(Clone, Debug)]
pub struct WorkerPool {
    /// How to start one.
    pub command: WorkerCommand,
    /// How many at once.
    pub jobs: usize,
    /// How long a worker may take for a small request, from its first byte to the last of the answer; for
    /// others see [`patience_with`].
    pub patience: Duration,
    /// Looked at while waiting.
    pub interrupt: Interrupt,
}

impl WorkerPool {
    /// A pool with the usual [`PATIENCE`].
    pub fn new(command: WorkerCommand, jobs: usize, interrupt: Interrupt) -> Self {
        Self { command, jobs: jobs.max(1), patience: PATIENCE, interrupt }
    }

    /// Hands the requests to workers, in order, each to one; `done` is called once per request with its
    /// index, from several threads and in no particular order. A worker that ends is replaced for the next
    /// request. All workers have ended when this returns. Requests are drawn only when a worker is free, so
    /// the iterator may read files lazily.
    pub fn run<I>(&self, requests: I, done: &(dyn Fn(usize, Answer) + Sync))
    where
        I: Iterator<Item = Vec<u8>> + Send,
    {
        let queue = Mutex::new(requests.enumerate());
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        std::thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(|| {
                    let mut worker = None;
                    while let Some((index, request)) = next() {
                        let (answer, still_there) = self.answer(worker.take(), &request);
                        worker = still_there;
                        done(index, answer);
                    }
                });
            }
        });
    }

    fn answer(&self, worker: Option<WorkerChild>, request: &[u8]) -> (Answer, Option<WorkerChild>) {
        if self.interrupt.received().is_some() {
            return (Answer::Interrupted, None);
        }
        match worker.or_else(|| WorkerChild::start(&self.command)) {
            Some(worker) => worker.ask(request, patience_with(self.patience, request.len()), &self.interrupt),
            None => (Answer::Lost(Ending::Unusable), None),
        }
    }
}
