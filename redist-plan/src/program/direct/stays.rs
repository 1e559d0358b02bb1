use super::overlap::Overlap;
use crate::plan::{AnyPlan, Side};
use core::ops::Range;

const LEAST_PART: usize = 8;

/// Returns a rank's own elements along each source dimension that stay, and need no publishing.
pub(super) fn stays(plan: &AnyPlan, rank: usize) -> Option<Vec<Overlap>> {
    let coordinates = |side| plan.descriptor(side).coordinates(rank);
    let (source, destination) = (coordinates(Side::Source)?, coordinates(Side::Destination)?);
    let along = |dimension: usize| {
        let there = destination[plan.destination_axis(dimension)];
        Overlap::new(plan.axis(dimension), source[dimension], there)
    };
    Some((0..plan.dimensions()).map(along).collect())
}

impl Overlap {
    /// Cuts off elements at a range's ends that stay, unless these are few.
    pub(super) fn leaves(&self, indices: Range<usize>) -> Range<usize> {
        let (mut all, mut first, mut last) = (0, 0, 0);
        if let Some(part) = self.part_of(Side::Source, indices.clone()) {
            self.for_each(&part, &mut |runs| {
                all += runs.elements();
                let (start, end) = runs.span(Side::Source);
                first = if start == indices.start { runs.len } else { first };
                last = if end == indices.end { runs.len } else { last };
            });
        }
        if all == indices.len() {
            return indices.start..indices.start;
        }
        let worth = |len: usize| if len >= indices.len() / LEAST_PART { len } else { 0 };
        indices.start + worth(first)..indices.end - worth(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    fn leaves(to: &str, rank: usize, indices: Range<usize>) -> Range<usize> {
        let plan = Plan::<1>::parse([120], "block onto 2", to).unwrap();
        stays(&AnyPlan::from(plan), rank).unwrap()[0].leaves(indices)
    }

    #[test]
    fn what_stays_at_the_ends_is_left_out() {
        // Rank 0 keeps 0..40 of its 60.
        assert_eq!(leaves("block onto 3", 0, 0..30), 0..0);
        assert_eq!(leaves("block onto 3", 0, 30..60), 40..60);
        assert_eq!(leaves("block onto 3", 0, 45..60), 45..60);
        // Rank 1 has 60..120, and keeps 60..80.
        assert_eq!(leaves("block onto 3", 1, 10..30), 20..30);
        // Of 80..120 and 40..80, the one has 20 of them at its end, the other none.
        assert_eq!(leaves("gen_block([40, 80]) onto 2", 1, 0..60), 0..0);
        assert_eq!(leaves("gen_block([80, 40]) onto 2", 1, 0..60), 0..20);
    }

    #[test]
    fn short_ends_go_with_the_rest() {
        assert_eq!(leaves("cyclic(5) onto 2", 0, 0..60), 0..60);
        assert_eq!(leaves("cyclic(20) onto 2", 0, 0..60), 20..40);
        assert_eq!(leaves("cyclic onto 2", 1, 7..60), 7..60);
        assert_eq!(leaves("cyclic onto 1", 0, 7..60), 7..7);
    }
}
