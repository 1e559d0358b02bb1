//! No order of the ranks lets more elements stay.

use super::*;

fn stays<const D: usize>(plan: &Plan<D>) -> usize {
    (0..plan.ranks()).map(|rank| plan.volume(rank, rank)).sum()
}

fn most_by_trial<const D: usize>(plan: &Plan<D>) -> usize {
    fn most(shared: &[Vec<usize>], taken: &mut Vec<usize>) -> usize {
        let cell = taken.len();
        let mut best = 0;
        for rank in (0..shared.len()).filter(|rank| !taken.contains(rank)).collect::<Vec<_>>() {
            taken.push(rank);
            best = best.max(shared[rank][cell] + most(shared, taken));
            taken.pop();
        }
        best
    }
    let to = plan.descriptor(Side::Destination);
    let ranks: Vec<usize> = (0..to.ranks()).map(|number| to.nth_rank(number)).collect();
    let row = |&from: &usize| ranks.iter().map(|&cell| plan.volume(from, cell)).collect();
    most(&ranks.iter().map(row).collect::<Vec<_>>(), &mut Vec::new())
}

fn check<const D: usize>(plan: &Plan<D>) -> Relabelled<D> {
    let best = plan.relabelling().unwrap();
    assert_eq!((best.stayed, best.stays), (stays(plan), stays(&best.plan)), "{plan}");
    assert_eq!(best.stays, most_by_trial(plan), "{plan}");
    best
}

#[test]
fn no_order_of_the_ranks_is_better() {
    for (from, to) in [
        ("cyclic(4) onto 5", "cyclic(3) onto 5 first 2"),
        ("cyclic(2) onto 6 ranks 1..7", "cyclic(6) onto 4"),
        ("block onto 3", "cyclic(7) onto 6 first 1 ranks [4, 9, 0, 2, 1, 3]"),
        ("gen_block([10, 0, 31, 19]) onto 4 ranks [6, 1, 0, 2]", "block onto 6 ranks 1..7"),
        ("*", "cyclic onto 5"),
        ("cyclic(5) onto 8", "cyclic(3) onto 8 first 3"),
    ] {
        check(&Plan::<1>::parse([60], from, to).unwrap());
    }
    for (from, to) in [
        ("(block, cyclic(3)) onto (2, 3)", "(cyclic(2), block) onto (3, 2) order col"),
        ("(block, *) onto 6", "(*, block) onto 6"),
        ("(cyclic(2), cyclic(3)) onto (2, 2)", "(block, cyclic) onto (2, 3) transposed"),
    ] {
        check(&Plan::<2>::parse([11, 14], from, to).unwrap());
    }
}

#[test]
fn dimensions_are_assigned_together() {
    // Permuting coordinates separately along each dimension leaves two elements where they are.
    let plan = Plan::parse(
        [3, 2],
        "(cyclic(4), cyclic) onto (3, 2)",
        "(cyclic(2), cyclic(3)) onto (3, 2)",
    );
    assert_eq!(check(&plan.unwrap()).stays, 3);
}

#[test]
fn what_cannot_be_better_stays_as_it_is() {
    for to in ["block onto 4", "(cyclic) onto 4", "block onto 4 ranks [2, 0, 3, 1]"] {
        let best = check(&Plan::<1>::parse([16], to, to).unwrap());
        let [from, to] = [Side::Source, Side::Destination].map(|side| best.plan.descriptor(side));
        assert_eq!(from.layout(), to.layout());
    }
    // All orders are as good: none of the ranks holds anything before.
    let apart = Plan::<1>::parse([16], "block onto 4", "cyclic onto 4 ranks 4..8").unwrap();
    let best = check(&apart);
    assert_eq!((best.plan, best.stays), (apart, best.stayed));
}

#[test]
fn empty_and_huge_arrays_are_relabelled() {
    let empty = Plan::<2>::parse([1 << 40, 0], "(cyclic, *) onto 3", "(block, *) onto 3").unwrap();
    assert_eq!(check(&empty).stays, 0);
    let huge = Plan::<1>::parse([usize::MAX >> 1], "block onto 3", "block onto 3 first 1").unwrap();
    assert_eq!(check(&huge).stays, huge.elements());
}

#[test]
fn too_many_ranks_are_an_error() {
    let many = Plan::<1>::parse([9999], "block onto 3", "cyclic onto 1025").unwrap();
    let error = many.relabelled().unwrap_err();
    assert_eq!(error, RelabelError::TooManyRanks { ranks: 1025, limit: 1024 });
}
