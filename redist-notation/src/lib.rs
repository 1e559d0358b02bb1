//! The notation of `redist`, read, resolved and checked, for the macro and the command line:
//! [`parse`] → [`resolve`] → [`check`] → [`Spec`], on tokens of `proc_macro2`.
// Names say enough to the macro and the command line, the only users.
#![allow(missing_docs)]

extern crate proc_macro;

pub mod ast;
pub mod check;
pub mod diagnostic;
mod display;
pub mod parse;
pub mod planned;
mod relabel;
pub mod resolve;
mod size;
pub mod spec;
#[cfg(test)]
mod tests;
pub mod tiers;

use ast::Item;
use diagnostic::Diagnostics;
use spec::Spec;

/// Resolves and checks an item. `whole` is false if a part of it could not be read.
pub fn understand(
    mut item: Item,
    whole: bool,
    diagnostics: &mut Diagnostics,
) -> (Item, Option<Spec>) {
    resolve::sizes(&mut item, diagnostics);
    check::item(&item, whole, diagnostics);
    let mut spec = resolve::spec(&item, diagnostics);
    if let Some(spec) = &mut spec {
        relabel::apply(&item, spec, diagnostics);
        check::windows(&item, spec, diagnostics);
    }
    (item, spec)
}
