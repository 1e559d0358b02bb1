//! Other ranks for the cells of the destination's grid: the fewest elements move. The idea is Kalns
//! and Ni's, *Processor Mapping Techniques Toward Efficient Data Redistribution*; the assignment
//! here is exact, and for any layouts.

use super::{Plan, Side};
use crate::layout::Ranks;
use std::collections::BTreeMap;

/// See [`Plan::relabelling`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relabelled<const D: usize> {
    /// The plan with the ranks in their new cells.
    pub plan: Plan<D>,
    /// Elements that stay on their rank in the order that was written.
    pub stayed: usize,
    /// Elements that stay in the best order.
    pub stays: usize,
}

/// Describes why a plan cannot be relabelled.
///
/// ```
/// # use redist_plan as redist;
/// use redist::Plan;
/// let plan = Plan::<1>::parse([10_000], "block onto 4", "cyclic onto 1025")?;
/// assert!(plan.relabelled().unwrap_err().to_string().contains("at most 1024"));
/// # Ok::<(), redist::plan::ParsePlanError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[allow(missing_docs)]
pub enum RelabelError {
    #[error(
        "the destination has {ranks} ranks, and the best order is found for at most {limit}; \
         leave the ranks as they are, or list them by `ranks [..]`"
    )]
    #[doc(hidden)]
    TooManyRanks { ranks: usize, limit: usize },
}

debug_in_words!(RelabelError);

impl<const D: usize> Plan<D> {
    /// Most ranks of a destination that is [relabelled](Plan::relabelled).
    #[doc(hidden)]
    pub const MAX_RELABELLED: usize = 1024;

    /// Returns the plan whose destination lists its ranks in the order that lets most elements stay.
    /// Takes `O(n³)` steps for `n` ranks. Of the best orders it takes an order that changes the
    /// fewest cells.
    ///
    /// # Errors
    /// The destination has more than 1024 ranks.
    ///
    /// ```
    /// # use redist_plan as redist;
    /// use redist::{Plan, Side};
    /// let plan = Plan::<1>::parse([12], "block onto 4", "gen_block([4, 2, 3, 3]) onto 4 first 1")?;
    /// let best = plan.relabelled()?;
    /// let to = best.descriptor(Side::Destination).layout();
    /// assert_eq!(to.to_string(), "gen_block([4, 2, 3, 3]) onto 4 first 1 ranks [3, 0, 1, 2]");
    /// assert_eq!((plan.stays().value, best.stays().value), (1, 11));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn relabelled(&self) -> Result<Self, RelabelError> {
        self.relabelling().map(|best| best.plan)
    }

    /// Returns the [`relabelled`](Plan::relabelled) plan, with the elements that stay.
    #[doc(hidden)]
    pub fn relabelling(&self) -> Result<Relabelled<D>, RelabelError> {
        let to = self.descriptor(Side::Destination);
        let (ranks, limit) = (to.ranks(), Self::MAX_RELABELLED);
        if ranks > limit {
            return Err(RelabelError::TooManyRanks { ranks, limit });
        }
        let shared = self.shared_with_cells();
        // No sum of units that tell equally good orders apart is worth an element.
        let weight = |rank: usize, cell: usize| {
            shared[rank][cell] as i128 * (ranks as i128 + 1) + i128::from(rank == cell)
        };
        let cells = heaviest(ranks, weight);
        let mut map = vec![0; ranks];
        for (rank, &cell) in cells.iter().enumerate() {
            map[cell] = to.nth_rank(rank);
        }
        let sum = |cell_of: &dyn Fn(usize) -> usize| {
            (0..ranks).map(|rank| shared[rank][cell_of(rank)]).sum()
        };
        Ok(Relabelled {
            plan: self.with_ranks(Ranks::map(&map)),
            stayed: sum(&|rank| rank),
            stays: sum(&|rank| cells[rank]),
        })
    }

    fn shared_with_cells(&self) -> Vec<Vec<usize>> {
        let (from, to) = (self.descriptor(Side::Source), self.descriptor(Side::Destination));
        let cells: Vec<[usize; D]> =
            (0..to.ranks()).map(|number| to.coordinates_of(number)).collect();
        // By dimension and coordinate of the source: what it shares with each across.
        let mut lines: [BTreeMap<usize, Vec<usize>>; D] = core::array::from_fn(|_| BTreeMap::new());
        let mut row = |number| {
            let Some(here) = from.coordinates(to.nth_rank(number)) else {
                return vec![0; cells.len()];
            };
            for (dimension, line) in lines.iter_mut().enumerate() {
                let axis = self.axis(dimension);
                let coordinates = 0..axis.side(Side::Destination).ranks();
                let count = |there| axis.count(here[dimension], there);
                line.entry(here[dimension]).or_insert_with(|| coordinates.map(count).collect());
            }
            let shared = |cell: &[usize; D]| {
                let along = |dimension: usize| {
                    lines[dimension][&here[dimension]][cell[self.destination_axis(dimension)]]
                };
                // An empty array may be too large in its other dimensions.
                (0..D).fold(1, |shared: usize, dimension| shared.saturating_mul(along(dimension)))
            };
            cells.iter().map(shared).collect()
        };
        (0..to.ranks()).map(&mut row).collect()
    }

    fn with_ranks(&self, ranks: Ranks) -> Self {
        let [from, to] =
            [Side::Source, Side::Destination].map(|side| *self.descriptor(side).layout());
        match Self::new(self.extents(), from, to.ranks(ranks)) {
            Ok(plan) => plan,
            // The map has the ranks that the grid had, each once.
            Err(_) => unreachable!(),
        }
    }
}

/// Returns the column of each row, each once, with the largest sum of weights. Takes `O(n³)` time,
/// and `O(n)` memory beside the weights.
///
/// Source: R. Jonker and A. Volgenant, *A shortest augmenting path algorithm for dense and sparse
/// linear assignment problems*, Computing 38 (1987), without its initialisation.
fn heaviest(len: usize, weight: impl Fn(usize, usize) -> i128) -> Vec<usize> {
    // Row and column `len` stand for what is not assigned.
    let mut search = Search {
        row_of: vec![len; len + 1],
        potentials: [vec![0; len + 1], vec![0; len + 1]],
        weight,
    };
    for row in 0..len {
        search.assign(row, len);
    }
    let mut columns = vec![0; len];
    for column in 0..len {
        columns[search.row_of[column]] = column;
    }
    columns
}

/// The assignment so far, and the prices that prove it the best.
struct Search<W> {
    /// Row of each column; the number of rows if it has none.
    row_of: Vec<usize>,
    /// Of rows and of columns: no cost is below the sum of its two, and assigned pairs reach it.
    potentials: [Vec<i128>; 2],
    weight: W,
}

impl<W: Fn(usize, usize) -> i128> Search<W> {
    /// Gives `row` a column, by the cheapest path to a free column.
    fn assign(&mut self, row: usize, free: usize) {
        self.row_of[free] = row;
        let mut column = free;
        let mut reached = vec![false; free + 1];
        // How much the cheapest path to each column costs, and the column before it.
        let mut paths = vec![(i128::MAX, free); free];
        while self.row_of[column] != free {
            reached[column] = true;
            let from = self.row_of[column];
            let (mut nearest, mut next) = (i128::MAX, free);
            for to in (0..free).filter(|to| !reached[*to]) {
                let [rows, columns] = &self.potentials;
                let cost = -(self.weight)(from, to) - rows[from] - columns[to];
                if cost < paths[to].0 {
                    paths[to] = (cost, column);
                }
                if paths[to].0 < nearest {
                    (nearest, next) = (paths[to].0, to);
                }
            }
            self.shorten(&reached, &mut paths, nearest);
            column = next;
        }
        while column != free {
            let before = paths[column].1;
            self.row_of[column] = self.row_of[before];
            column = before;
        }
        self.row_of[free] = free;
    }

    /// Shifts the potentials until the nearest column costs nothing more.
    fn shorten(&mut self, reached: &[bool], paths: &mut [(i128, usize)], nearest: i128) {
        for (column, is_reached) in reached.iter().enumerate() {
            if *is_reached {
                self.potentials[0][self.row_of[column]] += nearest;
                self.potentials[1][column] -= nearest;
            } else if column < paths.len() {
                paths[column].0 -= nearest;
            }
        }
    }
}

#[cfg(test)]
mod tests;
