//! The macro's notation of a layout, read and written at run time.
//!
//! ```text
//! layout = ( "(" dist {"," dist} ")" | dist ) "onto" sizes {modifier} | "scalapack" "(" MB, NB, P, Q [, RSRC, CSRC] ")" {modifier}
//! dist   = "*" | "block" ["(" size ")" | "balanced" ["last"]] | "cyclic" ["(" size ")"] | "gen_block" "(" lengths ")"
//!        | "split" "(" lengths {"," dist ["onto" size]} ")" | "blocks" "(" lengths "," lengths ")" | "rows" "(" lengths "," ("block" | "cyclic" ["(" size ")"]) ["," "points" "(" size ")"] ")" | "points" "(" lengths ")"
//! lengths = "[" {length ","} [length] "]" ;  length = size ["x" count]
//! modifier = "first" sizes | "ranks" size ".." [size] | "order" ("row" | "col") | "storage" ("c" | "fortran")
//!          | "of" sizes | "at" sizes | "transposed" | "axes" sizes | "copies" count ["along" axis]
//! sizes  = size | "(" size {"," size} ")" | "[" size {"," size} "]"
//! ```
//!
//! The letter case of words is free. `onto` and `first` list the distributed dimensions only. `128
//! x 12` in a list is 128 twelve times. A single layout refuses `copies`.

mod mistake;
mod parser;
#[cfg(test)]
mod tests;
mod tokens;

pub use mistake::NotationError;

use super::{Dist, Layout, RankOrder, Ranks, StorageOrder};
use crate::arithmetic::saturating_product;
use core::fmt;
use core::str::FromStr;

impl<const D: usize> FromStr for Layout<D> {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let layout = tokens::Tokens::new(text).and_then(parser::layout);
        layout.map_err(|mistake| mistake.of(text))
    }
}

impl<const D: usize> Layout<D> {
    /// Parses the layouts of all copies; one if the text does not say `copies`.
    #[doc(hidden)]
    pub fn parse_copies(text: &str) -> Result<Vec<Self>, NotationError> {
        let copies = tokens::Tokens::new(text).and_then(parser::copies);
        copies.map_err(|mistake| mistake.of(text))
    }
}

impl<const D: usize> fmt::Display for Layout<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LayoutText {
            dists: &self.dists,
            grid: &self.grid,
            first: &self.first,
            ranks: self.ranks,
            order: self.order,
            storage: self.storage,
            of: self.of.as_ref().map(|stored| &stored[..]),
            at: &self.at,
            axes: self.axes.as_slice(),
        }
        .fmt(f)
    }
}

/// A layout's parts without its number of dimensions, so that their text is compiled once.
struct LayoutText<'a> {
    dists: &'a [Dist],
    /// Ranks along each dimension.
    grid: &'a [usize],
    /// Coordinate of the rank that has the first block, along each dimension.
    first: &'a [usize],
    ranks: Ranks,
    order: RankOrder,
    storage: StorageOrder,
    /// Elements of the stored array along each dimension, if the layout is of a section.
    of: Option<&'a [usize]>,
    /// Index of the section's first element along each dimension.
    at: &'a [usize],
    /// Dimension of the other side for each dimension of this side.
    axes: &'a [usize],
}

impl LayoutText<'_> {
    fn distributed(&self, sizes: &[usize]) -> Vec<usize> {
        let of_dists = sizes.iter().zip(self.dists);
        of_dists.filter(|(_, dist)| dist.is_distributed()).map(|(size, _)| *size).collect()
    }

    fn section_and_axes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(stored) = self.of {
            write!(f, " of {stored:?}")?;
        }
        // Without `of` it is a mistake, which a message has to show.
        if self.of.is_some() || self.at.iter().any(|at| *at != 0) {
            write!(f, " at {:?}", self.at)?;
        }
        match self.axes {
            [1, 0] => f.write_str(" transposed"),
            axes if axes.iter().enumerate().all(|(from, &to)| from == to) => Ok(()),
            axes => {
                f.write_str(" axes ")?;
                tuple(f, axes)
            }
        }
    }
}

impl fmt::Display for LayoutText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tuple(f, self.dists)?;
        let grid = self.distributed(self.grid);
        if !grid.is_empty() {
            f.write_str(" onto ")?;
            tuple(f, &grid)?;
        }
        if self.first.iter().any(|first| *first != 0) {
            f.write_str(" first ")?;
            tuple(f, &self.distributed(self.first))?;
        }
        match self.ranks {
            Ranks::From(0) => {}
            Ranks::From(first) => {
                write!(f, " ranks {first}..{}", first.saturating_add(saturating_product(&grid)))?;
            }
            Ranks::Map(list) => write!(f, " ranks {list:?}")?,
        }
        if self.order != RankOrder::Row {
            write!(f, " order {}", self.order)?;
        }
        if self.storage != StorageOrder::C {
            write!(f, " storage {}", self.storage)?;
        }
        self.section_and_axes(f)
    }
}

fn tuple<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    if let [item] = items {
        return item.fmt(f);
    }
    f.write_str("(")?;
    for (index, item) in items.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { ", " })?;
        item.fmt(f)?;
    }
    f.write_str(")")
}
