//! Short periods, sorted by message.

use super::RunGroup;

/// A short period, of which many repetitions are copied at a time, message by message.
#[derive(Clone, Debug)]
pub struct Period {
    /// Elements of the local array in a period.
    pub len: usize,
    /// Elements of each message in a period.
    pub shares: Vec<PeerShare>,
}

/// Elements of one message in each period.
#[derive(Clone, Debug)]
pub struct PeerShare {
    /// Index of the peer.
    pub peer: usize,
    /// Elements in each period.
    pub len: usize,
    /// Runs in increasing order.
    pub runs: Vec<PeriodRun>,
}

/// Neighbouring elements of the local array that belong to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeriodRun {
    /// Offset in the local array, from the start of the period.
    pub in_period: usize,
    /// Offset in the message, from the start of the share.
    pub in_share: usize,
    /// Number of elements.
    pub len: usize,
}

/// Largest length of periods of which several fit the first-level cache together.
const MAX_PERIOD_ELEMENTS: usize = 512;

/// Largest length of runs for which copies of constant lengths beat calls of `memcpy`.
pub const MAX_SHORT_ELEMENTS: usize = 16;

/// Repetitions from which sorting by message pays.
const MIN_REPEATS: usize = 4;

impl Period {
    pub(super) fn of(groups: &[RunGroup], repeats: usize, peers: usize) -> Option<Self> {
        let len: usize = groups.iter().map(|group| group.len * group.count).sum();
        let runs: usize = groups.iter().map(|group| group.count).sum();
        let pays = len <= MAX_PERIOD_ELEMENTS
            && len <= MAX_SHORT_ELEMENTS * runs
            && repeats >= MIN_REPEATS;
        pays.then(|| Self { len, shares: shares(groups, peers) })
    }
}

fn shares(groups: &[RunGroup], peers: usize) -> Vec<PeerShare> {
    let share = |peer| PeerShare { peer, len: 0, runs: Vec::new() };
    let mut shares: Vec<PeerShare> = (0..peers).map(share).collect();
    let mut in_period = 0;
    for group in groups {
        for step in 0..group.count {
            let share = &mut shares[(group.peer + step) % peers];
            share.runs.push(PeriodRun { in_period, in_share: share.len, len: group.len });
            share.len += group.len;
            in_period += group.len;
        }
    }
    shares.retain(|share| share.len > 0);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Plan, Side, WindowTable};
    use crate::program::LoopDim;

    #[test]
    fn shares_list_what_each_peer_gets() {
        let axis =
            Plan::<1>::parse([1000], "cyclic(10) onto 3", "cyclic(2) onto 3").unwrap().axis(0);
        let period = LoopDim::new(&axis, WindowTable::NONE, Side::Source, 1).period.unwrap();
        let run = |in_period, in_share| PeriodRun { in_period, in_share, len: 2 };
        let shares: Vec<_> =
            period.shares.iter().map(|share| (share.peer, share.len, share.runs.clone())).collect();
        let expected = [
            (0, 4, vec![run(2, 0), run(8, 2)]),
            (1, 2, vec![run(4, 0)]),
            (2, 4, vec![run(0, 0), run(6, 2)]),
        ];
        assert_eq!((period.len, shares.as_slice()), (10, &expected[..]));
    }

    #[test]
    fn long_runs_and_single_periods_are_left_alone() {
        let dim = |extent, from, to| {
            let axis = Plan::<1>::parse([extent], from, to).unwrap().axis(0);
            LoopDim::new(&axis, WindowTable::NONE, Side::Source, 0)
        };
        assert!(dim(100_000, "cyclic(200) onto 3", "cyclic(100) onto 3").period.is_none());
        assert!(dim(40, "cyclic(10) onto 3", "cyclic(2) onto 3").period.is_none());
    }
}
