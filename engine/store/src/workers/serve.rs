use std::io::{Read, Write};
use std::sync::mpsc;

use super::frame::{HEADER, header_of, parse_header};

/// The worker's side: answers requests from stdin on stdout, one after the other, until stdin closes; then
/// ends the process with code 0. A closing stdin, which is what the death of the supervisor looks like from
/// here, ends the process also while `answer` runs.
///
/// Nothing else may write to stdout. To end with a code that means something to the supervisor's caller,
/// call [`end_worker`] inside `answer`.
pub fn serve(answer: &mut dyn FnMut(Vec<u8>) -> Vec<u8>) -> ! {
    let (sender, requests) = mpsc::channel();
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        while let Some(request) = receive(&mut stdin) {
            if sender.send(request).is_err() {
                break;
            }
        }
        end_worker(0)
    });
    while let Ok(request) = requests.recv() {
        send(&answer(request));
    }
    end_worker(0)
}

/// Ends this process with `code`, from any thread.
pub fn end_worker(code: u8) -> ! {
    std::process::exit(i32::from(code))
}

/// The next request; none when stdin is at its end or talks nonsense.
fn receive(stdin: &mut impl Read) -> Option<Vec<u8>> {
    let mut bytes = [0; HEADER];
    stdin.read_exact(&mut bytes).ok()?;
    let header = parse_header(&bytes)?;
    let mut payload = Vec::new();
    stdin.take(header.length as u64).read_to_end(&mut payload).ok()?;
    header.fits(&payload).then_some(payload)
}

/// Sends an answer; if nobody listens any more, there is nothing left to do.
fn send(payload: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    let sent = stdout
        .write_all(&header_of(payload))
        .and_then(|()| stdout.write_all(payload))
        .and_then(|()| stdout.flush());
    if sent.is_err() {
        end_worker(0)
    }
}
