//! Rules about items, whatever stage plans them.

mod budget;
mod copies;
mod demand;
mod params;
mod shape;
mod value;

pub use budget::windows;
pub use params::{undeclared, undeclared_name};

use crate::ast::{Clause, Item, SideAst};
use crate::diagnostic::{Diagnostics, message};
use redist_plan::plan::Side;
use syn::Expr;

pub fn item(item: &Item, whole: bool, diagnostics: &mut Diagnostics) {
    missing_sides(item, diagnostics);
    params::params(item, whole, diagnostics);
    budget::limits(item, diagnostics);
    copies::clauses(item, diagnostics);
    for (which, side) in item.sides() {
        if let SideAst::Value(Expr::Lit(number)) = side {
            diagnostics.error(number, message::number_as_side(which));
        }
    }
    let Some(array) = &item.array else { return };
    // An array without dimensions has layouts without distributions.
    if array.extents.is_empty() && item.layouts().any(|(_, layout)| !layout.dists.is_empty()) {
        diagnostics.error_at(array.end, message::NO_EXTENTS);
        return;
    }
    value::elements(&array.extents, "the array", diagnostics);
    for (which, layout) in item.layouts() {
        shape::layout(layout, which, array, diagnostics);
        value::layout(layout, which, array, diagnostics);
    }
}

fn missing_sides(item: &Item, diagnostics: &mut Diagnostics) {
    let Some(end) = item.end.filter(|_| !item.lost) else {
        return;
    };
    let dimensions = item.array.as_ref().map_or(1, |array| array.extents.len());
    let sides = [(Side::Source, &item.from), (Side::Destination, &item.to)];
    for (which, slot) in sides {
        if matches!(slot, Clause::Absent) {
            diagnostics.error_at(end, message::missing_side(which, dimensions));
        }
    }
}
