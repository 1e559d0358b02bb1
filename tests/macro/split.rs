//! Dimensions that are seen as arrays of factors, in items of every tier.

use redist::exec::Tier;
use redist::layout::{Dist, Factor, FactorDist};
use redist::plan::Class;
use redist::{Layout, Redistribution, redistribute};
use redist_testing::tiers::same_at_run_time;

const GROUPS: usize = 6;

redistribute! {
    struct Literal: [u32; 24] { from: split([6, 4], cyclic onto 2, block onto 2) onto 4, to: cyclic(5) onto 2 }
    struct Shapes: [u32; 24, 3] {
        from: (split([6, 4], block balanced, *), *) onto 4,
        to: (SPLIT([4, 6], *, block(4) onto 2), cyclic) onto (2, 2) first (1, 0),
    }
    struct Fits: [u32; 24] { from: block onto 2, to: split([2, 3, 4], *, *, cyclic(2)) onto 2 }
    struct Constant: [u32; 4 * GROUPS] {
        from: split([GROUPS, 4], block, *) onto 5,
        to: split([GROUPS, 2, 2], *, cyclic, block onto 2) onto 4,
    }
    struct Generic<const N: usize>: [u32; 24] {
        from: split([N, 24 / N], *, block) onto 5,
        to: split([N, 24 / N], cyclic(N) onto N, block onto N) onto N * N,
    }
    struct Value(a: Layout<1>): [u32; 24] { from: a, to: split([8, 3], *, block) onto 2 }
    struct Extent(m: usize): [u32; 24, m] {
        from: (split([8, 3], block, *), *) onto 3,
        to: (split([3, 8], *, block), *) onto 3,
    }
}

#[test]
fn literals() {
    let split = "split([6, 4], cyclic onto 2, block onto 2) onto 4";
    same_at_run_time(&Literal::new(), Tier::Literal, split, "cyclic(5) onto 2");
    let from = "(split([6, 4], block balanced, *), *) onto 4";
    let to = "(split([4, 6], *, block(4) onto 2), cyclic) onto (2, 2) first (1, 0)";
    same_at_run_time(&Shapes::new(), Tier::Literal, from, to);
    let to = "split([2, 3, 4], *, *, cyclic(2)) onto 2";
    same_at_run_time(&Fits::new(), Tier::Literal, "block onto 2", to);
    assert_eq!(Fits::new().plan().axis(0).class(), Class::KrToR { k: 6, r: 2 });
}

#[test]
fn constants_generics_and_values() {
    let [from, to] =
        ["split([6, 4], block, *) onto 5", "split([6, 2, 2], *, cyclic, block onto 2) onto 4"];
    same_at_run_time(&Constant::new(), Tier::Constant, from, to);
    let [from, to] = [
        "split([2, 12], *, block) onto 5",
        "split([2, 12], cyclic(2) onto 2, block onto 2) onto 4",
    ];
    same_at_run_time(&Generic::<2>::new(), Tier::Constant, from, to);
    let halves = [
        Factor::new(2, FactorDist::Collapsed),
        Factor::new(12, FactorDist::Balanced { last: true }),
    ];
    let layout = Layout::new([Dist::split(&halves)], [5]);
    let from = "split([2, 12], *, block balanced last) onto 5";
    same_at_run_time(
        &Value::new(layout).unwrap(),
        Tier::RunTime,
        from,
        "split([8, 3], *, block) onto 2",
    );
    let [from, to] = ["(split([8, 3], block, *), *) onto 3", "(split([3, 8], *, block), *) onto 3"];
    same_at_run_time(&Extent::new(7).unwrap(), Tier::Literal, from, to);
}
