//! A program of the user's: one request on its standard input, one answer on its standard output.
//!
//! Each request starts it anew, in a process group of its own that is killed when the answer is there, when the time
//! is up and when it is called off: whatever the program started goes with it. Its standard error is discarded, for
//! it may say anything.

use core::time::Duration;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use bindery_artifacts::{NarratorRequest, ProseTexts};

use crate::answer::{LONGEST_ANSWER, texts};
use crate::{Cancel, Problem};

/// How long a request may go unnoticed that it was called off.
const NOTICES_WITHIN: Duration = Duration::from_millis(20);

pub(crate) struct CommandNarrator {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// Where it is started.
    pub(crate) directory: PathBuf,
    pub(crate) timeout: Duration,
}

impl CommandNarrator {
    pub(crate) fn answer(&self, request: &NarratorRequest, cancel: &Cancel) -> Result<ProseTexts, Problem> {
        let mut input = serde_json::to_vec(request).expect("a request has string keys only");
        input.push(b'\n');
        let mut group = self.start()?;
        let (mut stdin, stdout) = (group.child.stdin.take(), group.child.stdout.take());
        // A program need not read its input to the end, or at all; its answer is what counts.
        thread::spawn(move || stdin.as_mut().map(|stdin| stdin.write_all(&input)));
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.map(|stdout| stdout.take(LONGEST_ANSWER + 1).read_to_end(&mut bytes));
            // Nobody waits for it any more if the time was up.
            let _ = sender.send(read.is_some_and(|read| read.is_ok()).then_some(bytes));
        });
        let deadline = Instant::now() + self.timeout;
        let bytes = self.wait_for(&output, deadline, cancel)?.unwrap_or_default();
        if bytes.len() as u64 > LONGEST_ANSWER {
            return Err(Problem::TooLong);
        }
        self.check(self.wait_for_end(&mut group.child, deadline, cancel)?)?;
        texts(&String::from_utf8(bytes).map_err(|_| Problem::NotJson)?, request)
    }

    fn start(&self) -> Result<Group, Problem> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.directory).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| Problem::NotStarted(error.kind()))?;
        Ok(Group { child })
    }

    fn wait_for<T>(&self, output: &Receiver<T>, deadline: Instant, cancel: &Cancel) -> Result<T, Problem> {
        loop {
            match output.recv_timeout(NOTICES_WITHIN) {
                Ok(value) => return Ok(value),
                Err(RecvTimeoutError::Timeout) => self.check_time(deadline, cancel)?,
                Err(RecvTimeoutError::Disconnected) => return Err(Problem::NotJson),
            }
        }
    }

    /// Waits for a program that has closed its output.
    fn wait_for_end(
        &self,
        child: &mut Child,
        deadline: Instant,
        cancel: &Cancel,
    ) -> Result<ExitStatus, Problem> {
        loop {
            if let Some(status) = child.try_wait().map_err(|error| Problem::NotStarted(error.kind()))? {
                return Ok(status);
            }
            self.check_time(deadline, cancel)?;
            cancel.wait(Duration::from_millis(1));
        }
    }

    fn check_time(&self, deadline: Instant, cancel: &Cancel) -> Result<(), Problem> {
        match () {
            () if cancel.is_raised() => Err(Problem::Cancelled),
            () if Instant::now() >= deadline => Err(Problem::TooSlow(self.timeout)),
            () => Ok(()),
        }
    }

    fn check(&self, status: ExitStatus) -> Result<(), Problem> {
        match (status.code(), status.signal()) {
            (Some(0), _) => Ok(()),
            (Some(code), _) => Err(Problem::Exit(code)),
            (None, signal) => Err(Problem::Signal(signal.unwrap_or_default())),
        }
    }
}

/// A child that leads a process group, which ends with this.
struct Group {
    child: Child,
}

impl Drop for Group {
    fn drop(&mut self) {
        // Before the child is waited for its number, which is the group's, cannot be another's. If it was already,
        // the group still has its number as long as one of its processes lives; else there is none and nothing to do.
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.wait();
    }
}
