//! Counts what the parser allocates, and stops a worker whose parser passes a limit.
//!
//! Tree-sitter's C core allocates through four functions that a program may replace. Ours keep, per
//! thread, the live bytes, their maximum, and the work done: an allocation is one unit of work, and
//! [`Measurement::charge`] adds what else there is to count. Between two progress callbacks a parser may
//! allocate without end, and nothing can unwind through its C frames; so in a worker process passing a
//! limit ends the process there and then, with an exit code that says which limit.
//!
//! The counts are of bytes *asked for*, not of what an allocator makes of them, so they are the same
//! under every allocator and page size. For that each block carries its size in front.
//!
//! Memory comes from Rust's global allocator, which the binary sets to mimalloc.
//!
//! CPU of a parse of tokio and django (10.4 MB): 1.13 s with the C library's allocator, 0.99–1.06 s with
//! mimalloc bare, 1.03–1.07 s counted through it.
//!
//! **Trap:** a block allocated before [`install`] must not be freed behind it. Make parsers through
//! [`crate::new_parser`] only.

#![allow(
    unsafe_code,
    reason = "tree-sitter takes its allocator as C functions, and those hand out raw memory"
)]

use std::alloc::{self, Layout};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::{Once, OnceLock};

use crate::worker::{OVER_MEMORY_EXIT, OVER_WORK_EXIT};

/// In front of each block: its size, padded so that what follows is aligned as C's `malloc` aligns.
const HEADER: usize = 16;

/// Ends the process; set in workers only.
static EXIT: OnceLock<fn(i32) -> !> = OnceLock::new();

thread_local! {
    static METER: Meter = const { Meter::new() };
}

/// The counts of one thread and their limits. Live bytes are signed, because a tree may be dropped on
/// another thread than the one that made it.
struct Meter {
    live: Cell<i64>,
    peak: Cell<i64>,
    memory_limit: Cell<i64>,
    work: Cell<u64>,
    work_limit: Cell<u64>,
    passed: Cell<Option<Passed>>,
}

/// The limit that was passed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    Memory,
    Work,
}

impl Meter {
    const fn new() -> Self {
        Self {
            live: Cell::new(0),
            peak: Cell::new(0),
            memory_limit: Cell::new(i64::MAX),
            work: Cell::new(0),
            work_limit: Cell::new(u64::MAX),
            passed: Cell::new(None),
        }
    }

    #[inline]
    fn grow(&self, bytes: usize) {
        self.charge(1);
        let live = self.live.get() + bytes as i64;
        self.live.set(live);
        if live > self.peak.get() {
            self.peak.set(live);
            if live > self.memory_limit.get() {
                self.pass(Passed::Memory);
            }
        }
    }

    #[inline]
    fn shrink(&self, bytes: usize) {
        self.live.set(self.live.get() - bytes as i64);
    }

    #[inline]
    fn charge(&self, work: u64) {
        let work = self.work.get() + work;
        self.work.set(work);
        if work > self.work_limit.get() {
            self.pass(Passed::Work);
        }
    }

    #[cold]
    fn pass(&self, limit: Passed) {
        if self.passed.get().is_some() {
            return;
        }
        self.passed.set(Some(limit));
        if let Some(exit) = EXIT.get() {
            exit(match limit {
                Passed::Memory => OVER_MEMORY_EXIT,
                Passed::Work => OVER_WORK_EXIT,
            });
        }
    }
}

/// Makes this process a worker: a parser that passes a limit calls `exit` with
/// [`crate::OVER_MEMORY_EXIT`] or [`crate::OVER_WORK_EXIT`].
pub fn exit_when_over_limit(exit: fn(i32) -> !) {
    // A second call changes nothing: the process is a worker already.
    let _ = EXIT.set(exit);
}

/// Puts the counting functions in place, once.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    let counting = tree_sitter::Allocator {
        malloc: counting_malloc,
        calloc: counting_calloc,
        realloc: counting_realloc,
        free: counting_free,
    };
    // SAFETY: the four functions are one family, never return null, and align to 16 bytes; `Once` keeps
    // other threads from making a parser meanwhile, and parsers are made behind this call only.
    INSTALLED.call_once(|| unsafe { tree_sitter::set_allocator(Some(counting)) });
}

/// Measures a parser on this thread, from its making until it is dropped.
pub(crate) struct Measurement(());

impl Measurement {
    /// Starts at zero, with a limit of live bytes and one of work.
    pub(crate) fn start(memory_limit: u64, work_limit: u64) -> Self {
        METER.with(|meter| {
            meter.live.set(0);
            meter.peak.set(0);
            meter.memory_limit.set(i64::try_from(memory_limit).unwrap_or(i64::MAX));
            meter.work.set(0);
            meter.work_limit.set(work_limit);
            meter.passed.set(None);
        });
        Self(())
    }

    /// Adds work that is not an allocation.
    pub(crate) fn charge(&self, work: u64) {
        METER.with(|meter| meter.charge(work));
    }

    /// The limit that was passed first, be it for a moment.
    pub(crate) fn passed(&self) -> Option<Passed> {
        METER.with(|meter| meter.passed.get())
    }

    /// The most bytes that were live at once so far.
    pub(crate) fn peak(&self) -> u64 {
        METER.with(|meter| meter.peak.get()) as u64
    }

    /// The work done so far.
    pub(crate) fn work(&self) -> u64 {
        METER.with(|meter| meter.work.get())
    }
}

impl Drop for Measurement {
    fn drop(&mut self) {
        METER.with(|meter| {
            meter.memory_limit.set(i64::MAX);
            meter.work_limit.set(u64::MAX);
        });
    }
}

unsafe extern "C" fn counting_malloc(size: usize) -> *mut c_void {
    // SAFETY: `alloc` is a way to allocate.
    unsafe { allocate(size, alloc::alloc) }
}

unsafe extern "C" fn counting_calloc(count: usize, size: usize) -> *mut c_void {
    let total = count.saturating_mul(size);
    // SAFETY: `alloc_zeroed` is a way to allocate.
    unsafe { allocate(total, alloc::alloc_zeroed) }
}

unsafe extern "C" fn counting_realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        // SAFETY: as in `counting_malloc`.
        return unsafe { allocate(size, alloc::alloc) };
    }
    let new = layout(size);
    // SAFETY: C hands back only blocks it got from `allocate`, which are laid out so.
    let grown = unsafe {
        let (base, old_size) = base_and_size(block);
        METER.with(|meter| meter.shrink(old_size));
        METER.with(|meter| meter.grow(size));
        alloc::realloc(base, layout(old_size), new.size())
    };
    // SAFETY: the block, if there is one, has `new`'s layout.
    unsafe { hand_out(grown, size, new) }
}

unsafe extern "C" fn counting_free(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: C frees only blocks it got from `allocate`, each once.
    unsafe {
        let (base, size) = base_and_size(block);
        METER.with(|meter| meter.shrink(size));
        alloc::dealloc(base, layout(size));
    }
}

/// # Safety
/// `allocate` must allocate as `std::alloc::alloc` does.
#[inline]
unsafe fn allocate(size: usize, allocate: unsafe fn(Layout) -> *mut u8) -> *mut c_void {
    METER.with(|meter| meter.grow(size));
    let layout = layout(size);
    // SAFETY: the layout is never empty because of the header, and the block has that layout.
    unsafe { hand_out(allocate(layout), size, layout) }
}

/// Notes the size in the header and gives what follows it. Aborts on null: C does not check.
///
/// # Safety
/// `base` must be null or a block of `layout`, which is `layout(size)`.
#[inline]
unsafe fn hand_out(base: *mut u8, size: usize, layout: Layout) -> *mut c_void {
    if base.is_null() {
        alloc::handle_alloc_error(layout);
    }
    // SAFETY: the block is at least a header long and aligned to it.
    unsafe {
        ptr::write(base.cast::<usize>(), size);
        base.add(HEADER).cast()
    }
}

/// # Safety
/// `block` must come from `hand_out`.
#[inline]
unsafe fn base_and_size(block: *mut c_void) -> (*mut u8, usize) {
    // SAFETY: a header with the size lies in front of the block.
    unsafe {
        let base = block.cast::<u8>().sub(HEADER);
        (base, ptr::read(base.cast::<usize>()))
    }
}

#[inline]
fn layout(size: usize) -> Layout {
    match Layout::from_size_align(size.saturating_add(HEADER), HEADER) {
        Ok(layout) => layout,
        Err(_) => too_large(),
    }
}

/// No caller can be told: unwinding into C is not possible, and C does not check for null.
#[cold]
fn too_large() -> ! {
    alloc::handle_alloc_error(Layout::new::<u8>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_bytes_and_their_peak_are_counted() {
        let measurement = Measurement::start(100, u64::MAX);
        // SAFETY: each block is used within its size and freed once.
        unsafe {
            let first = counting_malloc(60);
            assert_eq!(measurement.peak(), 60);
            let first = counting_realloc(first, 90);
            assert_eq!((measurement.peak(), measurement.passed()), (90, None));
            let second = counting_calloc(5, 4);
            assert_eq!((measurement.peak(), measurement.passed()), (110, Some(Passed::Memory)));
            assert_eq!(std::slice::from_raw_parts(second.cast::<u8>(), 20), [0; 20]);
            counting_free(first);
            counting_free(second);
            counting_free(counting_realloc(ptr::null_mut(), 10));
            counting_free(ptr::null_mut());
        }
        assert_eq!(measurement.peak(), 110);
        assert_eq!(measurement.passed(), Some(Passed::Memory), "a moment over is over");
        assert_eq!(measurement.work(), 4, "frees are no work");
        drop(measurement);
        assert_eq!(Measurement::start(100, 100).peak(), 0, "each measurement starts anew");
    }

    #[test]
    fn the_first_limit_passed_is_the_one_named() {
        let measurement = Measurement::start(10, 101);
        measurement.charge(100);
        // SAFETY: the block is freed once.
        unsafe {
            counting_free(counting_malloc(1));
            assert_eq!(measurement.passed(), None);
            counting_free(counting_malloc(11));
        }
        assert_eq!(measurement.passed(), Some(Passed::Work));
    }

    #[test]
    fn blocks_are_aligned_and_keep_their_contents() {
        // SAFETY: each block is used within its size and freed once.
        unsafe {
            for size in [0, 1, 15, 16, 17, 1000] {
                let block = counting_malloc(size);
                assert_eq!(block as usize % 16, 0);
                ptr::write_bytes(block.cast::<u8>(), 7, size);
                let block = counting_realloc(block, size * 3);
                assert!(std::slice::from_raw_parts(block.cast::<u8>(), size).iter().all(|&byte| byte == 7));
                counting_free(block);
            }
        }
    }
}
