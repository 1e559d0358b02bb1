//! Items of literals only: everything is planned here.

use super::declaration::{self, Constructor};
use super::implementation::{self, Made};
use super::layout::number;
use super::{blocks, demands, docs, layout, table};
use proc_macro2::TokenStream;
use quote::quote;
use redist_notation::spec::{LayoutSpec, Spec};
use redist_plan::plan::Axis;

pub fn item(spec: &Spec, (from, to): (&LayoutSpec, &LayoutSpec), axes: &[Axis]) -> TokenStream {
    let krate = &spec.krate;
    let rank = number(axes.len());
    let extents = layout::numbers(axes.iter().map(Axis::len));
    let (source, destination) = (layout::literal(krate, from), layout::literal(krate, to));
    let tables = table::dimensions(spec, axes);
    let made = Made {
        tiers: None,
        plan: table::plan(spec, axes),
        windows: table::references(spec, axes),
        blocks: blocks::constants(spec, |dimension| blocks::literal(&axes[dimension])),
    };
    let demands = demands::of(spec, &quote!(__plan()), false);
    let constructor = Constructor::of_constant(spec, demands.of_instances).emitted(spec);
    let implementation = implementation::of(spec, &made);
    let demanded = demands.of_item;
    let lint = demands::lint(spec);
    let beside = quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        #lint
        const _: () = {
            use #krate::exec::generated as __redist;
            // Only constants call it, and an inline function has no code then.
            #[inline]
            const fn __plan() -> #krate::Plan<#rank> {
                #krate::Plan::constant(#extents, #source, #destination)
            }
            #tables
            #constructor
            #implementation
            #demanded
        };
    };
    declaration::of(spec, &docs::of_literals(spec, axes), &beside)
}
