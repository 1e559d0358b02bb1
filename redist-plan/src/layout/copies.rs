//! Copies of a layout: on consecutive ranks, or along an axis of the process grid.

use super::{Layout, MAX_COPIED_RANKS, RankOrder, Ranks};
use crate::arithmetic::saturating_product;

/// The copies of one side.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    /// Number of copies.
    pub count: usize,
    /// Axis of the grid that they are, counted with the axes of `onto`; `None` for copies that are
    /// each on the ranks behind the previous copy's.
    pub along: Option<usize>,
}

/// Describes why copies cannot be an axis of the grid.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CopiesAlongError {
    /// The grid of all copies has too few axes.
    #[error(
        "copies cannot be along axis {along}: with them the grid has axes 0..{axes}; name one of these"
    )]
    NoSuchAxis {
        /// The axis.
        along: usize,
        /// Number of axes, with that of the copies.
        axes: usize,
    },
    /// The ranks are a list.
    #[error(
        "copies along an axis are on a range of ranks, but these are listed; write `ranks 4..`, or give each copy \
         its own layout"
    )]
    ListedRanks,
    /// There are too many ranks.
    #[error("copies take at most {MAX_COPIED_RANKS} ranks in all; ask for fewer")]
    TooManyRanks,
}

debug_in_words!(CopiesAlongError);

impl<const D: usize> Layout<D> {
    /// Returns copies of this layout as axis `along` of the process grid. The axes of `onto` are the
    /// others, in their order, and ranks from the first one on fill the grid of all copies.
    ///
    /// Rows of a matrix on all columns of a 2 × 3 grid, as a multiplication reads them:
    ///
    /// ```
    /// # use redist_plan as redist;
    /// use redist::Layout;
    /// let rows = "(block, *) onto 2".parse::<Layout<2>>()?.copies_along(3, 1)?;
    /// let ranks: Vec<String> = rows.iter().map(ToString::to_string).collect();
    /// assert_eq!(ranks[0], "(block, *) onto 2 ranks [0, 3]");
    /// assert_eq!(ranks[2], "(block, *) onto 2 ranks [2, 5]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The grid has no such axis; the ranks are listed; there are more than 2^20 ranks.
    pub fn copies_along(self, copies: usize, along: usize) -> Result<Vec<Self>, CopiesAlongError> {
        let Ranks::From(first) = self.ranks else { return Err(CopiesAlongError::ListedRanks) };
        let dealt = || (0..D).filter(|axis| self.dists[*axis].is_distributed());
        let axes = dealt().count() + 1;
        if along >= axes {
            return Err(CopiesAlongError::NoSuchAxis { along, axes });
        }
        if self.ranks_of_copies(copies) > MAX_COPIED_RANKS {
            return Err(CopiesAlongError::TooManyRanks);
        }
        let is_faster = |place: usize| match self.order {
            RankOrder::Row => place >= along,
            RankOrder::Col => place < along,
        };
        // Cells between neighbours along the axis of the copies.
        let faster = dealt().enumerate().filter(|(place, _)| is_faster(*place));
        let stride: usize = faster.map(|(_, axis)| self.grid[axis]).product();
        let cells = saturating_product(&self.grid);
        let copy = |number: usize| {
            if stride == cells {
                return self.ranks(self.ranks.behind(cells * number));
            }
            let rank = |cell: usize| {
                first.saturating_add((cell / stride * copies + number) * stride + cell % stride)
            };
            self.ranks(Ranks::map(&(0..cells).map(rank).collect::<Vec<_>>()))
        };
        Ok((0..copies).map(copy).collect())
    }

    /// Returns the layouts of all copies.
    #[doc(hidden)]
    pub fn copied(self, copies: Copies) -> Result<Vec<Self>, CopiesAlongError> {
        match copies.along {
            None => Ok(self.copies(copies.count)),
            Some(along) => self.copies_along(copies.count, along),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Descriptor;

    /// The grid of all copies has the rank of each cell of each copy at its place.
    #[test]
    fn copies_are_an_axis_of_the_grid() {
        for order in ["row", "col"] {
            let text = format!("(block, *, block) onto (2, 3) ranks 5.. order {order}");
            let layout: Layout<3> = text.parse().unwrap();
            for along in 0..3 {
                let mut grid = vec![2, 3];
                grid.insert(along, 4);
                let copies = layout.copies_along(4, along).unwrap();
                for (number, copy) in copies.into_iter().enumerate() {
                    let array = Descriptor::new([4, 1, 6], copy).unwrap();
                    for (row, column) in (0..2).flat_map(|row| (0..3).map(move |at| (row, at))) {
                        let mut place = vec![row, column];
                        place.insert(along, number);
                        let mut axes: Vec<_> = grid.iter().zip(place).collect();
                        if order == "col" {
                            axes.reverse();
                        }
                        let rank = axes.iter().fold(0, |rank, (extent, at)| rank * *extent + at);
                        assert_eq!(array.owner([2 * row, 0, 2 * column]), 5 + rank, "{copy}");
                    }
                }
            }
        }
    }

    #[test]
    fn copies_along_no_axis_are_refused() {
        let layout = |text: &str| text.parse::<Layout<2>>().unwrap();
        let error = layout("(block, *) onto 2").copies_along(3, 2).unwrap_err().to_string();
        assert!(error.contains("along axis 2: with them the grid has axes 0..2"), "{error}");
        let listed = layout("(block, *) onto 2 ranks [3, 1]").copies_along(3, 1);
        assert_eq!(listed, Err(CopiesAlongError::ListedRanks));
        let many = layout("(block, *) onto 2").copies_along(1 << 20, 1);
        assert_eq!(many, Err(CopiesAlongError::TooManyRanks));
        // All of the array is on one rank, and the copies are the grid.
        let whole = layout("(*, *)").copies_along(3, 0).unwrap();
        assert_eq!(whole, layout("(*, *)").copies(3));
    }
}
