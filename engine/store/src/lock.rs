use std::time::{Duration, Instant};

use crate::fs::{FileSystem, LockAttempt, LockGuard};
use crate::{ErrorKind, Operation, StoreError, StoreResult};

/// How often a waiting process asks again.
const POLL: Duration = Duration::from_millis(10);

/// Who takes a lock, as the next one in the queue will read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holder(String);

impl Holder {
    /// This process, running `command` (`"bindery build"`).
    pub fn this_process(command: &str) -> Self {
        Self(format!("`{command}`, process {}", std::process::id()))
    }
}

/// A lock that is held until this value is dropped.
pub struct HeldLock {
    _guard: Box<dyn LockGuard>,
}

/// Takes the lock at `path`, waiting as long as `wait` for whoever has it; then the error names them.
pub(crate) fn acquire(
    file_system: &dyn FileSystem,
    path: &[u8],
    holder: &Holder,
    wait: Duration,
) -> StoreResult<HeldLock> {
    let start = Instant::now();
    loop {
        match file_system.try_lock(path, holder.0.as_bytes())? {
            LockAttempt::Acquired(guard) => return Ok(HeldLock { _guard: guard }),
            LockAttempt::HeldBy(other) if start.elapsed() >= wait => {
                let shown = file_system.shown(path);
                let error = StoreError::new(ErrorKind::LockHeld, Operation::Lock, shown);
                return Err(error.with_detail(described(&other)));
            }
            LockAttempt::HeldBy(_) => std::thread::sleep(POLL),
        }
    }
}

/// What a lock file says of its holder. The file may have been written by anything: one printable line.
fn described(holder: &[u8]) -> String {
    let text = String::from_utf8_lossy(&holder[..holder.len().min(200)]);
    let line: String = text.chars().take_while(|c| !c.is_control()).collect();
    if line.is_empty() { "by a process that left no name".to_owned() } else { format!("by {line}") }
}
