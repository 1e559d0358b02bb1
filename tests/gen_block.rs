//! `gen_block` in items of every tier: the same plan as at run time, the same bytes in the same
//! messages.

use redist::exec::Tier;
use redist::layout::Dist;
use redist::plan::Class;
use redist::threads::{self, Rank};
use redist::{Error, Layout, Redistribution, RuntimePlan, Side, redistribute};

const ROWS: usize = 3;
const REST: usize = 12 - ROWS;

redistribute! {
    struct Literal: [u32; 12] { from: gen_block([3, 4, 5]) onto 3, to: cyclic(2) onto 2 }
    struct Empty: [u32; 12, 9] {
        from: (cyclic(4), *) onto 2,
        to: (GEN_BLOCK([0, 12, 0]), gen_block([9])) onto (3, 1) first (2, 0),
    }
    struct Both: [u32; 12] { from: gen_block([12, 0]) onto 2, to: gen_block([5, 0, 7]) onto 3 ranks 2..5 }
    struct Stays: [u32; 12] { from: gen_block([6, 6]) onto 2, to: block onto 2 }
    struct Part: [u32; 12] { from: gen_block([10, 10]) onto 2 of 20 at 5, to: cyclic(3) onto 2 }
    struct Constant: [u32; ROWS + REST, 6] {
        from: (gen_block([ROWS, REST]), *) onto 2,
        to: (*, gen_block([1, ROWS, 2])) onto ROWS,
    }
    struct Turned: [u32; 6, 12] { from: (block, *) onto 2, to: (gen_block([ROWS, REST]), *) onto 2 transposed }
    struct Generic<const N: usize>: [u32; 12] { from: gen_block([N, 12 - N]) onto 2, to: cyclic(N) onto 3 }
    struct Extent(m: usize): [u32; m, 12] {
        from: (cyclic(2), gen_block([3, 4, 5])) onto (1, 3),
        to: (cyclic(3), gen_block([ROWS, REST])) onto (2, 2),
    }
    struct Value(a: Layout<1>): [u32; 12] { from: a, to: gen_block([ROWS, 0, REST]) onto 3 }
}

fn messages<const D: usize>(
    plan: &impl Redistribution<D, Element = u32>,
    rank: usize,
) -> Vec<Vec<u32>> {
    let local: Vec<u32> =
        (0..).take(plan.plan().descriptor(Side::Source).local_len(rank)).collect();
    let packing = plan.packing(rank);
    let mut messages: Vec<_> = packing.envelopes().iter().map(|to| vec![0; to.len]).collect();
    let mut slices: Vec<&mut [u32]> = messages.iter_mut().map(Vec::as_mut_slice).collect();
    packing.pack(&local, &mut slices);
    messages
}

/// Plans the same at run time; packs with both; moves an array with ranks that take turns in which
/// of them they use.
#[track_caller]
fn check<const D: usize>(
    plan: &(impl Redistribution<D, Element = u32> + Sync),
    tier: Tier,
    from: &str,
    to: &str,
) {
    let other = RuntimePlan::<u32, D>::parse(plan.plan().extents(), from, to).unwrap();
    assert_eq!((plan.plan(), plan.tier()), (other.plan(), tier));
    assert_eq!(plan.plan().digest(), other.plan().digest());
    let ranks = plan.plan().ranks();
    for rank in 0..ranks {
        assert_eq!(messages(plan, rank), messages(&other, rank), "rank {rank}");
    }
    let run = |mixed: bool| {
        threads::run(ranks, |rank: &Rank| {
            let mut bound = if mixed && rank.rank().is_multiple_of(2) {
                plan.bind(rank)?
            } else {
                other.bind(rank)?
            };
            let source: Vec<u32> =
                (100 * rank.rank() as u32..).take(bound.local_len(Side::Source)).collect();
            let mut destination = vec![0; bound.local_len(Side::Destination)];
            bound.run(&source, &mut destination)?;
            Ok::<_, Error>(destination)
        })
    };
    assert_eq!(run(true).unwrap(), run(false).unwrap());
}

#[test]
fn literals() {
    check(&Literal::new(), Tier::Literal, "gen_block([3, 4, 5]) onto 3", "cyclic(2) onto 2");
    let empty = "(gen_block([0, 12, 0]), gen_block([9])) onto (3, 1) first (2, 0)";
    check(&Empty::new(), Tier::Literal, "(cyclic(4), *) onto 2", empty);
    check(
        &Both::new(),
        Tier::Literal,
        "gen_block([12, 0]) onto 2",
        "gen_block([5, 0, 7]) onto 3 ranks 2..5",
    );
    check(&Part::new(), Tier::Literal, "gen_block([10, 10]) onto 2 of 20 at 5", "cyclic(3) onto 2");
    assert_eq!(Stays::new().plan().axis(0).class(), Class::Identity);
}

#[test]
fn constants() {
    let to = "(*, gen_block([1, 3, 2])) onto 3";
    check(&Constant::new(), Tier::Constant, "(gen_block([3, 9]), *) onto 2", to);
    check(
        &Turned::new(),
        Tier::Constant,
        "(block, *) onto 2",
        "(gen_block([3, 9]), *) onto 2 transposed",
    );
}

#[test]
fn generics() {
    check(&Generic::<1>::new(), Tier::Constant, "gen_block([1, 11]) onto 2", "cyclic onto 3");
    check(&Generic::<12>::new(), Tier::Constant, "gen_block([12, 0]) onto 2", "cyclic(12) onto 3");
}

#[test]
fn what_is_given_at_run_time() {
    let (from, to) = (
        "(cyclic(2), gen_block([3, 4, 5])) onto (1, 3)",
        "(cyclic(3), gen_block([3, 9])) onto (2, 2)",
    );
    check(&Extent::new(7).unwrap(), Tier::Constant, from, to);
    let sizes = [4, 8];
    let value = Value::new(Layout::new([Dist::gen_block(&sizes)], [2])).unwrap();
    check(&value, Tier::RunTime, "gen_block([4, 8]) onto 2", "gen_block([3, 0, 9]) onto 3");
}

/// Blocks of their own sizes do not repeat, so nothing is tabulated or unrolled.
#[test]
fn nothing_repeats() {
    assert_eq!(Literal::new().windows().map(|table| table.len()), [0]);
    assert_eq!(Literal::new().kernels().written(), [false; 2]);
    assert_eq!(Constant::new().kernels().written(), [false; 2]);
    assert!(Literal::new().explain().contains("gen_block([3, 4, 5])"));
}
