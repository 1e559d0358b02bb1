//! Limits of the compiler's work: the clauses `unroll` and `tables`, and what `require` demands of
//! them.

use super::demand::{self, have_steps};
use crate::ast::{Item, Require};
use crate::diagnostic::{Diagnostics, message};
use crate::planned;
use crate::spec::{Size, Spec, Value};
use crate::tiers;
use core::cmp::Reverse;
use redist_plan::plan::Axis;

/// More unrolled pieces are slower to compile and no faster.
const MAX_UNROLLED_PIECES: usize = 256;

/// The largest `tables`: the compiler reads each piece.
const MAX_TABLE_PIECES: usize = 1 << 20;

pub fn limits(item: &Item, diagnostics: &mut Diagnostics) {
    if let Some(unroll) = &item.unroll {
        limit(unroll, "unroll", MAX_UNROLLED_PIECES, message::unroll_too_large, diagnostics);
    }
    if let Some(tables) = &item.tables {
        limit(tables, "tables", MAX_TABLE_PIECES, message::tables_too_large, diagnostics);
    }
}

fn limit(
    number: &Size,
    word: &str,
    most: usize,
    too_large: fn(usize) -> String,
    diagnostics: &mut Diagnostics,
) {
    match number.literal() {
        Some(value) if value > most => diagnostics.error(&number.expr, too_large(most)),
        None if number.is_open() => {
            diagnostics
                .error(&number.expr, message::not_a_literal(&format!("the `{word}` number")));
        }
        _ => {}
    }
}

pub fn windows(item: &Item, spec: &Spec, diagnostics: &mut Diagnostics) {
    let axes: Vec<(usize, Axis)> = (0..spec.extents.len())
        .filter_map(|dimension| planned::axis(spec, dimension).map(|axis| (dimension, axis)))
        .collect();
    unrolled(item, spec, &axes, diagnostics);
    tabulated(item, spec, &axes, diagnostics);
    required(spec, diagnostics);
    demand::demands(spec, diagnostics);
}

fn unrolled(item: &Item, spec: &Spec, axes: &[(usize, Axis)], diagnostics: &mut Diagnostics) {
    let (Some(unroll), Some(budget)) = (&item.unroll, spec.unroll) else {
        return;
    };
    let fastest = axes.iter().find(|(dimension, _)| Some(*dimension) == planned::fastest(spec));
    let Some(window) = fastest.filter(|_| budget > 0) else { return };
    if window.1.window_pieces() > budget {
        diagnostics
            .error(&unroll.expr, message::unroll_budget(window, budget, MAX_UNROLLED_PIECES));
    } else if !have_steps(&window.1) {
        diagnostics.error(&unroll.expr, message::nothing_to_unroll(window));
    }
}

fn tabulated(item: &Item, spec: &Spec, axes: &[(usize, Axis)], diagnostics: &mut Diagnostics) {
    let tables = axes.iter().filter(|(_, axis)| axis.wants_table());
    let longest = tables.min_by_key(|(_, axis)| Reverse(axis.window_pieces()));
    let Some(longest) = longest.filter(|(_, axis)| axis.window_pieces() > spec.tables) else {
        return;
    };
    if let Some(tables) = &item.tables {
        diagnostics
            .error(&tables.expr, message::table_limit(longest, spec.tables, MAX_TABLE_PIECES));
    } else if let Some(required) = spec.required_tables() {
        let tokens = &required.tokens;
        diagnostics
            .error(tokens, message::required_table(tokens, longest, spec.tables, MAX_TABLE_PIECES));
    }
}

/// Checks that parts of the binary are known in time.
fn required(spec: &Spec, diagnostics: &mut Diagnostics) {
    let Some(required) = spec.required_tables() else { return };
    let word = &required.tokens;
    for (dimension, tier) in tiers::tiers(spec).iter().enumerate() {
        if tier.blocks == Value::Parameter {
            diagnostics.error(word, message::required_blocks(word, dimension, &tier.reason));
        }
    }
    if let (Require::Static, Some((dimension, reason))) =
        (required.kind, tiers::first_parameter(spec))
        && tiers::tiers(spec).iter().all(|tier| tier.blocks < Value::Parameter)
    {
        diagnostics.error(word, message::required_static(word, dimension, &reason));
    }
}
