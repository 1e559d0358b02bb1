//! Words for the two sides of a plan.

use super::number::{counted, grouped};
use redist_plan::layout::{Ranks, StorageOrder};
use redist_plan::plan::Section;
use redist_plan::plan::{Plan, Side};

/// Both sides, in the order of lists by side.
pub const SIDES: [Side; 2] = [Side::Source, Side::Destination];

pub fn section<const D: usize>(plan: &Plan<D>, side: Side, dimension: usize) -> Section {
    let (descriptor, axis) = (plan.descriptor(side), plan.axis_on(side, dimension));
    Section::new(descriptor.axis(axis), descriptor.layout().at[axis])
}

pub fn rank_at<const D: usize>(plan: &Plan<D>, side: Side, coordinates: [usize; D]) -> usize {
    let mut own = [0; D];
    for dimension in 0..D {
        own[plan.axis_on(side, dimension)] = coordinates[dimension];
    }
    plan.descriptor(side).rank_at(own)
}

/// Writes the first index of the moved section, if it is not the start of both stored arrays.
pub fn section_note<const D: usize>(plan: &Plan<D>) -> Option<String> {
    let begins = |side| plan.descriptor(side).layout().at;
    let moved = SIDES.into_iter().any(|side| begins(side) != [0; D]);
    moved.then(|| "Global indices count from the start of the sections.".to_owned())
}

pub fn coordinates<const D: usize>(plan: &Plan<D>, side: Side, rank: usize) -> Option<[usize; D]> {
    let own = plan.descriptor(side).coordinates(rank)?;
    Some(std::array::from_fn(|dimension| own[plan.axis_on(side, dimension)]))
}

pub fn lowest_ranks<const D: usize>(plan: &Plan<D>, side: Side, most: usize) -> Vec<usize> {
    match plan.descriptor(side).layout().ranks {
        Ranks::From(first) => (first..first + plan.descriptor(side).ranks()).take(most).collect(),
        Ranks::Map(list) => {
            let mut sorted = list.to_vec();
            sorted.sort_unstable();
            sorted.truncate(most);
            sorted
        }
    }
}

pub fn ranks_in_words<const D: usize>(plan: &Plan<D>, side: Side) -> String {
    match plan.descriptor(side).layout().ranks {
        Ranks::From(first) => format!("{first}..{}", first + plan.descriptor(side).ranks()),
        Ranks::Map(list) => format!("{list:?}"),
    }
}

pub fn word(side: Side) -> &'static str {
    if side == Side::Source { "from" } else { "to" }
}

pub fn words<const D: usize>(plan: &Plan<D>, side: Side) -> String {
    format!("{} {}", word(side), plan.descriptor(side).layout())
}

pub fn storage<const D: usize>(plan: &Plan<D>, side: Side) -> String {
    let order = plan.descriptor(side).layout().storage;
    let (name, contiguous) = match order {
        StorageOrder::C => ("C", D - 1),
        StorageOrder::Fortran => ("Fortran", 0),
    };
    let dimension =
        (0..D).find(|dimension| plan.axis_on(side, *dimension) == contiguous).unwrap_or(contiguous);
    let permuted = (0..D).any(|dimension| plan.axis_on(side, dimension) != dimension);
    let axes = if permuted { ", axes permuted" } else { "" };
    format!("stored in {name} order{axes}: dimension {dimension} is contiguous")
}

pub fn array<const D: usize>(plan: &Plan<D>) -> String {
    match plan.extents().as_slice() {
        [extent] => counted(*extent as u128, "element"),
        extents => {
            let extents: Vec<String> =
                extents.iter().map(|extent| grouped(*extent as u128)).collect();
            format!("{} elements", extents.join(" × "))
        }
    }
}
