//! Parts of all ranks in ordinary memory, and ranks as threads, for tests and models.

#[cfg(loom)]
use crate::transport::threads::models::{check, play};
use std::alloc::{Layout, alloc_zeroed, dealloc};
#[cfg(loom)]
use std::rc::Rc;
#[cfg(loom)]
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

pub struct MemoryInParts {
    parts: Vec<AtomicPtr<u8>>,
    layout: Layout,
}

impl MemoryInParts {
    /// Parts of as many bytes, which begin with a page.
    pub fn new(ranks: usize, bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes, 4096).unwrap();
        assert!(layout.size() > 0);
        // SAFETY: the layout is not empty, as asserted above.
        let part = || unsafe { alloc_zeroed(layout) };
        let parts: Vec<_> = (0..ranks).map(|_| AtomicPtr::new(part())).collect();
        let memory = Self { parts, layout };
        assert!(memory.parts().iter().all(|part| !part.is_null()));
        memory
    }

    pub fn parts(&self) -> Vec<*mut u8> {
        self.parts.iter().map(|part| part.load(Ordering::Relaxed)).collect()
    }
}

impl Drop for MemoryInParts {
    fn drop(&mut self) {
        for part in &mut self.parts {
            // SAFETY: it was allocated with this layout.
            unsafe { dealloc(*part.get_mut(), self.layout) };
        }
    }
}

/// Runs ranks as threads. All make their state first, and the memory outlives it.
#[cfg(not(loom))]
pub fn run<S>(
    (ranks, bytes): (usize, usize),
    make: impl Fn(&MemoryInParts, usize) -> S + Sync,
    body: impl Fn(&S) + Sync,
) {
    let (memory, all_are_here) = (MemoryInParts::new(ranks, bytes), std::sync::Barrier::new(ranks));
    std::thread::scope(|scope| {
        for rank in 0..ranks {
            let (memory, all_are_here, make, body) = (&memory, &all_are_here, &make, &body);
            scope.spawn(move || {
                let own = make(memory, rank);
                all_are_here.wait();
                body(&own);
            });
        }
    });
}

/// Runs ranks in every order that `loom` tries. All make their state before any of them goes on,
/// and each keeps the memory.
#[cfg(loom)]
pub fn model<S: 'static>(
    preemptions: usize,
    (ranks, bytes): (usize, usize),
    make: impl Fn(&MemoryInParts, usize) -> S + Send + Sync + 'static,
    body: impl Fn(&S) + Send + Sync + 'static,
) {
    let body = Arc::new(body);
    check(preemptions, move || {
        let memory = Rc::new(MemoryInParts::new(ranks, bytes));
        let start = |rank| {
            let own = make(&memory, rank);
            let (memory, body) = (Rc::clone(&memory), body.clone());
            move || {
                body(&own);
                drop(memory);
            }
        };
        play((0..ranks).map(start));
    });
}
