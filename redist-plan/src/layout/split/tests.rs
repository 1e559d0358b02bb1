//! Tests of factors against a count of elements, one at a time.

use crate::layout::{BlockCyclic, BlockCyclicError, Dist, Factor, FactorDist};

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

/// The same words for a whole dimension.
fn plain(dist: FactorDist) -> Dist {
    match dist {
        FactorDist::Collapsed => Dist::Collapsed,
        FactorDist::Block => Dist::Block,
        FactorDist::BlockOf(block) => Dist::BlockOf(block),
        FactorDist::Balanced { last } => Dist::Balanced { last },
        FactorDist::Cyclic(block) => Dist::Cyclic(block),
    }
}

#[test]
fn factors_own_as_an_array_of_them_does() {
    let dists = [
        (FactorDist::Collapsed, 1),
        (FactorDist::Block, 2),
        (FactorDist::Block, 3),
        (FactorDist::Cyclic(1), 2),
        (FactorDist::Cyclic(2), 3),
        (FactorDist::Balanced { last: true }, 3),
        (FactorDist::BlockOf(7), 2),
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
                .map(|place| {
                    plain(dists[at[place]].0).deal(extents[place], grid[place], 0).unwrap()
                })
                .collect();
            let ranks = grid.iter().product();
            let deal = Dist::split(&factors).deal(extents.iter().product(), ranks, 0).unwrap();
            check(&deal, &owners(&extents, &|place, index| deals[place].owner(index), &grid));
            if let Some(factors) = deal.factors() {
                let again = Dist::split(&factors).deal(deal.extent(), ranks, 0).unwrap();
                assert_eq!(again.factors(), Some(factors));
            }
        }
    }
}

#[test]
fn factors_are_bounded() {
    let fine = Dist::split(&[
        Factor::new(1 << 24, FactorDist::Collapsed),
        Factor::new(3, FactorDist::Block),
    ]);
    let error = fine.deal(3 << 24, 2, 0).unwrap_err();
    assert_eq!(error, BlockCyclicError::SplitTooFine { parts: 2 << 24 });
    let empty =
        Dist::split(&[Factor::new(0, FactorDist::Block), Factor::new(5, FactorDist::Collapsed)]);
    assert_eq!(empty.deal(0, 3, 1).map(|deal| deal.numroc(1)), Ok(0));
    let huge = Dist::split(&[
        Factor::new(1 << 40, FactorDist::Block),
        Factor::new(1 << 22, FactorDist::Block).onto(1),
    ]);
    assert_eq!(huge.deal(1 << 62, 1 << 20, 0).map(|deal| deal.numroc(7)), Ok(1 << 42));
}

#[test]
fn factors_can_be_a_constant() {
    const GATES: Dist =
        Dist::Split(&[Factor::new(2, FactorDist::Collapsed), Factor::new(11, FactorDist::Block)]);
    const DEAL: Result<BlockCyclic, BlockCyclicError> = GATES.deal(22, 3, 0);
    assert_eq!(DEAL.map(|deal| (deal.owner(14), deal.local(14))), Ok((0, 7)));
    assert_eq!(GATES.to_string(), "split([2, 11], *, block)");
}
