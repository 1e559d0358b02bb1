//! The pieces of every algorithm are the simulator's.

use crate::cases::whole;
use proptest::prelude::*;
use redist::plan::Side;
use redist_study::baseline::{Intermediate, Intersection, MultiPhase, Segment, all, expand};
use redist_testing::movement::{ByPair, Stretch};
use redist_testing::strategies::{LineCase, config, lines};

fn segments(case: &LineCase, algorithm: &dyn Intersection, rank: usize) -> Vec<Segment> {
    let mut found = Vec::new();
    algorithm.intersect(&case.axis(), rank, &mut found);
    expand(&case.axis(), &found)
}

fn by_pair(case: &LineCase, algorithm: &dyn Intersection) -> Result<ByPair, TestCaseError> {
    let mut pairs = ByPair::new();
    let movement = case.movement();
    for rank in 0..case.axis().side(Side::Source).ranks() {
        for segment in segments(case, algorithm, rank) {
            let Segment {
                start,
                len,
                peer,
                source_offset: source,
                destination_offset: destination,
            } = segment;
            prop_assert!(len > 0 && start + len <= case.len, "{}: {:?}", algorithm.name(), segment);
            prop_assert_eq!(
                movement.pair(start),
                (rank, peer),
                "{}: {:?}",
                algorithm.name(),
                segment
            );
            pairs.entry((rank, peer)).or_default().push(Stretch { source, destination, len });
        }
    }
    Ok(pairs)
}

fn check_all(case: &LineCase) -> Result<usize, TestCaseError> {
    let expected = case.movement().pieces_cut_every(case.axis().period());
    let mut applicable = 0;
    for algorithm in all().into_iter().filter(|algorithm| algorithm.applies(&case.axis()).is_ok()) {
        prop_assert_eq!(by_pair(case, algorithm)?, expected.clone(), "{}", algorithm.name());
        applicable += 1;
    }
    Ok(applicable)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn all_algorithms_find_the_simulator_s_pieces(case in whole()) {
        let nested = case.regular_blocks().is_some_and(|(s, t)| s % t == 0 || t % s == 0);
        let same = case.source.0.ranks == case.destination.0.ranks;
        prop_assert_eq!(check_all(&case)?, 9 + usize::from(nested) + usize::from(nested && same));
    }

    /// Algorithms refuse sections and given blocks that they do not know.
    #[test]
    fn what_applies_is_right_anywhere(case in lines()) {
        prop_assert!(check_all(&case)? >= 1);
    }

    #[test]
    fn several_phases_are_one(case in whole(), blocks in prop::collection::vec(1..40usize, 0..4)) {
        let axis = case.axis();
        let chosen = MultiPhase::of(&axis, &blocks).expect("the dimension is whole");
        prop_assert_eq!(chosen.phases().len(), blocks.len() + 1);
        let thakur = [Intermediate::Gcd, Intermediate::Lcm].map(|of| MultiPhase::thakur(&axis, of));
        for phases in [Ok(chosen)].into_iter().chain(thakur) {
            check_phases(&case, &phases.expect("the dimension is whole"))?;
        }
    }
}

fn check_phases(case: &LineCase, phases: &MultiPhase) -> Result<(), TestCaseError> {
    let movement = case.movement();
    // By element: the rank and the offset there.
    let mut places: Vec<_> =
        (0..case.len).map(|index| (movement.pair(index).0, movement.offsets(index).0)).collect();
    for phase in phases.phases() {
        let mut arrived = vec![None; case.len];
        for rank in 0..phase.side(Side::Source).ranks() {
            let mut found = Vec::new();
            redist_study::baseline::Thakur.intersect(phase, rank, &mut found);
            for segment in expand(phase, &found) {
                for element in 0..segment.len {
                    let index = segment.start + element;
                    prop_assert_eq!(places[index], (rank, segment.source_offset + element));
                    prop_assert!(arrived[index].is_none());
                    arrived[index] = Some((segment.peer, segment.destination_offset + element));
                }
            }
        }
        places = arrived.into_iter().collect::<Option<_>>().expect("every element arrives");
    }
    for (index, place) in places.into_iter().enumerate() {
        prop_assert_eq!(place, (movement.pair(index).1, movement.offsets(index).1));
    }
    Ok(())
}
