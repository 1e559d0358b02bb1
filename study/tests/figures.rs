//! Figures of Hsu and Chung, *Efficient Methods for kr → r and r → kr Array Redistribution*, with
//! their numbers; ranks and elements count from 0.

use redist::plan::{Plan, Side};
use redist_study::baseline::equations::{
    first_offset_gathered, first_offset_scattered, gathered, scattered,
};

/// The figure's extent and ranks; its two sizes of a block are not at hand.
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
