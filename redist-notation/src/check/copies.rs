//! Rules about copies of a side.

use crate::ast::{Item, LayoutAst};
use crate::diagnostic::{Diagnostics, message};
use crate::size::{RanksSpec, Size};
use quote::ToTokens;
use redist_plan::layout::{CopiesAlongError, MAX_COPIED_RANKS, MAX_RANKS};
use redist_plan::plan::Side;
use std::collections::BTreeSet;

pub fn clauses(item: &Item, diagnostics: &mut Diagnostics) {
    if item.layouts().all(|(_, layout)| layout.copies.is_none()) {
        return;
    }
    let mut refuse = |at: &dyn ToTokens, clause| {
        diagnostics.error(at.to_token_stream(), message::clause_of_one_plan(clause));
    };
    item.require.iter().for_each(|requirement| refuse(&requirement.tokens, "require"));
    item.unroll.iter().for_each(|number| refuse(&number.expr, "unroll"));
    item.tables.iter().for_each(|number| refuse(&number.expr, "tables"));
    item.relabel.iter().for_each(|word| refuse(word, "relabel"));
}

pub fn ranks(layout: &LayoutAst, which: Side, ranks: usize, diagnostics: &mut Diagnostics) {
    let Some(number) = &layout.copies else { return };
    let Some(copies) = number.literal().filter(|copies| *copies > 0) else { return };
    let all = ranks.saturating_mul(copies);
    if all.max(copies) > MAX_COPIED_RANKS {
        let message = message::too_many_copied(which, MAX_COPIED_RANKS);
        return diagnostics.error(&number.expr, message);
    }
    if last(layout, ranks).is_some_and(|last| last.saturating_add(all - ranks) >= MAX_RANKS) {
        return diagnostics.error(&number.expr, message::copies_too_high(which));
    }
    if layout.along.is_none()
        && let Some(rank) = in_two(layout, ranks, copies)
    {
        diagnostics.error(&number.expr, message::copies_overlap(which, rank));
    }
}

fn last(layout: &LayoutAst, ranks: usize) -> Option<usize> {
    match &layout.ranks {
        None => ranks.checked_sub(1),
        Some((_, RanksSpec::Range { first, .. })) => {
            first.literal()?.saturating_add(ranks).checked_sub(1)
        }
        Some((_, RanksSpec::Map(ranks))) => ranks.iter().filter_map(Size::literal).max(),
    }
}

/// Checks the axis that copies are along.
pub fn along(layout: &LayoutAst, which: Side, diagnostics: &mut Diagnostics) {
    let Some(size) = &layout.along else { return };
    let axes = layout.distributed().len() + 1;
    let error = match (size.literal(), &layout.ranks) {
        (None, _) if size.is_wrong => return,
        (None, _) => return diagnostics.error(&size.expr, message::axis_of_copies(which)),
        (Some(along), _) if along >= axes => CopiesAlongError::NoSuchAxis { along, axes },
        (_, Some((_, RanksSpec::Map(_)))) => CopiesAlongError::ListedRanks,
        _ => return,
    };
    diagnostics.error(&size.expr, message::in_layout(which, error));
}

/// Returns the lowest rank that a map puts into two copies.
fn in_two(layout: &LayoutAst, ranks: usize, copies: usize) -> Option<usize> {
    let Some((_, RanksSpec::Map(list))) = &layout.ranks else { return None };
    let first = Size::literals(list)?;
    let mut taken: BTreeSet<usize> = first.iter().copied().collect();
    let behind = (1..copies).flat_map(|copy| first.iter().map(move |rank| rank + copy * ranks));
    behind.filter(|rank| !taken.insert(*rank)).min()
}
