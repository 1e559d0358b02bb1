//! An item of every kind for the macro, against the simulator.

use redist::exec::Tier;
use redist::plan::WindowTable;
use redist::threads::{self, Rank};
use redist::{Element, Error, Layout, Plan, Redistribution, Side, redistribute};
use redist_testing::array::{Messages, messages, planned};

const NB: usize = 8;

struct Qr;

impl Qr {
    const NB: usize = 12;
}

redistribute! {
    struct Kr: [f64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }
    struct LuToQr: [f64; 100, 90] {
        from: (cyclic(16), cyclic(16)) onto (2, 3) first (1, 2),
        to:   (cyclic(8), cyclic(12)) onto (3, 2),
    }
    struct ScalapackToRows: [f64; 60, 45] { from: scalapack(NB, Qr::NB, 2, 3, 1, 0), to: (block, *) onto 4 }
    struct SimToViz: [f32; 200, 30, 7] {
        from: (block, cyclic(2), *) onto (3, 2) ranks 0..6,
        to:   (*, block, *) onto (4) ranks 6..10,
    }
    struct Couple(peer: Layout<2>): [f64; 60, 60] { from: peer, to: (cyclic(NB), cyclic(NB)) onto (2, 2) }
    struct Reblock<T: Element>(m: usize, n: usize): [T; m, n] {
        from: (cyclic(NB), cyclic(Qr::NB)) onto (2, 3),
        to:   (cyclic(NB / 2), cyclic(32)) onto (2, 3),
        require: tables,
    }
    struct Any<T: Element>(m: usize, n: usize, a: Layout<2>, b: Layout<2>): [T; m, n] { from: a, to: b }
    struct Tran: [f64; 40, 25] {
        from: (cyclic(4), cyclic(3)) onto (2, 3),
        to:   (cyclic(5), cyclic(2)) onto (3, 2) transposed,
    }
    struct Panel: [f64; 50, 20] {
        from: (cyclic(16), cyclic(16)) onto (2, 2) of [128, 64] at [37, 5],
        to:   (cyclic(7), cyclic(4)) onto (2, 3) first (1, 2) of [60, 20] at [3, 0],
    }
    struct Weighted: [f64; 100, 12] {
        from: (gen_block([30, 0, 45, 25]), *) onto 4,
        to:   (cyclic(16), gen_block([7, 5])) onto (2, 2),
    }
    struct Balanced: [f64; 100] { from: gen_block([5 * NB, 60]) onto 2, to: gen_block([Qr::NB, 100 - Qr::NB]) onto 2 }
}

trait Tagged: Element + PartialEq + core::fmt::Debug {
    fn tag(rank: usize, offset: usize) -> Self;
}

impl Tagged for f64 {
    fn tag(rank: usize, offset: usize) -> Self {
        (1 + (rank << 16) + offset) as f64
    }
}

impl Tagged for f32 {
    fn tag(rank: usize, offset: usize) -> Self {
        // Exact, because no rank holds more than 32 768 elements.
        (1 + (rank << 15) + offset) as f32
    }
}

fn source<T: Tagged, const D: usize>(plan: &Plan<D>, rank: usize) -> Vec<T> {
    (0..plan.descriptor(Side::Source).local_len(rank)).map(|offset| T::tag(rank, offset)).collect()
}

fn simulated<T: Tagged, const D: usize>(plan: &Plan<D>, messages: &Messages) -> Vec<Vec<T>> {
    let len = |rank| plan.descriptor(Side::Destination).local_len(rank);
    let mut parts: Vec<Vec<T>> = (0..plan.ranks()).map(|rank| vec![T::ZERO; len(rank)]).collect();
    for (&(from, to), message) in messages {
        for &(here, there) in message {
            parts[to][there] = T::tag(from, here);
        }
    }
    parts
}

fn moved<T: Tagged, const D: usize>(
    redistribution: &(impl Redistribution<D, Element = T> + Sync),
) -> Vec<Vec<T>> {
    let plan = redistribution.plan();
    let run = |rank: &Rank| {
        let mut bound = redistribution.bind(rank)?;
        let mut destination = vec![T::ZERO; bound.local_len(Side::Destination)];
        bound.run(&source(&plan, rank.rank()), &mut destination)?;
        Ok::<_, Error>(destination)
    };
    threads::run(plan.ranks(), run).unwrap()
}

fn check<T: Tagged, const D: usize>(
    redistribution: &(impl Redistribution<D, Element = T> + Sync),
    tier: Tier,
    from: &str,
    to: &str,
) {
    let plan = redistribution.plan();
    let expected = messages(plan.extents(), &from.parse().unwrap(), &to.parse().unwrap());
    assert_eq!(planned(&plan), expected, "{}", redistribution.name());
    assert_eq!(
        moved(redistribution),
        simulated::<T, D>(&plan, &expected),
        "{}",
        redistribution.name()
    );
    assert_eq!(redistribution.tier(), tier, "{}", redistribution.name());
}

#[test]
fn all_from_literals() {
    check(&Kr::new(), Tier::Literal, "cyclic(10) onto 3", "cyclic(2) onto 3");
    let (from, to) = (
        "(cyclic(16), cyclic(16)) onto (2, 3) first (1, 2)",
        "(cyclic(8), cyclic(12)) onto (3, 2)",
    );
    check(&LuToQr::new(), Tier::Literal, from, to);
    let (from, to) = ("(block, cyclic(2), *) onto (3, 2)", "(*, block, *) onto 4 ranks 6..10");
    check(&SimToViz::new(), Tier::Literal, from, to);
    let (from, to) =
        ("(cyclic(4), cyclic(3)) onto (2, 3)", "(cyclic(5), cyclic(2)) onto (3, 2) transposed");
    check(&Tran::new(), Tier::Literal, from, to);
    let from = "(cyclic(16), cyclic(16)) onto (2, 2) of [128, 64] at [37, 5]";
    let to = "(cyclic(7), cyclic(4)) onto (2, 3) first (1, 2) of [60, 20] at [3, 0]";
    check(&Panel::new(), Tier::Literal, from, to);
    let (from, to) =
        ("(gen_block([30, 0, 45, 25]), *) onto 4", "(cyclic(16), gen_block([7, 5])) onto (2, 2)");
    check(&Weighted::new(), Tier::Literal, from, to);
}

#[test]
fn from_constants() {
    const PLAN: ScalapackToRows = ScalapackToRows::new();
    check(&PLAN, Tier::Constant, "scalapack(8, 12, 2, 3, 1, 0)", "(block, *) onto 4");
    check(
        &Balanced::new(),
        Tier::Constant,
        "gen_block([40, 60]) onto 2",
        "gen_block([12, 88]) onto 2",
    );
}

#[test]
fn extents_at_run_time() {
    for (m, n) in [(100, 77), (1, 60), (0, 3)] {
        let plan = Reblock::<f64>::new(m, n).unwrap();
        let (from, to) =
            ("(cyclic(8), cyclic(12)) onto (2, 3)", "(cyclic(4), cyclic(32)) onto (2, 3)");
        check(&plan, Tier::Constant, from, to);
        assert_eq!(plan.plan().extents(), [m, n]);
        assert_eq!(
            plan.windows().map(|table| table.pieces().len()),
            [0, 10],
            "8 → 4 has a closed form, 12 → 32 a window of 96"
        );
    }
    assert_eq!(
        Reblock::<f32>::new(30, 30).unwrap().plan(),
        Reblock::<f64>::new(30, 30).unwrap().plan()
    );
}

#[test]
fn one_side_at_run_time() {
    for peer in
        ["(block, *) onto 3", "scalapack(5, 7, 2, 2, 1, 1)", "(*, cyclic(8)) onto 2 ranks 4..6"]
    {
        let plan = Couple::new(peer.parse().unwrap()).unwrap();
        check(&plan, Tier::RunTime, peer, "(cyclic(8), cyclic(8)) onto (2, 2)");
    }
}

#[test]
fn everything_at_run_time() {
    let layouts = [
        ("(block, *) onto 3", "(*, block) onto 3"),
        ("(cyclic(4), cyclic(3)) onto (2, 3)", "(cyclic(5), cyclic(2)) onto (3, 2) transposed"),
        (
            "(cyclic(9), *) onto 2 of [50, 30] at [7, 1]",
            "(cyclic, cyclic) onto (2, 2) ranks 2..6 order col",
        ),
    ];
    for (from, to) in layouts {
        let plan = Any::<f32>::new(31, 25, from.parse().unwrap(), to.parse().unwrap()).unwrap();
        check(&plan, Tier::RunTime, from, to);
        assert_eq!(plan.windows(), [WindowTable::NONE; 2], "nothing of it is in the binary");
    }
}

#[test]
fn values_that_make_no_plan() {
    let parse = |text: &str| text.parse::<Layout<2>>().unwrap();
    let error = Any::<f64>::new(10, 10, parse("(block(4), *) onto 2"), parse("(block, *) onto 2"))
        .err()
        .unwrap();
    assert!(
        error.to_string().contains("dimension 0: block(4) on 2 ranks holds 8 elements"),
        "{error}"
    );
    let error = Couple::new(parse("(block, *) onto 2 transposed")).err().unwrap();
    assert!(error.to_string().contains("source layout"), "{error}");
}
