//! `run` allocates nothing after its first messages: an allocator counts, on every rank.

use crate::alone;
use redist::exec::scale_add;
use redist::plan::{Diag, Uplo};
use redist::threads::{self, Rank};
use redist::{Error, Redistribution, Side, TypedPlan, redistribute};
use redist_testing::allocations::counted;

redistribute! {
    struct Kr: [f64; 10_000] { from: cyclic(10) onto 4, to: cyclic(2) onto 3 }
    struct Tiles: [f32; 100, 90] {
        from: (cyclic(16), cyclic(6)) onto (2, 2) storage fortran,
        to:   (cyclic(5), block) onto (1, 4) transposed,
    }
}

fn allocations<const D: usize>(
    plan: &(impl Redistribution<D, Element: Default> + Sync),
) -> Vec<usize> {
    let numbers = threads::run(4, |rank: &Rank| {
        let mut bound = plan.bind(rank)?;
        let source = vec![Default::default(); bound.local_len(Side::Source)];
        let mut destination = vec![Default::default(); bound.local_len(Side::Destination)];
        let ten_runs = || (0..10).try_for_each(|_| bound.run(&source, &mut destination));
        let (ran, allocations) = counted(ten_runs);
        ran.map(|()| allocations.number)
    });
    numbers.unwrap()
}

#[test]
fn running_allocates_nothing() {
    let _alone = alone();
    assert_eq!(allocations(&Kr::new()), [0; 4]);
    assert_eq!(allocations(&Tiles::new()), [0; 4]);
    let blocks = TypedPlan::<u8, 1>::parse([100_000], "cyclic(3) onto 4", "block onto 4").unwrap();
    assert_eq!(allocations(&blocks), [0; 4]);
}

#[test]
fn starting_allocates_in_the_first_move_only() {
    let _alone = alone();
    let numbers = threads::run(4, |rank: &Rank| {
        let mut bound = Kr::new().bind(rank)?;
        let source = vec![0.0; bound.local_len(Side::Source)];
        let mut destination = vec![0.0; bound.local_len(Side::Destination)];
        let mut start = || {
            let (done, allocations) = counted(|| bound.start(&source, &mut destination)?.finish());
            done.map(|()| allocations.number)
        };
        Ok::<_, Error>([start()?, start()?, start()?])
    });
    for [first, again, once_more] in numbers.unwrap() {
        // One allocation for all messages, and tables to copy them, which binding did not make.
        assert!(first > 1, "{first} allocations when messages are first needed");
        assert_eq!((again, once_more), (0, 0));
    }
}

#[test]
fn functions_and_trapezoids_allocate_in_the_first_move_only() {
    let _alone = alone();
    let allocations = |part: Option<(Uplo, Diag)>| {
        let numbers = threads::run(4, |rank: &Rank| {
            let plan = Tiles::new();
            let binder = plan.binder();
            let mut bound = match part {
                Some((uplo, diag)) => binder.trapezoid(uplo, diag).bind(rank)?,
                None => binder.bind(rank)?,
            };
            let source = vec![1.0; bound.local_len(Side::Source)];
            let mut sums = vec![0.0_f64; bound.local_len(Side::Destination)];
            let mut add = || bound.run_with(&source, &mut sums, scale_add(1.0, 1.0));
            add()?;
            let (added, allocations) = counted(|| (0..10).try_for_each(|_| add()));
            added.map(|()| allocations.number)
        });
        numbers.unwrap()
    };
    assert_eq!(allocations(None), [0; 4]);
    assert_eq!(allocations(Some((Uplo::Lower, Diag::Unit))), [0; 4]);
}

#[test]
fn the_counter_counts() {
    let _alone = alone();
    let (_, allocations) = counted(|| std::hint::black_box(vec![0u8; 100]));
    assert_eq!((allocations.number, allocations.largest), (1, 100));
}
