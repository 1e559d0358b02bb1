//! `run` allocates nothing, but once where it needs messages: counted by an allocator, on every rank. Nor do the algorithms of the literature.

use redist::plan::baseline::all;
use redist::plan::schedule::{Method, Strategy};
use redist::threads::{self, Rank};
use redist::{Error, Plan, Redistribution, RuntimePlan, Side, redistribute};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has no counter any more, and is not counted.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: every call is handed on to the system's allocator as it came; counting touches a thread-local number only.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and the pointer came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `realloc`, and the pointer came from `System`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

redistribute! {
    struct Kr: [f64; 10_000] { from: cyclic(10) onto 4, to: cyclic(2) onto 3 }
    struct Tiles: [f32; 100, 90] {
        from: (cyclic(16), cyclic(6)) onto (2, 2) storage fortran,
        to:   (cyclic(5), block) onto (1, 4) transposed,
    }
}

/// Allocations of each rank in ten runs, the first included.
fn allocations<const D: usize>(plan: &(impl Redistribution<D, Element: Default> + Sync)) -> Vec<usize> {
    allocations_after(0, plan, Strategy::Automatic)
}

/// Allocations of each rank in ten runs, after so many others.
fn allocations_after<const D: usize>(
    runs: usize,
    plan: &(impl Redistribution<D, Element: Default> + Sync),
    strategy: Strategy,
) -> Vec<usize> {
    let counted = threads::run(4, |rank: &Rank| {
        let mut bound = plan.bind_with(rank, strategy)?;
        let source = vec![Default::default(); bound.local_len(Side::Source)];
        let mut destination = vec![Default::default(); bound.local_len(Side::Destination)];
        for _ in 0..runs {
            bound.run(&source, &mut destination)?;
        }
        let before = ALLOCATIONS.get();
        for _ in 0..10 {
            bound.run(&source, &mut destination)?;
        }
        Ok::<_, Error>(ALLOCATIONS.get() - before)
    });
    counted.unwrap()
}

#[test]
fn running_allocates_nothing() {
    assert_eq!(allocations(&Kr::new()), [0; 4]);
    assert_eq!(allocations(&Tiles::new()), [0; 4]);
    let blocks = RuntimePlan::<u8, 1>::parse([100_000], "cyclic(3) onto 4", "block onto 4").unwrap();
    assert_eq!(allocations(&blocks), [0; 4]);
}

#[test]
fn intersecting_allocates_nothing_where_there_is_room() {
    for (from, to) in [
        ("cyclic(7) onto 4", "cyclic(11) onto 3"),
        ("cyclic(30) onto 4", "cyclic(2) onto 4"),
        ("cyclic(2) onto 4", "cyclic(30) onto 3"),
        ("block onto 4", "cyclic onto 4"),
        ("gen_block([100, 900]) onto 2", "cyclic onto 4"),
    ] {
        let axis = Plan::<1>::parse([1000], from, to).unwrap().axis(0);
        let mut found = Vec::with_capacity(1000);
        for algorithm in all().into_iter().filter(|algorithm| algorithm.applies(&axis).is_ok()) {
            let before = ALLOCATIONS.get();
            algorithm.intersect(&axis, 1, &mut found);
            assert_eq!(ALLOCATIONS.get() - before, 0, "{}: {from} to {to}", algorithm.name());
        }
    }
}

#[test]
fn running_by_steps_allocates_nothing() {
    let mut methods = 0;
    for method in Method::ALL {
        if Kr::new().plan().schedule(method).is_ok() {
            // Steps need messages: what copies them is made in the first run.
            assert_eq!(allocations_after(1, &Kr::new(), Strategy::Only(method)), [0; 4], "{method}");
            methods += 1;
        }
    }
    assert!(methods > 1, "no method has steps");
    assert_eq!(allocations_after(1, &Tiles::new(), Strategy::Only(Method::Caterpillar)), [0; 4]);
}

#[test]
fn starting_allocates_in_the_first_move_only() {
    let counted = threads::run(4, |rank: &Rank| {
        let mut bound = Kr::new().bind(rank)?;
        let source = vec![0.0; bound.local_len(Side::Source)];
        let mut destination = vec![0.0; bound.local_len(Side::Destination)];
        let mut start = || {
            let before = ALLOCATIONS.get();
            bound.start(&source, &mut destination)?.finish()?;
            Ok::<_, Error>(ALLOCATIONS.get() - before)
        };
        Ok::<_, Error>([start()?, start()?, start()?])
    });
    for [first, again, once_more] in counted.unwrap() {
        // One for all messages, and what copies them: it was not made when the plan was bound.
        assert!(first > 1, "{first} allocations when messages are first needed");
        assert_eq!((again, once_more), (0, 0));
    }
}

#[test]
fn the_counter_counts() {
    let before = ALLOCATIONS.get();
    std::hint::black_box(vec![0u8; 100]);
    assert_eq!(ALLOCATIONS.get() - before, 1);
}
