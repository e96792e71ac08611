use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::frame::{HEADER, header_of, parse_header};
use super::pool::{Answer, Ending, WorkerCommand};
use crate::signals::Interrupt;

/// How long one wait lasts before the user's wish to stop is looked at again.
const SLICE: Duration = Duration::from_millis(50);

/// One running worker. Dropping it ends it.
pub(super) struct WorkerChild {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

/// Why a conversation broke off.
enum Trouble {
    /// The other side closed its end.
    Closed,
    Silent,
    Nonsense,
    Interrupted,
}

impl WorkerChild {
    pub(super) fn start(command: &WorkerCommand) -> Option<Self> {
        let mut child = Command::new(&command.program)
            .args(&command.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .ok()?;
        let (stdin, stdout) = (child.stdin.take()?, child.stdout.take()?);
        for pipe in [stdin.as_fd(), stdout.as_fd()] {
            rustix::io::ioctl_fionbio(pipe, true).ok()?;
        }
        Some(Self { child, stdin, stdout })
    }

    /// Hands over one request and waits for the answer. After anything but [`Answer::Done`] the worker has
    /// ended.
    pub(super) fn ask(
        mut self,
        request: &[u8],
        patience: Duration,
        stop: &Interrupt,
    ) -> (Answer, Option<Self>) {
        let limit = Limit { start: Instant::now(), patience, stop };
        let outcome = self.send(request, &limit).and_then(|()| self.receive(&limit));
        let trouble = match outcome {
            Ok(answer) => return (Answer::Done(answer), Some(self)),
            Err(trouble) => trouble,
        };
        let answer = match trouble {
            Trouble::Interrupted => Answer::Interrupted,
            Trouble::Silent => Answer::Lost(Ending::Silent),
            Trouble::Nonsense => Answer::Lost(Ending::Unusable),
            Trouble::Closed => Answer::Lost(self.own_ending()),
        };
        (answer, None)
    }

    fn send(&mut self, request: &[u8], limit: &Limit<'_>) -> Result<(), Trouble> {
        let header = header_of(request);
        for part in [header.as_slice(), request] {
            let mut rest = part;
            while !rest.is_empty() {
                limit.wait(self.stdin.as_fd(), PollFlags::OUT)?;
                match self.stdin.write(rest) {
                    Ok(0) => return Err(Trouble::Closed),
                    Ok(written) => rest = &rest[written..],
                    Err(error) if is_transient(&error) => {}
                    Err(_) => return Err(Trouble::Closed),
                }
            }
        }
        Ok(())
    }

    fn receive(&mut self, limit: &Limit<'_>) -> Result<Vec<u8>, Trouble> {
        let bytes = self.receive_exactly(HEADER, limit)?;
        let header = bytes.first_chunk().and_then(parse_header).ok_or(Trouble::Nonsense)?;
        let payload = self.receive_exactly(header.length, limit)?;
        if header.fits(&payload) { Ok(payload) } else { Err(Trouble::Nonsense) }
    }

    /// Reads so many bytes. Memory grows with what comes, not with what a header promised.
    fn receive_exactly(&mut self, length: usize, limit: &Limit<'_>) -> Result<Vec<u8>, Trouble> {
        let mut bytes = Vec::new();
        let mut chunk = [0; 1 << 16];
        while bytes.len() < length {
            limit.wait(self.stdout.as_fd(), PollFlags::IN)?;
            let room = chunk.len().min(length - bytes.len());
            match self.stdout.read(&mut chunk[..room]) {
                Ok(0) => return Err(Trouble::Closed),
                Ok(read) => bytes.extend_from_slice(&chunk[..read]),
                Err(error) if is_transient(&error) => {}
                Err(_) => return Err(Trouble::Closed),
            }
        }
        Ok(bytes)
    }

    /// How a worker that closed its side ended. It may close its pipes a moment before it is dead.
    fn own_ending(&mut self) -> Ending {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            match self.child.try_wait() {
                Ok(Some(status)) => return ending(status),
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                Err(_) => break,
            }
        }
        Ending::Unusable
    }
}

impl Drop for WorkerChild {
    fn drop(&mut self) {
        // Killing is safe at any moment: a worker writes nothing but its answers.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ending(status: std::process::ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exited(code),
        (None, Some(signal)) => Ending::Killed(signal),
        (None, None) => Ending::Unusable,
    }
}

/// How long one request may take.
struct Limit<'s> {
    start: Instant,
    patience: Duration,
    stop: &'s Interrupt,
}

impl Limit<'_> {
    /// Waits until the pipe can be read or written, as long as the patience lasts and nobody asks to stop.
    fn wait(&self, pipe: BorrowedFd<'_>, what: PollFlags) -> Result<(), Trouble> {
        loop {
            if self.stop.received().is_some() {
                return Err(Trouble::Interrupted);
            }
            let left = self.patience.saturating_sub(self.start.elapsed());
            let slice = Timespec::try_from(left.min(SLICE)).map_err(|_| Trouble::Nonsense)?;
            match poll(&mut [PollFd::from_borrowed_fd(pipe, what)], Some(&slice)) {
                Ok(0) if left.is_zero() => return Err(Trouble::Silent),
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                // Readable, writable, or closed: the next call finds out which.
                Ok(_) => return Ok(()),
                Err(_) => return Err(Trouble::Closed),
            }
        }
    }
}

fn is_transient(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::Interrupted | std::io::ErrorKind::WouldBlock)
}
