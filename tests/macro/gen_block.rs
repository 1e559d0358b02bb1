//! Blocks of given sizes in items of every tier.

use redist::exec::Tier;
use redist::layout::Dist;
use redist::plan::Class;
use redist::{Layout, Redistribution, redistribute};
use redist_testing::tiers::same_at_run_time;

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

#[test]
fn literals() {
    same_at_run_time(
        &Literal::new(),
        Tier::Literal,
        "gen_block([3, 4, 5]) onto 3",
        "cyclic(2) onto 2",
    );
    let empty = "(gen_block([0, 12, 0]), gen_block([9])) onto (3, 1) first (2, 0)";
    same_at_run_time(&Empty::new(), Tier::Literal, "(cyclic(4), *) onto 2", empty);
    same_at_run_time(
        &Both::new(),
        Tier::Literal,
        "gen_block([12, 0]) onto 2",
        "gen_block([5, 0, 7]) onto 3 ranks 2..5",
    );
    same_at_run_time(
        &Part::new(),
        Tier::Literal,
        "gen_block([10, 10]) onto 2 of 20 at 5",
        "cyclic(3) onto 2",
    );
    assert_eq!(Stays::new().plan().axis(0).class(), Class::Identity);
}

#[test]
fn constants() {
    let to = "(*, gen_block([1, 3, 2])) onto 3";
    same_at_run_time(&Constant::new(), Tier::Constant, "(gen_block([3, 9]), *) onto 2", to);
    same_at_run_time(
        &Turned::new(),
        Tier::Constant,
        "(block, *) onto 2",
        "(gen_block([3, 9]), *) onto 2 transposed",
    );
}

#[test]
fn generics() {
    same_at_run_time(
        &Generic::<1>::new(),
        Tier::Constant,
        "gen_block([1, 11]) onto 2",
        "cyclic onto 3",
    );
    same_at_run_time(
        &Generic::<12>::new(),
        Tier::Constant,
        "gen_block([12, 0]) onto 2",
        "cyclic(12) onto 3",
    );
}

#[test]
fn what_is_given_at_run_time() {
    let (from, to) = (
        "(cyclic(2), gen_block([3, 4, 5])) onto (1, 3)",
        "(cyclic(3), gen_block([3, 9])) onto (2, 2)",
    );
    same_at_run_time(&Extent::new(7).unwrap(), Tier::Constant, from, to);
    let sizes = [4, 8];
    let value = Value::new(Layout::new([Dist::gen_block(&sizes)], [2])).unwrap();
    same_at_run_time(
        &value,
        Tier::RunTime,
        "gen_block([4, 8]) onto 2",
        "gen_block([3, 0, 9]) onto 3",
    );
}

#[test]
fn nothing_repeats() {
    assert_eq!(Literal::new().windows().map(|table| table.pieces().len()), [0]);
    assert_eq!(Literal::new().kernels().exist(), [false; 2]);
    assert_eq!(Constant::new().kernels().exist(), [false; 2]);
    assert!(Literal::new().explain().contains("gen_block([3, 4, 5])"));
}
