//! The planner against the simulator, which deals elements out one at a time. Each function returns
//! its number of checks: equalities between a number of the planner and one of the simulator.

use arbitrary::{Result, Unstructured};
use redist::Layout;
use redist::layout::Dist;
use redist::plan::{Axis, Class, Side};
use redist_testing::array::{deal, messages, permuted, planned};
use redist_testing::dealing::Blocks;
use redist_testing::movement::Movement;
use redist_testing::strategies::Case;

use crate::case::{Limits, case};

pub fn check_bytes(bytes: &[u8]) -> Result<u64> {
    let mut bytes = Unstructured::new(bytes);
    match bytes.int_in_range(0..=3u8)? {
        0 | 1 => Ok(check(&case::<1>(&mut bytes, Limits::small(1))?)),
        2 => Ok(check(&case::<2>(&mut bytes, Limits::small(2))?)),
        _ => Ok(check(&case::<3>(&mut bytes, Limits::small(3))?)),
    }
}

pub fn check<const D: usize>(case: &Case<D>) -> u64 {
    let plan = case.plan();
    let mut checks = 0;
    for dimension in 0..D {
        let axis = plan.axis(dimension);
        let movement = movement(case, dimension, &axis);
        checks += counts(&axis, &movement) + owners(&axis, &movement) + pieces(&axis, &movement);
        checks += period(&axis, &movement) + class(&axis, &movement);
    }
    checks + whole(case)
}

/// Deals one dimension. The planner chooses if a whole side is one block, or takes the other side's
/// blocks, which changes no owner and no place.
fn movement<const D: usize>(case: &Case<D>, dimension: usize, axis: &Axis) -> Movement {
    let moved = permuted(case.extents, case.to.axes);
    let dealt = |side: Side, layout: &Layout<D>, place: usize, len: usize| {
        let stored = layout.of.map_or(len, |stored| stored[place]);
        let mut dealt = deal(layout.dists[place], stored, layout.grid[place], layout.first[place]);
        if layout.dists[place] == Dist::Collapsed {
            dealt.blocks = Blocks::Of(axis.side(side).block());
        }
        (dealt, layout.at[place])
    };
    let (len, across) = (case.extents[dimension], case.to.axes[dimension]);
    let source = dealt(Side::Source, &case.from, dimension, len);
    Movement::sections(len, source, dealt(Side::Destination, &case.to, across, moved[across]))
}

fn counts(axis: &Axis, movement: &Movement) -> u64 {
    let (sources, destinations) = (movement.source.held.len(), movement.destination.held.len());
    let mut counted = vec![0; sources * destinations];
    for index in 0..movement.len {
        let (source, destination) = movement.pair(index);
        counted[source * destinations + destination] += 1;
    }
    for (pair, count) in counted.iter().enumerate() {
        let (source, destination) = (pair / destinations, pair % destinations);
        assert_eq!(axis.count(source, destination), *count, "{source} to {destination}: {axis:?}");
    }
    counted.len() as u64
}

fn owners(axis: &Axis, movement: &Movement) -> u64 {
    let (source, destination) = (axis.side(Side::Source), axis.side(Side::Destination));
    for index in 0..movement.len {
        assert_eq!(
            (source.owner(index), destination.owner(index)),
            movement.pair(index),
            "{axis:?}"
        );
        let places = (source.local(index), destination.local(index));
        assert_eq!(places, movement.offsets(index), "{axis:?}");
    }
    4 * movement.len as u64
}

fn pieces(axis: &Axis, movement: &Movement) -> u64 {
    let lengths = movement.piece_lengths();
    assert_eq!(axis.pieces(), lengths.len(), "{axis:?}");
    let (mut end, mut checks) = (0, 1);
    for piece in axis.window_walk() {
        // The last piece of a window may go on in the next one.
        let cut = (end + 1..axis.window()).find(|&index| movement.is_cut(index));
        assert_eq!(piece.len, cut.unwrap_or(axis.window()) - end, "{axis:?}");
        end += piece.len;
        checks += 1;
    }
    assert_eq!(end, axis.window(), "{axis:?}");
    checks + 1
}

fn period(axis: &Axis, movement: &Movement) -> u64 {
    let (window, period) = (axis.window(), axis.period());
    assert!(window <= period && period <= movement.len, "{axis:?}");
    for index in 1..movement.len.saturating_sub(window) {
        assert_eq!(movement.is_cut(index), movement.is_cut(index + window), "{axis:?}");
    }
    for index in 0..movement.len.saturating_sub(period) {
        assert_eq!(movement.pair(index), movement.pair(index + period), "{axis:?}");
    }
    let repeated = |length: usize| movement.len.saturating_sub(length) as u64;
    repeated(window) + repeated(period)
}

fn class(axis: &Axis, movement: &Movement) -> u64 {
    let stays = |index: usize| movement.pair(index).0 == movement.pair(index).1;
    let (source, destination) = (&movement.source.begins_block, &movement.destination.begins_block);
    let begins = |index: usize| {
        (source[movement.source_at + index], destination[movement.destination_at + index])
    };
    let (blocks, is_nested): (_, fn((bool, bool)) -> bool) = match axis.class() {
        Class::Identity => {
            assert!((0..movement.len).all(stays), "{axis:?}");
            return movement.len as u64;
        }
        Class::KrToR { k, r } => ((k * r, r), |(source, destination)| !source || destination),
        Class::RToKr { k, r } => ((r, k * r), |(source, destination)| !destination || source),
        Class::General => return 0,
    };
    assert_eq!(axis.regular_blocks(), Some(blocks));
    assert!((1..movement.len).all(|index| is_nested(begins(index))), "{axis:?}");
    movement.len as u64
}

fn whole<const D: usize>(case: &Case<D>) -> u64 {
    let (plan, dealt) = (case.plan(), messages(case.extents, &case.from, &case.to));
    assert_eq!(planned(&plan), dealt, "{case:?}");
    let ranks = plan.ranks();
    for (source, destination) in (0..ranks).flat_map(|p| (0..ranks).map(move |q| (p, q))) {
        let volume = dealt.get(&(source, destination)).map_or(0, Vec::len);
        assert_eq!(plan.volume(source, destination), volume, "{source} to {destination}: {case:?}");
    }
    2 * dealt.values().map(Vec::len).sum::<usize>() as u64 + (ranks * ranks) as u64
}
