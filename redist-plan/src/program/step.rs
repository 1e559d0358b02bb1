//! The pieces of a period, relative to its first peer, for code that has them as constants.

use crate::arithmetic::{gcd, min};
use core::fmt;

/// Blocks and ranks of both sides of a dimension, seen from one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlocksAndRanks {
    /// Elements in a block of this side.
    pub own: usize,
    /// Ranks of this side.
    pub ranks: usize,
    /// Elements in a block of the other side.
    pub peer: usize,
    /// Ranks of the other side.
    pub peers: usize,
}

/// Neighbouring elements of the local array for one peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRun {
    /// The peer, numbered among the step's peers from the peer of the step's first element on,
    /// cyclically.
    pub peer: u8,
    /// Number of elements.
    pub len: u16,
}

/// Most runs of a step.
pub const MAX_STEP_RUNS: usize = 256;

/// Most elements of a step.
pub const MAX_STEP_ELEMENTS: usize = 2048;

/// Most peers of a step.
pub const MAX_STEP_PEERS: usize = 8;

/// Cycles that have code; more cost compile time beyond their gain.
pub const MAX_STEP_CYCLES: usize = 4;

impl StepRun {
    /// Returns the run as a number. Compilers check constant lists of numbers at once.
    const fn packed(self) -> u32 {
        (self.len as u32) << 16 | self.peer as u32
    }

    const fn unpacked(packed: u32) -> Self {
        Self { peer: packed as u8, len: (packed >> 16) as u16 }
    }
}

/// The runs after which a rank's part of a dimension repeats.
#[derive(Clone, Copy)]
pub struct RunStep {
    /// Packed.
    runs: [u32; MAX_STEP_RUNS],
    /// Runs in use.
    count: usize,
    /// Elements of the local array in a step.
    len: usize,
    /// Number of peers.
    peers: usize,
    /// Elements of each peer in a step.
    shares: [usize; MAX_STEP_PEERS],
}

impl RunStep {
    pub fn runs(&self) -> impl ExactSizeIterator<Item = StepRun> + Clone {
        self.runs[..self.count].iter().map(|packed| StepRun::unpacked(*packed))
    }

    pub const fn count(&self) -> usize {
        self.count
    }

    pub const fn get(&self, number: usize) -> StepRun {
        StepRun::unpacked(self.runs[number])
    }

    pub const fn elements(&self) -> usize {
        self.len
    }

    pub const fn shares(&self) -> &[usize] {
        self.shares.split_at(self.peers).0
    }

    const fn has_runs_of(&self, other: &Self) -> bool {
        let mut run = 0;
        while run < self.count {
            if self.runs[run] != other.runs[run] {
                return false;
            }
            run += 1;
        }
        self.count == other.count
    }

    pub const fn is_in_turn(&self) -> bool {
        let mut run = 0;
        while run < self.count {
            let StepRun { peer, len } = self.get(run);
            if len != self.get(0).len || peer as usize != run % self.peers {
                return false;
            }
            run += 1;
        }
        self.count.is_multiple_of(self.peers)
    }

    /// Returns `true` if copies that know no blocks are as fast: runs in turn are moves of a constant
    /// length, or go through a network if the processor has `networks`.
    pub const fn is_copied_as_fast(&self, width: usize, networks: bool) -> bool {
        let bytes = (self.get(0).len as usize).saturating_mul(width);
        let network = networks && matches!(bytes, 4 | 8 | 16) && matches!(self.peers, 2 | 4 | 8);
        self.is_in_turn() && (bytes >= MIN_MOVED_RUN_BYTES || network)
    }
}

/// Bytes of runs in turn from which moves of a constant length are as fast.
const MIN_MOVED_RUN_BYTES: usize = 48;

impl fmt::Debug for RunStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.runs()).finish()
    }
}

impl BlocksAndRanks {
    pub const fn new((own, ranks): (usize, usize), (peer, peers): (usize, usize)) -> Self {
        Self { own, ranks, peer, peers }
    }

    /// Returns `true` if all numbers are the same, in constants, too.
    pub const fn is(self, other: Self) -> bool {
        self.own == other.own
            && self.ranks == other.ranks
            && self.peer == other.peer
            && self.peers == other.peers
    }

    pub const fn turned(self) -> Self {
        Self { own: self.peer, ranks: self.peers, peer: self.own, peers: self.ranks }
    }

    /// Counts the ways in which a rank's pieces repeat. From one own block to the next, the
    /// opposite side's blocks shift in it in a cycle, whose ranks have the same pieces.
    pub const fn cycles(self) -> usize {
        match (self.own, self.peer, self.own.checked_mul(self.ranks)) {
            (0, ..) | (_, 0, _) | (.., None) => 0,
            (own, peer, Some(stride)) => gcd(stride, peer) / gcd(own, peer),
        }
    }

    /// Returns the pieces' period in a cycle, or a round of all peers in much longer blocks. `None`
    /// if there are too many runs, elements or peers, or one peer.
    pub const fn step(self, cycle: usize) -> Option<RunStep> {
        if self.own == 0 || self.peer == 0 || self.ranks == 0 || self.peers < 2 {
            return None;
        }
        match self.period(cycle) {
            Some(step) => Some(step),
            None if cycle == 0 => self.round(),
            None => None,
        }
    }

    /// Returns the step of a cycle, if none before it has the same.
    pub const fn new_step(self, cycle: usize) -> Option<RunStep> {
        if cycle >= self.cycles() {
            return None;
        }
        let Some(step) = self.step(cycle) else { return None };
        let mut earlier = 0;
        while earlier < cycle {
            if let Some(other) = self.step(earlier)
                && other.has_runs_of(&step)
            {
                return None;
            }
            earlier += 1;
        }
        Some(step)
    }

    pub const fn have_steps(self) -> bool {
        self.step(0).is_some() || self.turned().step(0).is_some()
    }

    const fn period(self, cycle: usize) -> Option<RunStep> {
        let Self { own, peer, peers, ranks } = self;
        let (Some(stride), Some(deal)) = (own.checked_mul(ranks), peer.checked_mul(peers)) else {
            return None;
        };
        let blocks = deal / gcd(stride, deal);
        match own.checked_mul(blocks) {
            Some(len) if len <= MAX_STEP_ELEMENTS => {}
            _ => return None,
        }
        // Places are counted in the period of both deals; no further than this.
        let Some(places) = stride.checked_mul(blocks) else { return None };
        if places.checked_add(peer).is_none() {
            return None;
        }
        let first = (cycle * gcd(own, peer)) % peer;
        let mut step = RawStep::new();
        let mut block = 0;
        while block < blocks {
            let (mut at, end) = (first + block * stride, first + block * stride + own);
            while at < end {
                let number = at / peer;
                let to = min((number + 1) * peer, end);
                if !step.push(number % peers, to - at) {
                    return None;
                }
                at = to;
            }
            block += 1;
        }
        step.finish(peers)
    }

    const fn round(self) -> Option<RunStep> {
        let Self { own, peer, peers, .. } = self;
        if peers > MAX_STEP_PEERS || peer > MAX_STEP_ELEMENTS / peers {
            return None;
        }
        if own / peer < MIN_ROUNDS * peers {
            return None;
        }
        let mut step = RawStep::new();
        let mut number = 0;
        while number < peers {
            if !step.push(number, peer) {
                return None;
            }
            number += 1;
        }
        step.finish(peers)
    }
}

/// Rounds of all peers in a block from which a round is the step.
const MIN_ROUNDS: usize = 16;

/// A step whose peers have no numbers yet.
struct RawStep {
    /// Coordinate of the peer, and elements, of each run.
    runs: [(usize, usize); MAX_STEP_RUNS],
    /// Runs in use.
    count: usize,
}

impl RawStep {
    const fn new() -> Self {
        Self { runs: [(0, 0); MAX_STEP_RUNS], count: 0 }
    }

    const fn push(&mut self, peer: usize, len: usize) -> bool {
        if self.count > 0 && self.runs[self.count - 1].0 == peer {
            self.runs[self.count - 1].1 += len;
            return true;
        }
        if self.count == MAX_STEP_RUNS {
            return false;
        }
        self.runs[self.count] = (peer, len);
        self.count += 1;
        true
    }

    /// Numbers the peers; `None` if there are too many, or one.
    const fn finish(&self, peers: usize) -> Option<RunStep> {
        let first = self.runs[0].0;
        // For each peer that there is, its distance from the first, increasing.
        let (mut distances, mut used) = ([0; MAX_STEP_PEERS], 0);
        let mut run = 0;
        while run < self.count {
            let distance = (self.runs[run].0 + peers - first) % peers;
            let mut place = used;
            while place > 0 && distances[place - 1] > distance {
                place -= 1;
            }
            if place == 0 || distances[place - 1] != distance {
                if used == MAX_STEP_PEERS {
                    return None;
                }
                let mut moved = used;
                while moved > place {
                    distances[moved] = distances[moved - 1];
                    moved -= 1;
                }
                distances[place] = distance;
                used += 1;
            }
            run += 1;
        }
        if used < 2 {
            return None;
        }
        Some(self.numbered(&distances, used, (first, peers)))
    }

    const fn numbered(
        &self,
        distances: &[usize; MAX_STEP_PEERS],
        used: usize,
        (first, peers): (usize, usize),
    ) -> RunStep {
        let mut step = RunStep {
            runs: [0; MAX_STEP_RUNS],
            count: self.count,
            len: 0,
            peers: used,
            shares: [0; MAX_STEP_PEERS],
        };
        let mut run = 0;
        while run < self.count {
            let (peer, len) = self.runs[run];
            let (distance, mut number) = ((peer + peers - first) % peers, 0);
            while distances[number] != distance {
                number += 1;
            }
            // Both fit: there are at most `MAX_STEP_PEERS` peers and `MAX_STEP_ELEMENTS` elements.
            step.runs[run] = StepRun { peer: number as u8, len: len as u16 }.packed();
            step.shares[number] += len;
            step.len += len;
            run += 1;
        }
        step
    }
}

#[cfg(test)]
mod tests;
