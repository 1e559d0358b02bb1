//! Tests of factors against a count of elements, one at a time.

use crate::layout::{BlockCyclic, BlockCyclicError, Dist, Factor};
use crate::plan::{Plan, Side};

/// Returns the coordinate of each element, factor by factor.
fn owners(extents: &[usize], owner: &dyn Fn(usize, usize) -> usize, grid: &[usize]) -> Vec<usize> {
    let elements = extents.iter().product();
    let digit = |index: usize, place: usize| {
        index / extents[place + 1..].iter().product::<usize>() % extents[place]
    };
    let along = |index| {
        let coordinate = |at, place| at * grid[place] + owner(place, digit(index, place));
        (0..extents.len()).fold(0, coordinate)
    };
    (0..elements).map(along).collect()
}

/// Compares every answer of a dimension with the owners of all elements.
fn check(deal: &BlockCyclic, owners: &[usize]) {
    let (extent, ranks) = (deal.extent(), deal.ranks());
    let mut held = vec![0; ranks];
    for (index, owner) in owners.iter().enumerate() {
        assert_eq!(
            (deal.owner(index), deal.local(index)),
            (*owner, held[*owner]),
            "{deal:?} {index}"
        );
        assert_eq!(deal.global(*owner, held[*owner]), Some(index));
        for (rank, held) in held.iter().enumerate() {
            assert_eq!(deal.owned_below(rank, index), *held);
        }
        let block = deal.block_at(index);
        assert!(block.start <= index && index < block.end(), "{deal:?} {index} {block:?}");
        assert_eq!(deal.owner_of_block(block.number), *owner);
        assert_eq!(deal.local_start(block) + index - block.start, held[*owner]);
        held[*owner] += 1;
    }
    for (rank, held) in held.iter().enumerate() {
        assert_eq!((deal.numroc(rank), deal.global(rank, *held)), (*held, None));
    }
    if let Some(shares) = deal.given_shares() {
        assert_eq!((shares, deal.block_at(extent).start), (held, extent));
    }
}

#[test]
fn factors_own_as_an_array_of_them_does() {
    let dists = [
        (Dist::Collapsed, 1),
        (Dist::Block, 2),
        (Dist::Block, 3),
        (Dist::Cyclic(1), 2),
        (Dist::Cyclic(2), 3),
        (Dist::Balanced { last: true }, 3),
        (Dist::BlockOf(7), 2),
    ];
    for extents in [[4, 6, 1], [7, 5, 3], [1, 12, 2], [3, 1, 4], [6, 2, 2]] {
        for pair in 0..dists.len() * dists.len() * dists.len() {
            let at =
                [pair % dists.len(), pair / dists.len() % dists.len(), pair / dists.len().pow(2)];
            let grid = at.map(|number| dists[number].1);
            let factors: Vec<Factor> = (0..3)
                .map(|place| Factor::new(extents[place], dists[at[place]].0).onto(grid[place]))
                .collect();
            let deals: Vec<BlockCyclic> = (0..3)
                .map(|place| dists[at[place]].0.deal(extents[place], grid[place], 0).unwrap())
                .collect();
            let ranks = grid.iter().product();
            let deal = Dist::split(&factors).deal(extents.iter().product(), ranks, 0).unwrap();
            check(&deal, &owners(&extents, &|place, index| deals[place].owner(index), &grid));
            if let Some(dist) = deal.split_dist() {
                assert_eq!(dist.deal(deal.extent(), ranks, 0).unwrap().split_dist(), Some(dist));
            }
        }
    }
}

#[test]
fn blocks_that_fit_are_blocks_of_one_size() {
    let digest = |from: &str| Plan::<1>::parse([3072], from, "cyclic(5) onto 3").unwrap().digest();
    for (split, plain) in [
        ("split([12, 256], block, *) onto 4", "block onto 4"),
        ("split([12, 256], block, *) onto 5", "block(768) onto 5"),
        ("split([12, 256], *, cyclic(64)) onto 4", "cyclic(64) onto 4"),
        ("split([12, 256], *, block) onto 4 first 2", "cyclic(64) onto 4 first 2"),
        ("split([3072], block balanced) onto 5", "block balanced onto 5"),
        ("split([12, 256], cyclic(2), *) onto 4", "cyclic(512) onto 4"),
        ("split([3, 4, 256], *, *, *) onto 1", "block onto 1"),
        ("split([1, 3072], *, cyclic(7)) onto 4", "cyclic(7) onto 4"),
    ] {
        assert_eq!(digest(split), digest(plain), "{split}");
    }
    assert_ne!(digest("split([12, 256], *, block) onto 3"), digest("cyclic(86) onto 3"));
}

#[test]
fn a_plan_splits_a_dimension() {
    let from = "block onto 5";
    let to = "split([4, 6, 3], cyclic onto 2, block balanced onto 4, *) onto 8";
    let plan = Plan::<1>::parse([72], from, to).unwrap();
    let mut volumes = [[0; 8]; 5];
    for index in 0..72 {
        let (row, column) = (index / 18 % 2, [0, 0, 1, 1, 2, 3][index / 3 % 6]);
        volumes[index / 15][row * 4 + column] += 1;
    }
    for (from, volumes) in volumes.iter().enumerate() {
        for (to, volume) in volumes.iter().enumerate() {
            assert_eq!(plan.volume(from, to), *volume, "{from} {to}");
        }
    }
    let back = plan.inverse();
    assert_eq!((back.volume(3, 1), back.inverse()), (plan.volume(1, 3), plan));
    let written = plan.descriptor(Side::Destination).layout().to_string();
    assert_eq!(written, to);
    let words = plan.in_words().to_string();
    assert!(words.contains("split([4, 6, 3], cyclic onto 2, block balanced onto 4, *)"), "{words}");
}

#[test]
fn factors_that_do_not_fit_say_why() {
    let error = |split: &str| Plan::<1>::parse([72], split, "*").unwrap_err().to_string();
    for (split, words) in [
        ("split([4, 6], *, block) onto 2", "hold 24 elements, 48 less than the extent 72"),
        ("split([4, 18], block onto 2, block onto 3) onto 5", "are on 6 ranks, but the grid has 5"),
        ("split([4, 18], block, block) onto 4", "factor 1 of `split` is the second one without"),
        ("split([4, 18], * onto 2, block) onto 4", "factor 0 of `split` is `*`, but on 2 ranks"),
        ("split([4, 18], block(1), *) onto 3", "block(1) on 3 ranks holds 3 elements"),
        ("split([4, 18], *, gen_block([9, 9])) onto 2", "factor 1 of `split` has a list"),
        ("split([4, 18], *) onto 2", "`split` lists 2 factors, but 1 distribution"),
        ("split([72], *, block) onto 2", "`split` lists 1 factor; leave out this further"),
        ("split(4, *) onto 2", "as in `split([2, 4096], *, block)`"),
    ] {
        assert!(error(split).contains(words), "{split}: {}", error(split));
    }
    let fine = Dist::split(&[Factor::new(1 << 24, Dist::Collapsed), Factor::new(3, Dist::Block)]);
    let error = fine.deal(3 << 24, 2, 0).unwrap_err();
    assert_eq!(error, BlockCyclicError::SplitTooFine { parts: 2 << 24 });
    let empty = Dist::split(&[Factor::new(0, Dist::Block), Factor::new(5, Dist::Collapsed)]);
    assert_eq!(empty.deal(0, 3, 1).map(|deal| deal.numroc(1)), Ok(0));
    let huge = Dist::split(&[
        Factor::new(1 << 40, Dist::Block),
        Factor::new(1 << 22, Dist::Block).onto(1),
    ]);
    assert_eq!(huge.deal(1 << 62, 1 << 20, 0).map(|deal| deal.numroc(7)), Ok(1 << 42));
}

#[test]
fn factors_can_be_a_constant() {
    const GATES: Dist =
        Dist::Split(&[Factor::new(2, Dist::Collapsed), Factor::new(11, Dist::Block)]);
    const DEAL: Result<BlockCyclic, BlockCyclicError> = GATES.deal(22, 3, 0);
    assert_eq!(DEAL.map(|deal| (deal.owner(14), deal.local(14))), Ok((0, 7)));
    assert_eq!(GATES.to_string(), "split([2, 11], *, block)");
}
