//! Both sides find the same periodic pieces.

use proptest::prelude::*;
use redist::plan::{PeriodicPiece, Side};
use redist_testing::movement::{ByPair, Stretch};
use redist_testing::strategies::{LineCase, config, lines};
use std::collections::BTreeMap;

fn repeated(case: &LineCase, side: Side, rank: usize) -> Vec<(usize, Stretch)> {
    let axis = case.axis();
    let pieces: Vec<PeriodicPiece> = axis.aspen(side, rank).collect();
    let repetitions = pieces.iter().map(|piece| piece.count).max().unwrap_or(0);
    let mut repeated = Vec::new();
    for repetition in 0..repetitions {
        for piece in pieces.iter().filter(|piece| repetition < piece.count) {
            let step = |side| repetition * axis.period() / axis.side(side).ranks();
            let own = piece.own_offset + step(side);
            let peer = piece.peer_offset + step(side.other());
            let len = if repetition + 1 == piece.count { piece.last_len } else { piece.len };
            repeated.push((piece.peer, seen_from(side, own, peer, len)));
        }
    }
    repeated
}

fn seen_from(side: Side, own: usize, peer: usize, len: usize) -> Stretch {
    let (source, destination) = match side {
        Side::Source => (own, peer),
        Side::Destination => (peer, own),
    };
    Stretch { source, destination, len }
}

fn by_pair(case: &LineCase, side: Side) -> ByPair {
    let mut pairs: ByPair = BTreeMap::new();
    for rank in 0..case.axis().side(side).ranks() {
        for (peer, stretch) in repeated(case, side, rank) {
            let pair = match side {
                Side::Source => (rank, peer),
                Side::Destination => (peer, rank),
            };
            pairs.entry(pair).or_default().push(stretch);
        }
    }
    pairs
}

proptest! {
    #![proptest_config(config())]

    /// In increasing global index. The block in which a section begins is cut at the period's end.
    #[test]
    fn the_source_finds_all_pieces(case in lines()) {
        let expected = case.movement().pieces_cut_every(case.axis().period());
        prop_assert_eq!(by_pair(&case, Side::Source), expected);
    }

    #[test]
    fn the_destination_finds_the_same(case in lines()) {
        prop_assert_eq!(by_pair(&case, Side::Destination), by_pair(&case, Side::Source));
    }

    /// All ranks together have each piece of one period once.
    #[test]
    fn no_rank_looks_at_pieces_of_others(case in lines()) {
        let axis = case.axis();
        for side in [Side::Source, Side::Destination] {
            let steps: usize = (0..axis.side(side).ranks()).map(|rank| axis.aspen(side, rank).count()).sum();
            prop_assert_eq!(steps, axis.pieces_below(axis.period()), "{}", side);
        }
    }
}
