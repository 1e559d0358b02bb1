//! The window table of this crate's planner, as an algorithm to compare with.

use super::regular::Regular;
use super::walk::{block_after_block, places};
use super::{Intersection, Operations, Segments, hsu_chung};
use num_integer::gcd;
use redist::plan::Axis;
use redist_plan::arithmetic::saturating_lcm;

/// This crate's own: the pieces of one window of `w = lcm(s, t)` elements serve all ranks.
///
/// Own block `B = p' + i P` has phase `B mod (w / s)`, which selects a slice of the window table.
/// The phases repeat after `lcm(s P, t)` elements, so neither families nor cost depend on `Q`.
/// Slices have at most `s/g + t/g - 1` pieces, `g = gcd(s, t)`, and are walked, not stored.
///
/// If one block size divides its partner, the scan lists the fewer of its phases and the coarser
/// side's blocks.
#[derive(Clone, Copy, Debug)]
pub struct Window;

impl Intersection for Window {
    fn name(&self) -> &'static str {
        "window table"
    }

    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
        let line = Regular::of(axis);
        let (s, t) = (line.source.block, line.destination.block);
        found.clear();
        if s > t && s.is_multiple_of(t) {
            scatter(&line, s / t, rank, found);
        } else if s < t && t.is_multiple_of(s) {
            gather(&line, t / s, rank, found);
        } else {
            let stride = line.len.min(saturating_lcm(line.source.round, t));
            block_after_block(&line, rank, stride, found);
        }
        Operations { set_ups: usize::from(!found.is_empty()), comparisons: found.len() }
    }
}

/// kr→r: lists one phase of `k` pieces, or the own blocks, each `k` pieces for consecutive ranks.
fn scatter(line: &Regular, k: usize, rank: usize, found: &mut Vec<Segments>) {
    if k <= line.own_block_count(rank) {
        return block_after_block(line, rank, line.len.min(line.source.round), found);
    }
    let block = line.destination.block;
    for (own, cursor) in places(line, rank, line.len) {
        let len = own.end - own.start;
        let count = if len == line.source.block { k } else { len.div_ceil(block) };
        found.push(Segments {
            start: own.start,
            len: block,
            stride: block,
            count,
            last_len: len - (count - 1) * block,
            peer: line.destination.coordinate(cursor.relative()),
            source_offset: own.local,
            destination_offset: cursor.local(),
        });
    }
}

/// r→kr: lists the phases of the own blocks, one piece each, or the destination blocks around them.
fn gather(line: &Regular, k: usize, rank: usize, found: &mut Vec<Segments>) {
    let phases = k / gcd(k, line.source.ranks);
    if line.len.div_ceil(line.destination.block) <= phases.min(line.own_block_count(rank)) {
        return hsu_chung::gather(line, rank, found);
    }
    let stride = line.len.min(line.source.round.saturating_mul(phases));
    block_after_block(line, rank, stride, found);
}
