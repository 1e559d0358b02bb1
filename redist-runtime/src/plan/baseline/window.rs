//! The window table: what one rank's blocks meet, whatever the number of destination ranks.

use super::regular::{self, Regular};
use super::walk::{block_after_block, places};
use super::{Intersection, Operations, Segments, hsu_chung};
use crate::arithmetic::{gcd, saturating_lcm};
use crate::plan::Axis;

/// This crate's own: the pieces of one window of `w = lcm(s, t)` elements serve all ranks.
///
/// Own block `B = p' + i P` has phase `B mod (w / s)`, which selects a slice of the window table. The phases repeat after
/// `lcm(s P, t)` elements, which do not contain `Q`: neither the number of families nor the cost depends on the destination's
/// grid. A slice is walked rather than stored, so that nothing is allocated; there are at most `s/g + t/g - 1` pieces in all
/// slices together, `g = gcd(s, t)`. Repetitions of a family go to different ranks, a constant number of blocks apart.
///
/// Where one block size divides the other, the table has only pieces of one size, and what is fewer is listed: its
/// phases, or the blocks of the coarser side.
#[derive(Clone, Copy, Debug)]
pub struct Window;

impl Intersection for Window {
    fn name(&self) -> &'static str {
        "window table"
    }

    fn source(&self) -> &'static str {
        "redist: the pieces of one window, for all ranks, grids and extents"
    }

    fn applies(&self, axis: &Axis) -> Result<(), &'static str> {
        regular::applies(axis)
    }

    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
        let line = Regular::of(axis);
        let (s, t) = (line.source.block, line.destination.block);
        found.clear();
        if s.is_multiple_of(t) && line.own_block_count(rank) < s / t {
            block_by_block(&line, rank, found);
        } else if t.is_multiple_of(s) && line.len.div_ceil(t) <= phases(&line, rank) {
            hsu_chung::gather(&line, rank, found);
        } else {
            let stride = line.len.min(saturating_lcm(line.source.round, t));
            block_after_block(&line, rank, stride, found);
        }
        Operations { set_ups: usize::from(!found.is_empty()), comparisons: found.len() }
    }
}

/// Number of phases that the rank's blocks have.
fn phases(line: &Regular, rank: usize) -> usize {
    let (s, t) = (line.source.block, line.destination.block);
    let all = t / gcd(s, t);
    (all / gcd(all, line.source.ranks)).min(line.own_block_count(rank))
}

/// kr→r: each own block is `k` pieces of `r` for consecutive ranks.
fn block_by_block(line: &Regular, rank: usize, found: &mut Vec<Segments>) {
    let (block, k) = (line.destination.block, line.source.block / line.destination.block);
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
