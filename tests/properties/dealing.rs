//! The closed forms of one dealt dimension against dealing it.

use crate::common::dealing::Deal;
use crate::common::strategies::{blocks_on_ranks, config};
use proptest::prelude::*;
use redist::BlockCyclic;

fn deals() -> impl Strategy<Value = Deal> {
    (0..200usize, blocks_on_ranks()).prop_map(|(extent, (block, ranks, first))| Deal { extent, block, ranks, first })
}

fn closed_forms(deal: Deal) -> BlockCyclic {
    BlockCyclic::new(deal.extent, deal.block, deal.ranks, deal.first).expect("the strategy keeps to the rules")
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn owner_and_local_index_of_every_element(deal in deals()) {
        let (forms, dealt) = (closed_forms(deal), deal.simulate());
        for element in 0..deal.extent {
            prop_assert_eq!(forms.owner(element), dealt.owner[element], "owner of {}", element);
            prop_assert_eq!(forms.local(element), dealt.local[element], "local index of {}", element);
        }
    }

    #[test]
    fn every_rank_holds_what_it_was_dealt(deal in deals()) {
        let (forms, dealt) = (closed_forms(deal), deal.simulate());
        for (rank, held) in dealt.held.iter().enumerate() {
            prop_assert_eq!(forms.numroc(rank), held.len(), "rank {}", rank);
            let globals: Vec<usize> = (0..).map_while(|local| forms.global(rank, local)).collect();
            prop_assert_eq!(&globals, held, "rank {}", rank);
        }
    }

    #[test]
    fn the_number_of_elements_below_any_index(deal in deals()) {
        let (forms, dealt) = (closed_forms(deal), deal.simulate());
        for (rank, held) in dealt.held.iter().enumerate() {
            for end in 0..=deal.extent {
                let below = held.iter().filter(|&&element| element < end).count();
                prop_assert_eq!(forms.owned_below(rank, end), below, "rank {}, below {}", rank, end);
            }
        }
    }
}
