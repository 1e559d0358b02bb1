//! The clause `relabel`: other ranks for the destination's cells.

use crate::ast::Item;
use crate::diagnostic::{Diagnostics, message};
use crate::planned;
use crate::spec::{RanksSpec, Saving, SideSpec, Size, Spec};
use redist_plan::layout::Ranks;
use redist_plan::plan::Side;

/// Puts the map into the destination's layout, if the item asks for it and is all literals.
pub fn apply(item: &Item, spec: &mut Spec, diagnostics: &mut Diagnostics) {
    let Some(word) = &item.relabel else { return };
    let Some(plan) = planned::padded_plan(spec) else {
        diagnostics.error(word, message::RELABEL_OF_OPEN);
        return;
    };
    let best = match plan.relabelling() {
        Ok(best) => best,
        Err(error) => return diagnostics.error(word, error),
    };
    if let SideSpec::Layout(to) = &mut spec.to {
        to.ranks = match best.plan.descriptor(Side::Destination).layout().ranks {
            Ranks::From(first) => RanksSpec::Range { first: Size::implied(first), end: None },
            Ranks::Map(list) => RanksSpec::Map(list.iter().copied().map(Size::implied).collect()),
        };
    }
    spec.relabelled = Some(Saving::of(&best));
}
