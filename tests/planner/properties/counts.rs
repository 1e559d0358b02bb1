//! Counts equal the simulator's.

use proptest::prelude::*;
use redist::plan::{Class, Side};
use redist_testing::strategies::{config, lines};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn counts_of_every_pair(case in lines()) {
        let (axis, movement) = (case.axis(), case.movement());
        for p in 0..case.source.0.ranks {
            for q in 0..case.destination.0.ranks {
                prop_assert_eq!(axis.count(p, q), movement.count(p, q), "{} to {}", p, q);
            }
        }
    }

    #[test]
    fn a_section_knows_its_elements(case in lines()) {
        let (axis, movement) = (case.axis(), case.movement());
        for index in 0..case.len {
            let (source, destination) = (axis.side(Side::Source), axis.side(Side::Destination));
            prop_assert_eq!((source.owner(index), destination.owner(index)), movement.pair(index));
            prop_assert_eq!((source.local(index), destination.local(index)), movement.offsets(index));
        }
    }

    /// The class promises which elements stay, and how blocks nest, as the simulator finds.
    #[test]
    fn the_class_keeps_its_promise(case in lines()) {
        let (axis, movement) = (case.axis(), case.movement());
        let begins = |side: Side, index: usize| match side {
            Side::Source => movement.source.begins_block[case.source.1 + index],
            Side::Destination => movement.destination.begins_block[case.destination.1 + index],
        };
        let nested = |outer, inner| (1..case.len).all(|index| !begins(outer, index) || begins(inner, index));
        let stays = (0..case.len).all(|index| movement.pair(index).0 == movement.pair(index).1);
        match axis.class() {
            Class::Identity => prop_assert!(stays),
            Class::KrToR { k, r } => {
                prop_assert_eq!(case.regular_blocks(), Some((k * r, r)));
                prop_assert!(nested(Side::Source, Side::Destination));
            }
            Class::RToKr { k, r } => {
                prop_assert_eq!(case.regular_blocks(), Some((r, k * r)));
                prop_assert!(nested(Side::Destination, Side::Source));
            }
            Class::General => prop_assert!(case.regular_blocks().is_some() || !stays),
        }
    }
}
