//! Finds the stage that knows each size of an item.

mod assemble;
mod scope;

pub use assemble::{axes, spec};
pub use scope::{generics, names};

use crate::ast::Item;
use crate::diagnostic::Diagnostics;
use scope::Scope;

/// Names the sizes, finds their values, and reports results that no size can have.
pub fn sizes(item: &mut Item, diagnostics: &mut Diagnostics) {
    let scope = Scope::of(item);
    item.for_each_size(&mut |size| scope.resolve(size, diagnostics));
}
