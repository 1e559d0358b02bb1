use super::step::{BlocksAndRanks, MAX_STEP_ELEMENTS, MAX_STEP_PEERS, MAX_STEP_RUNS, RunStep};
use crate::arithmetic::{gcd, min};

/// Elements that lie together on both sides, by their offsets in streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepMove {
    pub from: u8,
    pub to: u8,
    pub source: u16,
    pub destination: u16,
    pub len: u16,
}

const NOTHING: StepMove = StepMove { from: 0, to: 0, source: 0, destination: 0, len: 0 };

/// The moves of one step. Each array (stream) is read or written from front to back.
#[derive(Clone, Copy)]
pub struct StepMoves {
    moves: [StepMove; MAX_STEP_RUNS],
    count: usize,
    read: [usize; MAX_STEP_PEERS],
    written: [usize; MAX_STEP_PEERS],
    reads: usize,
    writes: usize,
}

impl StepMoves {
    const NONE: Self = Self {
        moves: [NOTHING; MAX_STEP_RUNS],
        count: 0,
        read: [0; MAX_STEP_PEERS],
        written: [0; MAX_STEP_PEERS],
        reads: 0,
        writes: 0,
    };

    pub const fn list(&self) -> &[StepMove] {
        self.moves.split_at(self.count).0
    }

    /// Elements by which a step advances in each stream that is read, moved or not.
    pub const fn read(&self) -> &[usize] {
        self.read.split_at(self.reads).0
    }

    pub const fn written(&self) -> &[usize] {
        self.written.split_at(self.writes).0
    }

    pub const fn elements(&self) -> usize {
        let (mut len, mut number) = (0, 0);
        while number < self.count {
            len += self.moves[number].len as usize;
            number += 1;
        }
        len
    }
}

impl RunStep {
    pub const fn moves(&self, packs: bool) -> StepMoves {
        let mut moves = StepMoves::NONE;
        let (mut at, mut seen, mut run) = (0, [0; MAX_STEP_PEERS], 0);
        while run < self.runs().len() {
            let (peer, len) = (self.runs()[run].peer, self.runs()[run].len);
            let there = seen[peer as usize];
            // Places fit, since a step has at most `MAX_STEP_ELEMENTS` elements.
            moves.moves[run] = match packs {
                true => StepMove { from: 0, to: peer, source: at, destination: there, len },
                false => StepMove { from: peer, to: 0, source: there, destination: at, len },
            };
            seen[peer as usize] += len;
            at += len;
            run += 1;
        }
        moves.count = run;
        let (mut shares, mut peer) = ([0; MAX_STEP_PEERS], 0);
        while peer < self.shares().len() {
            shares[peer] = self.shares()[peer];
            peer += 1;
        }
        let (mut local, peers) = ([0; MAX_STEP_PEERS], self.shares().len());
        local[0] = self.elements();
        (moves.read, moves.reads) = if packs { (local, 1) } else { (shares, peers) };
        (moves.written, moves.writes) = if packs { (shares, peers) } else { (local, 1) };
        moves
    }
}

impl BlocksAndRanks {
    /// Returns the elements after which both sides' blocks and ranks line up; `None` if too many.
    pub const fn all_ranks(self) -> Option<usize> {
        let Self { own, ranks, peer, peers } = self;
        if own == 0 || peer == 0 || ranks == 0 || peers == 0 {
            return None;
        }
        let (Some(stride), Some(deal)) = (own.checked_mul(ranks), peer.checked_mul(peers)) else {
            return None;
        };
        if ranks > MAX_STEP_PEERS || peers > MAX_STEP_PEERS || ranks * peers < 2 {
            return None;
        }
        match (stride / gcd(stride, deal)).checked_mul(deal) {
            Some(all) if all <= MAX_STEP_ELEMENTS => Some(all),
            _ => None,
        }
    }

    /// Moves between the local arrays of all ranks, numbered from those with the first block on.
    pub const fn exchange(self) -> Option<StepMoves> {
        let Self { own, ranks, peer, peers } = self;
        let Some(all) = self.all_ranks() else { return None };
        let (mut moves, mut at) = (StepMoves::NONE, 0);
        while at < all {
            let (source, destination) = (at / own, at / peer);
            let end = min((source + 1) * own, (destination + 1) * peer);
            if moves.count == MAX_STEP_RUNS {
                return None;
            }
            moves.moves[moves.count] = StepMove {
                from: (source % ranks) as u8,
                to: (destination % peers) as u8,
                source: (source / ranks * own + at % own) as u16,
                destination: (destination / peers * peer + at % peer) as u16,
                len: (end - at) as u16,
            };
            moves.count += 1;
            at = end;
        }
        let mut stream = 0;
        while stream < MAX_STEP_PEERS {
            moves.read[stream] = if stream < ranks { all / ranks } else { 0 };
            moves.written[stream] = if stream < peers { all / peers } else { 0 };
            stream += 1;
        }
        (moves.reads, moves.writes) = (ranks, peers);
        Some(moves)
    }
}
