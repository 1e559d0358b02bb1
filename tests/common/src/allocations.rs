//! An allocator that counts: test binaries make [`Counting`] their `#[global_allocator]`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator, with counts for each thread.
pub struct Counting;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    pub number: usize,
    pub largest: usize,
}

thread_local! {
    static COUNTED: Cell<Allocations> = const { Cell::new(Allocations { number: 0, largest: 0 }) };
}

static HELD: AtomicUsize = AtomicUsize::new(0);

/// Returns the program's bytes by this allocator. C libraries do not count.
pub fn held() -> usize {
    HELD.load(Ordering::Relaxed)
}

/// Bytes of a long allocation: a message buffer of tests is as long, a table is not.
pub const LONG: usize = 16 << 10;

static LONG_HELD: AtomicUsize = AtomicUsize::new(0);
static LONG_PEAK: AtomicUsize = AtomicUsize::new(0);

/// Returns the bytes of allocations of at least [`LONG`] bytes. The peak begins again.
pub fn long_held() -> usize {
    let held = LONG_HELD.load(Ordering::SeqCst);
    LONG_PEAK.store(held, Ordering::SeqCst);
    held
}

/// Returns the most bytes of such allocations since the last [`long_held`].
pub fn long_peak() -> usize {
    LONG_PEAK.load(Ordering::SeqCst)
}

pub fn counted<R>(work: impl FnOnce() -> R) -> (R, Allocations) {
    COUNTED.set(Allocations::default());
    let done = work();
    (done, COUNTED.get())
}

fn count(bytes: usize) {
    HELD.fetch_add(bytes, Ordering::Relaxed);
    if bytes >= LONG {
        let held = LONG_HELD.fetch_add(bytes, Ordering::SeqCst) + bytes;
        LONG_PEAK.fetch_max(held, Ordering::SeqCst);
    }
    // A thread that is ending has lost its counter, and is not counted.
    let _ = COUNTED.try_with(|counted| {
        let Allocations { number, largest } = counted.get();
        counted.set(Allocations { number: number + 1, largest: largest.max(bytes) });
    });
}

fn free(bytes: usize) {
    HELD.fetch_sub(bytes, Ordering::Relaxed);
    if bytes >= LONG {
        LONG_HELD.fetch_sub(bytes, Ordering::SeqCst);
    }
}

// SAFETY: every call is passed on to the system's allocator unchanged. Counting touches only a
// thread-local value and a counter.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        free(layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`, and the pointer came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        free(layout.size());
        // SAFETY: the caller keeps the contract of `realloc`, and the pointer came from `System`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
