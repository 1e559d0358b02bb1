//! Hsu and Chung's families for any numbers of ranks on both sides.

use super::super::cursor::{Cursor, Step};
use super::super::regular::{OwnBlock, Regular};
use super::super::walk::{block_after_block, places};
use super::super::{Intersection, Operations, Segments};
use redist::plan::Axis;

/// Hsu and Chung's observation without its condition that both sides have the same ranks.
///
/// In kr→r, an own block and a destination rank share equal pieces at equal distances, which arrive
/// in one range; in r→kr, a destination block and a source rank. A family of one piece (`k <= Q`,
/// or `k <= P`) is repeated over periods instead. A set-up is an own or a destination block.
#[derive(Clone, Copy, Debug)]
pub struct HsuChungAnyRanks;

impl Intersection for HsuChungAnyRanks {
    fn name(&self) -> &'static str {
        "Hsu-Chung, any ranks"
    }

    fn applies(&self, axis: &Axis) -> Result<(), &'static str> {
        super::applies(axis)
    }

    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
        let line = Regular::of(axis);
        let (s, t) = (line.source.block, line.destination.block);
        found.clear();
        let set_ups = if s.is_multiple_of(t) && s / t > line.destination.ranks {
            scatter(&line, rank, found)
        } else if t.is_multiple_of(s) && t / s > line.source.ranks {
            gather(&line, rank, found);
            found.len()
        } else {
            let period = line.period();
            block_after_block(&line, rank, period, found);
            line.own_blocks(rank, period).count()
        };
        Operations { set_ups, comparisons: found.len() }
    }
}

fn scatter(line: &Regular, rank: usize, found: &mut Vec<Segments>) -> usize {
    let k = line.source.block / line.destination.block;
    let whole = Deal::of(k, line.destination.ranks);
    let mut set_ups = 0;
    for (own, cursor) in places(line, rank, line.len) {
        let pieces = (own.end - own.start).div_ceil(line.destination.block);
        let deal = if pieces == k { whole } else { Deal::of(pieces, line.destination.ranks) };
        scatter_block(line, own, cursor, deal, found);
        set_ups += 1;
    }
    set_ups
}

/// `pieces` dealt to ranks in turn: the ranks up to number `last` get one more than `fewer`.
#[derive(Clone, Copy)]
struct Deal {
    /// Pieces of a rank behind number `last`.
    fewer: usize,
    /// Number of the last rank with one more piece, from 0.
    last: usize,
    /// Ranks with a piece.
    partners: usize,
}

impl Deal {
    fn of(pieces: usize, ranks: usize) -> Self {
        Self {
            fewer: (pieces - 1) / ranks,
            last: (pieces - 1) % ranks,
            partners: pieces.min(ranks),
        }
    }
}

#[inline]
fn scatter_block(
    line: &Regular,
    own: OwnBlock,
    mut cursor: Cursor,
    deal: Deal,
    found: &mut Vec<Segments>,
) {
    let (r, ranks) = (line.destination.block, line.destination.ranks);
    let last_piece = (deal.fewer * ranks + deal.last) * r;
    for partner in 0..deal.partners {
        found.push(Segments {
            start: own.start + partner * r,
            len: r,
            stride: line.destination.round,
            count: deal.fewer + usize::from(partner <= deal.last),
            last_len: if partner == deal.last { own.end - own.start - last_piece } else { r },
            peer: line.destination.coordinate(cursor.relative()),
            source_offset: own.local + partner * r,
            destination_offset: cursor.local(),
        });
        cursor.shift();
    }
}

/// r→kr: lists a family for each destination block around the rank's, `t div sP` or one more.
pub fn gather(line: &Regular, rank: usize, found: &mut Vec<Segments>) {
    let (r, round) = (line.source.block, line.source.round);
    let fewer = line.destination.block / round;
    let steps =
        [fewer, fewer + 1].map(|count| Step::of(count.saturating_mul(round), &line.destination));
    let mut left = line.own_block_count(rank);
    let Some(OwnBlock { mut start, mut local, .. }) = line.own_blocks(rank, line.len).next() else {
        return;
    };
    let mut cursor = Cursor::at(start, &line.destination);
    loop {
        let more = usize::from(fewer * round < cursor.left());
        let count = (fewer + more).min(left);
        left -= count;
        let last = start + (count - 1) * round;
        found.push(Segments {
            start,
            len: r,
            stride: round,
            count,
            last_len: r.min(line.len - last),
            peer: line.destination.coordinate(cursor.relative()),
            source_offset: local,
            destination_offset: cursor.local(),
        });
        if left == 0 {
            return;
        }
        (start, local) = (last + round, local + count * r);
        cursor.advance(&steps[more]);
    }
}
