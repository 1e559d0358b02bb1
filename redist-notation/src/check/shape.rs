//! Rules about numbers of dimensions, which need no values.

use crate::ast::{Array, DistAst, LayoutAst, Sizes};
use crate::diagnostic::{Diagnostics, message};
use crate::resolve;
use crate::size::DistSpec;
use redist_plan::layout::vocabulary::OF_FACTORS;
use redist_plan::plan::Side;

pub fn layout(layout: &LayoutAst, which: Side, array: &Array, diagnostics: &mut Diagnostics) {
    let dimensions = array.extents.len();
    if layout.dists.len() != dimensions {
        // All other lists would be wrong too, of the same mistake.
        distributions(layout, which, array, diagnostics);
        return;
    }
    permutation(layout, which, dimensions, diagnostics);
    section(layout, dimensions, diagnostics);
    if layout.broken || layout.dists.iter().any(|dist| dist.kind.is_none()) {
        return;
    }
    if let (Some(at), None) = (&layout.at, &layout.of) {
        diagnostics.error(&at.tokens, message::at_without_of(which));
    }
    grid(layout, which, diagnostics);
}

fn distributions(layout: &LayoutAst, which: Side, array: &Array, diagnostics: &mut Diagnostics) {
    let (dimensions, found) = (array.extents.len(), layout.dists.len());
    if let Some(word) = layout.scalapack.as_ref().filter(|_| found > 0) {
        diagnostics.error(word, message::scalapack_dimensions(dimensions));
        return;
    }
    let of_rows = message::array_of_arrays(array, found).unwrap_or_default();
    let message = message::distribution_count(which, dimensions, found) + &of_rows;
    // The first one too many, or the last one before the missing ones.
    match layout.dists.get(dimensions.min(found.saturating_sub(1))) {
        Some(dist) if !dist.token.is_empty() => diagnostics.error(&dist.token, message),
        _ if layout.broken => {}
        _ => diagnostics.error_at(layout.span, message),
    }
}

fn grid(layout: &LayoutAst, which: Side, diagnostics: &mut Diagnostics) {
    let distributed = layout.distributed().len();
    match &layout.grid {
        None if distributed > 0 => {
            diagnostics.error_at(layout.span, message::missing_grid(which, distributed))
        }
        Some(grid) if !fits(grid, distributed) => {
            let found = grid.values.len();
            let message = match distributed {
                0 => message::grid_of_whole(which),
                _ => message::grid_count(which, distributed, found, layout.dists.len()),
            };
            // The first one too many, where there is one.
            match grid.values.get(distributed) {
                Some(extra) if distributed > 0 => diagnostics.error(&extra.expr, message),
                _ => diagnostics.error(&grid.tokens, message),
            }
        }
        _ => {}
    }
    length(&layout.first, "first", distributed, diagnostics);
}

/// Accepts nothing, `()` and `1` if every dimension stays whole.
fn fits(grid: &Sizes, distributed: usize) -> bool {
    let found = grid.values.len();
    let lone_one = distributed == 0 && found == 1 && grid.values[0].literal() == Some(1);
    found == distributed || lone_one
}

fn length(list: &Option<Sizes>, word: &str, expected: usize, diagnostics: &mut Diagnostics) {
    if let Some(list) = list
        && list.values.len() != expected
    {
        diagnostics.error(&list.tokens, message::list_length(word, expected, list.values.len()));
    }
}

/// Checks the lists of a section, in which no `split` has an entry for each factor.
fn section(layout: &LayoutAst, dimensions: usize, diagnostics: &mut Diagnostics) {
    let is_split = |dist: &DistAst| matches!(dist.kind, Some(DistSpec::Split(..)));
    let mend = if layout.dists.iter().any(is_split) { OF_FACTORS } else { "" };
    for (list, word) in [(&layout.of, "of"), (&layout.at, "at")] {
        if let Some(list) = list.as_ref().filter(|list| list.values.len() != dimensions) {
            let message = message::list_length(word, dimensions, list.values.len()) + mend;
            diagnostics.error(&list.tokens, message);
        }
    }
}

fn permutation(layout: &LayoutAst, which: Side, dimensions: usize, diagnostics: &mut Diagnostics) {
    if let Some(word) = &layout.transposed {
        if which == Side::Source {
            diagnostics.error(word, message::permuted_source("transposed"));
        } else if layout.axes.is_some() {
            diagnostics.error(word, message::TRANSPOSED_AND_AXES);
        } else if dimensions != 2 {
            diagnostics.error(word, message::transposed_dimensions(dimensions));
        }
    }
    let Some(list) = &layout.axes else { return };
    if which == Side::Source {
        diagnostics.error(&list.tokens, message::permuted_source("axes"));
    } else if list.values.len() != dimensions {
        diagnostics
            .error(&list.tokens, message::list_length("axes", dimensions, list.values.len()));
    } else if let Some(open) = list.values.iter().find(|axis| axis.is_open()) {
        diagnostics.error(&open.expr, message::not_a_literal("an axis"));
    } else if list.values.iter().all(|axis| !axis.is_wrong)
        && resolve::axes(layout, dimensions).is_none()
    {
        diagnostics.error(&list.tokens, message::not_a_permutation(dimensions));
    }
}
