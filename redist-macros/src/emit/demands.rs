//! Emits the demands that the macro cannot check itself: constants that panic, each at its demand.

use super::layout::number;
use super::place::Place;
use proc_macro2::TokenStream;
use quote::quote;
use redist_notation::planned;
use redist_notation::spec::{Require, Requirement, Spec};
use redist_plan::plan::Demand;

/// Checks in the expansion of an item.
pub struct Demands {
    /// Checks that rustc makes once.
    pub of_item: TokenStream,
    /// Checks that `new` makes rustc repeat for each instance of a generic item.
    pub of_instances: Option<TokenStream>,
}

pub fn of(spec: &Spec, plan: &TokenStream, plan_is_generic: bool) -> Demands {
    let (mut of_item, mut of_instances) = (TokenStream::new(), TokenStream::new());
    for requirement in &spec.require {
        let by_element = is_by_element(requirement.kind) && !spec.generics.params.is_empty();
        let of_instance = plan_is_generic || by_element;
        let Some(check) = check(spec, requirement, plan, of_instance) else { continue };
        if of_instance {
            // Constants are used here: see `Expressions`.
            let block = Place::at(spec.ident.span()).block(quote!(const), check);
            of_instances.extend(quote!(#block;));
        } else {
            of_item.extend(quote!(const _: () = #check;));
        }
    }
    let of_instances = (!of_instances.is_empty()).then_some(of_instances);
    Demands { of_item, of_instances }
}

/// Allows the lint that figures of wide grids would raise, which take up to a second.
pub fn lint(spec: &Spec) -> Option<TokenStream> {
    let is_figure = |requirement: &Requirement| matches!(requirement.kind, Require::Figure(_));
    let has_figures = spec.require.iter().any(is_figure);
    has_figures.then(|| quote!(#[allow(long_running_const_eval)]))
}

fn is_by_element(kind: Require) -> bool {
    matches!(kind, Require::Unrolled | Require::Figure(Demand::Memory(_)))
}

fn check(
    spec: &Spec,
    requirement: &Requirement,
    plan: &TokenStream,
    of_instance: bool,
) -> Option<TokenStream> {
    let (rank, element) = (number(spec.extents.len()), &spec.element);
    let place = Place::of(&requirement.tokens)?;
    match requirement.kind {
        Require::Figure(demand) => {
            let has_checked = planned::padded_plan(spec).is_some();
            if has_checked && !matches!(demand, Demand::Memory(_)) {
                return None;
            }
            // The item's generics are unknown beside its instances, and figures need no bytes.
            let bytes = match demand {
                Demand::Memory(_) => quote!(::core::mem::size_of::<#element>()),
                _ => quote!(0),
            };
            let demand = written(demand);
            let arguments = quote!(#plan, __redist::Demand::#demand, #bytes);
            Some(place.call(quote!(__redist::check_demand), arguments))
        }
        Require::Unrolled => {
            let (ident, fastest) = (&spec.ident, number(planned::fastest(spec)?));
            let item = if of_instance { quote!(Self) } else { quote!(#ident) };
            let function = quote!(__redist::check_unrolled::<#item, #rank>);
            Some(place.call(function, quote!(#fastest)))
        }
        Require::Tables | Require::Static => None,
    }
}

fn written(demand: Demand) -> TokenStream {
    let (name, bound) = match demand {
        Demand::Messages(most) => (quote!(Messages), most),
        Demand::Steps(most) => (quote!(Steps), most),
        Demand::Stays(percent) => (quote!(Stays), percent),
        Demand::Memory(bytes) => (quote!(Memory), bytes),
    };
    let bound = number(bound);
    quote!(#name(#bound))
}
