//! Memory that ranks need.

use redist_plan::plan::{Figure, Plan, Section, Side};
use serde::Serialize;

/// Memory of the rank that needs the most.
#[derive(Serialize)]
pub struct MemoryReport {
    pub source: SideMemory,
    pub destination: SideMemory,
    /// Elements of both local arrays and of all messages in buffers.
    pub peak_elements: usize,
    /// Bytes of the same, if the element's bytes are known.
    pub peak_bytes: Option<usize>,
    /// `true` if that is the sum of both sides' maxima.
    pub peak_is_bound: bool,
}

/// Memory of one side, on the rank that needs the most.
#[derive(Serialize)]
pub struct SideMemory {
    /// Extents of the largest local array.
    pub local_extents: Vec<usize>,
    /// Elements of the largest local array.
    pub local_elements: usize,
    /// Bytes of the same, if the element's bytes are known.
    pub local_bytes: Option<usize>,
    /// Elements of all messages of a rank.
    pub message_elements: usize,
    /// Bytes of the same, if the element's bytes are known.
    pub message_bytes: Option<usize>,
    /// Ranks of the grid that hold no element.
    pub empty_ranks: usize,
}

impl MemoryReport {
    pub fn of<const D: usize>(plan: &Plan<D>, bytes: Option<usize>) -> Self {
        let (source, destination) = (
            SideMemory::of(plan, Side::Source, bytes),
            SideMemory::of(plan, Side::Destination, bytes),
        );
        let Figure { value: peak_elements, is_exact } = plan.memory(1);
        let peak_bytes = bytes.and_then(|bytes| peak_elements.checked_mul(bytes));
        MemoryReport { source, destination, peak_elements, peak_bytes, peak_is_bound: !is_exact }
    }
}

impl SideMemory {
    fn of<const D: usize>(plan: &Plan<D>, side: Side, bytes: Option<usize>) -> Self {
        let descriptor = plan.descriptor(side);
        let whole = |axis: usize| Section::new(descriptor.axis(axis), 0);
        let most = |axis: usize| whole(axis).most_owned_below(descriptor.extents()[axis]);
        let local_extents: Vec<usize> = (0..D).map(most).collect();
        let local_elements = product(local_extents.iter().copied());
        let sections = (0..D)
            .map(|dimension| plan.axis(dimension))
            .map(|axis| axis.side(side).most_owned_below(axis.len()));
        let message_elements = product(sections);
        let in_bytes = |elements: usize| bytes.and_then(|bytes| elements.checked_mul(bytes));
        SideMemory {
            local_elements,
            local_bytes: in_bytes(local_elements),
            message_elements,
            message_bytes: in_bytes(message_elements),
            empty_ranks: descriptor.ranks() - product((0..D).map(|axis| holders(&whole(axis)))),
            local_extents,
        }
    }
}

/// Saturates: an empty array may be too large in its other dimensions.
fn product(numbers: impl Iterator<Item = usize>) -> usize {
    numbers.fold(1, usize::saturating_mul)
}

pub fn moved<const D: usize>(plan: &Plan<D>, side: Side, rank: usize) -> usize {
    let Some(coordinates) = plan.descriptor(side).coordinates(rank) else { return 0 };
    product((0..D).map(|dimension| {
        let axis = plan.axis(dimension);
        axis.side(side).owned_below(coordinates[plan.axis_on(side, dimension)], axis.len())
    }))
}

fn holders(section: &Section) -> usize {
    let deal = section.deal();
    match deal.given_shares() {
        Some(shares) => shares.iter().filter(|share| **share > 0).count(),
        None if deal.balanced_last().is_some() => deal.extent().min(deal.ranks()),
        None => deal.extent().div_ceil(deal.block()).min(deal.ranks()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_is_found_without_looking_at_all_ranks() {
        for (block, ranks, at) in
            [(3, 4, 0), (3, 4, 1), (5, 2, 3), (1, 7, 6), (4, 1, 2), (10, 3, 9), (4, 3, 11)]
        {
            for len in 0..60 {
                let (from, to) =
                    (format!("cyclic({block}) onto {ranks} of 80 at {at}"), "cyclic(7) onto 5");
                let plan = Plan::<1>::parse([len], &from, to).expect("a plan");
                for side in [Side::Source, Side::Destination] {
                    let memory = SideMemory::of(&plan, side, Some(8));
                    let held: Vec<usize> =
                        (0..7).map(|rank| plan.descriptor(side).local_len(rank)).collect();
                    let moved = (0..7).map(|rank| moved(&plan, side, rank)).max();
                    assert_eq!(
                        Some(memory.local_elements),
                        held.iter().max().copied(),
                        "{from} {len}"
                    );
                    assert_eq!(Some(memory.message_elements), moved, "{from} {len}");
                    let empty = held[..plan.descriptor(side).ranks()]
                        .iter()
                        .filter(|held| **held == 0)
                        .count();
                    assert_eq!(
                        (memory.empty_ranks, memory.local_bytes),
                        (empty, Some(8 * memory.local_elements))
                    );
                }
            }
        }
    }
}
