//! The general method: cyclic(x) → cyclic(m) → cyclic(y), where both phases are special cases.

use super::super::{Intersection, MultiPhase, Segment, Thakur, expand, regular};
use crate::arithmetic::saturating_lcm;
use num_integer::gcd;
use redist::plan::{Axis, Side};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intermediate {
    /// Blocks of `gcd(x, y)`: kx→x, then x→kx.
    Gcd,
    /// Blocks of `lcm(x, y)`: x→kx, then kx→x.
    Lcm,
}

/// A redistribution through an intermediate layout on the source's ranks.
///
/// ```
/// use redist::plan::Plan;
/// use redist_study::baseline::{Intermediate, TwoPhases};
/// let axis = Plan::<1>::parse([720], "cyclic(4) onto 3", "cyclic(6) onto 3")?.axis(0);
/// let phases = TwoPhases::of(&axis, Intermediate::Gcd)?;
/// assert_eq!(phases.first.regular_blocks(), Some((4, 2)));
/// assert_eq!(TwoPhases::moved_directly(&axis), 480);
/// assert_eq!((phases.moved(), phases.moved_twice()), ([480, 480], 320));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoPhases {
    pub first: Axis,
    pub second: Axis,
}

/// A segment that one message of the first phase and one of the second have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hop {
    pub through: usize,
    /// The intermediate rank's local index of the first element.
    pub offset: usize,
    pub segment: Segment,
}

impl TwoPhases {
    /// Plans both phases of a dimension.
    pub fn of(axis: &Axis, intermediate: Intermediate) -> Result<Self, &'static str> {
        regular::applies(axis)?;
        let (source, destination) = (axis.side(Side::Source), axis.side(Side::Destination));
        let block = match intermediate {
            Intermediate::Gcd => gcd(source.block(), destination.block()),
            Intermediate::Lcm => saturating_lcm(source.block(), destination.block()),
        };
        match MultiPhase::of(axis, &[block])?.phases() {
            [first, second] => Ok(Self { first: *first, second: *second }),
            _ => Err("the intermediate layout is none"),
        }
    }

    /// Elements that leave their coordinate in either phase.
    pub fn moved(&self) -> [usize; 2] {
        [Self::moved_directly(&self.first), Self::moved_directly(&self.second)]
    }

    pub fn moved_directly(axis: &Axis) -> usize {
        let ranks = axis.side(Side::Source).ranks().min(axis.side(Side::Destination).ranks());
        let stay: usize = (0..ranks).map(|rank| axis.count(rank, rank)).sum();
        axis.len() - stay
    }

    /// Counts elements that leave their coordinate in both phases, in time of the extent's pieces.
    pub fn moved_twice(&self) -> usize {
        let ranks = 0..self.first.side(Side::Source).ranks();
        let moved = |rank| {
            let hops = self.hops(rank).into_iter();
            hops.filter(|hop| hop.through != rank && hop.through != hop.segment.peer)
                .map(|hop| hop.segment.len)
                .sum()
        };
        ranks.map(moved).collect::<Vec<usize>>().iter().sum()
    }

    /// Lists the segments that one source rank sends, in increasing global index.
    pub fn hops(&self, rank: usize) -> Vec<Hop> {
        let ranks = 0..self.second.side(Side::Source).ranks();
        let onwards: Vec<Vec<Segment>> = ranks.map(|rank| segments(&self.second, rank)).collect();
        let sent = segments(&self.first, rank);
        sent.iter().flat_map(|segment| pass_on(segment, &onwards[segment.peer])).collect()
    }
}

fn segments(phase: &Axis, rank: usize) -> Vec<Segment> {
    let mut found = Vec::new();
    Thakur.intersect(phase, rank, &mut found);
    expand(phase, &found)
}

fn pass_on(segment: &Segment, onwards: &[Segment]) -> Vec<Hop> {
    let (from, to) = (segment.destination_offset, segment.destination_offset + segment.len);
    let first = onwards.partition_point(|next| next.source_offset + next.len <= from);
    let common = onwards[first..].iter().take_while(|next| next.source_offset < to);
    let hop = |next: &Segment| {
        let (start, end) = (from.max(next.source_offset), to.min(next.source_offset + next.len));
        Hop {
            through: segment.peer,
            offset: start,
            segment: Segment {
                start: segment.start + (start - from),
                len: end - start,
                peer: next.peer,
                source_offset: segment.source_offset + (start - from),
                destination_offset: next.destination_offset + (start - next.source_offset),
            },
        }
    };
    common.map(hop).collect()
}
