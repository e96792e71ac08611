use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

/// The most memory this process had resident so far, in bytes; 0 where the system does not say.
pub fn peak_memory() -> u64 {
    peak(UsageWho::RUSAGE_SELF)
}

/// The most memory that any one child which has ended had resident, in bytes; 0 where the system does not
/// say.
pub fn peak_memory_of_children() -> u64 {
    peak(UsageWho::RUSAGE_CHILDREN)
}

/// Asks the system for small pages of memory from now on, in this process and its children; does nothing
/// where that is not known. Call it before anything large is allocated.
///
/// A page of 2 MiB is zeroed whole when its first byte is used, which costs a short run more than all it
/// computes: with small pages one edit in django (2,823 files) takes 32 MB instead of 69 MB and a third less
/// CPU time, and a full build takes 222 MB instead of 267 MB in the same CPU time.
pub fn prefer_small_pages() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

fn peak(who: UsageWho) -> u64 {
    // Linux and the BSDs count in KiB, Apple's systems in bytes.
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    getrusage(who).ok().and_then(|usage| u64::try_from(usage.max_rss()).ok()).unwrap_or(0) * unit
}

/// Measures time for reports; never for decisions that reach an output.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Seconds since 1970, for the record of a run; never for anything that reaches a handbook.
pub fn unix_time() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}
