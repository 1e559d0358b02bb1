//! The runs of a dimension, sorted by peer: for messages that arrive one by one.

use super::{LoopDim, RunGroup};

/// The runs of a dimension, sorted by peer.
#[derive(Clone, Debug)]
pub struct ByPeer {
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

/// Evenly spaced runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StridedRuns {
    /// Local index of the first, from the start of the dimension.
    pub start: usize,
    /// Elements in each.
    pub len: usize,
    /// Distance from start to start.
    pub spacing: usize,
    /// Number of runs.
    pub count: usize,
}

impl ByPeer {
    /// Returns the runs of a dimension, sorted by peer.
    pub fn of(dim: &LoopDim) -> Self {
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

    /// The runs of one peer in a period, the number of periods, and their length.
    pub(super) fn periodic(&self, peer: usize) -> (Vec<StridedRuns>, usize, usize) {
        let OfPeer { periodic, repeats, .. } = &self.peers[peer];
        (periodic.clone(), *repeats, self.period)
    }

    /// The runs of one peer after the last whole period.
    pub(super) fn rest(&self, peer: usize) -> Vec<StridedRuns> {
        let rest = self.peers[peer].rest.iter();
        rest.map(|run| StridedRuns { start: run.start + self.rest_start, ..*run }).collect()
    }

    /// The runs of one peer, in increasing order.
    pub fn runs(&self, peer: usize) -> impl Iterator<Item = StridedRuns> {
        let OfPeer { periodic, repeats, rest } = &self.peers[peer];
        let shifted = |run: &StridedRuns, by: usize| StridedRuns { start: run.start + by, ..*run };
        let period = self.period;
        let whole = (0..*repeats)
            .flat_map(move |repeat| periodic.iter().map(move |s| shifted(s, repeat * period)));
        whole.chain(rest.iter().map(move |run| shifted(run, self.rest_start)))
    }
}

/// The runs of each peer, in increasing order.
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
    use crate::plan::{Plan, Side};

    #[test]
    fn every_element_belongs_to_one_peer_and_in_order() {
        for (from, to) in [
            ("cyclic(10) onto 3", "cyclic(2) onto 3"),
            ("cyclic(2) onto 3", "cyclic(10) onto 2"),
            ("cyclic(4) onto 3", "cyclic(6) onto 5 first 2"),
            ("block onto 4", "cyclic onto 3"),
        ] {
            let axis = Plan::<1>::parse([1003], from, to).unwrap().axis(0);
            for side in [Side::Source, Side::Destination] {
                let dim = LoopDim::new(&axis, &[], side, 1);
                let by_peer = ByPeer::of(&dim);
                let mut owners = vec![usize::MAX; axis.side(side).owned_below(1, 1003)];
                for peer in 0..dim.peers.len() {
                    let mut last = None;
                    for run in by_peer.runs(peer) {
                        for step in 0..run.count {
                            for element in 0..run.len {
                                let at = run.start + step * run.spacing + element;
                                assert!(last < Some(at), "in order");
                                assert_eq!(std::mem::replace(&mut owners[at], peer), usize::MAX);
                                last = Some(at);
                            }
                        }
                    }
                }
                let mut at = 0;
                for group in dim.all_groups() {
                    for step in 0..group.count {
                        assert!(
                            owners[at..at + group.len]
                                .iter()
                                .all(|&owner| owner == (group.peer + step) % dim.peers.len())
                        );
                        at += group.len;
                    }
                }
            }
        }
    }
}
