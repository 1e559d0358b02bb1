//! Items about literals alone: everything is planned here.

use super::{declaration, docs, layout, table, unroll};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use redist_notation::spec::{LayoutSpec, Spec};
use redist_runtime::plan::Axis;

/// The items of one redistribution, given its two layouts and its dimensions.
pub fn item(spec: &Spec, layouts: (&LayoutSpec, &LayoutSpec), axes: &[Axis]) -> TokenStream {
    let loops = unroll::along_fastest(spec, axes);
    let declaration = declaration::of(spec, &docs::of_literals(spec, axes, &loops));
    let implementation = implementation(spec, layouts, axes, &loops);
    let conditions = declaration::conditions(&spec.attrs);
    quote! {
        #declaration
        #conditions
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        const _: () = { #implementation };
    }
}

fn implementation(
    spec: &Spec,
    (from, to): (&LayoutSpec, &LayoutSpec),
    axes: &[Axis],
    loops: &unroll::Loops,
) -> TokenStream {
    let (krate, ident, element) = (&spec.krate, &spec.ident, &spec.element);
    let (generics, arguments, bounds) = spec.generics.split_for_impl();
    let rank = Literal::usize_unsuffixed(axes.len());
    let extents = layout::numbers(axes.iter().map(Axis::len));
    let (from, to) = (layout::literal(krate, from), layout::literal(krate, to));
    let (tables, windows) = (table::statics(spec, axes), table::references(spec, axes));
    let (functions, kernels) = (loops.functions(krate), loops.method(krate));
    let name = ident.to_string();
    let constructor = declaration::constructor(spec);
    quote! {
        const __FROM: #krate::Layout<#rank> = #from;
        const __TO: #krate::Layout<#rank> = #to;
        const __PLAN: #krate::Plan<#rank> = #krate::Plan::constant(#extents, __FROM, __TO);
        #tables
        #functions
        #constructor
        impl #generics #krate::Redistribution<#rank> for #ident #arguments #bounds {
            type Element = #element;

            fn name(&self) -> &str {
                #name
            }

            fn tiers(&self) -> [(#krate::Tier, &'static str); #rank] {
                [(#krate::Tier::Literal, ""); #rank]
            }

            fn plan(&self) -> #krate::Plan<#rank> {
                __PLAN
            }

            fn windows(&self) -> [&'static [#krate::Piece]; #rank] {
                #windows
            }

            #kernels
        }
    }
}
