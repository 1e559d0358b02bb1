//! Arrays of one to four dimensions: places of elements, and messages of every pair of ranks.

use proptest::prelude::*;
use redist::Layout;
use redist::layout::Descriptor;
use redist::plan::{Plan, Side};
use redist_testing::array::{Stored, messages, permuted, store};
use redist_testing::strategies::{Case, cases, config};

fn sides<const D: usize>(case: &Case<D>) -> [(Side, Layout<D>, [usize; D]); 2] {
    let moved = permuted(case.extents, case.to.axes);
    [(Side::Source, case.from, case.extents), (Side::Destination, case.to, moved)]
}

fn elements_are_where_they_were_dealt<const D: usize>(case: &Case<D>) -> Result<(), TestCaseError> {
    let plan = case.plan();
    for (side, layout, moved) in sides(case) {
        let (descriptor, stored) = (plan.descriptor(side), store(moved, &layout));
        for (index, (rank, offset)) in stored.places.iter() {
            let place = (descriptor.owner(index), descriptor.local_offset(index));
            prop_assert_eq!(place, (rank, offset), "{} {:?}", side, index);
        }
        ranks_hold_what_they_were_dealt(descriptor, &stored)?;
    }
    Ok(())
}

fn ranks_hold_what_they_were_dealt<const D: usize>(
    descriptor: &Descriptor<D>,
    stored: &Stored<D>,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(descriptor.ranks(), stored.lengths.len());
    for (coordinates, rank) in stored.grid.iter() {
        prop_assert_eq!(descriptor.coordinates(rank), Some(coordinates));
        prop_assert_eq!(descriptor.rank_at(coordinates), rank);
        let extents = core::array::from_fn(|axis| stored.dealt[axis].held[coordinates[axis]].len());
        prop_assert_eq!(descriptor.local_extents(rank), Some(extents));
        prop_assert_eq!(descriptor.local_len(rank), stored.lengths[&rank]);
    }
    Ok(())
}

/// Lists all ranks, also ranks in no grid, and a rank that does not exist.
fn pairs<const D: usize>(plan: &Plan<D>) -> impl Iterator<Item = (usize, usize)> + use<D> {
    let ranks = 0..=plan.ranks();
    ranks.clone().flat_map(move |p| ranks.clone().map(move |q| (p, q)))
}

fn every_pair_exchanges_its_volume<const D: usize>(case: &Case<D>) -> Result<(), TestCaseError> {
    let (plan, messages) = (case.plan(), messages(case.extents, &case.from, &case.to));
    for (p, q) in pairs(&plan) {
        let volume = messages.get(&(p, q)).map_or(0, Vec::len);
        prop_assert_eq!(plan.volume(p, q), volume, "{} to {}", p, q);
    }
    Ok(())
}

macro_rules! for_dimensions {
    ($name:ident, $dimensions:literal) => {
        mod $name {
            use super::*;

            proptest! {
                #![proptest_config(config())]

                // feature: a rank's extents, global indices, owner of an element
                #[test]
                fn elements_are_where_they_were_dealt(case in cases::<$dimensions>()) {
                    super::elements_are_where_they_were_dealt(&case)?;
                }

                // feature: volumes = from rank to rank
                #[test]
                fn every_pair_exchanges_its_volume(case in cases::<$dimensions>()) {
                    super::every_pair_exchanges_its_volume(&case)?;
                }
            }
        }
    };
}

for_dimensions!(one_dimension, 1);
for_dimensions!(two_dimensions, 2);
for_dimensions!(three_dimensions, 3);
for_dimensions!(four_dimensions, 4);
