//! Plans in constants, and the words of their errors.

use super::{Plan, PlanError, Side};
use crate::layout::{ConstText, Layout, Ranks};

impl<const D: usize> Plan<D> {
    /// Plans in a constant: see [`Plan::new`].
    ///
    /// # Panics
    /// Panics if [`Plan::new`] fails.
    #[track_caller]
    #[doc(hidden)]
    pub const fn constant(extents: [usize; D], from: Layout<D>, to: Layout<D>) -> Self {
        match Self::new(extents, from, to) {
            Ok(plan) => plan,
            Err(error) => error.panic(),
        }
    }

    /// Checks the number of ranks of a range that ends before `end`, if it is named.
    ///
    /// # Errors
    /// The grid has more or fewer.
    #[doc(hidden)]
    pub const fn check_ranks(&self, side: Side, end: Option<usize>) -> Result<(), PlanError> {
        let descriptor = self.descriptor(side);
        let (ranks, right) = (descriptor.ranks(), descriptor.ranks_end());
        match (descriptor.layout().ranks, end) {
            (Ranks::From(first), Some(end)) if end != right => {
                Err(PlanError::Ranks { side, first, end, ranks })
            }
            _ => Ok(()),
        }
    }
}

impl PlanError {
    #[track_caller]
    #[doc(hidden)]
    pub const fn panic(self) -> ! {
        self.words(ConstText::new("redistribute!: ")).panic()
    }

    pub(super) const fn words(self, start: ConstText) -> ConstText {
        match self {
            PlanError::Layout { side, error } => error.words(start.text(side.name()).text(" layout: ")),
            PlanError::SectionOutside { side, dimension, start: at, len, stored } => {
                start.text(side.name()).filled(
                    " layout: dimension {}: the section {}..{} reaches past the stored extent {}; move it \
                     or make it shorter",
                    &[dimension, at, at.saturating_add(len), stored],
                )
            }
            PlanError::Ranks { side, first, end, ranks } => start.text(side.name()).filled(
                " layout: `ranks {}..{}` does not fit the grid, which has {}; write `ranks {}..{}`",
                &[first, end, ranks, first, first.saturating_add(ranks)],
            ),
            PlanError::SourcePermuted => start.text(
                "source layout: it cannot be `transposed` or have `axes`; permute the destination \
                 instead",
            ),
            PlanError::NotAPermutation { axis } => start.filled(
                "destination layout: `axes` must name each axis once; {} is missing",
                &[axis],
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dist, MAX_EXTENT};

    fn panic_of(from: Layout<1>, to: Layout<1>) -> String {
        let panic = std::panic::catch_unwind(|| Plan::constant([100], from, to)).unwrap_err();
        panic.downcast_ref::<String>().cloned().unwrap_or_default()
    }

    #[test]
    fn constants_fail_in_the_words_of_values() {
        for (from, to) in [
            ("cyclic(0) onto 3", "block onto 2"),
            ("cyclic(2) onto 0", "block onto 2"),
            ("block onto 3", "cyclic(2) onto 3 first 7"),
            ("block onto 3", "cyclic(2) onto 3 of 110 at 20"),
            ("block(33) onto 3", "cyclic(2) onto 3"),
            ("cyclic onto 3 axes 0", "block onto 2 ranks 2147483647.."),
            ("gen_block([99, 1]) onto 1", "block onto 2"),
            ("gen_block([100]) onto 3", "block onto 2"),
            ("block onto 2", "gen_block([90, 7]) onto 2"),
            ("block onto 2", "gen_block([9223372036854775807, 7]) onto 2"),
            ("rows([90, 7], block) onto 3", "block onto 2"),
            ("block onto 2", "points([90, 11]) onto 2"),
            ("block onto 2", "rows([90, 10], cyclic, points(2)) onto 3"),
            ("rows([90, 10], cyclic(0)) onto 3", "points([]) onto 2"),
            ("points([90, 10]) onto 10000000", "block onto 2"),
            ("block(33) onto 1", "cyclic onto 1"),
            ("gen_block([9]) onto 1", "gen_block([]) onto 1"),
        ] {
            let (from, to) = (from.parse().unwrap(), to.parse().unwrap());
            let error = Plan::new([100], from, to).unwrap_err();
            assert_eq!(panic_of(from, to), format!("redistribute!: {error}"));
        }
        let (large, whole) =
            (Layout::new([Dist::Cyclic(MAX_EXTENT + 1)], [2]), Layout::new([Dist::Collapsed], [1]));
        let on_grid = Layout::new([Dist::Collapsed], [2]);
        let mapped = |ranks| Layout::new([Dist::Block], [3]).ranks(Ranks::Map(ranks));
        for (from, to) in [
            (large, whole),
            (whole, large),
            (whole, on_grid),
            (whole, mapped(&[4, 1])),
            (mapped(&[4, 1, 4]), whole),
            (mapped(&[4, 1, 1 << 31]), whole),
        ] {
            let error = Plan::new([100], from, to).unwrap_err();
            assert_eq!(panic_of(from, to), format!("redistribute!: {error}"));
        }
    }
}
