//! Owners and local indices equal the simulator's.

use proptest::prelude::*;
use redist::layout::BlockCyclic;
use redist_testing::dealing::{Blocks, Deal};
use redist_testing::strategies::{config, deals};

fn closed_forms(deal: Deal) -> BlockCyclic {
    let Deal { extent, blocks, ranks, first } = deal;
    let dealt = match blocks {
        Blocks::Of(block) => BlockCyclic::new(extent, block, ranks, first),
        Blocks::Balanced { last, .. } => BlockCyclic::balanced(extent, last, ranks, first),
        Blocks::Listed { cuts, owners } => {
            BlockCyclic::listed(extent, (cuts, owners), ranks, first)
        }
        Blocks::Split(factors) => BlockCyclic::split(extent, factors, ranks, first),
        Blocks::Given(sizes) => BlockCyclic::general(extent, sizes, ranks, first),
        Blocks::Rows { lengths, turn, parts } => {
            BlockCyclic::rows(extent, (lengths, turn, parts), ranks, first)
        }
    };
    dealt.expect("the strategy keeps to the rules")
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

    #[test]
    fn the_block_of_every_element(deal in deals()) {
        let (forms, dealt) = (closed_forms(deal), deal.simulate());
        let mut walked = forms.block_at(0);
        for element in 0..deal.extent {
            let block = forms.block_at(element);
            prop_assert_eq!(block.number, dealt.block[element], "block of {}", element);
            prop_assert_eq!(block.start == element, dealt.begins_block[element], "start at {}", element);
            let last = dealt.begins_block.get(element + 1) != Some(&false);
            prop_assert!(!last || block.end() == element + 1 || element + 1 == deal.extent, "end at {}", element);
            walked = forms.block_from(walked, element);
            prop_assert_eq!(walked, block, "walk to {}", element);
        }
    }
}
