//! Many requests, so many at a time, each reported as soon as it is answered.

use core::time::Duration;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, mpsc};
use std::thread;

use bindery_artifacts::{NarratorRequest, ProseTexts};

use crate::{Cancel, FAILURES_IN_A_ROW, Narrator, Problem};

/// How long it may go unnoticed that the user wants to stop.
const NOTICES_WITHIN: Duration = Duration::from_millis(50);

/// How asking ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Every request was answered, failed or given up.
    All,
    /// It was called off; what was reported stays true.
    CalledOff,
}

/// What the threads share.
struct Work {
    narrator: Arc<Narrator>,
    requests: Vec<NarratorRequest>,
    next: AtomicUsize,
    failures_in_a_row: AtomicUsize,
    given_up: AtomicBool,
    cancel: Cancel,
}

type Report = (usize, Result<ProseTexts, Problem>);

impl Narrator {
    /// Asks for every request, in their order, and reports each with its place in the list as soon as it is there;
    /// reports come on this thread. `is_called_off` is asked often.
    ///
    /// When it is called off, programs are killed before this returns. A request to an endpoint that is under way is
    /// left behind: its thread ends with the process, or when its time is up, and nobody hears of its answer.
    pub fn ask(
        self: &Arc<Self>,
        requests: Vec<NarratorRequest>,
        is_called_off: &dyn Fn() -> bool,
        report: &mut dyn FnMut(usize, Result<ProseTexts, Problem>),
    ) -> Asked {
        let threads = self.concurrency.clamp(1, requests.len().max(1));
        let work = Arc::new(Work {
            narrator: self.clone(),
            requests,
            next: AtomicUsize::new(0),
            failures_in_a_row: AtomicUsize::new(0),
            given_up: AtomicBool::new(false),
            cancel: Cancel::default(),
        });
        let (sender, reports) = channel();
        for _ in 0..threads {
            let (work, sender) = (work.clone(), sender.clone());
            thread::spawn(move || work.run(&sender));
        }
        drop(sender);
        loop {
            match reports.recv_timeout(NOTICES_WITHIN) {
                Ok((place, result)) => report(place, result),
                // The threads are done.
                Err(RecvTimeoutError::Disconnected) => return Asked::All,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if is_called_off() {
                work.cancel.raise();
                if self.ends_when_cancelled() {
                    reports.iter().for_each(|(place, result)| report(place, result));
                } else {
                    reports.try_iter().for_each(|(place, result)| report(place, result));
                }
                return Asked::CalledOff;
            }
        }
    }
}

impl Work {
    fn run(&self, reports: &mpsc::Sender<Report>) {
        while !self.cancel.is_raised() {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(request) = self.requests.get(place) else { return };
            let result = match self.given_up.load(Ordering::Relaxed) {
                true => Err(Problem::GaveUp),
                false => self.narrator.answer(request, &self.cancel),
            };
            self.note(&result);
            if reports.send((place, result)).is_err() {
                return;
            }
        }
    }

    /// Gives up when what fails would fail for everything.
    fn note(&self, result: &Result<ProseTexts, Problem>) {
        match result {
            Ok(_) => self.failures_in_a_row.store(0, Ordering::Relaxed),
            Err(problem) if problem.concerns_one() => {}
            Err(problem) => {
                let failures = self.failures_in_a_row.fetch_add(1, Ordering::Relaxed) + 1;
                if problem.concerns_all() || failures >= FAILURES_IN_A_ROW {
                    self.given_up.store(true, Ordering::Relaxed);
                }
            }
        }
    }
}
