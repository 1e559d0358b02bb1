//! Dimensions of up to 2^63 - 1 elements and grids of up to 2^31 - 1 ranks: identities between the
//! planner's own answers.

use core::ops::RangeInclusive;
use proptest::prelude::*;
use redist::Layout;
use redist::layout::{BlockCyclic, Dist, MAX_EXTENT};
use redist::plan::{Axis, PeriodicPiece, Plan, Side};
use redist_testing::strategies::config;

pub fn any_magnitude(range: RangeInclusive<usize>) -> impl Strategy<Value = usize> {
    let (low, high) = (*range.start(), *range.end());
    (0..usize::BITS, any::<usize>())
        .prop_map(move |(bits, number)| (number >> bits).clamp(low, high))
}

type HugeSide = (usize, usize, usize, usize);

fn sides(most_ranks: usize) -> impl Strategy<Value = HugeSide> {
    let ranks = any_magnitude(1..=most_ranks);
    let (first, at) = (any::<usize>(), any_magnitude(0..=MAX_EXTENT));
    (any_magnitude(1..=MAX_EXTENT), ranks, first, at)
        .prop_map(|(block, ranks, first, at)| (block, ranks, first % ranks, at))
}

const MOST_RANKS: usize = i32::MAX as usize;

/// Both sides store the largest array.
fn axis(len: usize, source: HugeSide, destination: HugeSide) -> Axis {
    plan(len, source, destination).axis(0)
}

fn plan(len: usize, source: HugeSide, destination: HugeSide) -> Plan<1> {
    let layout = |(block, ranks, first, at)| {
        Layout::new([Dist::Cyclic(block)], [ranks]).first([first]).of([MAX_EXTENT]).at([at])
    };
    let len = len.min(MAX_EXTENT - source.3).min(MAX_EXTENT - destination.3);
    let plan = Plan::new([len], layout(source), layout(destination));
    plan.expect("the strategy keeps to the rules")
}

fn lens() -> impl Strategy<Value = usize> {
    any_magnitude(0..=MAX_EXTENT)
}

/// Up to eight blocks, together at most the longest array.
fn given_sizes() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(any_magnitude(0..=MAX_EXTENT), 1..8).prop_map(|mut sizes| {
        let mut left = MAX_EXTENT;
        for size in &mut sizes {
            *size = (*size).min(left);
            left -= *size;
        }
        sizes
    })
}

/// A rank may have 2^60 pieces.
const ENOUGH: usize = 50;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn figures_of_huge_lines(len in lens(), source in sides(MOST_RANKS), destination in sides(MOST_RANKS)) {
        let plan = plan(len, source, destination);
        let figures = |plan: &Plan<1>| [plan.messages(), plan.steps(), plan.stays(), plan.memory(1)];
        let (there, back) = (figures(&plan), figures(&plan.inverse()));
        for (there, back) in there.into_iter().zip(back) {
            prop_assert!(there == back || !there.is_exact || !back.is_exact, "{:?} {:?}", there, back);
        }
        let [messages, steps, stays, memory] = there.map(|figure| figure.value);
        prop_assert!(messages <= steps && steps <= source.1.max(destination.1));
        prop_assert!(stays <= plan.elements() && plan.elements() <= memory.saturating_mul(source.1));
        for rank in [0, 1, source.2, destination.2] {
            prop_assert!(plan.volume(rank, rank) <= stays || !there[2].is_exact);
            prop_assert!(plan.descriptor(Side::Source).local(rank).len() <= memory);
        }
    }

    #[test]
    fn global_undoes_owner_and_local(extent in lens(), (block, ranks, first, _) in sides(usize::MAX), at in any::<usize>()) {
        let deal = BlockCyclic::new(extent, block, ranks, first).expect("the strategy keeps to the rules");
        let element = at % extent.max(1);
        let expected = (element < extent).then_some(element);
        prop_assert_eq!(deal.global(deal.owner(element), deal.local(element)), expected);
        prop_assert!(deal.numroc(deal.owner(element)) >= usize::from(extent > 0));
    }

    #[test]
    fn ranks_share_the_extent(extent in lens(), (block, ranks, first, _) in sides(40)) {
        let deal = BlockCyclic::new(extent, block, ranks, first).expect("the strategy keeps to the rules");
        prop_assert_eq!((0..ranks).map(|rank| deal.numroc(rank)).sum::<usize>(), extent);
    }

    #[test]
    fn what_a_rank_sends_is_what_it_holds(
        len in lens(), source in sides(MOST_RANKS), destination in sides(40), rank in any::<usize>(),
    ) {
        let axis = axis(len, source, destination);
        let rank = if axis.is_empty() { 0 } else { axis.side(Side::Source).owner(rank % axis.len()) };
        let sent: usize = (0..destination.1).map(|q| axis.count(rank, q)).sum();
        prop_assert_eq!(sent, axis.side(Side::Source).owned_below(rank, axis.len()));
    }

    #[test]
    fn what_is_sent_is_received(
        len in lens(), source in sides(MOST_RANKS), destination in sides(MOST_RANKS), element in any::<usize>(),
    ) {
        let (there, back) = (axis(len, source, destination), axis(len, destination, source));
        let element = element % there.len().max(1);
        let (p, q) = (there.side(Side::Source).owner(element), there.side(Side::Destination).owner(element));
        prop_assert_eq!(there.count(p, q), back.count(q, p));
        prop_assert!(there.count(p, q) >= usize::from(!there.is_empty()));
        prop_assert_eq!((there.period(), there.pieces()), (back.period(), back.pieces()));
    }

    #[test]
    fn pieces_lie_where_their_elements_do(
        len in lens(), source in sides(MOST_RANKS), destination in sides(MOST_RANKS), element in any::<usize>(),
    ) {
        let axis = axis(len, source, destination);
        for side in [Side::Source, Side::Destination] {
            let rank = axis.side(side).owner(element % axis.len().max(1));
            for piece in axis.aspen(side, rank).take(ENOUGH) {
                first_and_last_element(&axis, side, rank, &piece)?;
            }
        }
    }

    #[test]
    fn a_window_s_pieces_follow_each_other(len in lens(), source in sides(MOST_RANKS), destination in sides(MOST_RANKS)) {
        let axis = axis(len, source, destination);
        let pieces: Vec<_> = axis.window_walk().take(ENOUGH).collect();
        prop_assert_eq!(pieces.len(), axis.window_pieces().min(ENOUGH));
        let mut index = 0;
        for piece in pieces {
            prop_assert!(piece.len > 0);
            prop_assert_eq!(axis.piece_at(index, axis.window()), piece);
            index += piece.len;
        }
        prop_assert_eq!(index == axis.window(), axis.window_pieces() <= ENOUGH);
        prop_assert_eq!(axis.pieces_below(index), axis.window_pieces().min(ENOUGH));
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn given_blocks_send_what_is_received(
        sizes in given_sizes(), first in any::<usize>(), (block, ranks, other_first, _) in sides(40), element in any::<usize>(),
    ) {
        let (extent, blocks) = (sizes.iter().sum::<usize>(), sizes.len());
        let given = Layout::new([Dist::gen_block(&sizes)], [blocks]).first([first % blocks]);
        let dealt = Layout::new([Dist::Cyclic(block)], [ranks]).first([other_first]);
        let axis = |from, to| Plan::new([extent], from, to).expect("sizes that fit").axis(0);
        let (there, back) = (axis(given, dealt), axis(dealt, given));
        for p in 0..blocks {
            let (sent, received): (Vec<_>, Vec<_>) = (0..ranks).map(|q| (there.count(p, q), back.count(q, p))).unzip();
            prop_assert_eq!(&sent, &received);
            prop_assert_eq!(sent.iter().sum::<usize>(), there.side(Side::Source).deal().numroc(p));
        }
        prop_assert_eq!(there.pieces(), back.pieces());
        let rank = there.side(Side::Source).owner(element % extent.max(1));
        for piece in there.aspen(Side::Source, rank).take(ENOUGH) {
            first_and_last_element(&there, Side::Source, rank, &piece)?;
        }
    }

    /// Sums that overflow, or are not the extent, are an error.
    #[test]
    fn any_sizes_make_a_plan_or_an_error(
        sizes in prop::collection::vec(any_magnitude(0..=usize::MAX), 0..6), extent in lens(), ranks in 0..6usize,
    ) {
        let layout = Layout::new([Dist::gen_block(&sizes)], [ranks]);
        let sum = sizes.iter().try_fold(0usize, |sum, &size| sum.checked_add(size));
        let fits = |extent| sum == Some(extent) && sizes.len() == ranks && ranks > 0;
        for extent in [extent, sum.unwrap_or(0).min(MAX_EXTENT)] {
            let plan = Plan::new([extent], layout, Layout::new([Dist::Block], [2]));
            prop_assert_eq!(plan.is_ok(), fits(extent), "{:?}", plan);
        }
    }
}

fn first_and_last_element(
    axis: &Axis,
    side: Side,
    rank: usize,
    piece: &PeriodicPiece,
) -> Result<(), TestCaseError> {
    let (own, peer) = (axis.side(side), axis.side(side.other()));
    let step = |ranks| if piece.count > 1 { axis.period() / ranks } else { 0 };
    for (repetition, len) in [
        (0, if piece.count > 1 { piece.len } else { piece.last_len }),
        (piece.count - 1, piece.last_len),
    ] {
        for element in [0, len - 1] {
            let own_offset = piece.own_offset + repetition * step(own.ranks()) + element;
            let peer_offset = piece.peer_offset + repetition * step(peer.ranks()) + element;
            let index = own.deal().global(rank, own_offset).map(|global| global - own.at());
            prop_assert!(index.is_some_and(|index| index < axis.len()), "{:?}", piece);
            let index = index.unwrap_or(0);
            prop_assert_eq!(
                (peer.owner(index), peer.local(index)),
                (piece.peer, peer_offset),
                "{:?}",
                piece
            );
        }
    }
    Ok(())
}
