//! One dimension of a plan: windows, periods, pieces and class.

use super::{Section, Side};
use crate::arithmetic::{gcd, inverse_modulo, max, min, saturating_lcm};
use crate::layout::{Block, BlockCyclic, MAX_EXTENT};
use core::ops::Range;
use core::{fmt, iter};

/// One dimension: `len` elements, dealt in one way on each side.
///
/// Answers are closed forms. With a `gen_block` or rows, they take time in proportion to the
/// blocks; answers for a `block balanced` are sums over its two stretches of equal blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    /// Elements that move along the dimension.
    len: usize,
    source: Section,
    destination: Section,
}

impl Axis {
    /// Takes `len` elements of two sections that are at least as long. A collapsed side takes the
    /// other's regular blocks, which adds no boundaries.
    pub const fn new(
        len: usize,
        source: Section,
        destination: Section,
        collapsed: (bool, bool),
    ) -> Self {
        let (Some(s), Some(t)) = (source.regular_block(), destination.regular_block()) else {
            return Self { len, source, destination };
        };
        let (s, t) = match collapsed {
            (true, false) => (t, t),
            (false, true) => (s, s),
            (true, true) => (max(s, t), max(s, t)),
            (false, false) => (s, t),
        };
        Self { len, source: source.with_block(s), destination: destination.with_block(t) }
    }

    /// Makes a dimension of two blocks. Its window is the same for any extent and grids.
    ///
    /// # Panics
    /// A block is 0.
    pub const fn of_blocks(s: usize, t: usize) -> Self {
        let (Ok(source), Ok(destination)) =
            (BlockCyclic::new(MAX_EXTENT, s, 2, 0), BlockCyclic::new(MAX_EXTENT, t, 2, 0))
        else {
            panic!("a block must hold at least 1 element, found 0")
        };
        Self {
            len: MAX_EXTENT,
            source: Section::new(source, 0),
            destination: Section::new(destination, 0),
        }
    }

    /// Returns the same dimension with indices of listed sizes: see [`BlockCyclic::indexed`].
    pub(super) fn indexed(self) -> Self {
        let Self { len, source, destination } = self;
        Self { len, source: source.indexed(), destination: destination.indexed() }
    }

    /// Returns the dimension with its sides exchanged.
    pub(super) const fn turned(&self) -> Self {
        Self { len: self.len, source: self.destination, destination: self.source }
    }

    pub(super) const fn part(&self, first: usize, len: usize) -> Self {
        let Self { source, destination, .. } = self;
        Self {
            len,
            source: Section::new(source.deal(), source.at() + first),
            destination: Section::new(destination.deal(), destination.at() + first),
        }
    }

    /// Returns the part from `index` on along which all blocks of each side have one size; `None` if
    /// blocks of a side have listed sizes. A dimension has at most three such parts.
    pub(super) const fn stretch(&self, index: usize) -> Option<Self> {
        match (self.source.stretch(index), self.destination.stretch(index)) {
            (Some((source, here)), Some((destination, there))) => {
                let len = min(self.len - index, min(here, there));
                Some(Self { len, source, destination })
            }
            _ => None,
        }
    }

    /// Elements in every block of each side; `None` if blocks of a side have sizes of their own.
    pub const fn regular_blocks(&self) -> Option<(usize, usize)> {
        match (self.source.regular_block(), self.destination.regular_block()) {
            (Some(source), Some(destination)) => Some((source, destination)),
            _ => None,
        }
    }

    /// Returns the number of elements that move along this dimension.
    pub const fn len(&self) -> usize {
        self.len
    }

    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub const fn side(&self, side: Side) -> Section {
        match side {
            Side::Source => self.source,
            Side::Destination => self.destination,
        }
    }

    /// Returns the elements after which every owner repeats (`S` of ASPEN): the lcm of both sides'
    /// block times ranks, at most the extent.
    pub const fn period(&self) -> usize {
        let Some((s, t)) = self.regular_blocks() else {
            return self.len;
        };
        let source = s.saturating_mul(self.source.ranks());
        let destination = t.saturating_mul(self.destination.ranks());
        min(self.len, saturating_lcm(source, destination))
    }

    /// Elements after which both sides' blocks line up again: the blocks' lcm, at most the extent.
    pub const fn window(&self) -> usize {
        match self.regular_blocks() {
            Some((s, t)) => min(self.len, saturating_lcm(s, t)),
            None => self.len,
        }
    }

    /// Returns `true` if all of both stored dimensions moves, and ends with a period.
    #[doc(hidden)]
    pub fn is_in_whole_periods(&self) -> bool {
        let is_whole = |side: Side| {
            let section = self.side(side);
            section.at() == 0 && section.deal().extent() == self.len
        };
        let period = max(self.period(), 1);
        is_whole(Side::Source) && is_whole(Side::Destination) && self.len.is_multiple_of(period)
    }

    /// Returns a length that divides all pieces of whole dimensions with regular blocks.
    #[doc(hidden)]
    pub fn common_run(&self) -> usize {
        match self.regular_blocks() {
            Some((s, t)) => gcd(gcd(s, t), self.len),
            None => 1,
        }
    }

    /// Counts a window's pieces: `s/g + t/g - 1` with `g = gcd(s, t)` if two blocks begin together.
    pub const fn window_pieces(&self) -> usize {
        self.pieces_below(self.window())
    }

    /// Returns `true` for general redistributions of whole dimensions, whose windows repeat.
    pub const fn wants_table(&self) -> bool {
        let whole = self.source.at() == 0 && self.destination.at() == 0;
        whole && self.regular_blocks().is_some() && matches!(self.class(), Class::General)
    }

    /// Returns the window table's length; 0 if it is not worth keeping, or exceeds `most`.
    pub const fn table_len(&self, most: usize) -> usize {
        if self.wants_table() && self.window_pieces() <= most { self.window_pieces() } else { 0 }
    }

    /// Returns the number of pieces of the whole dimension, all ranks together.
    pub const fn pieces(&self) -> usize {
        self.pieces_below(self.len)
    }

    pub const fn pieces_below(&self, end: usize) -> usize {
        if end == 0 {
            return 0;
        }
        1 + match self.regular_blocks() {
            Some(blocks) => self.regular_boundaries(blocks, end),
            None => self.given_boundaries(end),
        }
    }

    /// Lists the pieces of a range with their owners on both sides, in one walk.
    #[doc(hidden)]
    pub fn owned_pieces(
        &self,
        range: Range<usize>,
    ) -> impl Iterator<Item = (Range<usize>, [usize; 2])> + use<> {
        let sides = [self.source, self.destination];
        let (mut blocks, mut start) = ([None; 2], range.start);
        iter::from_fn(move || {
            if start >= range.end {
                return None;
            }
            let found = [0, 1].map(|side: usize| match blocks[side] {
                Some(block) => sides[side].block_from(block, start),
                None => sides[side].block_at(start),
            });
            blocks = found.map(Some);
            let end = |side: usize| sides[side].end_of(found[side]);
            let owner = |side: usize| sides[side].deal().owner_of_block(found[side].number);
            let piece = start..end(0).min(end(1)).min(range.end);
            start = piece.end;
            Some((piece, [owner(0), owner(1)]))
        })
    }

    const fn regular_boundaries(&self, blocks: (usize, usize), end: usize) -> usize {
        let source = (end - 1 + self.source.phase()) / blocks.0;
        let destination = (end - 1 + self.destination.phase()) / blocks.1;
        source + (destination - self.common_boundaries(blocks, end))
    }

    const fn common_boundaries(&self, (s, t): (usize, usize), end: usize) -> usize {
        let g = gcd(s, t);
        let first = (s - self.source.phase()) as u128;
        let distance = first + self.destination.phase() as u128;
        if !distance.is_multiple_of(g as u128) {
            return 0;
        }
        // first + s x = 0 (mod t, shifted by its phase)  <=>  (s/g) x = -distance/g (mod t/g)
        let modulus = (t / g) as u128;
        let wanted = (modulus - distance / g as u128 % modulus) % modulus;
        let steps = wanted * inverse_modulo(s / g, t / g) as u128 % modulus;
        let boundary = first + s as u128 * steps;
        let last = end as u128 - 1;
        if boundary > last { 0 } else { ((last - boundary) / (s as u128 * modulus) + 1) as usize }
    }

    /// Returns the class of the dimension (Hsu and Chung's kr→r and r→kr, or neither).
    pub const fn class(&self) -> Class {
        let Some((s, t)) = self.regular_blocks() else {
            return if self.given_blocks_stay() { Class::Identity } else { Class::General };
        };
        let (source_phase, destination_phase) = (self.source.phase(), self.destination.phase());
        let nested = if s >= t { s.is_multiple_of(t) } else { t.is_multiple_of(s) };
        let aligned = source_phase % min(s, t) == destination_phase % min(s, t);
        if self.stays_in_place(nested && aligned) {
            Class::Identity
        } else if !nested || !aligned {
            Class::General
        } else if s >= t {
            Class::KrToR { k: s / t, r: t }
        } else {
            Class::RToKr { k: t / s, r: s }
        }
    }

    const fn stays_in_place(&self, nested: bool) -> bool {
        let alone = self.source.ranks() == 1 && self.destination.ranks() == 1;
        let same = nested
            && self.source.block() == self.destination.block()
            && self.source.ranks() == self.destination.ranks()
            && self.source.owner(0) == self.destination.owner(0);
        alone || same
    }

    const fn given_boundaries(&self, end: usize) -> usize {
        let (mut pieces, mut index) = (0, 0);
        while index < end
            && let Some(part) = self.stretch(index)
        {
            pieces += part.pieces_below(min(part.len, end - index));
            index += part.len;
        }
        if index > 0 {
            return pieces - 1;
        }
        let (source, destination) = (self.side(Side::Source), self.side(Side::Destination));
        match (source.regular_block(), destination.regular_block()) {
            (Some(block), _) => boundaries_with(&destination, (&source, block), end),
            (_, Some(block)) => boundaries_with(&source, (&destination, block), end),
            (None, None) => boundaries_of(&source, &destination, end),
        }
    }

    /// Returns `true` if no element leaves its coordinate.
    const fn given_blocks_stay(&self) -> bool {
        let (source, destination) = (self.side(Side::Source), self.side(Side::Destination));
        let (mut from, mut to) = (source.block_at(0), destination.block_at(0));
        let mut index = 0;
        while index < self.len() {
            if let Some(part) = self.stretch(index)
                && matches!(part.class(), Class::Identity)
            {
                index += part.len;
                continue;
            }
            (from, to) = (source.block_from(from, index), destination.block_from(to, index));
            if source.deal().owner_of_block(from.number)
                != destination.deal().owner_of_block(to.number)
            {
                return false;
            }
            index = min(self.end_of_stretch(&source, from), self.end_of_stretch(&destination, to));
        }
        true
    }

    const fn end_of_stretch(&self, section: &Section, block: Block) -> usize {
        if section.ranks() == 1 { self.len() } else { section.end_of(block) }
    }
}

/// Counts boundaries of given blocks and of blocks of one size in `0..end`, each once.
const fn boundaries_with(given: &Section, (regular, len): (&Section, usize), end: usize) -> usize {
    let mut boundaries = (end - 1 + regular.phase()) / len;
    let mut block = given.block_at(0);
    while given.end_of(block) < end {
        let boundary = given.end_of(block);
        boundaries += !(regular.at() + boundary).is_multiple_of(len) as usize;
        block = given.block_from(block, boundary);
    }
    boundaries
}

const fn boundaries_of(source: &Section, destination: &Section, end: usize) -> usize {
    let (mut from, mut to) = (source.block_at(0), destination.block_at(0));
    let mut boundaries = 0;
    loop {
        let boundary = min(source.end_of(from), destination.end_of(to));
        if boundary >= end {
            return boundaries;
        }
        boundaries += 1;
        (from, to) = (source.block_from(from, boundary), destination.block_from(to, boundary));
    }
}

/// The class of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// No element leaves its coordinate along this dimension.
    Identity,
    /// Blocks of `k r` to blocks of `r` (Hsu and Chung §3.1).
    KrToR {
        /// Destination blocks in a source block.
        k: usize,
        /// Elements in a destination block.
        r: usize,
    },
    /// Blocks of `r` to blocks of `k r` (Hsu and Chung §3.2).
    RToKr {
        /// Source blocks in a destination block.
        k: usize,
        /// Elements in a source block.
        r: usize,
    },
    /// Any other pair of blocks.
    General,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Class::Identity => f.write_str("identity"),
            Class::KrToR { k, r } => write!(f, "kr→r, k = {k}, r = {r}"),
            Class::RToKr { k, r } => write!(f, "r→kr, k = {k}, r = {r}"),
            Class::General => f.write_str("general"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{BlockCyclic, MAX_EXTENT};
    use crate::plan::Plan;

    #[test]
    fn pieces_are_bounded_by_blocks_and_name_their_owners() {
        for (from, to) in [
            ("cyclic(10) onto 3", "cyclic(4) onto 3 first 2"),
            ("cyclic(7) onto 3 of 200 at 5", "gen_block([50, 0, 53]) onto 3"),
            ("rows([3, 0, 97, 3], cyclic) onto 2", "points([60, 0, 43]) onto 4 first 1"),
        ] {
            let axis = Plan::<1>::parse([103], from, to).unwrap().axis(0);
            let sides = [axis.side(Side::Source), axis.side(Side::Destination)];
            for range in [0..103, 11..70, 50..51, 9..9] {
                let mut next = range.start;
                for (piece, owners) in axis.owned_pieces(range.clone()) {
                    let ends = sides.map(|side| side.block_end(next));
                    assert_eq!(piece, next..ends[0].min(ends[1]).min(range.end), "{from} {to}");
                    assert_eq!(owners, sides.map(|side| side.owner(next)), "{from} {to}");
                    next = piece.end;
                }
                assert_eq!(next, range.end);
            }
        }
    }

    fn axis(
        len: usize,
        (s, p, at): (usize, usize, usize),
        (t, q, bt): (usize, usize, usize),
    ) -> Axis {
        let section = |block, ranks, at: usize| {
            let extent = (len + at).min(MAX_EXTENT);
            Section::new(BlockCyclic::new(extent, block, ranks, 0).unwrap(), at)
        };
        Axis::new(len, section(s, p, at), section(t, q, bt), (false, false))
    }

    #[test]
    fn huge_blocks_do_not_overflow() {
        let axis = axis(MAX_EXTENT, (MAX_EXTENT - 1, 1 << 20, 0), (MAX_EXTENT - 2, 1 << 20, 0));
        assert_eq!((axis.period(), axis.window(), axis.pieces()), (MAX_EXTENT, MAX_EXTENT, 3));
    }

    #[test]
    fn classes_follow_blocks_phases_and_owners() {
        assert_eq!(axis(100, (10, 3, 0), (2, 3, 0)).class(), Class::KrToR { k: 5, r: 2 });
        assert_eq!(axis(100, (2, 3, 0), (10, 3, 0)).class(), Class::RToKr { k: 5, r: 2 });
        assert_eq!(axis(100, (10, 3, 1), (2, 3, 0)).class(), Class::General);
        assert_eq!(axis(100, (10, 3, 1), (2, 3, 3)).class(), Class::KrToR { k: 5, r: 2 });
        assert_eq!(axis(100, (4, 3, 0), (4, 3, 0)).class(), Class::Identity);
        assert_eq!(axis(100, (4, 3, 4), (4, 3, 0)).class(), Class::KrToR { k: 1, r: 4 });
        assert_eq!(axis(100, (4, 1, 0), (7, 1, 0)).class(), Class::Identity);
    }
}
