//! A whole dimension in blocks of one size on either side, as in the papers.

use super::{Segments, whole};
use redist::plan::{Axis, Section, Side};
use redist_plan::arithmetic::{add_modulo, saturating_lcm, subtract_modulo};

/// One side: blocks of `block` on `ranks` ranks, the first on rank `first`.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// Elements in a block.
    pub block: usize,
    /// Ranks of this side.
    pub ranks: usize,
    /// Coordinate that holds block 0.
    first: usize,
    /// Elements of one block on every rank; `usize::MAX` if that does not fit.
    pub round: usize,
}

/// A dimension in blocks of one size on both sides.
#[derive(Clone, Copy, Debug)]
pub struct Regular {
    /// Extent, in elements.
    pub len: usize,
    pub source: Blocks,
    pub destination: Blocks,
}

/// One block of this rank: global indices `start..end`, stored at local offset `local`.
#[derive(Clone, Copy, Debug)]
pub struct OwnBlock {
    /// Global index of the first element.
    pub start: usize,
    /// Global index behind the last element.
    pub end: usize,
    /// Local index of the first element.
    pub local: usize,
}

/// A rank of the other side and its first block's index, perhaps past the extent.
#[derive(Clone, Copy, Debug)]
pub struct Partner {
    /// Coordinate on its side.
    pub peer: usize,
    /// Global index of the first element of its first block.
    pub start: usize,
}

/// How often a piece that lies in the first `stride` elements repeats, without a division for each.
#[derive(Clone, Copy, Debug)]
pub struct Repetitions {
    /// Elements from one repetition to the next.
    stride: usize,
    /// Whole strides in the extent.
    whole: usize,
    /// Elements of the extent behind the whole strides.
    rest: usize,
}

impl Regular {
    pub fn of(axis: &Axis) -> Self {
        if let Err(condition) = whole(axis) {
            panic!("the algorithm does not apply to this dimension: {condition}");
        }
        let [source, destination] =
            [Side::Source, Side::Destination].map(|side| Blocks::of(&axis.side(side)));
        Self { len: axis.len(), source, destination }
    }

    /// Returns `S`: the elements after which every owner repeats, at most the extent.
    pub fn period(&self) -> usize {
        self.len.min(saturating_lcm(self.source.round, self.destination.round))
    }

    /// Returns the source rank's blocks that begin below `end`, cut at the extent.
    pub fn own_blocks(&self, rank: usize, end: usize) -> impl Iterator<Item = OwnBlock> + use<> {
        let (Blocks { block, round, .. }, len) = (self.source, self.len);
        let (mut next, mut local) = (self.source.relative(rank).saturating_mul(block), 0);
        core::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let own = OwnBlock { start: next, end: next + block.min(len - next), local };
            next = next.saturating_add(round);
            local += block;
            Some(own)
        })
    }

    pub fn own_block_count(&self, rank: usize) -> usize {
        let first = self.source.relative(rank).saturating_mul(self.source.block);
        if first >= self.len { 0 } else { (self.len - 1 - first) / self.source.round + 1 }
    }

    pub fn partners(&self) -> impl Iterator<Item = Partner> + use<> {
        let Blocks { block, ranks, first, .. } = self.destination;
        let mut start = 0usize;
        (first..ranks).chain(0..first).map(move |peer| {
            let partner = Partner { peer, start };
            start = start.saturating_add(block);
            partner
        })
    }

    pub fn repetitions(&self, stride: usize) -> Repetitions {
        Repetitions { stride, whole: self.len / stride.max(1), rest: self.len % stride.max(1) }
    }
}

impl Blocks {
    fn of(section: &Section) -> Self {
        let (block, ranks, first) = (section.block(), section.ranks(), section.deal().first());
        Self { block, ranks, first, round: block.saturating_mul(ranks) }
    }

    pub fn relative(&self, rank: usize) -> usize {
        assert!(rank < self.ranks, "there is no rank {rank} among {} of the source", self.ranks);
        subtract_modulo(rank, self.first, self.ranks)
    }

    pub fn coordinate(&self, relative: usize) -> usize {
        add_modulo(relative, self.first, self.ranks)
    }
}

impl Repetitions {
    #[inline]
    pub fn family(
        &self,
        start: usize,
        len: usize,
        peer: usize,
        offsets: (usize, usize),
    ) -> Segments {
        let clipped = start < self.rest;
        let count = self.whole + usize::from(clipped);
        let last_len = if clipped { len.min(self.rest - start) } else { len };
        Segments { last_len, ..Segments::whole(start, len, (self.stride, count), peer, offsets) }
    }
}

impl Segments {
    #[inline]
    pub(super) fn whole(
        start: usize,
        len: usize,
        (stride, count): (usize, usize),
        peer: usize,
        (source_offset, destination_offset): (usize, usize),
    ) -> Self {
        let last_len = len;
        Self { start, len, stride, count, last_len, peer, source_offset, destination_offset }
    }

    #[inline]
    pub(super) fn once(start: usize, len: usize, peer: usize, offsets: (usize, usize)) -> Self {
        Self::whole(start, len, (len, 1), peer, offsets)
    }
}
