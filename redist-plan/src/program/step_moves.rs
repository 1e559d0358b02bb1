//! The moves of a step: the statements that compiled code consists of.

use super::step::{
    BlocksAndRanks, MAX_STEP_ELEMENTS, MAX_STEP_PEERS, MAX_STEP_RUNS, RunStep, StepRun,
};
use crate::arithmetic::{gcd, min};

/// Elements that lie together on both sides, by their offsets in streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepMove {
    /// Number of the stream that is read.
    pub from: u8,
    /// Number of the stream that is written.
    pub to: u8,
    /// Elements before the move in the stream that is read.
    pub source: u16,
    /// Elements before the move in the stream that is written.
    pub destination: u16,
    /// Number of elements.
    pub len: u16,
}

impl StepMove {
    const fn unpacked(packed: u64) -> Self {
        Self {
            from: packed as u8,
            to: (packed >> 8) as u8,
            source: (packed >> 16) as u16,
            destination: (packed >> 32) as u16,
            len: (packed >> 48) as u16,
        }
    }
}

/// Returns a move as a number: streams read and written, both places, and elements. Compilers check
/// constant lists of numbers at once, and others field by field.
const fn packed((from, to): (u16, u16), (source, destination, len): (u16, u16, u16)) -> u64 {
    let streams = from as u64 + ((to as u64) << 8);
    streams + ((source as u64) << 16) + ((destination as u64) << 32) + ((len as u64) << 48)
}

/// A move as an item's text has it: stream read, place in it, stream written, place in it, elements.
/// A list of numbers, because compilers check tuples more slowly.
pub type Statement = [u16; 5];

/// Statements of a written stream that an item's text has at most.
pub const MAX_STATEMENTS: usize = 128;

/// Bytes of a step from which code for it gains nothing.
pub const MAX_STEP_BYTES: usize = 2048;

/// Bytes that divide all runs, from which copies of constant lengths are as fast as vectors.
pub const MIN_STATEMENT_BYTES: usize = 8;

/// The moves of one step. Each array (stream) is read or written from front to back.
#[derive(Clone, Copy)]
pub struct StepMoves {
    /// Packed, in the order of the streams written.
    moves: [u64; MAX_STEP_RUNS],
    /// Moves in use.
    count: usize,
    /// The first move of each stream written, and the end of the last.
    first: [usize; MAX_STEP_PEERS + 1],
    /// Elements of each stream that is read.
    read: [usize; MAX_STEP_PEERS],
    /// Elements of each stream that is written.
    written: [usize; MAX_STEP_PEERS],
    /// Streams that are read.
    reads: usize,
    /// Streams that are written.
    writes: usize,
}

impl StepMoves {
    const NONE: Self = Self {
        moves: [0; MAX_STEP_RUNS],
        count: 0,
        first: [0; MAX_STEP_PEERS + 1],
        read: [0; MAX_STEP_PEERS],
        written: [0; MAX_STEP_PEERS],
        reads: 0,
        writes: 0,
    };

    pub const fn count(&self) -> usize {
        self.count
    }

    pub const fn get(&self, number: usize) -> StepMove {
        StepMove::unpacked(self.moves[number])
    }

    /// Returns the number of the first move to a stream, or behind the last one.
    pub const fn first(&self, stream: usize) -> usize {
        self.first[stream]
    }

    /// The moves as statements, in the order of the streams written.
    pub fn statements(&self) -> impl Iterator<Item = Statement> + '_ {
        (0..self.count).map(|number| {
            let StepMove { from, to, source, destination, len } = self.get(number);
            [from.into(), source, to.into(), destination, len]
        })
    }

    /// Returns `true` if an item's text lists these moves.
    pub const fn are_written_as(&self, text: &[Statement]) -> bool {
        let mut number = 0;
        while number < text.len() && number < self.count {
            let [from, source, to, destination, len] = text[number];
            let packed = packed((from, to), (source, destination, len));
            // Beyond these, another stream and place make the same number.
            if from > 0xFF || to > 0xFF || packed != self.moves[number] {
                return false;
            }
            number += 1;
        }
        text.len() == self.count
    }

    /// The largest number of bytes, up to 16, that divides all ends, for elements of `width` bytes.
    pub const fn unit(&self, width: usize) -> usize {
        let (mut all, mut number) = (0, 0);
        while number < self.count {
            all |= self.moves[number];
            number += 1;
        }
        // A power of two divides all numbers if it divides the OR of all.
        let StepMove { source, destination, len, .. } = StepMove::unpacked(all);
        let (numbers, mut unit) = (source | destination | len, 16);
        while !(numbers as usize * width).is_multiple_of(unit) {
            unit /= 2;
        }
        unit
    }

    /// Returns `true` if items' texts list such moves, for elements of `width` bytes: the step is
    /// short, and its runs are long.
    pub const fn are_stated(&self, width: usize) -> bool {
        let mut stream = 0;
        while stream < self.writes {
            if self.first[stream + 1] - self.first[stream] > MAX_STATEMENTS {
                return false;
            }
            stream += 1;
        }
        self.elements().saturating_mul(width) <= MAX_STEP_BYTES
            && self.unit(width) >= MIN_STATEMENT_BYTES
    }

    /// Puts the moves into the order of the streams written.
    const fn in_order(mut self) -> Self {
        let (moves, mut next, mut number) = (self.moves, [0; MAX_STEP_PEERS], 0);
        while number < self.count {
            self.first[(moves[number] >> 8) as u8 as usize + 1] += 1;
            number += 1;
        }
        let mut stream = 0;
        while stream < MAX_STEP_PEERS {
            next[stream] = self.first[stream];
            self.first[stream + 1] += self.first[stream];
            stream += 1;
        }
        number = 0;
        while number < self.count && self.writes > 1 {
            let to = (moves[number] >> 8) as u8 as usize;
            self.moves[next[to]] = moves[number];
            next[to] += 1;
            number += 1;
        }
        self
    }

    /// Elements by which a step advances in each stream that is read, moved or not.
    pub const fn read(&self) -> &[usize] {
        self.read.split_at(self.reads).0
    }

    pub const fn written(&self) -> &[usize] {
        self.written.split_at(self.writes).0
    }

    /// Returns the elements of all streams written.
    pub const fn elements(&self) -> usize {
        let (mut len, mut stream) = (0, 0);
        while stream < self.writes {
            len += self.written[stream];
            stream += 1;
        }
        len
    }
}

impl RunStep {
    pub const fn moves(&self, packs: bool) -> StepMoves {
        let mut moves = StepMoves::NONE;
        let (mut at, mut seen, mut run) = (0, [0; MAX_STEP_PEERS], 0);
        while run < self.count() {
            let StepRun { peer, len } = self.get(run);
            let there = seen[peer as usize];
            // Places fit, since a step has at most `MAX_STEP_ELEMENTS` elements.
            moves.moves[run] = match packs {
                true => packed((0, peer as u16), (at, there, len)),
                false => packed((peer as u16, 0), (there, at, len)),
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
        moves.in_order()
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

    /// Moves between the local arrays of all ranks, numbered from the ranks with the first block
    /// on.
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
            let (from, to) = ((source % ranks) as u16, (destination % peers) as u16);
            let there = (destination / peers * peer + at % peer) as u16;
            let place = (source / ranks * own + at % own) as u16;
            moves.moves[moves.count] = packed((from, to), (place, there, (end - at) as u16));
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
        Some(moves.in_order())
    }
}
