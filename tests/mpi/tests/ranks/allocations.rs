//! What a rank allocates, counted by an allocator: messages when they are first needed, and nothing from then on.

use crate::FROM_THREE;
use crate::arrays::{Parts, case, plan};
use crate::common::strategies;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::mpi::{Routable, Route};
use redist::plan::schedule::{Method, Strategy};
use redist::{Bound, Redistribution};
use redist_mpi_tests::{Case, Outcome};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

pub const CASES: &[Case] = &[
    Case::new("allocations::messages_when_they_are_needed", FROM_THREE, messages_when_needed),
    Case::new("allocations::none_in_repeated_runs", FROM_THREE, none_in_repeated_runs),
    Case::new("allocations::none_between_shared_arrays", FROM_THREE, none_between_shared_arrays),
];

struct Counting;

thread_local! {
    /// Allocations of this thread, and bytes of the largest.
    static COUNTED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

fn count(bytes: usize) {
    // A thread that is ending has no counter any more, and is not counted.
    let _ = COUNTED.try_with(|counted| {
        let (number, largest) = counted.get();
        counted.set((number + 1, largest.max(bytes)));
    });
}

// SAFETY: every call is handed on to the system's allocator as it came; counting touches a thread-local number only.
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
        // SAFETY: the caller keeps the contract of `dealloc`, and the pointer came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the caller keeps the contract of `realloc`, and the pointer came from `System`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often `work` allocates, and bytes of its largest allocation.
fn counted<R>(work: impl FnOnce() -> R) -> (R, (usize, usize)) {
    COUNTED.set((0, 0));
    let done = work();
    (done, COUNTED.get())
}

const LEN: usize = 30_000;

fn to(layout: &str) -> strategies::Case<1> {
    case([LEN], "block onto 3", layout)
}

/// Binding takes as little memory for large arrays as for small ones.
fn messages_when_needed(world: &SimpleCommunicator) -> Outcome {
    let case = to("cyclic(8) onto 3");
    let (parts, plan) = (Parts::<u64>::new(&case, world.rank() as usize), plan(&case));
    let messages = world.via(Route::Messages);
    let (bound, (_, largest)) = counted(|| plan.bind(&messages));
    let mut bound = bound?;
    assert!(largest < LEN / 3, "bind allocates {largest} bytes at once");
    let (source, mut destination) = (parts.source(1), parts.untouched());
    let (ran, (_, largest)) = counted(|| bound.run(&source, &mut destination));
    ran?;
    assert!(world.rank() >= 3 || largest >= LEN / 3 * 8, "the first run allocates messages, not {largest} bytes");
    parts.same(&destination, 1)
}

/// Whole messages, messages one by one, and messages in steps.
fn none_in_repeated_runs(world: &SimpleCommunicator) -> Outcome {
    for case in [to("cyclic(8) onto 3"), to("cyclic(500) onto 3")] {
        let parts = Parts::new(&case, world.rank() as usize);
        none(&parts, &mut plan(&case).bind(world)?)?;
        none(&parts, &mut plan(&case).bind_with(world, Strategy::Only(Method::Caterpillar))?)?;
    }
    Ok(())
}

fn none(parts: &Parts<u64>, bound: &mut Bound<u64, SimpleCommunicator>) -> Outcome {
    parts.moved(bound, 1)?;
    // Where runs need no messages, this is the first time that there are some.
    let (source, mut destination) = (parts.source(1), parts.untouched());
    bound.start(&source, &mut destination)?.finish()?;
    for round in 2..10 {
        let (source, mut destination) = (parts.source(round), parts.untouched());
        let (ran, (number, _)) = counted(|| bound.run(&source, &mut destination));
        ran?;
        assert_eq!(number, 0, "allocations in round {round}");
        let (started, (number, _)) = counted(|| bound.start(&source, &mut destination)?.finish());
        started?;
        assert_eq!(number, 0, "allocations of a start in round {round}");
        parts.same(&destination, round)?;
    }
    Ok(())
}

/// The first move makes what the ranks divide the array by, if there is enough of it; the next ones allocate nothing.
fn none_between_shared_arrays(world: &SimpleCommunicator) -> Outcome {
    let case = to("cyclic(8) onto 3");
    let parts = Parts::<[u64; 9]>::new(&case, world.rank() as usize);
    let mut bound = plan(&case).bind(world)?;
    let (mut from, mut to) = (bound.shared_source()?, bound.shared_destination()?);
    for round in 0..10 {
        from.copy_from_slice(&parts.source(round));
        let (ran, (number, _)) = counted(|| bound.run_between_shared(&from, &mut to));
        ran?;
        assert!(number == 0 || round == 0, "{number} allocations in round {round}");
        let (ran, (number, _)) = counted(|| bound.run_shared(&from, &mut to));
        ran?;
        assert!(number == 0 || round == 0, "{number} allocations from a shared array in round {round}");
        parts.same(&to, round)?;
    }
    Ok(())
}
