//! Plan → items: the type with its docs, the plan as a constant, window tables as data, unrolled loops.
//!
//! What is emitted does not grow with the number of ranks, does no arithmetic in the user's crate, and is safe.

mod declaration;
mod docs;
mod layout;
mod table;
mod unroll;

use crate::planned;
use crate::spec::Spec;
use proc_macro2::TokenStream;
use quote::quote;
use redist_runtime::plan::Axis;

/// The items of one redistribution.
pub fn item(spec: &Spec) -> TokenStream {
    let Some(axes) = planned::axes(spec) else {
        // Every rule has been checked, so this cannot be; and if it can, it must not panic in the user's editor.
        return quote!(::core::compile_error!("redistribute!: these sizes cannot be planned"););
    };
    let loops = unroll::loops(spec, &axes);
    let declaration = declaration::of(spec, &docs::lines(spec, &axes, &loops));
    let implementation = implementation(spec, &axes, &loops);
    quote! {
        #declaration
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        const _: () = { #implementation };
    }
}

fn implementation(spec: &Spec, axes: &[Axis], loops: &unroll::Loops) -> TokenStream {
    let (krate, ident, element) = (&spec.krate, &spec.ident, &spec.element);
    let (generics, arguments, bounds) = spec.generics.split_for_impl();
    let rank = proc_macro2::Literal::usize_unsuffixed(axes.len());
    let extents = layout::numbers(axes.iter().map(Axis::len));
    let (from, to) = (layout::layout(krate, &spec.from), layout::layout(krate, &spec.to));
    let (tables, windows) = (table::statics(spec, axes), table::references(spec, axes));
    let (functions, kernels) = (loops.functions(krate), loops.method(krate));
    let name = ident.to_string();
    quote! {
        const FROM: #krate::Layout<#rank> = #from;
        const TO: #krate::Layout<#rank> = #to;
        const PLAN: #krate::Plan<#rank> = #krate::Plan::constant(#extents, FROM, TO);
        #tables
        #functions
        impl #generics #krate::Redistribution<#rank> for #ident #arguments #bounds {
            type Element = #element;

            fn name(&self) -> &str {
                #name
            }

            fn tier(&self) -> #krate::Tier {
                #krate::Tier::Literal
            }

            fn plan(&self) -> #krate::Plan<#rank> {
                PLAN
            }

            fn windows(&self) -> [&'static [#krate::Piece]; #rank] {
                #windows
            }

            #kernels
        }
    }
}
