//! Maps of ranks in items of every tier, also relabelled, against the run time and the simulator.

use redist::exec::Tier;
use redist::layout::Ranks;
use redist::plan::schedule::Method;
use redist::threads::{self, Rank};
use redist::{Error, Layout, Redistribution, Side, TypedPlan, redistribute};
use redist_testing::array::{permuted, store};

const LAST: usize = 5;
const PEER: Layout<1> =
    Layout::new([redist::layout::Dist::Cyclic(3)], [3]).ranks(Ranks::Map(&[4, 0, 2]));

redistribute! {
    struct Literal: [u32; 24] { from: cyclic(4) onto 3 ranks [3, 1, 4], to: cyclic(2) onto 4 ranks [0, 4, 2, 1] }
    struct Grids: [u32; 12, 10] {
        from: (cyclic(2), block) onto (2, 3) ranks [5, 0, 3, 1, 4, 2] order col,
        to: (block, cyclic(3)) onto (3, 2) ranks [2, 6, 0, 5, 3, 1] storage fortran transposed,
    }
    struct Gather: [u32; 6, 4] { from: (block, *) onto 3 ranks [2, 0, 1], to: (*, *) ranks [2] }
    struct Consecutive: [u32; 24] { from: block onto 3 ranks [1, 2, 3], to: cyclic onto 2 }
    struct Constant: [u32; 24] { from: block onto 3 ranks [LAST, LAST - 2, 0], to: PEER }
    struct Generic<const N: usize>: [u32; 24] { from: cyclic(N) onto 2 ranks [N, N - 1], to: block onto 3 }
    struct Late(first: usize, second: usize): [u32; 24] {
        from: cyclic(4) onto 2 ranks [first, second],
        to: cyclic(3) onto 2 ranks [second, first + 3],
    }
    struct Value(to: Layout<1>): [u32; 24] { from: block onto 2 ranks [1, 0], to: to }
    struct Relabelled: [u32; 24] { from: cyclic(3) onto 4, to: cyclic(5) onto 4, relabel: to }
    struct Kept: [u32; 24] { from: block onto 4, to: block onto 4, relabel: to, require: stays >= 100% }
}

fn numbered<const D: usize>(plan: &impl Redistribution<D>, side: Side, rank: usize) -> Vec<u32> {
    let plan = plan.plan();
    let layout = plan.descriptor(side).layout();
    let axes: [usize; D] = core::array::from_fn(|axis| plan.axis_on(side, axis));
    let stored = store(permuted(plan.extents(), axes), layout);
    let mut local = vec![0; stored.lengths.get(&rank).copied().unwrap_or(0)];
    for (index, (owner, offset)) in stored.places.iter() {
        if owner == rank {
            let place = |number, axis: usize| number * plan.extents()[axis] + index[axes[axis]];
            local[offset] = (0..D).fold(0, place) as u32;
        }
    }
    local
}

#[track_caller]
fn check<const D: usize>(
    plan: &(impl Redistribution<D, Element = u32> + Sync),
    tier: Tier,
    from: &str,
    to: &str,
) {
    let other = TypedPlan::<u32, D>::parse(plan.plan().extents(), from, to).unwrap();
    assert_eq!((plan.plan(), plan.tier()), (other.plan(), tier));
    assert_eq!(plan.plan().digest(), other.plan().digest());
    for method in [Method::AllAtOnce, Method::Koenig] {
        let moved = threads::run(plan.plan().ranks(), |rank: &Rank| {
            let number = rank.rank();
            let mut bound = if number.is_multiple_of(2) {
                plan.binder().method(method).bind(rank)?
            } else {
                other.binder().method(method).bind(rank)?
            };
            let source = numbered(plan, Side::Source, number);
            let mut destination = vec![u32::MAX; bound.local_len(Side::Destination)];
            bound.run(&source, &mut destination)?;
            assert_eq!(destination, numbered(plan, Side::Destination, number), "rank {number}");
            Ok::<_, Error>(())
        });
        moved.unwrap();
    }
}

#[test]
fn literals() {
    let (from, to) = ("cyclic(4) onto 3 ranks [3, 1, 4]", "cyclic(2) onto 4 ranks [0, 4, 2, 1]");
    check(&Literal::new(), Tier::Literal, from, to);
    let from = "(cyclic(2), block) onto (2, 3) ranks [5, 0, 3, 1, 4, 2] order col";
    let to = "(block, cyclic(3)) onto (3, 2) ranks [2, 6, 0, 5, 3, 1] storage fortran transposed";
    check(&Grids::new(), Tier::Literal, from, to);
    check(&Gather::new(), Tier::Literal, "(block, *) onto 3 ranks [2, 0, 1]", "(*, *) ranks 2..3");
}

#[test]
fn a_map_of_consecutive_ranks_is_a_range() {
    check(&Consecutive::new(), Tier::Literal, "block onto 3 ranks 1..4", "cyclic onto 2");
    let explained = Consecutive::new().explain();
    assert!(explained.contains("ranks 1..4"), "{explained}");
}

#[test]
fn constants_and_generics() {
    let peer = "cyclic(3) onto 3 ranks [4, 0, 2]";
    check(&Constant::new(), Tier::Constant, "block onto 3 ranks [5, 3, 0]", peer);
    check(&Generic::<4>::new(), Tier::Constant, "cyclic(4) onto 2 ranks [4, 3]", "block onto 3");
}

#[test]
fn what_is_given_at_run_time() {
    let late = Late::new(2, 0).unwrap();
    let (from, to) = ("cyclic(4) onto 2 ranks [2, 0]", "cyclic(3) onto 2 ranks [0, 5]");
    check(&late, Tier::Literal, from, to);
    let value = Value::new("cyclic onto 3 ranks [2, 4, 0]".parse().unwrap()).unwrap();
    check(&value, Tier::RunTime, "block onto 2 ranks [1, 0]", "cyclic onto 3 ranks [2, 4, 0]");
    let error = Late::new(3, 3).map(|_| ()).unwrap_err().to_string();
    let twice = "source layout: `ranks` lists rank 3 twice, at places 0 and 1 (counted from 0)";
    assert!(
        error.contains(twice) && error.contains("`first`") && error.contains("`second`"),
        "{error}"
    );
}

/// A step is relative to its first peer's coordinate.
#[test]
fn code_for_the_blocks_does_not_depend_on_the_map() {
    redistribute! {
        struct Range: [u32; 960] { from: cyclic(8) onto 2, to: cyclic(2) onto 4 }
        struct Mapped: [u32; 960] { from: cyclic(8) onto 2 ranks [3, 0], to: cyclic(2) onto 4 ranks [1, 3, 0, 2] }
    }
    assert_eq!(Mapped::new().kernels().exist(), Range::new().kernels().exist());
    let (from, to) = ("cyclic(8) onto 2 ranks [3, 0]", "cyclic(2) onto 4 ranks [1, 3, 0, 2]");
    check(&Mapped::new(), Tier::Literal, from, to);
}

#[test]
fn the_macro_relabels_as_the_planner_does() {
    let plain = TypedPlan::<u32, 1>::parse([24], "cyclic(3) onto 4", "cyclic(5) onto 4").unwrap();
    let best = plain.plan().relabelled().unwrap();
    assert_eq!(Relabelled::new().plan(), best);
    assert_eq!((plain.plan().stays().value, best.stays().value), (4, 12));
    let to = best.descriptor(Side::Destination).layout().to_string();
    check(&Relabelled::new(), Tier::Literal, "cyclic(3) onto 4", &to);
    check(&Kept::new(), Tier::Literal, "block onto 4", "block onto 4");
}
