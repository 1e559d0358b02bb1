//! Layouts as lists of numbers, for other languages.

use redist::layout::vocabulary::counted;
use std::fmt::Write as _;

/// A layout as numbers: lists with an entry for each dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayoutNumbers {
    /// Length of blocks, in elements: [`COLLAPSED`](Self::COLLAPSED) is a dimension that is not
    /// distributed, [`BLOCK`](Self::BLOCK) one block of equal length for each rank.
    pub blocks: Vec<i64>,
    /// Extents of the process grid; ignored for dimensions that are not distributed.
    pub grid: Vec<i64>,
    /// Grid coordinates of block 0; zeros if the list is empty.
    pub first: Vec<i64>,
    /// The ranks of the communicator that form the grid; from 0 on if the list is empty.
    pub ranks: Vec<i64>,
    /// `true` if consecutive ranks fill the grid column by column.
    pub column_major_ranks: bool,
    /// `true` if the first dimension is stored fastest.
    pub fortran: bool,
    /// Sizes of the blocks of dimensions that are [`GEN_BLOCK`](Self::GEN_BLOCK), in elements, one
    /// for each coordinate of the grid; dimension after dimension.
    pub sizes: Vec<i64>,
    /// The axis of this array that each axis of the source becomes; the same if the list is empty.
    pub axes: Vec<i64>,
    /// Extents of the stored array, of which a section moves; the whole moves if the list is empty.
    pub of: Vec<i64>,
    /// First index of the section; zeros if the list is empty.
    pub at: Vec<i64>,
}

/// Lists that are no layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    #[error(
        "{list} has {found} {} for {}; give it one for each",
        if *found == 1 { "entry" } else { "entries" },
        counted(*dimensions, "dimension")
    )]
    Entries { list: &'static str, found: usize, dimensions: usize },
    #[error("{list} has {value} for dimension {dimension}, {must}")]
    Value {
        list: &'static str,
        dimension: usize,
        value: i64,
        /// The rule that it breaks.
        must: &'static str,
    },
    #[error("ranks has {value} for cell {cell} of the grid, which must be at least 0")]
    Rank { cell: usize, value: i64 },
    #[error(
        "sizes has {found}, but the grid has {needed} coordinates along dimensions of such blocks; \
         give a size for each"
    )]
    Sizes { found: usize, needed: usize },
}

impl LayoutNumbers {
    /// A dimension that is not distributed: `*`.
    pub const COLLAPSED: i64 = -1;
    /// One block for each rank: `block`.
    pub const BLOCK: i64 = 0;
    /// A block of its own size for each rank: `gen_block`.
    pub const GEN_BLOCK: i64 = -2;

    /// Returns the layout in the notation; [`parse`](crate::DoorPlan::parse) checks the rest.
    ///
    /// # Errors
    /// Lists of other lengths than that of the blocks, numbers out of range.
    pub fn notation(&self) -> Result<String, LayoutError> {
        let Self { blocks, grid, first, ranks, column_major_ranks, fortran, .. } = self;
        self.entries("grid", grid)?;
        for (list, of) in
            [("first", first), ("axes", &self.axes), ("of", &self.of), ("at", &self.at)]
        {
            if !of.is_empty() {
                self.entries(list, of)?;
            }
        }
        let mut sizes = self.block_sizes()?.into_iter();
        let mut words = Vec::new();
        for (dimension, &block) in blocks.iter().enumerate() {
            words.push(match block {
                Self::COLLAPSED => "*".into(),
                Self::BLOCK => "block".into(),
                Self::GEN_BLOCK => format!("gen_block({:?})", sizes.next().unwrap_or_default()),
                1.. => format!("cyclic({block})"),
                value => {
                    let must = "which must be -2 (blocks of different sizes), -1 (not \
                                distributed), 0 (block) or the length of blocks";
                    return Err(LayoutError::Value { list: "blocks", dimension, value, must });
                }
            });
        }
        let mut text = format!("({})", words.join(", "));
        let along = |list, of: &[i64], least, must| self.distributed(list, of, least, must);
        let grid = along("grid", grid, 1, "which must be at least 1")?;
        if !grid.is_empty() {
            let _ = write!(text, " onto ({})", grid.join(", "));
            if !first.is_empty() {
                let first = along("first", first, 0, "which must be at least 0")?;
                let _ = write!(text, " first ({})", first.join(", "));
            }
        }
        if let Some((cell, &value)) = ranks.iter().enumerate().find(|(_, rank)| **rank < 0) {
            return Err(LayoutError::Rank { cell, value });
        }
        if !ranks.is_empty() {
            let _ = write!(text, " ranks {ranks:?}");
        }
        text += if *column_major_ranks { " order col" } else { "" };
        text += if *fortran { " storage fortran" } else { "" };
        text += &self.section()?;
        Ok(text)
    }

    /// Returns the clauses of a section and of axes.
    fn section(&self) -> Result<String, LayoutError> {
        let mut text = String::new();
        let least = |list, of: &[i64]| match of.iter().position(|value| *value < 0) {
            None => Ok(of.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
            Some(dimension) => {
                let (value, must) = (of[dimension], "which must be at least 0");
                Err(LayoutError::Value { list, dimension, value, must })
            }
        };
        if !self.of.is_empty() {
            let zeros = vec![0; self.of.len()];
            let at = if self.at.is_empty() { &zeros } else { &self.at };
            let _ = write!(text, " of [{}] at [{}]", least("of", &self.of)?, least("at", at)?);
        }
        if !self.axes.is_empty() {
            let _ = write!(text, " axes ({})", least("axes", &self.axes)?);
        }
        Ok(text)
    }

    /// Returns the sizes of each dimension that has a list of them.
    fn block_sizes(&self) -> Result<Vec<&[i64]>, LayoutError> {
        let pairs = self.blocks.iter().zip(&self.grid).enumerate();
        let own = pairs.filter(|(_, (block, _))| **block == Self::GEN_BLOCK);
        let counts = own.map(|(dimension, (_, count))| {
            let must = "which must be at least 1";
            let error = LayoutError::Value { list: "grid", dimension, value: *count, must };
            usize::try_from(*count).ok().filter(|count| *count > 0).ok_or(error)
        });
        let counts = counts.collect::<Result<Vec<usize>, _>>()?;
        let needed = counts.iter().fold(0, |sum: usize, count| sum.saturating_add(*count));
        let found = self.sizes.len();
        if found != needed {
            return Err(LayoutError::Sizes { found, needed });
        }
        let mut rest = &self.sizes[..];
        Ok(counts.into_iter().filter_map(|count| rest.split_off(..count)).collect())
    }

    fn entries(&self, list: &'static str, of: &[i64]) -> Result<(), LayoutError> {
        let (found, dimensions) = (of.len(), self.blocks.len());
        if found == dimensions {
            Ok(())
        } else {
            Err(LayoutError::Entries { list, found, dimensions })
        }
    }

    fn distributed(
        &self,
        list: &'static str,
        of: &[i64],
        least: i64,
        must: &'static str,
    ) -> Result<Vec<String>, LayoutError> {
        let entries = of.iter().enumerate().filter(|(d, _)| self.blocks[*d] != Self::COLLAPSED);
        entries
            .map(|(dimension, &value)| match value >= least {
                true => Ok(value.to_string()),
                false => Err(LayoutError::Value { list, dimension, value, must }),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DoorPlan;

    fn tiles() -> LayoutNumbers {
        LayoutNumbers {
            blocks: vec![2, LayoutNumbers::COLLAPSED, LayoutNumbers::BLOCK],
            grid: vec![2, 0, 3],
            first: vec![1, 0, 2],
            ranks: vec![5, 4, 3, 2, 1, 0],
            column_major_ranks: true,
            fortran: true,
            ..Default::default()
        }
    }

    #[test]
    fn blocks_of_different_sizes_axes_and_sections_are_layouts() {
        let numbers = LayoutNumbers {
            blocks: vec![LayoutNumbers::GEN_BLOCK, 2, LayoutNumbers::GEN_BLOCK],
            grid: vec![2, 2, 3],
            sizes: vec![3, 4, 1, 2, 3],
            axes: vec![2, 0, 1],
            of: vec![7, 9, 6],
            at: vec![0, 2, 0],
            ..Default::default()
        };
        let text = numbers.notation().unwrap();
        let expected = "(gen_block([3, 4]), cyclic(2), gen_block([1, 2, 3])) onto (2, 2, 3) \
                        of [7, 9, 6] at [0, 2, 0] axes (2, 0, 1)";
        assert_eq!(text, expected);
        DoorPlan::parse(&[7, 5, 6], "(*, *, *)", &text.replace("axes (2, 0, 1)", "")).unwrap();
        DoorPlan::parse(&[5, 6, 7], "(*, *, *)", "(*, *, *) axes (2, 0, 1)").unwrap();
        let short = LayoutNumbers { sizes: vec![3, 4], ..numbers.clone() };
        let said = short.notation().unwrap_err().to_string();
        assert!(said.starts_with("sizes has 2, but the grid has 5 coordinates"), "{said}");
        let wrong = LayoutNumbers { at: vec![0, -2, 0], ..numbers };
        let said = wrong.notation().unwrap_err().to_string();
        assert_eq!(said, "at has -2 for dimension 1, which must be at least 0");
    }

    #[test]
    fn numbers_are_layouts() {
        let text = tiles().notation().unwrap();
        let expected = "(cyclic(2), *, block) onto (2, 3) first (1, 2) ranks [5, 4, 3, 2, 1, 0] \
                        order col storage fortran";
        assert_eq!(text, expected);
        DoorPlan::parse(&[7, 5, 6], &text, "(*, *, *)").unwrap();
        let alone = LayoutNumbers { blocks: vec![-1], grid: vec![1], ..Default::default() };
        assert_eq!(alone.notation().unwrap(), "(*)");
        DoorPlan::parse(&[7], "(*)", "block onto 2").unwrap();
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (wrong, words) in [
            (LayoutNumbers { grid: vec![2, 0], ..tiles() }, "grid has 2 entries for 3 dimensions"),
            (
                LayoutNumbers { grid: vec![2, 0, 0], ..tiles() },
                "grid has 0 for dimension 2, which must be at least 1",
            ),
            (LayoutNumbers { blocks: vec![2, -1, -3], ..tiles() }, "blocks has -3 for dimension 2"),
            (LayoutNumbers { ranks: vec![0, -7], ..tiles() }, "ranks has -7 for cell 1"),
        ] {
            let said = wrong.notation().unwrap_err().to_string();
            assert!(said.starts_with(words), "{said}");
        }
    }
}
