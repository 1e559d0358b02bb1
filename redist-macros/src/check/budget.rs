//! How much of a plan may be put into the binary.

use crate::ast::Item;
use crate::diagnostic::{Diagnostics, message};
use crate::resolve::Number;
use crate::spec::{DistSpec, LayoutSpec, Spec};
use core::cmp::Reverse;

/// Pieces that are unrolled into one function at most: more make it slower to compile and no faster to run.
const MOST_UNROLLED: usize = 256;

/// Pieces in one table at most, whatever `tables` says: the compiler reads each of them.
const LARGEST_TABLE: usize = 1 << 20;

/// The limits themselves.
pub fn limits(item: &Item<Number>, diagnostics: &mut Diagnostics) {
    if let Some(unroll) = &item.unroll {
        limit(unroll, "unroll", MOST_UNROLLED, message::unroll_too_large, diagnostics);
    }
    if let Some(tables) = &item.tables {
        limit(tables, "tables", LARGEST_TABLE, message::tables_too_large, diagnostics);
    }
}

fn limit(number: &Number, word: &str, most: usize, too_large: fn(usize) -> String, diagnostics: &mut Diagnostics) {
    match number.literal() {
        Some(value) if value > most => diagnostics.error(&number.expr, too_large(most)),
        None if number.value.is_some() => {
            diagnostics.error(&number.expr, message::not_a_literal(&format!("the `{word}` number")));
        }
        _ => {}
    }
}

/// The window of the dimension that has most pieces against the limits that the item sets itself. Without any,
/// long windows are no error: they are streamed.
pub fn windows(item: &Item<Number>, spec: &Spec, diagnostics: &mut Diagnostics) {
    let windows = (0..spec.extents.len()).filter_map(|dimension| window(spec, dimension));
    let Some(longest) = windows.min_by_key(|window| Reverse(window.pieces)) else {
        return;
    };
    if let (Some(unroll), Some(budget)) = (&item.unroll, spec.unroll)
        && budget > 0
        && longest.pieces > budget
    {
        diagnostics.error(&unroll.expr, message::unroll_budget(&longest, budget, MOST_UNROLLED));
    }
    if longest.pieces <= spec.tables {
        return;
    }
    if let Some(tables) = &item.tables {
        diagnostics.error(&tables.expr, message::table_limit(&longest, spec.tables, LARGEST_TABLE));
    } else if let Some(require) = &item.require {
        diagnostics.error(&require.word, message::required_table(&require.word, &longest, spec.tables, LARGEST_TABLE));
    }
}

/// The window of one dimension of the source: after so many elements the blocks of both sides line up again.
pub struct Window {
    pub dimension: usize,
    /// Blocks of the source and of the destination, in elements.
    pub blocks: (usize, usize),
    /// How many pieces the blocks cut each other into.
    pub pieces: usize,
}

fn window(spec: &Spec, dimension: usize) -> Option<Window> {
    let extent = spec.extents[dimension].literal()?;
    let source = block(&spec.from, dimension, extent)?;
    let destination = block(&spec.to, spec.to.axes[dimension], extent)?;
    // A dimension that stays whole fits any blocks.
    let blocks = match (source, destination) {
        (Some(source), Some(destination)) => (source, destination),
        (Some(size), None) | (None, Some(size)) => (size, size),
        (None, None) => (extent.max(1), extent.max(1)),
    };
    Some(Window { dimension, blocks, pieces: pieces(extent, blocks.0, blocks.1) })
}

/// The block size of one dimension, which is `Some(None)` where it stays whole and `None` where it is no literal.
fn block(layout: &LayoutSpec, dimension: usize, extent: usize) -> Option<Option<usize>> {
    match &layout.dists[dimension] {
        DistSpec::Collapsed => Some(None),
        DistSpec::BlockOf(size) | DistSpec::Cyclic(size) => size.literal().map(Some),
        DistSpec::Block => {
            let stored = layout.of.as_ref().map_or(Some(extent), |of| of[dimension].literal())?;
            let ranks = layout.grid[dimension].literal()?;
            Some(Some(stored.div_ceil(ranks).max(1)))
        }
    }
}

/// Pieces that blocks of `source` and `destination` elements cut one window into, or the extent if that is shorter.
fn pieces(extent: usize, source: usize, destination: usize) -> usize {
    let common = greatest_common_divisor(source, destination);
    let (rows, columns) = (source / common, destination / common);
    let window = rows.saturating_mul(destination);
    if window <= extent {
        return (rows - 1).saturating_add(columns);
    }
    // Both blocks begin together once, at the beginning.
    extent.div_ceil(source) + extent.div_ceil(destination) - extent.min(1)
}

fn greatest_common_divisor(mut left: usize, mut right: usize) -> usize {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks the extent.
    fn counted(extent: usize, source: usize, destination: usize) -> usize {
        let window = source / greatest_common_divisor(source, destination) * destination;
        let begins = |index: &usize| index % source == 0 || index % destination == 0;
        (0..extent.min(window)).filter(begins).count()
    }

    #[test]
    fn pieces_are_counted_in_closed_form() {
        for extent in 0..40 {
            for source in 1..12 {
                for destination in 1..12 {
                    let expected = counted(extent, source, destination);
                    assert_eq!(pieces(extent, source, destination), expected, "{extent} {source} {destination}");
                }
            }
        }
    }

    #[test]
    fn huge_blocks_do_not_overflow() {
        assert_eq!(pieces(10, usize::MAX, usize::MAX - 1), 1);
        assert_eq!(pieces(usize::MAX, 1, usize::MAX), usize::MAX);
    }
}
