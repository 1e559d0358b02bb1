//! Figures of Hsu and Chung, *Efficient Methods for kr → r and r → kr Array Redistribution*, with
//! their numbers; ranks and elements count from 0.

use redist::plan::{Plan, Side};
use redist_study::baseline::equations::{
    first_offset_gathered, first_offset_scattered, gathered, scattered,
};

/// The figure's four rows: BLOCK, CYCLIC, block-cyclic(2) and block-cyclic(3).
#[test]
fn figure_1_owners_of_18_elements_on_3_ranks() {
    let rows = [
        ("block", "0 0 0 0 0 0 1 1 1 1 1 1 2 2 2 2 2 2"),
        ("cyclic", "0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2"),
        ("cyclic(2)", "0 0 1 1 2 2 0 0 1 1 2 2 0 0 1 1 2 2"),
        ("cyclic(3)", "0 0 0 1 1 1 2 2 2 0 0 0 1 1 1 2 2 2"),
    ];
    for (dist, owners) in rows {
        let plan = Plan::<1>::parse([18], &format!("{dist} onto 3"), "block onto 3").unwrap();
        let deal = plan.axis(0).side(Side::Source);
        let found: Vec<String> = (0..18).map(|index| deal.owner(index).to_string()).collect();
        assert_eq!(found.join(" "), owners, "{dist}");
    }
}

/// Blocks of 6 to 2 on 2 ranks. Destination 0 keeps each source's first element at α, and γ a
/// cycle.
#[test]
fn figure_4_alpha_and_gamma() {
    let of = |i, j| (first_offset_scattered(i, j, (3, 2), 2), scattered(i, j, (3, 2), 2));
    assert_eq!([of(0, 0), of(1, 0)], [(0, 4), (4, 2)]);
    assert_eq!([of(0, 1), of(1, 1)], [(0, 2), (2, 4)]);
}

/// Blocks of 2 to 6 on 2 ranks. Destination 0 keeps each source's first element at β, and δ a
/// cycle: blocks of 2, each 4 after the last. The next cycle is 6 after.
#[test]
fn figure_6_beta_and_delta() {
    let of = |i, j| (first_offset_gathered(i, j, (3, 2), 2), gathered(i, j, (3, 2), 2));
    assert_eq!([of(0, 0), of(1, 0)], [(0, 4), (2, 2)]);
    assert_eq!([of(0, 1), of(1, 1)], [(2, 2), (0, 4)]);
    let plan = Plan::<1>::parse([24], "cyclic(2) onto 2", "cyclic(6) onto 2").unwrap();
    let axis = plan.axis(0);
    let [from, to] = [Side::Source, Side::Destination].map(|side| axis.side(side));
    let places = |i: usize, j: usize| -> Vec<usize> {
        let elements = (0..24).filter(|g| (from.owner(*g), to.owner(*g)) == (i, j));
        elements.map(|g| to.local(g)).collect()
    };
    assert_eq!(places(0, 0), [0, 1, 4, 5, 6, 7, 10, 11]);
    assert_eq!(places(1, 0), [2, 3, 8, 9]);
    for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let ((beta, delta), mut expected) = (of(i, j), Vec::new());
        for cycle in 0..2 {
            for element in 0..delta {
                expected.push(beta + cycle * 6 + element / 2 * 4 + element % 2);
            }
        }
        assert_eq!(places(i, j), expected, "{i} to {j}");
    }
}

/// Cases of both directions: ranks, factor and short block.
fn cases() -> impl Iterator<Item = (usize, (usize, usize))> {
    (1..=5).flat_map(|m| (1..=7).flat_map(move |k| (1..=2).map(move |r| (m, (k, r)))))
}

/// Makes the plan of three global complete cycles: from blocks of `k r` to blocks of `r`, or back.
fn cycles(ranks: usize, (k, r): (usize, usize), scatters: bool) -> Plan<1> {
    let (long, short) =
        (format!("cyclic({}) onto {ranks}", k * r), format!("cyclic({r}) onto {ranks}"));
    let (from, to) = if scatters { (long, short) } else { (short, long) };
    Plan::parse([3 * ranks * k * r], &from, &to).unwrap()
}

/// Definitions: a global complete cycle has `M k r` elements, a local one `k r` of a rank, and a class
/// is the elements of one local cycle that go to one destination. All local cycles of a rank have
/// classes of the same sizes, by equations 2 and 4.
#[test]
fn classes_of_every_local_cycle_are_alike() {
    for (ranks, (k, r)) in cases() {
        for scatters in [true, false] {
            let axis = cycles(ranks, (k, r), scatters).axis(0);
            let [from, to] = [Side::Source, Side::Destination].map(|side| axis.side(side));
            for (i, j) in (0..ranks).flat_map(|i| (0..ranks).map(move |j| (i, j))) {
                let mut classes = vec![0; 3];
                for element in (0..axis.len()).filter(|g| (from.owner(*g), to.owner(*g)) == (i, j))
                {
                    assert_eq!(from.local(element) / (k * r), element / (ranks * k * r));
                    classes[element / (ranks * k * r)] += 1;
                }
                let expected = match scatters {
                    true => scattered(i, j, (k, r), ranks),
                    false => gathered(i, j, (k, r), ranks),
                };
                assert_eq!(classes, [expected; 3], "{ranks}, {k}, {r}, {i} to {j}");
            }
        }
    }
}

/// A class of kr → r arrives in one range, and one of r → kr leaves from one.
#[test]
fn a_class_is_contiguous_on_one_side() {
    for (ranks, (k, r)) in cases() {
        for scatters in [true, false] {
            let axis = cycles(ranks, (k, r), scatters).axis(0);
            let [from, to] = [Side::Source, Side::Destination].map(|side| axis.side(side));
            let side = if scatters { to } else { from };
            for (i, j) in (0..ranks).flat_map(|i| (0..ranks).map(move |j| (i, j))) {
                let of_cycle =
                    (0..ranks * k * r).filter(|g| (from.owner(*g), to.owner(*g)) == (i, j));
                let places: Vec<usize> = of_cycle.map(|element| side.local(element)).collect();
                let first = places.first().copied().unwrap_or(0);
                let range: Vec<usize> = (first..first + places.len()).collect();
                assert_eq!(places, range, "{ranks}, {k}, {r}, {i} to {j}");
            }
        }
    }
}
