//! One period of a rank's stretches, message by message.

use super::Level;

/// A period that is short and repeated often: worth copying many at a time, one message after the other.
#[derive(Clone, Debug)]
pub(crate) struct Period {
    /// Elements of the local array in one period.
    pub len: usize,
    /// What belongs to each message.
    pub shares: Vec<Share>,
}

/// What belongs to one message in each period.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    /// Number of the peer.
    pub peer: usize,
    /// Elements in each period.
    pub len: usize,
    /// In increasing order.
    pub stretches: Vec<Stretch>,
}

/// Neighbouring elements that belong to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// Where in the local array, from the start of the period.
    pub in_period: usize,
    /// Where in the message, from the start of the period's share.
    pub in_share: usize,
    /// Number of elements.
    pub len: usize,
}

/// Elements in a period up to which several fit the first cache together.
const SHORT_PERIOD: usize = 512;

/// Elements of a stretch, on average, up to which copies of constant length beat calls of `memcpy`.
const SHORT_STRETCH: usize = 16;

/// Repetitions from which sorting by message pays.
const REPEATS: usize = 4;

impl Period {
    /// The period of a level, or `None` where its deals are better copied one after the other.
    pub(super) fn of(level: &Level) -> Option<Self> {
        let len: usize = level.deals.iter().map(|deal| deal.len * deal.count).sum();
        let stretches: usize = level.deals.iter().map(|deal| deal.count).sum();
        let pays = len <= SHORT_PERIOD && len <= SHORT_STRETCH * stretches && level.repeats >= REPEATS;
        pays.then(|| Self { len, shares: shares(level) })
    }
}

fn shares(level: &Level) -> Vec<Share> {
    let share = |peer| Share { peer, len: 0, stretches: Vec::new() };
    let mut shares: Vec<Share> = (0..level.peers.len()).map(share).collect();
    let mut in_period = 0;
    for deal in &level.deals {
        for step in 0..deal.count {
            let share = &mut shares[(deal.peer + step) % level.peers.len()];
            share.stretches.push(Stretch { in_period, in_share: share.len, len: deal.len });
            share.len += deal.len;
            in_period += deal.len;
        }
    }
    shares.retain(|share| share.len > 0);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Plan, Side};

    #[test]
    fn shares_list_what_each_peer_gets() {
        let axis = Plan::<1>::parse([1000], "cyclic(10) onto 3", "cyclic(2) onto 3").unwrap().axis(0);
        let period = Period::of(&Level::new(&axis, &[], Side::Source, 1)).unwrap();
        let stretch = |in_period, in_share| Stretch { in_period, in_share, len: 2 };
        let shares: Vec<_> =
            period.shares.iter().map(|share| (share.peer, share.len, share.stretches.clone())).collect();
        let expected = [
            (0, 4, vec![stretch(2, 0), stretch(8, 2)]),
            (1, 2, vec![stretch(4, 0)]),
            (2, 4, vec![stretch(0, 0), stretch(6, 2)]),
        ];
        assert_eq!((period.len, shares.as_slice()), (10, &expected[..]));
    }

    #[test]
    fn long_stretches_and_single_periods_are_left_alone() {
        let level = |extent, from, to| {
            let axis = Plan::<1>::parse([extent], from, to).unwrap().axis(0);
            Level::new(&axis, &[], Side::Source, 0)
        };
        assert!(Period::of(&level(100_000, "cyclic(200) onto 3", "cyclic(100) onto 3")).is_none());
        assert!(Period::of(&level(40, "cyclic(10) onto 3", "cyclic(2) onto 3")).is_none());
    }
}
