//! One message from both ends: source elements and their places in the destination.

use redist::layout::StorageOrder;
use redist::plan::Axis;
use redist::{Plan, Side};

/// Elements of one message, evenly spaced in both local arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MessageRun {
    pub source_offset: usize,
    pub destination_offset: usize,
    pub len: usize,
    pub source_stride: usize,
    pub destination_stride: usize,
}

/// The message of one pair of ranks, in order, slowest dimension first.
#[derive(Clone, Debug)]
pub struct Message {
    levels: Vec<PairLevel>,
}

/// One dimension of a pair: the common elements, increasing, as local indices and lengths.
#[derive(Clone, Debug)]
struct PairLevel {
    stretches: Vec<(usize, usize, usize)>,
    strides: (usize, usize),
}

impl Message {
    /// Returns a pair's message; empty if a rank is outside its grid. The cost grows only with the
    /// blocks of these two ranks.
    pub fn new<const D: usize>(plan: &Plan<D>, source: usize, destination: usize) -> Self {
        let (from, to) = (plan.descriptor(Side::Source), plan.descriptor(Side::Destination));
        let ends = from.coordinates(source).zip(to.coordinates(destination));
        let extents = from.local_extents(source).zip(to.local_extents(destination));
        let ends = ends.filter(|_| !plan.extents().contains(&0));
        let Some(((from_at, to_at), (from_extents, to_extents))) = ends.zip(extents) else {
            return Self { levels: vec![PairLevel { stretches: Vec::new(), strides: (0, 0) }] };
        };
        let (from_strides, to_strides) = (from.strides(from_extents), to.strides(to_extents));
        let mut levels: Vec<PairLevel> = (0..D)
            .map(|dimension| {
                let across = plan.destination_axis(dimension);
                let stretches = shared(&plan.axis(dimension), from_at[dimension], to_at[across]);
                PairLevel { stretches, strides: (from_strides[dimension], to_strides[across]) }
            })
            .collect();
        if from.layout().storage == StorageOrder::Fortran {
            levels.reverse();
        }
        Self { levels }
    }

    /// Iterates by increasing global index, in the order of the source's storage.
    pub fn runs(&self) -> MessageRuns<'_> {
        let empty = self.levels.iter().any(|level| level.stretches.is_empty());
        MessageRuns {
            levels: &self.levels,
            cursor: if empty { None } else { Some(vec![(0, 0); self.levels.len()]) },
        }
    }
}

fn shared(axis: &Axis, source: usize, destination: usize) -> Vec<(usize, usize, usize)> {
    let (from, to) = (axis.side(Side::Source), axis.side(Side::Destination));
    let mut stretches: Vec<(usize, usize, usize)> = Vec::new();
    let mut index = 0;
    while let Some((here, there)) =
        from.next_owned(source, index).zip(to.next_owned(destination, index))
    {
        let first = here.max(there);
        if first >= axis.len() {
            break;
        }
        index = first;
        if here == there {
            index = from.block_end(first).min(to.block_end(first)).min(axis.len());
            let (local, remote, len) = (from.local(first), to.local(first), index - first);
            match stretches.last_mut() {
                Some(last) if last.0 + last.2 == local && last.1 + last.2 == remote => {
                    last.2 += len
                }
                _ => stretches.push((local, remote, len)),
            }
        }
    }
    stretches
}

#[derive(Clone, Debug)]
pub struct MessageRuns<'a> {
    levels: &'a [PairLevel],
    /// The stretch in each level, and the element in it, except in the fastest.
    cursor: Option<Vec<(usize, usize)>>,
}

impl Iterator for MessageRuns<'_> {
    type Item = MessageRun;

    fn next(&mut self) -> Option<MessageRun> {
        let cursor = self.cursor.as_mut()?;
        let (mut source_offset, mut destination_offset, mut len) = (0, 0, 1);
        for (level, &(stretch, element)) in self.levels.iter().zip(&*cursor) {
            let (local, remote, length) = level.stretches[stretch];
            source_offset += (local + element) * level.strides.0;
            destination_offset += (remote + element) * level.strides.1;
            len = length;
        }
        let (source_stride, destination_stride) = self.levels.last()?.strides;
        if !advance(self.levels, cursor) {
            self.cursor = None;
        }
        Some(MessageRun {
            source_offset,
            destination_offset,
            len,
            source_stride,
            destination_stride,
        })
    }
}

fn advance(levels: &[PairLevel], cursor: &mut [(usize, usize)]) -> bool {
    let fastest = levels.len() - 1;
    for (depth, (level, (stretch, element))) in levels.iter().zip(cursor).enumerate().rev() {
        *element += 1;
        if depth == fastest || *element == level.stretches[*stretch].2 {
            *element = 0;
            *stretch += 1;
        }
        if *stretch < level.stretches.len() {
            return true;
        }
        *stretch = 0;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transposing_message_strides_on_one_side() {
        let plan = Plan::parse([2, 3], "(*, *)", "(*, *) transposed").unwrap();
        let runs: Vec<_> = Message::new(&plan, 0, 0).runs().collect();
        let run = |source_offset, destination_offset| MessageRun {
            source_offset,
            destination_offset,
            len: 3,
            source_stride: 1,
            destination_stride: 2,
        };
        assert_eq!(runs, [run(0, 0), run(3, 1)]);
    }

    #[test]
    fn a_message_has_the_volume_of_its_pair() {
        let from = "(cyclic(3), block) onto (2, 2)";
        for to in
            ["(cyclic(2), *) onto 3 ranks 1..4", "(gen_block([7, 0, 13]), *) onto 3 ranks 1..4"]
        {
            let plan = Plan::parse([20, 9], from, to).unwrap();
            for (source, destination) in
                (0..5).flat_map(|source| (0..5).map(move |other| (source, other)))
            {
                let moved: usize =
                    Message::new(&plan, source, destination).runs().map(|run| run.len).sum();
                assert_eq!(moved, plan.volume(source, destination));
            }
        }
    }
}
