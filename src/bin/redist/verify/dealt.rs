use redist::layout::{Dist, Ranks, StorageOrder};
use redist::{Plan, Side};

pub struct Dealt<const D: usize> {
    dists: [Dist; D],
    rows: [Option<DealtRows>; D],
    /// Extents of the stored array and the moved part, and the latter's start, in the side's axes.
    stored: [usize; D],
    moved: [usize; D],
    at: [usize; D],
    grid: [usize; D],
    first: [usize; D],
    ranks: Ranks,
    /// The distance, in numbers, between neighbours along each axis of the grid.
    pub grid_strides: [usize; D],
    pub storage: [usize; D],
}

pub struct HeldLine {
    pub indices: Vec<usize>,
    pub moved: core::ops::Range<usize>,
}

impl<const D: usize> Dealt<D> {
    pub fn of(plan: &Plan<D>, side: Side) -> Self {
        let layout = plan.descriptor(side).layout();
        let (extents, axes, grid) = (plan.extents(), layout.axes, layout.grid);
        let mut moved = [0; D];
        for source_axis in 0..D {
            let axis = if side == Side::Source { source_axis } else { axes[source_axis] };
            moved[axis] = extents[source_axis];
        }
        let order =
            |fortran: bool| core::array::from_fn(|step| if fortran { D - 1 - step } else { step });
        let by_column = layout.order == redist::layout::RankOrder::Col;
        let (mut grid_strides, mut stride) = ([0; D], 1);
        for axis in order(!by_column) {
            grid_strides[axis] = stride;
            stride *= grid[axis];
        }
        Dealt {
            dists: layout.dists,
            rows: core::array::from_fn(|axis| DealtRows::of(layout.dists[axis], grid[axis])),
            stored: layout.of.unwrap_or(moved),
            moved,
            at: layout.at,
            grid,
            first: layout.first,
            ranks: layout.ranks,
            grid_strides,
            storage: order(layout.storage == StorageOrder::Fortran),
        }
    }

    pub fn cells(&self) -> usize {
        self.grid.iter().product()
    }

    pub fn rank(&self, number: usize) -> usize {
        rank_numbered(self.ranks, number)
    }

    pub fn ranks(&self) -> Ranks {
        self.ranks
    }

    pub fn coordinates(&self, number: usize) -> [usize; D] {
        core::array::from_fn(|axis| number / self.grid_strides[axis] % self.grid[axis])
    }

    pub fn line(&self, axis: usize, coordinate: usize) -> HeldLine {
        let (extent, ranks) = (self.stored[axis], self.grid[axis]);
        let number = (coordinate + ranks - self.first[axis]) % ranks;
        let mut indices = Vec::new();
        if let Dist::GenBlock(sizes) = self.dists[axis] {
            let start: usize = sizes[..number].iter().sum();
            indices.extend(start..start + sizes[number]);
        } else if let Some(rows) = &self.rows[axis] {
            let own = rows.blocks.iter().filter(|block| block.owner == number);
            indices.extend(own.flat_map(|block| block.indices.clone()));
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

    pub fn owners(&self, axis: usize, indices: impl Iterator<Item = usize>) -> Vec<usize> {
        let (ranks, first, at) = (self.grid[axis], self.first[axis], self.at[axis]);
        if let Dist::GenBlock(sizes) = self.dists[axis] {
            let (mut number, mut end) = (0, sizes.first().copied().unwrap_or(0));
            let owner = |index: usize| {
                while index + at >= end {
                    number += 1;
                    end += sizes[number];
                }
                (number + first) % ranks
            };
            return indices.map(owner).collect();
        }
        if let Some(rows) = &self.rows[axis] {
            let mut blocks = rows.blocks.iter().peekable();
            let owner = |index: usize| {
                while blocks.next_if(|block| block.indices.end <= index + at).is_some() {}
                (blocks.peek().map_or(0, |block| block.owner) + first) % ranks
            };
            return indices.map(owner).collect();
        }
        let block = self.block(axis);
        indices.map(|index| ((index + at) / block + first) % ranks).collect()
    }

    /// Returns the owner of a stored index along an axis, and the local index.
    pub fn place(&self, axis: usize, index: usize) -> (usize, usize) {
        let (ranks, first) = (self.grid[axis], self.first[axis]);
        if let Dist::GenBlock(sizes) = self.dists[axis] {
            let (mut number, mut start) = (0, 0);
            while index >= start + sizes[number] {
                start += sizes[number];
                number += 1;
            }
            return ((number + first) % ranks, index - start);
        }
        if let Some(rows) = &self.rows[axis] {
            let block = &rows.blocks[rows.ended_by(index)];
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
        if let Dist::GenBlock(sizes) = self.dists[axis] {
            let start: usize = sizes[..number].iter().sum();
            return end.saturating_sub(start).min(sizes[number]);
        }
        if let Some(rows) = &self.rows[axis] {
            return rows.below(number, end);
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

    pub fn stored(&self) -> [usize; D] {
        self.stored
    }

    pub fn start(&self, axis: usize) -> usize {
        self.at[axis]
    }

    fn block(&self, axis: usize) -> usize {
        match self.dists[axis] {
            Dist::Cyclic(block) | Dist::BlockOf(block) => block,
            Dist::Block => self.stored[axis].div_ceil(self.grid[axis]).max(1),
            Dist::Collapsed | Dist::GenBlock(_) | Dist::Rows { .. } | Dist::Points(_) => {
                self.stored[axis].max(1)
            }
        }
    }
}

struct DealtRows {
    blocks: Vec<PartOfRow>,
}

struct PartOfRow {
    indices: core::ops::Range<usize>,
    /// The owner, counted from the owner of the first row.
    owner: usize,
    local: usize,
}

impl DealtRows {
    fn of(dist: Dist, ranks: usize) -> Option<Self> {
        let (lengths, turn, parts) = match dist {
            Dist::Points(lengths) => (lengths, 1, ranks),
            Dist::Rows { lengths, turn, points } => {
                (lengths, turn.unwrap_or(lengths.len().div_ceil(ranks / points)), points)
            }
            _ => return None,
        };
        let (mut blocks, mut start, mut held) = (Vec::new(), 0, vec![0; ranks]);
        for (row, &length) in lengths.iter().enumerate() {
            let (end, size) = (start + length, length.div_ceil(parts));
            for part in 0..parts {
                let (next, owner) =
                    (end.min(start + size), row / turn % (ranks / parts) * parts + part);
                blocks.push(PartOfRow { indices: start..next, owner, local: held[owner] });
                held[owner] += next - start;
                start = next;
            }
        }
        Some(DealtRows { blocks })
    }

    /// Counts the blocks that end at an index or before: the number of the index's block.
    fn ended_by(&self, index: usize) -> usize {
        self.blocks.partition_point(|block| block.indices.end <= index)
    }

    fn below(&self, owner: usize, end: usize) -> usize {
        let begun = self.blocks.partition_point(|block| block.indices.start < end);
        let last = self.blocks[..begun].iter().rfind(|block| block.owner == owner);
        last.map_or(0, |last| last.local + end.min(last.indices.end) - last.indices.start)
    }
}

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
            "rows([3, 0, 7, 5, 5], cyclic(2)) onto 3 first 1",
            "rows([3, 7, 5, 5], block, points(2)) onto 4",
            "points([3, 7, 5, 5]) onto 4 first 3",
            "*",
        ] {
            let plan =
                Plan::<1>::parse([17], "*", &format!("{layout} of 20 at 2")).expect("a plan");
            let dealt = Dealt::of(&plan, Side::Destination);
            let owners = dealt.owners(0, 0..17);
            let mut seen = [0; 20];
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
                for index in &line.indices[line.moved] {
                    assert_eq!(owners[index - 2], number, "{layout}: {index}");
                }
            }
            assert_eq!(seen, [1; 20], "{layout}");
        }
    }
}
