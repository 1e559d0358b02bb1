use super::super::regular::Regular;
use super::super::{Intersection, Operations, Segments};
use redist::plan::{Axis, Side};

/// The methods of sections 3.1 and 3.2, for any extent and any first ranks.
///
/// A set-up is a partner whose first offset and share of a cycle are evaluated: `min(k, P)` for a
/// rank that has all its blocks. A partner with one piece a cycle (`k <= P`) is one family. Else
/// each cycle is one, whose pieces arrive (kr→r) or leave (r→kr) in one range.
#[derive(Clone, Copy, Debug)]
pub struct HsuChung;

impl Intersection for HsuChung {
    fn name(&self) -> &'static str {
        "Hsu-Chung"
    }

    fn applies(&self, axis: &Axis) -> Result<(), &'static str> {
        super::applies(axis)?;
        if axis.side(Side::Source).ranks() == axis.side(Side::Destination).ranks() {
            Ok(())
        } else {
            Err("the sides have different numbers of ranks")
        }
    }

    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
        assert_eq!(self.applies(axis), Ok(()), "the algorithm does not apply to this dimension");
        let line = Regular::of(axis);
        found.clear();
        let set_ups = match line.own_blocks(rank, line.len).next() {
            None => 0,
            Some(_) if line.source.block >= line.destination.block => {
                Scatter::new(&line, rank).run(found)
            }
            Some(_) => Gather::new(&line, rank).run(found),
        };
        Operations { set_ups, comparisons: found.len() }
    }
}

struct Scatter<'a> {
    line: &'a Regular,
    k: usize,
    r: usize,
    start: usize,
    /// `i k div M` and `i k mod M`: equations (1) and (3) without their brackets.
    rounds: usize,
    eta: usize,
}

impl<'a> Scatter<'a> {
    fn new(line: &'a Regular, rank: usize) -> Self {
        let (r, ranks) = (line.destination.block, line.source.ranks);
        let k = line.source.block / r;
        let first = line.source.relative(rank) * k;
        Self { line, k, r, start: first * r, rounds: first / ranks, eta: first % ranks }
    }

    fn run(&self, found: &mut Vec<Segments>) -> usize {
        let (ranks, len) = (self.line.source.ranks, self.line.len);
        let partners = self.k.min(ranks).min((len - self.start).div_ceil(self.r));
        let repetitions = self.line.repetitions(len.min(self.line.source.round));
        let mut j = self.eta;
        for w in 0..partners {
            let alpha = (self.rounds + usize::from(j < self.eta)) * self.r;
            let peer = self.line.destination.coordinate(j);
            if self.k <= ranks {
                let start = self.start + w * self.r;
                found.push(repetitions.family(
                    start,
                    self.r.min(len - start),
                    peer,
                    (w * self.r, alpha),
                ));
            } else {
                self.cycles(w, peer, alpha, found);
            }
            j = if j + 1 == ranks { 0 } else { j + 1 };
        }
        partners
    }

    /// One family a cycle: partner number `w` gets `gamma = (k div M + [w < k mod M]) r` elements
    /// of each whole block.
    fn cycles(&self, w: usize, peer: usize, alpha: usize, found: &mut Vec<Segments>) {
        let (ranks, len, block) = (self.line.source.ranks, self.line.len, self.line.source.block);
        let (stride, count) =
            (self.line.destination.round, self.k / ranks + usize::from(w < self.k % ranks));
        let (mut block_start, mut source_offset, mut destination_offset) =
            (self.start, w * self.r, alpha);
        while block_start < len && w * self.r < len - block_start {
            let start = block_start + w * self.r;
            let (count, last_len) = if block <= len - block_start {
                (count, self.r)
            } else {
                clipped(start, len, stride, self.r)
            };
            let offsets = (source_offset, destination_offset);
            found.push(family(start, self.r, (stride, count, last_len), peer, offsets));
            block_start = block_start.saturating_add(self.line.source.round);
            source_offset += block;
            destination_offset += block;
        }
    }
}

struct Gather<'a> {
    line: &'a Regular,
    k: usize,
    r: usize,
    /// Relative source rank, and blocks of `r` from `phi`'s block's start to its first own one.
    i: usize,
}

impl<'a> Gather<'a> {
    fn new(line: &'a Regular, rank: usize) -> Self {
        let r = line.source.block;
        Self { line, k: line.destination.block / r, r, i: line.source.relative(rank) }
    }

    fn run(&self, found: &mut Vec<Segments>) -> usize {
        if self.k <= self.line.source.ranks {
            self.one_block_each(found)
        } else {
            self.several_blocks_each(found)
        }
    }

    /// `k <= M`: each own block of a cycle goes to another rank. The next one is `M div k`
    /// destination blocks on, and `M mod k` more.
    fn one_block_each(&self, found: &mut Vec<Segments>) -> usize {
        let (ranks, len) = (self.line.source.ranks, self.line.len);
        let (over, more) = (ranks / self.k, ranks % self.k);
        let repetitions = self.line.repetitions(len.min(self.line.destination.round));
        let (mut j, mut in_block) = (self.i / self.k, self.i % self.k);
        let mut start = self.i * self.r;
        for w in 0..self.k {
            if start >= len {
                return w;
            }
            let (peer, beta) = (self.line.destination.coordinate(j), in_block * self.r);
            found.push(repetitions.family(
                start,
                self.r.min(len - start),
                peer,
                (w * self.r, beta),
            ));
            start = start.saturating_add(self.line.source.round);
            (j, in_block) = (j + over, in_block + more);
            if in_block >= self.k {
                (j, in_block) = (j + 1, in_block - self.k);
            }
        }
        self.k
    }

    /// `k > M`: gives every rank `delta = (k div M + [beta < (k mod M) r]) r` elements a cycle.
    fn several_blocks_each(&self, found: &mut Vec<Segments>) -> usize {
        let (ranks, len) = (self.line.source.ranks, self.line.len);
        let (fewer, extra) = (self.k / ranks, self.k % ranks);
        let (mut block_start, mut in_block, mut source_offset) = (0usize, self.i, 0);
        for j in 0..ranks {
            let count = fewer + usize::from(in_block < extra);
            if block_start >= len || in_block * self.r >= len - block_start {
                return j;
            }
            self.cycles(j, (block_start, in_block, count), source_offset, found);
            source_offset += count * self.r;
            block_start = block_start.saturating_add(self.line.destination.block);
            in_block = in_block + count * ranks - self.k;
        }
        ranks
    }

    /// Lists one family a cycle, of `count` blocks, the first `in_block` blocks into the
    /// destination's.
    fn cycles(
        &self,
        j: usize,
        (mut block_start, in_block, count): (usize, usize, usize),
        mut source_offset: usize,
        found: &mut Vec<Segments>,
    ) {
        let (len, block, stride) =
            (self.line.len, self.line.destination.block, self.line.source.round);
        let (peer, beta) = (self.line.destination.coordinate(j), in_block * self.r);
        let mut destination_offset = beta;
        while block_start < len && beta < len - block_start {
            let start = block_start + beta;
            let (count, last_len) = if block <= len - block_start {
                (count, self.r)
            } else {
                clipped(start, len, stride, self.r)
            };
            found.push(family(
                start,
                self.r,
                (stride, count, last_len),
                peer,
                (source_offset, destination_offset),
            ));
            block_start = block_start.saturating_add(self.line.destination.round);
            source_offset += block;
            destination_offset += block;
        }
    }
}

/// Counts the pieces that begin below `end`, and returns the length of the last one with them.
fn clipped(start: usize, end: usize, stride: usize, len: usize) -> (usize, usize) {
    let more = (end - 1 - start) / stride;
    (more + 1, len.min(end - (start + more * stride)))
}

fn family(
    start: usize,
    len: usize,
    (stride, count, last_len): (usize, usize, usize),
    peer: usize,
    (source_offset, destination_offset): (usize, usize),
) -> Segments {
    Segments { start, len, stride, count, last_len, peer, source_offset, destination_offset }
}
