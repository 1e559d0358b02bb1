//! Bytes to redistributions that keep to all rules, with every word of the notation.

use arbitrary::{Result, Unstructured};
use redist::Layout;
use redist::layout::{Dist, RankOrder, Ranks, StorageOrder};
use redist_testing::array::permuted;
use redist_testing::strategies::{Case, split};

/// Largest numbers of a case.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Most indices of a dimension.
    pub extent: usize,
    /// Most ranks of a dimension.
    pub ranks: usize,
    /// Most elements of a block.
    pub block: usize,
    /// Most indices of a stored array before and after a section.
    pub margin: usize,
}

impl Limits {
    /// Small for the simulator: the more dimensions, the smaller.
    pub const fn small(dimensions: usize) -> Self {
        match dimensions {
            1 => Limits { extent: 60, ranks: 8, block: 16, margin: 9 },
            2 => Limits { extent: 12, ranks: 4, block: 5, margin: 3 },
            _ => Limits { extent: 6, ranks: 3, block: 4, margin: 2 },
        }
    }

    pub const fn long(dimensions: usize) -> Self {
        match dimensions {
            1 => Limits { extent: 1500, ranks: 17, block: 70, margin: 9 },
            _ => Limits { extent: 40, ranks: 4, block: 18, margin: 3 },
        }
    }
}

pub fn case<const D: usize>(bytes: &mut Unstructured<'_>, limits: Limits) -> Result<Case<D>> {
    let mut extents = [0; D];
    for extent in &mut extents {
        *extent = bytes.int_in_range(0..=limits.extent)?;
    }
    let axes = permutation(bytes)?;
    let from = side(bytes, limits, extents)?;
    let to = side(bytes, limits, permuted(extents, axes))?.axes(axes);
    Ok(Case { extents, from, to })
}

fn permutation<const D: usize>(bytes: &mut Unstructured<'_>) -> Result<[usize; D]> {
    let mut axes = core::array::from_fn(|axis| axis);
    for last in (1..D).rev() {
        axes.swap(last, bytes.int_in_range(0..=last)?);
    }
    Ok(axes)
}

/// `moved` are the extents of the moved part in this side's axes.
fn side<const D: usize>(
    bytes: &mut Unstructured<'_>,
    limits: Limits,
    moved: [usize; D],
) -> Result<Layout<D>> {
    let (flags, mut at, mut stored) = (bytes.arbitrary::<u8>()?, [0; D], moved);
    let (mut dists, mut grid, mut first) = ([Dist::Collapsed; D], [1; D], [0; D]);
    for axis in 0..D {
        if flags & 1 != 0 {
            at[axis] = bytes.int_in_range(0..=limits.margin)?;
            stored[axis] += at[axis] + bytes.int_in_range(0..=limits.margin)?;
        }
        (dists[axis], grid[axis]) = dist(bytes, limits, stored[axis])?;
        first[axis] = bytes.int_in_range(0..=grid[axis] - 1)?;
    }
    let order = if flags & 2 != 0 { RankOrder::Col } else { RankOrder::Row };
    let storage = if flags & 4 != 0 { StorageOrder::Fortran } else { StorageOrder::C };
    let layout = Layout::new(dists, grid).first(first).order(order).storage(storage);
    let layout = layout.ranks(Ranks::From(usize::from(flags >> 3 & 3)));
    Ok(if flags & 1 != 0 { layout.of(stored).at(at) } else { layout })
}

fn dist(bytes: &mut Unstructured<'_>, limits: Limits, extent: usize) -> Result<(Dist, usize)> {
    let (kind, ranks) = (bytes.int_in_range(0..=10u8)?, bytes.int_in_range(1..=limits.ranks)?);
    Ok(match kind {
        0 => (Dist::Collapsed, 1),
        1 => (Dist::Block, ranks),
        2 => {
            let more = bytes.int_in_range(0..=limits.block)?;
            (Dist::BlockOf((extent.div_ceil(ranks) + more).max(1)), ranks)
        }
        3 => (Dist::gen_block(&cut(bytes, ranks, extent)?), ranks),
        4 => rows(bytes, ranks, extent)?,
        10 => {
            let mut numbers = [0; 5];
            for number in &mut numbers {
                *number = bytes.int_in_range(0..=63usize)?;
            }
            (split(numbers, extent, ranks), ranks)
        }
        9 => (listed(bytes, ranks, extent)?, ranks),
        8 => (Dist::Balanced { last: bytes.arbitrary()? }, ranks),
        _ => (Dist::Cyclic(bytes.int_in_range(1..=limits.block)?), ranks),
    })
}

fn rows(bytes: &mut Unstructured<'_>, ranks: usize, extent: usize) -> Result<(Dist, usize)> {
    let count = bytes.int_in_range(1..=9usize)?;
    let lengths = cut(bytes, count, extent)?;
    Ok(match bytes.int_in_range(0..=7usize)? {
        0 => (Dist::points(&lengths), ranks),
        how => {
            let turn = Some(how & 3).filter(|turn| *turn > 0);
            let points = if how < 4 || !ranks.is_multiple_of(2) { 1 } else { 2 };
            (Dist::rows(&lengths, turn, points), ranks)
        }
    })
}

fn listed(bytes: &mut Unstructured<'_>, ranks: usize, extent: usize) -> Result<Dist> {
    let parts = bytes.int_in_range(1..=6usize)?;
    let (mut cuts, mut start) = (Vec::with_capacity(parts), 0);
    for size in &cut(bytes, parts, extent)?[1..] {
        start = (start + size).min(extent);
        cuts.push(start);
    }
    let owners = (0..parts).map(|_| bytes.int_in_range(0..=ranks - 1));
    Ok(Dist::blocks(&cuts, &owners.collect::<Result<Vec<_>>>()?))
}

/// Cuts the extent at eighths: few lists, because each is kept for ever.
fn cut(bytes: &mut Unstructured<'_>, parts: usize, extent: usize) -> Result<Vec<usize>> {
    let (mut sizes, mut start) = (Vec::with_capacity(parts), 0);
    for _ in 1..parts {
        let end = start.max(bytes.int_in_range(0..=8usize)? * extent / 8);
        sizes.push(end - start);
        start = end;
    }
    sizes.push(extent - start);
    Ok(sizes)
}
