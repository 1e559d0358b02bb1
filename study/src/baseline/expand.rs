//! Families of pieces, listed piece by piece.

use super::Segments;
use redist::plan::{Axis, Side};

/// One line segment: a piece of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment {
    /// Global index of the first element, in the moved part.
    pub start: usize,
    /// Elements.
    pub len: usize,
    /// The destination's coordinate.
    pub peer: usize,
    /// The source rank's local index; the destination's is `destination_offset`.
    pub source_offset: usize,
    /// The destination rank's local index, in elements.
    pub destination_offset: usize,
}

/// Lists every repetition of every family, in increasing global index.
///
/// The first repetition is the algorithm's; the axis gives all further repetitions.
///
/// ```
/// use redist::plan::Plan;
/// use redist_study::baseline::{Aspen, Classical, Intersection, expand};
/// let axis = Plan::<1>::parse([1003], "cyclic(4) onto 3", "cyclic(6) onto 2")?.axis(0);
/// let (mut all, mut of_one_period) = (Vec::new(), Vec::new());
/// Classical.intersect(&axis, 1, &mut all);
/// Aspen.intersect(&axis, 1, &mut of_one_period);
/// assert_eq!((all.len(), of_one_period.len()), (168, 2));
/// assert_eq!(expand(&axis, &all), expand(&axis, &of_one_period));
/// # Ok::<(), redist::plan::ParsePlanError>(())
/// ```
pub fn expand(axis: &Axis, families: &[Segments]) -> Vec<Segment> {
    let mut segments: Vec<Segment> = families
        .iter()
        .flat_map(|family| (0..family.count).map(|n| repetition(axis, family, n)))
        .collect();
    segments.sort_unstable();
    segments
}

fn repetition(axis: &Axis, family: &Segments, n: usize) -> Segment {
    let (source, destination) = (axis.side(Side::Source), axis.side(Side::Destination));
    let start = family.start + n * family.stride;
    let len = if n + 1 == family.count { family.last_len } else { family.len };
    let (peer, source_offset, destination_offset) = match n {
        0 => (family.peer, family.source_offset, family.destination_offset),
        _ => (destination.owner(start), source.local(start), destination.local(start)),
    };
    Segment { start, len, peer, source_offset, destination_offset }
}
