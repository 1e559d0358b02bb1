//! Indices and offsets past 2^31 and 2^32, in huge arrays of which only used pages exist.

use super::volumes::all_adds_up;
use proptest::prelude::*;
use redist::exec::Binder;
use redist::layout::{Dist, Ranks};
use redist::threads::{self, Rank};
use redist::transport::Route;
use redist::{Bound, Error, Layout, Plan, Redistribution, Side, TypedPlan};
use redist_testing::guarded::{Flush, Guarded};
use redist_testing::sections::{element, places};
use redist_testing::strategies::config;

/// Just below, at and beyond the powers of two that end 31 or 32 bits.
fn extents() -> impl Strategy<Value = usize> {
    let near = |power: u32| (1usize << power) - 600..=(1usize << power) + 600;
    prop_oneof![near(31), near(32), near(33), (1usize << 31)..=(1 << 40)]
}

fn sides() -> impl Strategy<Value = Layout<1>> {
    let dist = prop_oneof![
        1 => Just(Dist::Block),
        3 => (1..=64usize).prop_map(Dist::Cyclic),
        1 => ((1usize << 31)..(1 << 33)).prop_map(Dist::Cyclic),
    ];
    (dist, 1..=6usize, 0..6usize, 0..3usize).prop_map(|(dist, ranks, first, base)| {
        Layout::new([dist], [ranks]).first([first % ranks]).ranks(Ranks::From(base))
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn lines_add_up(extent in extents(), from in sides(), to in sides()) {
        all_adds_up(&Plan::new([extent], from, to).expect("the strategy keeps to the rules"))?;
    }

    #[test]
    fn sections_add_up(extent in extents(), from in sides(), to in sides(), at in any::<usize>()) {
        let at = at % extent;
        let (from, to) = (from.of([extent]).at([at]), to.of([extent + 77]).at([at + 5]));
        all_adds_up(&Plan::new([extent - at], from, to).expect("the strategy keeps to the rules"))?;
    }
}

#[derive(Clone, Copy, Debug)]
enum How {
    Run(Route),
    Start,
}

/// Returns the number of received elements, and `true` if one lies past 2^32.
fn move_section<const N: usize, const D: usize>(
    plan: &Plan<D>,
    how: How,
    rank: &Rank,
) -> Result<(usize, bool), Error> {
    let route = if let How::Run(route) = how { route } else { Route::Automatic };
    let redistribution = TypedPlan::<[u8; N], D>::from(*plan);
    let binder: Binder<'_, _, D> = redistribution.binder();
    let mut bound: Bound<[u8; N], D> = binder.route(route).bind(rank)?;
    let array = |side| Guarded::<[u8; N]>::zeroed(bound.local_len(side), Flush::Back);
    let (mut source, mut destination) = (array(Side::Source), array(Side::Destination));
    for (offset, moved) in places(plan, Side::Source, rank.rank()) {
        source[offset] = moved.map_or([0xEE; N], element);
    }
    match how {
        How::Run(_) => bound.run(&*source, &mut *destination)?,
        How::Start => bound.start(&*source, &mut *destination)?.finish()?,
    }
    let places = places(plan, Side::Destination, rank.rank());
    for &(offset, moved) in &places {
        assert_eq!(destination[offset], moved.map_or([0; N], element), "{plan}: {moved:?}");
    }
    let is_far = places.iter().any(|(offset, _)| *offset > u32::MAX as usize);
    Ok((places.iter().filter(|(_, moved)| moved.is_some()).count(), is_far))
}

fn moves_sections<const D: usize>(extents: [usize; D], from: &str, to: &str) {
    let plan = Plan::parse(extents, from, to).unwrap();
    for how in [How::Run(Route::Automatic), How::Run(Route::Messages), How::Start] {
        let bytes = threads::run(plan.ranks(), |rank| move_section::<1, D>(&plan, how, rank));
        let words = threads::run(plan.ranks(), |rank| move_section::<8, D>(&plan, how, rank));
        for moved in [bytes, words] {
            let moved = moved.unwrap_or_else(|failure| panic!("{plan}, {how:?}: {failure}"));
            let all = moved.iter().map(|(count, _)| count).sum::<usize>();
            assert_eq!(all, extents.iter().product::<usize>(), "{plan}, {how:?}");
            assert!(moved.iter().any(|(_, is_far)| *is_far), "{plan}: no offset is past 2^32");
        }
    }
}

#[test]
fn sections_of_long_lines_move() {
    // Some more than 2^34 and 2^33 elements, of which rank 0 keeps more than 2^32.
    moves_sections(
        [5000],
        "cyclic(64) onto 2 of [17179869184] at [17179862000]",
        "cyclic(48) onto 1 of [8589934999] at [4294965000]",
    );
    moves_sections(
        [3001],
        "block onto 3 of [12884901999] at [4294966000]",
        "cyclic(4294967301) onto 2 of [17179869999] at [4294966100]",
    );
    moves_sections(
        [4099],
        "cyclic onto 1 of [4294977296] at [4294967000]",
        "cyclic(1000) onto 2 of [8589940000] at [8589935000]",
    );
}

#[test]
fn sections_of_large_planes_move() {
    moves_sections(
        [67, 131],
        "(cyclic(8), *) onto 2 of [131101, 70001] at [131003, 69800]",
        "(*, cyclic(16)) onto 1 storage fortran of [65599, 65701] at [65500, 65549]",
    );
    moves_sections(
        [61, 53],
        "(*, *) storage fortran of [65599, 65701] at [65500, 65601]",
        "(block, cyclic(3)) onto (2, 2) transposed of [131101, 140001] at [131003, 139900]",
    );
}
