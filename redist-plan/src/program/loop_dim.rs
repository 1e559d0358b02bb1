//! One dimension of a rank's loop nest.

use super::run_group::run_groups;
use super::table::WindowIndex;
use super::{Period, RunGroup};
use crate::arithmetic::add_modulo;
use crate::plan::{Axis, Side, WindowTable};
use core::iter;

/// A dimension of a rank's local array as a loop: the groups of a period, repeated, and the rest.
/// Peers are numbered from 0 among the rank's peers along this dimension.
#[derive(Clone, Debug)]
pub struct LoopDim {
    /// Local index of the first element of the moved section.
    pub start: usize,
    /// Elements in the local array from neighbour to neighbour.
    pub stride: usize,
    /// Groups of one period.
    pub groups: Vec<RunGroup>,
    /// Whole periods.
    pub repeats: usize,
    /// Groups after the last whole period.
    pub rest: Vec<RunGroup>,
    /// Grid coordinate of each peer, increasing.
    pub peers: Vec<usize>,
    /// Elements exchanged with each peer along this dimension.
    pub counts: Vec<usize>,
    /// The period sorted by message, where that pays.
    pub period: Option<Period>,
    /// Difference between the numbers of messages to neighbouring peers.
    pub message_stride: usize,
}

impl LoopDim {
    pub(super) fn new(axis: &Axis, window: WindowTable<'_>, side: Side, rank: usize) -> Self {
        let table = WindowIndex::new(axis, window, side);
        let groups = |end| match &table {
            Some(table) => table.groups(rank, end),
            None => run_groups(axis, side, rank, 0..end),
        };
        let (len, period) = (axis.len(), axis.period().max(1));
        let mut dim = Self {
            start: axis.side(side).local_from(rank, 0),
            stride: 1,
            groups: groups(period.min(len)),
            repeats: len / period,
            rest: if len < period { Vec::new() } else { groups(len % period) },
            peers: Vec::new(),
            counts: Vec::new(),
            period: None,
            message_stride: 1,
        };
        dim.join_repetitions(axis.side(side.other()).ranks());
        dim.number_the_peers(axis.side(side.other()).ranks());
        dim.find_period();
        dim
    }

    pub(super) fn find_period(&mut self) {
        self.period = Period::of(&self.groups, self.repeats, self.peers.len());
    }

    /// Joins the periods if they are one group, and each goes on where the one before has ended.
    pub(super) fn join_repetitions(&mut self, ranks: usize) {
        let [group] = self.groups.as_mut_slice() else { return };
        match ranks {
            1 => group.len *= self.repeats,
            _ if group.count.is_multiple_of(ranks) => group.count *= self.repeats,
            _ => return,
        }
        self.repeats = 1;
    }

    /// Replaces grid coordinates by numbers. Consecutive peers stay so: a group has all between.
    fn number_the_peers(&mut self, ranks: usize) {
        for group in self.groups.iter().chain(&self.rest) {
            let next = |peer: &usize| Some(add_modulo(*peer, 1 % ranks, ranks));
            self.peers
                .extend(iter::successors(Some(group.peer), next).take(group.count.min(ranks)));
        }
        self.peers.sort_unstable();
        self.peers.dedup();
        for groups in [&mut self.groups, &mut self.rest] {
            number(groups, &self.peers);
        }
        self.counts = vec![0; self.peers.len()];
        for (groups, times) in [(&self.groups, self.repeats), (&self.rest, 1)] {
            groups.iter().for_each(|group| add_up(group, times, &mut self.counts));
        }
    }

    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        (self.repeats == 0 || self.groups.is_empty()) && self.rest.is_empty()
    }

    #[doc(hidden)]
    pub fn all_groups(&self) -> impl Iterator<Item = &RunGroup> {
        let groups = &self.groups;
        (0..self.repeats).flat_map(move |_| groups.iter()).chain(&self.rest)
    }
}

pub(super) fn number(groups: &mut [RunGroup], peers: &[usize]) {
    for group in groups {
        group.peer = peers.partition_point(|&peer| peer < group.peer);
    }
}

fn add_up(group: &RunGroup, times: usize, counts: &mut [usize]) {
    let (peers, mut peer) = (counts.len(), group.peer);
    // Most groups have fewer runs than there are peers.
    let (rounds, extra) = if group.count < peers {
        (0, group.count)
    } else {
        (group.count / peers, group.count % peers)
    };
    for step in 0..group.count.min(peers) {
        counts[peer] += (rounds + usize::from(step < extra)) * group.len * times;
        peer = if peer + 1 == peers { 0 } else { peer + 1 };
    }
}
