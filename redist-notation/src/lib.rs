//! The notation of `redist`: what stands in a `redistribute!`, read, resolved and checked.
//!
//! The macro and the command line share it. The steps are [`parse`] → [`resolve`] → [`check`] →
//! [`Spec`], on the tokens of the crate `proc_macro2`.

extern crate proc_macro;

pub mod ast;
pub mod check;
pub mod diagnostic;
mod display;
pub mod parse;
pub mod planned;
mod relabel;
pub mod resolve;
pub mod spec;
#[cfg(test)]
mod tests;
pub mod tiers;
mod window;

use ast::Item;
use diagnostic::Diagnostics;
use resolve::Number;
use spec::Spec;
use syn::Expr;

/// Resolves and checks an item; returns a spec if nothing is wrong. `whole` is false if a part of
/// the item could not be read.
pub fn understand(
    item: Item<Expr>,
    whole: bool,
    diagnostics: &mut Diagnostics,
) -> (Item<Number>, Option<Spec>) {
    let item = resolve::item(item, diagnostics);
    check::item(&item, whole, diagnostics);
    let mut spec = resolve::spec(&item, diagnostics);
    if let Some(spec) = &mut spec {
        relabel::apply(&item, spec, diagnostics);
        check::windows(&item, spec, diagnostics);
    }
    (item, spec)
}
