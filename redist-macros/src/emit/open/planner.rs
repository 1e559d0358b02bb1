//! How an item's plan comes to be, and how its code names it.

use crate::emit::declaration;
use crate::emit::layout::number;
use crate::emit::place::Place;
use proc_macro2::TokenStream;
use quote::quote;
use redist_notation::spec::Spec;

/// The stage that makes an item's plan.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Planner {
    /// rustc, in one constant.
    Constant,
    /// rustc, in a constant of each instance.
    Generic,
    /// The program, when it calls `new`.
    New,
}

/// The compiler's notes on the plan's faults stand at the item's name.
pub fn value(spec: &Spec, planner: Planner) -> TokenStream {
    let rank = number(spec.extents.len());
    let place = Place::at(spec.ident.span());
    match planner {
        Planner::Constant => place.name(quote!(__PLAN)),
        Planner::Generic => place.name(quote!(<Self as __redist::Constants<#rank>>::PLAN)),
        Planner::New => {
            let field = declaration::plan_field(spec);
            quote!(self.#field)
        }
    }
}

pub fn axis(plan: &TokenStream, dimension: usize) -> TokenStream {
    let dimension = number(dimension);
    quote!(#plan.axis(#dimension))
}
