//! An allocator that counts, for tests that something allocates nothing.
//!
//! A test binary that counts makes [`Counting`] its `#[global_allocator]`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator, counting for each thread by itself.
pub struct Counting;

/// What a thread has allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    /// How often.
    pub number: usize,
    /// Bytes of the largest.
    pub largest: usize,
}

thread_local! {
    static COUNTED: Cell<Allocations> = const { Cell::new(Allocations { number: 0, largest: 0 }) };
}

/// Bytes that all threads hold.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// Bytes that the program holds by this allocator. What libraries of C allocate is not among them.
pub fn held() -> usize {
    HELD.load(Ordering::Relaxed)
}

/// Bytes of an allocation from which on it is a long one: buffers of messages in tests are, tables
/// are not.
pub const LONG: usize = 16 << 10;

/// Bytes that all threads hold in long allocations, and the most that they have since that was last
/// asked for.
static LONG_HELD: AtomicUsize = AtomicUsize::new(0);
static LONG_PEAK: AtomicUsize = AtomicUsize::new(0);

/// Bytes that the program holds in allocations of at least [`LONG`] bytes, from where the peak begins
/// anew.
pub fn long_held() -> usize {
    let held = LONG_HELD.load(Ordering::SeqCst);
    LONG_PEAK.store(held, Ordering::SeqCst);
    held
}

/// The most bytes that the program has held in such allocations since [`long_held`] was called.
pub fn long_peak() -> usize {
    LONG_PEAK.load(Ordering::SeqCst)
}

/// What this thread allocates while it does `work`, which must not count by itself.
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
    // A thread that is ending has no counter any more, and is not counted.
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

// SAFETY: every call is handed on to the system's allocator as it came; counting touches a
// thread-local value and a counter only.
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
