//! Deals one side out by the words of its layout, without the planner.

use redist_plan::layout::{Dist, Factor, FactorDist, Ranks, StorageOrder};
use redist_plan::plan::{Plan, Side};

/// One side of a redistribution, by its words.
pub struct Dealt<const D: usize> {
    dists: [Dist; D],
    given: [Option<GivenBlocks>; D],
    /// The own axis of each of the source's.
    pub axes: [usize; D],
    /// Extents of the stored array and the moved part, and the latter's start, in the side's axes.
    pub stored: [usize; D],
    /// Extents of the moved part.
    moved: [usize; D],
    /// Start of the moved part.
    pub at: [usize; D],
    /// Ranks along each dimension.
    grid: [usize; D],
    /// Coordinate of block 0 along each dimension.
    first: [usize; D],
    /// Ranks of the grid, in the order of its cells.
    pub ranks: Ranks,
    /// The distance, in numbers, between neighbours along each axis of the grid.
    pub grid_strides: [usize; D],
    /// This side's axes in the order of storage, the slowest first.
    pub storage: [usize; D],
}

/// Indices that one coordinate holds along an axis, in the order of storage.
pub struct HeldLine {
    /// Stored indices, increasing.
    pub indices: Vec<usize>,
    /// Range of these that moves.
    pub moved: core::ops::Range<usize>,
}

impl<const D: usize> Dealt<D> {
    /// Deals out one side of a plan.
    pub fn of(plan: &Plan<D>, side: Side) -> Self {
        let layout = plan.descriptor(side).layout();
        let (axes, grid, mut moved) = (layout.axes, layout.grid, [0; D]);
        for (axis, extent) in axes.into_iter().zip(plan.extents()) {
            moved[axis] = extent;
        }
        let order =
            |fortran: bool| core::array::from_fn(|step| if fortran { D - 1 - step } else { step });
        let stored = layout.of.unwrap_or(moved);
        let by_column = layout.order == redist_plan::layout::RankOrder::Col;
        let (mut grid_strides, mut stride) = ([0; D], 1);
        for axis in order(!by_column) {
            grid_strides[axis] = stride;
            stride *= grid[axis];
        }
        Dealt {
            dists: layout.dists,
            given: core::array::from_fn(|axis| {
                GivenBlocks::of(layout.dists[axis], stored[axis], grid[axis])
            }),
            axes,
            stored,
            moved,
            at: layout.at,
            grid,
            first: layout.first,
            ranks: layout.ranks,
            grid_strides,
            storage: order(layout.storage == StorageOrder::Fortran),
        }
    }

    /// Counts the cells of the grid.
    pub fn cells(&self) -> usize {
        self.grid.iter().product()
    }

    /// Returns the rank of a cell.
    pub fn rank(&self, number: usize) -> usize {
        rank_numbered(self.ranks, number)
    }

    /// Returns the coordinates of a cell.
    pub fn coordinates(&self, number: usize) -> [usize; D] {
        core::array::from_fn(|axis| number / self.grid_strides[axis] % self.grid[axis])
    }

    /// Counts the elements that a cell of the grid holds along each axis.
    pub fn local_extents(&self, number: usize) -> [usize; D] {
        let coordinates = self.coordinates(number);
        core::array::from_fn(|axis| self.held_below(axis, coordinates[axis], self.stored[axis]))
    }

    /// Lists the indices of a coordinate along an axis.
    pub fn line(&self, axis: usize, coordinate: usize) -> HeldLine {
        let (extent, ranks) = (self.stored[axis], self.grid[axis]);
        let number = (coordinate + ranks - self.first[axis]) % ranks;
        let mut indices = Vec::new();
        if let Some(given) = &self.given[axis] {
            indices.extend(given.of_owner(number).flat_map(|block| block.indices.clone()));
        } else {
            let block = self.block(axis);
            let mut start = block.saturating_mul(number);
            while start < extent {
                indices.extend(start..extent.min(start.saturating_add(block)));
                start = start.saturating_add(block.saturating_mul(ranks));
            }
        }
        let (from, to) = (self.at[axis], self.at[axis] + self.moved[axis]);
        let moved = indices.partition_point(|index| *index < from)
            ..indices.partition_point(|index| *index < to);
        HeldLine { indices, moved }
    }

    /// Returns the owner of a stored index along an axis, and the local index.
    pub fn place(&self, axis: usize, index: usize) -> (usize, usize) {
        let (ranks, first) = (self.grid[axis], self.first[axis]);
        if let Some(given) = &self.given[axis] {
            let block = given.block_of(index);
            return ((block.owner + first) % ranks, block.local + index - block.indices.start);
        }
        let block = self.block(axis);
        let (number, within) = (index / block, index % block);
        ((number + first) % ranks, number / ranks * block + within)
    }

    /// Counts the stored indices below `end` of a coordinate along an axis.
    pub fn held_below(&self, axis: usize, coordinate: usize, end: usize) -> usize {
        let ranks = self.grid[axis];
        let number = (coordinate + ranks - self.first[axis]) % ranks;
        if let Some(given) = &self.given[axis] {
            return given.below(number, end);
        }
        let block = self.block(axis);
        let (whole, within) = (end / block, end % block);
        let rounds = whole / ranks * block;
        match number.cmp(&(whole % ranks)) {
            core::cmp::Ordering::Less => rounds + block,
            core::cmp::Ordering::Equal => rounds + within,
            core::cmp::Ordering::Greater => rounds,
        }
    }

    fn block(&self, axis: usize) -> usize {
        match self.dists[axis] {
            Dist::Cyclic(block) | Dist::BlockOf(block) => block,
            Dist::Block | Dist::Balanced { .. } => {
                self.stored[axis].div_ceil(self.grid[axis]).max(1)
            }
            Dist::Collapsed
            | Dist::GenBlock(_)
            | Dist::Blocks { .. }
            | Dist::Rows { .. }
            | Dist::Points(_)
            | Dist::Split(_) => self.stored[axis].max(1),
        }
    }
}

/// Blocks of a `gen_block` or a `block balanced`, listed parts, or parts of rows.
struct GivenBlocks {
    blocks: Vec<GivenBlock>,
    /// By owner, the numbers of its blocks: a rank looks only at its own.
    owned: Vec<Vec<usize>>,
}

/// A block with a size of its own.
struct GivenBlock {
    /// Stored indices of the block.
    indices: core::ops::Range<usize>,
    /// The owner, counted from the owner of the first block.
    owner: usize,
    /// Elements that its owner holds before it.
    local: usize,
}

impl GivenBlocks {
    fn of(dist: Dist, extent: usize, ranks: usize) -> Option<Self> {
        if let Dist::Blocks { cuts, owners } = dist {
            return Some(Self::listed(cuts, owners, extent, ranks));
        }
        if let Dist::Split(factors) = dist {
            return Some(Self::split(factors, extent, ranks));
        }
        let balanced: Vec<usize>;
        let (lengths, turn, parts) = match dist {
            Dist::Balanced { last } => {
                let longer = if last { ranks - extent % ranks..ranks } else { 0..extent % ranks };
                let each = |rank| extent / ranks + usize::from(longer.contains(&rank));
                balanced = (0..ranks).map(each).collect();
                (&balanced[..], 1, 1)
            }
            Dist::GenBlock(lengths) => (lengths, 1, 1),
            Dist::Points(lengths) => (lengths, 1, ranks),
            Dist::Rows { lengths, turn, points } => {
                (lengths, turn.unwrap_or(lengths.len().div_ceil(ranks / points)), points)
            }
            _ => return None,
        };
        let (mut blocks, mut start, mut held) = (Vec::new(), 0, vec![0; ranks]);
        let mut owned = vec![Vec::new(); ranks];
        for (row, &length) in lengths.iter().enumerate() {
            let (end, size) = (start + length, length.div_ceil(parts));
            for part in 0..parts {
                let (next, owner) =
                    (end.min(start + size), row / turn % (ranks / parts) * parts + part);
                owned[owner].push(blocks.len());
                blocks.push(GivenBlock { indices: start..next, owner, local: held[owner] });
                held[owner] += next - start;
                start = next;
            }
        }
        Some(GivenBlocks { blocks, owned })
    }

    fn of_owner(&self, owner: usize) -> impl Iterator<Item = &GivenBlock> {
        self.owned[owner].iter().map(|number| &self.blocks[*number])
    }

    fn listed(cuts: &[usize], owners: &[usize], extent: usize, ranks: usize) -> Self {
        let (mut blocks, mut start, mut held) = (Vec::new(), 0, vec![0; ranks]);
        let mut owned = vec![Vec::new(); ranks];
        for (end, &owner) in cuts.iter().copied().chain([extent]).zip(owners) {
            owned[owner].push(blocks.len());
            blocks.push(GivenBlock { indices: start..end, owner, local: held[owner] });
            held[owner] += end - start;
            start = end;
        }
        GivenBlocks { blocks, owned }
    }

    fn split(factors: &[Factor], extent: usize, ranks: usize) -> Self {
        let said: usize = factors.iter().filter_map(|factor| factor.ranks).product();
        let pieces = pieces_of(factors, ranks / said).0;
        let (ends, owners): (Vec<usize>, Vec<usize>) = pieces
            .into_iter()
            .scan(0, |end, (len, owner)| {
                *end += len;
                Some((*end, owner))
            })
            .unzip();
        let cuts = ends.split_last().map_or(&[][..], |(_, cuts)| cuts);
        Self::listed(cuts, &owners, extent, ranks)
    }

    fn block_of(&self, index: usize) -> &GivenBlock {
        &self.blocks[self.blocks.partition_point(|block| block.indices.end <= index)]
    }

    fn below(&self, owner: usize, end: usize) -> usize {
        let own = &self.owned[owner];
        let begun = own.partition_point(|number| self.blocks[*number].indices.start < end);
        let last = begun.checked_sub(1).map(|last| &self.blocks[own[last]]);
        last.map_or(0, |last| last.local + end.min(last.indices.end) - last.indices.start)
    }
}

/// Returns the lengths and owners of the pieces of factors in row-major order, and the ranks of all.
/// A factor without its ranks has `rest` if it is distributed.
fn pieces_of(factors: &[Factor], rest: usize) -> (Vec<(usize, usize)>, usize) {
    let Some((factor, inner)) = factors.split_first() else { return (vec![(1, 0)], 1) };
    let (inner, inner_ranks) = pieces_of(inner, rest);
    let own = if factor.dist != FactorDist::Collapsed { factor.ranks.unwrap_or(rest) } else { 1 };
    let blocks = blocks_of(factor.dist, factor.extent, own).into_iter();
    let pieces = blocks.flat_map(|(len, owner)| match &inner[..] {
        [(elements, _)] if inner_ranks == 1 => vec![(len * elements, owner)],
        inner => {
            let piece = |(len, column): &(usize, usize)| (*len, owner * inner_ranks + column);
            (0..len).flat_map(|_| inner.iter().map(piece)).collect()
        }
    });
    (pieces.collect(), own * inner_ranks)
}

/// Returns the lengths and owners of a factor's blocks.
fn blocks_of(dist: FactorDist, extent: usize, ranks: usize) -> Vec<(usize, usize)> {
    let (mut blocks, mut start) = (Vec::new(), 0);
    while start < extent {
        let number = blocks.len();
        let longer = |last: bool| match last {
            true => number >= ranks - extent % ranks,
            false => number < extent % ranks,
        };
        let len = match dist {
            FactorDist::BlockOf(block) | FactorDist::Cyclic(block) => block,
            FactorDist::Balanced { last } => extent / ranks + usize::from(longer(last)),
            FactorDist::Block => extent.div_ceil(ranks),
            _ => extent,
        };
        let len = len.min(extent - start);
        blocks.push((len, number % ranks));
        start += len;
    }
    blocks
}

/// Returns the rank of a cell of a grid.
pub fn rank_numbered(ranks: Ranks, number: usize) -> usize {
    match ranks {
        Ranks::From(first) => first + number,
        Ranks::Map(list) => list[number],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_elements_are_dealt_once_and_to_their_owners() {
        for layout in [
            "cyclic(3) onto 4 first 2",
            "block onto 5",
            "gen_block([4, 0, 13, 3]) onto 4 first 1",
            "block(7) onto 3",
            "block balanced onto 7 first 2",
            "block balanced last onto 6",
            "blocks([4, 4, 9, 15], [2, 0, 1, 2, 0]) onto 3 first 1",
            "rows([3, 0, 7, 5, 5], cyclic(2)) onto 3 first 1",
            "rows([3, 7, 5, 5], block, points(2)) onto 4",
            "points([3, 7, 5, 5]) onto 4 first 3",
            "split([2, 5, 2], cyclic onto 2, block onto 2, *) onto 4 first 3",
            "split([4, 5], block balanced last onto 3, cyclic(2) onto 2) onto 6",
            "*",
        ] {
            let plan =
                Plan::<1>::parse([17], "*", &format!("{layout} of 20 at 2")).expect("a plan");
            let dealt = Dealt::of(&plan, Side::Destination);
            let (mut seen, mut moved_by_all) = ([0; 20], 0);
            for number in 0..dealt.cells() {
                let line = dealt.line(0, dealt.coordinates(number)[0]);
                line.indices.iter().for_each(|index| seen[*index] += 1);
                let coordinate = dealt.coordinates(number)[0];
                for (local, index) in line.indices.iter().enumerate() {
                    assert_eq!(dealt.place(0, *index), (coordinate, local), "{layout}: {index}");
                }
                for end in 0..=20 {
                    let held = line.indices.iter().filter(|index| **index < end).count();
                    assert_eq!(dealt.held_below(0, coordinate, end), held, "{layout}: {end}");
                }
                let moved = &line.indices[line.moved];
                assert!(moved.iter().all(|index| (2..19).contains(index)), "{layout}: {moved:?}");
                moved_by_all += moved.len();
            }
            assert_eq!((seen, moved_by_all), ([1; 20], 17), "{layout}");
        }
    }
}
