use super::{LoopDim, Program, RunGroup};

/// The places of one message's elements in a local array, in message order.
#[derive(Clone, Debug)]
pub struct MessageLoops {
    pub(crate) start: usize,
    /// Elements that lie together and form one index of the fastest loop.
    pub(crate) unit: usize,
    /// Slowest first; units of the fastest lie `stride` apart.
    pub(crate) loops: Vec<Loop>,
}

/// One dimension of a message: the runs of a period, repeated, and the rest. It is never empty.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub stride: usize,
    pub periodic: Vec<StridedRuns>,
    pub repeats: usize,
    /// Indices in a period, including those of other messages.
    pub period: usize,
    pub rest: Vec<StridedRuns>,
}

impl Program {
    pub fn message_loops(&self) -> Vec<MessageLoops> {
        let sorted: Vec<ByPeer> = self.dims.iter().map(ByPeer::of).collect();
        let moved = self.dims.iter().map(|dim| dim.start * dim.stride);
        let start = self.first + moved.sum::<usize>();
        let of_message = |message: usize| {
            let loops = self.dims.iter().zip(&sorted).map(|(dim, sorted)| {
                let peer = message / dim.message_stride % dim.peers.len();
                Loop::new(dim, sorted, peer)
            });
            let mut message_loops = MessageLoops { start, unit: 1, loops: loops.collect() };
            message_loops.fold();
            message_loops
        };
        (0..self.envelopes().len()).map(of_message).collect()
    }
}

impl MessageLoops {
    fn fold(&mut self) {
        while let [.., slower, fastest] = self.loops.as_slice()
            && let Some(run) = fastest.only_run()
            && fastest.stride == self.unit
            && slower.stride == self.unit * run.len
        {
            self.start += run.start * self.unit;
            self.unit *= run.len;
            self.loops.pop();
        }
    }
}

impl Loop {
    fn new(dim: &LoopDim, sorted: &ByPeer, peer: usize) -> Self {
        let (mut periodic, mut repeats, period) = sorted.periodic(peer);
        if let [run] = periodic.as_mut_slice()
            && run.spacing * run.count == period
        {
            (run.count, repeats) = (run.count * repeats, repeats.min(1));
        }
        Self { stride: dim.stride, periodic, repeats, period, rest: sorted.rest(peer) }
    }

    fn only_run(&self) -> Option<StridedRuns> {
        match (self.periodic.as_slice(), self.repeats, self.rest.as_slice()) {
            ([one], 1, []) | ([], _, [one]) | (_, 0, [one]) if one.count == 1 => Some(*one),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
struct ByPeer {
    peers: Vec<OfPeer>,
    /// Elements in a period, and the end of the last whole one.
    period: usize,
    rest_start: usize,
}

#[derive(Clone, Debug, Default)]
struct OfPeer {
    periodic: Vec<StridedRuns>,
    repeats: usize,
    rest: Vec<StridedRuns>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StridedRuns {
    pub start: usize,
    pub len: usize,
    pub spacing: usize,
    pub count: usize,
}

impl ByPeer {
    fn of(dim: &LoopDim) -> Self {
        let period = dim.groups.iter().map(|group| group.len * group.count).sum();
        let (periodic, rest) =
            (sorted(&dim.groups, dim.peers.len()), sorted(&dim.rest, dim.peers.len()));
        let peers = periodic.into_iter().zip(rest).map(|(periodic, rest)| {
            let mut of_peer = OfPeer { periodic, repeats: dim.repeats, rest };
            // One run per period is evenly spaced over all of them.
            if let [StridedRuns { spacing, count: count @ 1, .. }] = of_peer.periodic.as_mut_slice()
            {
                (*spacing, *count, of_peer.repeats) = (period, dim.repeats, dim.repeats.min(1));
            }
            of_peer
        });
        Self { peers: peers.collect(), period, rest_start: period * dim.repeats }
    }

    fn periodic(&self, peer: usize) -> (Vec<StridedRuns>, usize, usize) {
        let OfPeer { periodic, repeats, .. } = &self.peers[peer];
        (periodic.clone(), *repeats, self.period)
    }

    fn rest(&self, peer: usize) -> Vec<StridedRuns> {
        let rest = self.peers[peer].rest.iter();
        rest.map(|run| StridedRuns { start: run.start + self.rest_start, ..*run }).collect()
    }
}

fn sorted(groups: &[RunGroup], peers: usize) -> Vec<Vec<StridedRuns>> {
    let mut sorted = vec![Vec::new(); peers];
    let mut start = 0;
    for group in groups {
        for step in 0..group.count.min(peers) {
            let count = (group.count - 1 - step) / peers + 1;
            let run = StridedRuns {
                start: start + step * group.len,
                len: group.len,
                spacing: peers * group.len,
                count,
            };
            sorted[(group.peer + step) % peers].push(run);
        }
        start += group.len * group.count;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{AnyPlan, Plan, Side};

    #[test]
    fn rows_that_lie_together_are_one_loop() {
        let first = |to| {
            let plan = AnyPlan::from(Plan::parse([60, 7], "(block, *) onto 2", to).unwrap());
            Program::new(&plan, &[], Side::Source, 1).message_loops().swap_remove(0)
        };
        let rows = first("(cyclic(5), *) onto 3");
        assert_eq!((rows.unit, rows.loops.len()), (7, 1));
        let all = first("(block, *) onto 2");
        assert_eq!((all.start, all.unit, all.message_len()), (0, 7, 210));
    }
}
