//! Where a message's elements lie, as a nest of loops: for transports that take them from there themselves.

use super::by_peer::{ByPeer, Strided};
use super::{Level, Program};

/// Where the elements of one message lie in a rank's local array, in message order: both ends of a message list the same
/// elements in the same order.
///
/// It takes memory for the stretches of one period along each dimension, however many the message has.
#[derive(Clone, Debug)]
pub struct Footprint {
    /// Where the moved part begins in the local array.
    pub(crate) start: usize,
    /// Elements that lie together and are one index of the fastest loop.
    pub(crate) unit: usize,
    /// Slowest first; the fastest is in units, which lie `stride` apart.
    pub(crate) loops: Vec<Loop>,
}

/// What a message has of one dimension: the stretches of a period, repeated, then what is left. Never empty.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// Distance in the local array, in elements, between neighbours.
    pub stride: usize,
    pub periodic: Vec<Strided>,
    pub repeats: usize,
    /// Indices in a period, others' included.
    pub period: usize,
    pub rest: Vec<Strided>,
}

impl Program {
    /// Where each message's elements lie, in the order of the [envelopes](Program::envelopes).
    pub fn footprints(&self) -> Vec<Footprint> {
        let sorted: Vec<ByPeer> = self.levels.iter().map(ByPeer::of).collect();
        let start = self.levels.iter().map(|level| level.start * level.stride).sum();
        let of_message = |message: usize| {
            let loops = self.levels.iter().zip(&sorted).map(|(level, sorted)| {
                let peer = message / level.message_stride % level.peers.len();
                Loop::new(level, sorted, peer)
            });
            let mut footprint = Footprint { start, unit: 1, loops: loops.collect() };
            footprint.fold();
            footprint
        };
        (0..self.envelopes().len()).map(of_message).collect()
    }
}

impl Footprint {
    /// Makes one loop of those whose rows are whole and lie together.
    fn fold(&mut self) {
        while let [.., slower, fastest] = self.loops.as_slice()
            && let Some(stretch) = fastest.only_stretch()
            && fastest.stride == self.unit
            && slower.stride == self.unit * stretch.len
        {
            self.start += stretch.start * self.unit;
            self.unit *= stretch.len;
            self.loops.pop();
        }
    }
}

impl Loop {
    fn new(level: &Level, sorted: &ByPeer, peer: usize) -> Self {
        let (mut periodic, mut repeats, period) = sorted.periodic(peer);
        if let [stretch] = periodic.as_mut_slice()
            && stretch.spacing * stretch.count == period
        {
            (stretch.count, repeats) = (stretch.count * repeats, repeats.min(1));
        }
        Self { stride: level.stride, periodic, repeats, period, rest: sorted.rest(peer) }
    }

    /// The one stretch that there is, unless there are more.
    fn only_stretch(&self) -> Option<Strided> {
        match (self.periodic.as_slice(), self.repeats, self.rest.as_slice()) {
            ([one], 1, []) | ([], _, [one]) | (_, 0, [one]) if one.count == 1 => Some(*one),
            _ => None,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::plan::{AnyPlan, Plan, Side};

    /// The places of a footprint, in order, by the plainest loops.
    pub fn places(footprint: &Footprint) -> Vec<usize> {
        let mut places = vec![footprint.start];
        for of in &footprint.loops {
            let whole = (0..of.repeats).flat_map(|period| of.periodic.iter().map(move |s| (period * of.period, s)));
            let stretches: Vec<_> = whole.chain(of.rest.iter().map(|s| (0, s))).collect();
            let indices = stretches.iter().flat_map(|(by, s)| {
                (0..s.count).flat_map(move |step| (0..s.len).map(move |at| by + s.start + step * s.spacing + at))
            });
            let indices: Vec<usize> = indices.collect();
            places =
                places.iter().flat_map(|place| indices.iter().map(move |index| place + index * of.stride)).collect();
        }
        places.iter().flat_map(|place| *place..place + footprint.unit).collect()
    }

    fn footprint(extents: [usize; 2], from: &str, to: &str, side: Side, rank: usize) -> Vec<Footprint> {
        let plan = AnyPlan::from(Plan::parse(extents, from, to).unwrap());
        Program::new(&plan, &[], side, rank).footprints()
    }

    #[test]
    fn rows_that_lie_together_are_one_loop() {
        let rows = &footprint([60, 7], "(block, *) onto 2", "(cyclic(5), *) onto 3", Side::Source, 1)[0];
        assert_eq!((rows.unit, rows.loops.len()), (7, 1));
        let all = &footprint([60, 7], "(block, *) onto 2", "(block, *) onto 2", Side::Source, 1)[0];
        assert_eq!((all.start, all.unit, places(all)), (0, 7, (0..210).collect()));
    }

    /// Every element of a rank is of one message, and a message's length is that of its envelope.
    #[test]
    fn footprints_cover_what_a_rank_holds() {
        let (from, to) = ("(cyclic(3), block) onto (2, 2)", "(cyclic(2), cyclic(7)) onto (3, 2) transposed");
        let plan = AnyPlan::from(Plan::<2>::parse([50, 31], from, to).unwrap());
        for side in [Side::Source, Side::Destination] {
            for rank in 0..plan.ranks() {
                let program = Program::new(&plan, &[], side, rank);
                let mut held: Vec<usize> = Vec::new();
                for (footprint, envelope) in program.footprints().iter().zip(program.envelopes()) {
                    let places = places(footprint);
                    assert_eq!(places.len(), envelope.len);
                    held.extend(places);
                }
                held.sort_unstable();
                assert_eq!(held, (0..program.local_len()).collect::<Vec<_>>(), "{side} {rank}");
            }
        }
    }
}
