//! Adds up messages to a table of at most a few rows and columns.

use crate::sides;
use redist_plan::plan::{Plan, Side};

/// Most rows, and most columns.
pub const MAX_CELLS: usize = 32;
/// Most pairs of ranks that are added up.
const MAX_PAIRS: usize = 1 << 20;

/// Volumes of groups of a side's ranks in increasing order; one rank each if all fit.
#[derive(Clone, Debug)]
pub struct VolumeTable {
    /// Source ranks of each row.
    pub rows: Vec<Vec<usize>>,
    /// Destination ranks of each column.
    pub columns: Vec<Vec<usize>>,
    /// Elements by row and column.
    pub cells: Vec<Vec<u128>>,
    /// Elements in the table that stay on their rank.
    pub staying: u128,
    /// `true` if some ranks are not in the table.
    pub is_cut: bool,
}

impl VolumeTable {
    /// Takes every rank, in groups if they are many; the first ranks beyond a limit.
    pub fn new<const D: usize>(plan: &Plan<D>) -> Self {
        let counts = [Side::Source, Side::Destination].map(|side| plan.descriptor(side).ranks());
        let is_cut = counts[0].saturating_mul(counts[1]) > MAX_PAIRS;
        let groups = |side| -> Vec<Vec<usize>> {
            let most = if is_cut { MAX_CELLS } else { MAX_PAIRS };
            let ranks = sides::lowest_ranks(plan, side, most);
            let size = if is_cut { 1 } else { ranks.len().div_ceil(MAX_CELLS) };
            ranks.chunks(size).map(<[usize]>::to_vec).collect()
        };
        let (rows, columns) = (groups(Side::Source), groups(Side::Destination));
        let is_cut = is_cut && counts.into_iter().any(|count| count > MAX_CELLS);
        let mut table = Self { rows, columns, cells: Vec::new(), staying: 0, is_cut };
        table.add_up(plan);
        table
    }

    fn add_up<const D: usize>(&mut self, plan: &Plan<D>) {
        for row in &self.rows {
            let mut cells = Vec::with_capacity(self.columns.len());
            for column in &self.columns {
                let volume = |source, destination| plan.volume(source, destination) as u128;
                let sums = row
                    .iter()
                    .map(|&source| column.iter().map(|&at| volume(source, at)).sum::<u128>());
                cells.push(sums.sum());
                let both = row.iter().filter(|rank| column.contains(rank));
                self.staying += both.map(|&rank| volume(rank, rank)).sum::<u128>();
            }
            self.cells.push(cells);
        }
    }

    pub fn most(&self) -> u128 {
        self.cells.iter().flatten().copied().max().unwrap_or(0)
    }

    pub fn total(&self) -> u128 {
        self.cells.iter().flatten().sum()
    }

    /// Returns the ranks in a group, of rows and of columns.
    pub fn group(&self) -> [usize; 2] {
        [&self.rows, &self.columns].map(|groups| groups.first().map_or(1, Vec::len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_counted_once() {
        let small =
            Plan::parse([1003], "cyclic(10) onto 3", "cyclic(2) onto 4 ranks 2..6").unwrap();
        let table = VolumeTable::new(&small);
        assert_eq!(
            (table.total(), table.group(), table.cells.len(), table.cells[0].len()),
            (1003, [1, 1], 3, 4)
        );
        assert_eq!((table.staying, table.is_cut), (small.volume(2, 2) as u128, false));
        let mapped =
            Plan::parse([1003], "cyclic(10) onto 3", "cyclic(2) onto 4 ranks [9, 2, 0, 5]")
                .unwrap();
        let table = VolumeTable::new(&mapped);
        assert_eq!((table.columns.concat(), table.total()), (vec![0, 2, 5, 9], 1003));
        assert_eq!(table.staying, (mapped.volume(0, 0) + mapped.volume(2, 2)) as u128);
        let many =
            Plan::parse([640, 50], "(cyclic(3), cyclic(2)) onto (10, 7)", "(*, cyclic) onto 45")
                .unwrap();
        let table = VolumeTable::new(&many);
        assert_eq!(
            (table.total(), table.group(), table.rows.len(), table.columns.len()),
            (32_000, [3, 2], 24, 23)
        );
        assert_eq!(table.columns.last(), Some(&vec![44]));
    }

    #[test]
    fn too_many_ranks_are_cut() {
        let extent = isize::MAX as usize;
        let table = VolumeTable::new(
            &Plan::parse([extent], "cyclic(63) onto 1000000", "cyclic(64) onto 1000000").unwrap(),
        );
        assert_eq!((table.is_cut, table.rows.len(), table.group()), (true, MAX_CELLS, [1, 1]));
        assert!(table.total() < extent as u128);
    }
}
