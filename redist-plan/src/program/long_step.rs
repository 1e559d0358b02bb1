//! Steps that are too long to write out run by run: for loops over runs in turn, or over a table.

use super::{BlocksAndRanks, MAX_STEP_CYCLES, RunGroup, RunStep};
use crate::arithmetic::gcd;

/// Most runs of a step that a table lists.
const MAX_LISTED_RUNS: usize = 1024;

/// Most messages of a row that kernels copy: they keep a cursor for each.
pub const MAX_PEERS: usize = 64;

/// Bytes of each run from which a loop over runs in turn is as fast as kernels that know no blocks.
const MIN_TURN_BYTES: usize = 48;

/// Mean bytes of a run from which a walk over a table is as fast as kernels that know no blocks.
const MIN_LISTED_BYTES: usize = 192;

/// The runs after which a rank's part of a dimension repeats, in any number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongStep {
    /// Runs, whose peers are numbered as those of [`StepRun`](super::StepRun).
    groups: Vec<RunGroup>,
    /// Elements of each peer in a step.
    shares: Vec<usize>,
}

impl LongStep {
    pub fn groups(&self) -> &[RunGroup] {
        &self.groups
    }

    pub fn shares(&self) -> &[usize] {
        &self.shares
    }

    pub fn elements(&self) -> usize {
        self.shares.iter().sum()
    }

    /// Returns the only group, if each peer has a run in turn.
    pub fn in_turn(&self) -> Option<RunGroup> {
        match self.groups[..] {
            [group] if group.count > 1 => Some(group),
            _ => None,
        }
    }

    /// Lists the runs: peer, and elements.
    pub fn runs(&self) -> impl Iterator<Item = (usize, usize)> {
        let peers = self.shares.len();
        self.groups.iter().flat_map(move |group| {
            (0..group.count).map(move |run| ((group.peer + run) % peers, group.len))
        })
    }

    /// Returns `true` if a loop copies elements of `width` bytes as fast as kernels without it.
    pub fn is_looped(&self, width: usize) -> bool {
        let runs: usize = self.groups.iter().map(|group| group.count).sum();
        match self.in_turn() {
            Some(group) => group.len.saturating_mul(width) >= MIN_TURN_BYTES,
            None => self.elements().saturating_mul(width) / runs.max(1) >= MIN_LISTED_BYTES,
        }
    }
}

/// A step that an item's text copies by a loop of its own.
#[derive(Clone, Debug)]
pub enum LoopStep {
    /// A statement for each run.
    Stated(Box<RunStep>),
    /// A nest over runs in turn, or a walk over a table.
    Rolled(LongStep),
}

impl BlocksAndRanks {
    /// Returns the steps that an item's text copies, by cycle: packing, or unpacking, elements of
    /// `width` bytes. Statements are for steps that other copies are slower for, if none is too long
    /// to write out. Other steps are rolled if that is as fast as other copies. Macro and library
    /// ask here, so that both mean the same steps.
    pub fn loop_steps(self, packs: bool, width: usize) -> Vec<Option<LoopStep>> {
        let gains = |step: &RunStep| !step.is_copied_as_fast(width, true);
        let cycles = 0..self.cycles().min(MAX_STEP_CYCLES);
        let written: Vec<Option<RunStep>> =
            cycles.clone().map(|cycle| self.new_step(cycle).filter(gains)).collect();
        let is_stated = |step: &RunStep| step.moves(packs).are_stated(width);
        let mut steps: Vec<Option<LoopStep>> = match written.iter().flatten().all(is_stated)
            && written.iter().any(Option::is_some)
        {
            true => {
                let stated = |step| LoopStep::Stated(Box::new(step));
                written.into_iter().map(|step| step.map(stated)).collect()
            }
            false => {
                let rolled = |cycle| {
                    self.long_step(cycle).filter(|step| step.is_looped(width)).map(LoopStep::Rolled)
                };
                cycles.map(rolled).collect()
            }
        };
        steps.truncate(steps.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
        steps
    }

    /// Returns the step of a cycle, if none before it has the same; `None` if there are too many
    /// runs for a table, too many peers, or one peer.
    fn long_step(self, cycle: usize) -> Option<LongStep> {
        let is_earlier = |step: &LongStep| {
            (0..cycle).any(|earlier| self.step_of(earlier).as_ref() == Some(step))
        };
        self.step_of(cycle).filter(|step| !is_earlier(step))
    }

    fn step_of(self, cycle: usize) -> Option<LongStep> {
        if self.own == 0 || self.peer == 0 || self.ranks == 0 || self.peers < 2 {
            return None;
        }
        if cycle >= self.cycles() {
            return None;
        }
        self.block_in_turn().or_else(|| self.listed(cycle))
    }

    /// Returns an own block of kr→r, if all blocks of a rank begin with the same peer.
    fn block_in_turn(self) -> Option<LongStep> {
        let Self { own, ranks, peer, peers } = self;
        let count = own / peer;
        let begins_alike = count.checked_mul(ranks)?.is_multiple_of(peers);
        let used = count.min(peers);
        if !own.is_multiple_of(peer) || !(2..=MAX_PEERS).contains(&used) || !begins_alike {
            return None;
        }
        let share = |number: usize| (count - number).div_ceil(used) * peer;
        let groups = vec![RunGroup { len: peer, count, peer: 0 }];
        Some(LongStep { groups, shares: (0..used).map(share).collect() })
    }

    /// Lists the runs of a period.
    fn listed(self, cycle: usize) -> Option<LongStep> {
        let Self { own, ranks, peer, peers } = self;
        let (stride, deal) = (own.checked_mul(ranks)?, peer.checked_mul(peers)?);
        let blocks = deal / gcd(stride, deal);
        let places = stride.checked_mul(blocks)?;
        let is_long = blocks > MAX_LISTED_RUNS || own / peer > MAX_LISTED_RUNS;
        if is_long || places.checked_add(peer).is_none() {
            return None;
        }
        let first = (cycle * gcd(own, peer)) % peer;
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for start in (0..blocks).map(|block| first + block * stride) {
            let mut at = start;
            while at < start + own {
                let end = ((at / peer + 1) * peer).min(start + own);
                match (runs.last_mut(), at / peer % peers) {
                    (Some((last, len)), to) if *last == to => *len += end - at,
                    (_, to) => runs.push((to, end - at)),
                }
                at = end;
            }
            if runs.len() > MAX_LISTED_RUNS {
                return None;
            }
        }
        numbered(&runs, peers)
    }
}

/// Numbers the peers from the first run's on, cyclically.
fn numbered(runs: &[(usize, usize)], peers: usize) -> Option<LongStep> {
    let first = runs.first()?.0;
    let distance = |peer: usize| (peer + peers - first) % peers;
    let mut distances: Vec<usize> = runs.iter().map(|(peer, _)| distance(*peer)).collect();
    distances.sort_unstable();
    distances.dedup();
    if !(2..=MAX_PEERS).contains(&distances.len()) {
        return None;
    }
    let mut shares = vec![0; distances.len()];
    let groups = runs.iter().map(|(peer, len)| {
        let peer = distances.partition_point(|other| *other < distance(*peer));
        shares[peer] += len;
        RunGroup { len: *len, count: 1, peer }
    });
    let groups = groups.collect();
    Some(LongStep { groups, shares })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Plan, Side, WindowTable};
    use crate::program::LoopDim;

    /// Elements of a rank's array by peer, as distances from the first one's.
    fn each(runs: impl Iterator<Item = (usize, usize)>, peers: usize) -> Vec<usize> {
        let all: Vec<usize> =
            runs.flat_map(|(peer, len)| core::iter::repeat_n(peer, len)).collect();
        all.iter().map(|peer| (peer + peers - all[0]) % peers).collect()
    }

    #[test]
    fn each_rank_repeats_a_step() {
        let cases = [
            ((75, 64), (3, 64)),
            ((320, 16), (8, 16)),
            ((30, 4), (654, 4)),
            ((50, 3), (321, 3)),
            ((500, 4), (2, 4)),
            ((2, 3), (1000, 3)),
        ];
        for (own, peer) in cases {
            let blocks = BlocksAndRanks::new(own, peer);
            let steps: Vec<LongStep> =
                (0..blocks.cycles()).filter_map(|cycle| blocks.long_step(cycle)).collect();
            let [from, to] =
                [own, peer].map(|(block, ranks)| format!("cyclic({block}) onto {ranks}"));
            let extent = 3 * steps[0].elements() * own.1;
            let plan = Plan::<1>::parse([extent], &from, &to).unwrap();
            for rank in 0..own.1 {
                let dim = LoopDim::new(&plan.axis(0), WindowTable::NONE, Side::Source, rank);
                let peers = dim.peers.len();
                let runs = dim.all_groups().flat_map(|group| {
                    (0..group.count).map(move |run| ((group.peer + run) % peers, group.len))
                });
                let runs: Vec<(usize, usize)> = runs.collect();
                let is_there = steps.iter().any(|step| {
                    assert_eq!(peers, step.shares().len(), "{own:?} -> {peer:?}");
                    let expected = each(step.runs(), peers);
                    (0..runs.len() / 2).any(|skip| {
                        let found = each(runs[skip..].iter().copied(), peers);
                        expected.len() <= found.len() && found[..expected.len()] == expected
                    })
                });
                assert!(is_there, "{own:?} -> {peer:?}, rank {rank}");
            }
        }
    }

    #[test]
    fn shares_are_what_runs_add_up_to() {
        for step in [((30, 4), (654, 4)), ((75, 64), (3, 64)), ((500, 4), (2, 4))]
            .map(|(own, peer)| BlocksAndRanks::new(own, peer).long_step(0).expect("a step"))
        {
            let mut shares = vec![0; step.shares().len()];
            step.runs().for_each(|(peer, len)| shares[peer] += len);
            assert_eq!(shares, step.shares());
        }
    }

    #[test]
    fn there_is_none_of_what_does_not_fit() {
        for (own, peer) in [
            ((10, 3), (2, 1)),
            ((0, 2), (1, 3)),
            ((500, 4), (5, 100)),
            ((usize::MAX, 2), (usize::MAX, 3)),
            ((usize::MAX / 2, 2), (usize::MAX / 3, 3)),
        ] {
            let step = BlocksAndRanks::new(own, peer).long_step(0);
            assert!(step.is_none(), "{own:?} -> {peer:?}: {step:?}");
        }
    }
}
