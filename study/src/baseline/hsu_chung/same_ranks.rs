//! Hsu and Chung's methods as published, for the same ranks on both sides.

use super::super::regular::{Blocks, Regular};
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
        let (s, t) = (line.source.block, line.destination.block);
        let set_ups = match line.own_blocks(rank, line.len).next() {
            None => 0,
            Some(own) if s >= t => scatter(&line, s / t, own.start, found),
            Some(_) if t / s <= line.source.ranks => gather_one_each(&line, t / s, rank, found),
            Some(_) => gather_several_each(&line, t / s, rank, found),
        };
        Operations { set_ups, comparisons: found.len() }
    }
}

fn scatter(line: &Regular, k: usize, block_start: usize, found: &mut Vec<Segments>) -> usize {
    let (r, ranks, len) = (line.destination.block, line.source.ranks, line.len);
    // `i k div M` and `i k mod M`: equations (1) and (3) without their brackets.
    let (rounds, eta) = (block_start / r / ranks, block_start / r % ranks);
    let partners = k.min(ranks).min((len - block_start).div_ceil(r));
    let repetitions = line.repetitions(len.min(line.source.round));
    let mut j = eta;
    for w in 0..partners {
        let offsets = (w * r, (rounds + usize::from(j < eta)) * r);
        let (start, peer) = (block_start + w * r, line.destination.coordinate(j));
        if k <= ranks {
            found.push(repetitions.family(start, r.min(len - start), peer, offsets));
        } else {
            // gamma = (k div M + [w < k mod M]) r elements of each whole block.
            let count = k / ranks + usize::from(w < k % ranks);
            let family = Segments::whole(start, r, (line.destination.round, count), peer, offsets);
            cycles(len, line.source, block_start, family, found);
        }
        j = if j + 1 == ranks { 0 } else { j + 1 };
    }
    partners
}

/// `k <= M`: each own block of a cycle goes to another rank. The next one is `M div k` destination
/// blocks on, and `M mod k` more.
fn gather_one_each(line: &Regular, k: usize, rank: usize, found: &mut Vec<Segments>) -> usize {
    let (r, ranks, len) = (line.source.block, line.source.ranks, line.len);
    let (over, more) = (ranks / k, ranks % k);
    let repetitions = line.repetitions(len.min(line.destination.round));
    let i = line.source.relative(rank);
    let (mut start, mut j, mut in_block) = (i * r, i / k, i % k);
    for w in 0..k {
        if start >= len {
            return w;
        }
        let (peer, beta) = (line.destination.coordinate(j), in_block * r);
        found.push(repetitions.family(start, r.min(len - start), peer, (w * r, beta)));
        start = start.saturating_add(line.source.round);
        (j, in_block) = (j + over, in_block + more);
        if in_block >= k {
            (j, in_block) = (j + 1, in_block - k);
        }
    }
    k
}

/// `k > M`: gives every rank `delta = (k div M + [beta < (k mod M) r]) r` elements a cycle.
fn gather_several_each(line: &Regular, k: usize, rank: usize, found: &mut Vec<Segments>) -> usize {
    let (r, ranks, len) = (line.source.block, line.source.ranks, line.len);
    let (fewer, extra) = (k / ranks, k % ranks);
    // Blocks of `r` from the start of `j`'s block to the first own one.
    let mut in_block = line.source.relative(rank);
    let (mut block_start, mut source_offset) = (0usize, 0);
    for j in 0..ranks {
        let (count, beta) = (fewer + usize::from(in_block < extra), in_block * r);
        if block_start >= len || beta >= len - block_start {
            return j;
        }
        let (peer, offsets) = (line.destination.coordinate(j), (source_offset, beta));
        let family =
            Segments::whole(block_start + beta, r, (line.source.round, count), peer, offsets);
        cycles(len, line.destination, block_start, family, found);
        source_offset += count * r;
        block_start = block_start.saturating_add(line.destination.block);
        in_block = in_block + count * ranks - k;
    }
    ranks
}

/// Lists one family a cycle, the first in the coarse block that begins at `block_start`. The last
/// one is cut at the extent.
fn cycles(
    len: usize,
    coarse: Blocks,
    mut block_start: usize,
    mut family: Segments,
    found: &mut Vec<Segments>,
) {
    let at = family.start - block_start;
    while block_start < len && at < len - block_start {
        family.start = block_start + at;
        if coarse.block > len - block_start {
            let more = (len - 1 - family.start) / family.stride;
            family.count = more + 1;
            family.last_len = family.len.min(len - (family.start + more * family.stride));
        }
        found.push(family);
        block_start = block_start.saturating_add(coarse.round);
        family.source_offset += coarse.block;
        family.destination_offset += coarse.block;
    }
}
