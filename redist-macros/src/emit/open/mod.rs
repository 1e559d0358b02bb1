//! Items with sizes that the macro does not know: rustc plans what is constant, `new` what is given at run time.

mod constructor;
mod expressions;
mod given;
mod kernel;
mod plan;
mod table;

use super::place::Place;
use super::{declaration, docs, layout};
use expressions::Expressions;
use proc_macro2::TokenStream;
use quote::quote;
use redist_notation::spec::{LayoutSpec, SideSpec, Spec, Value};
use redist_notation::tiers;

/// How an item's plan comes to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Planner {
    /// One constant.
    Constant,
    /// One constant for each instance.
    Generic,
    /// A value made by `new`.
    New,
}

/// The items of one redistribution.
pub fn item(spec: &Spec) -> TokenStream {
    let expressions = Expressions::of(spec);
    let planner = planner(spec);
    let kernels = kernel::kernels(spec, planner, &expressions);
    let implementation = implementation(spec, planner, &expressions, &kernels);
    let declaration = declaration::of(spec, &docs::of_open(spec, kernels.docs));
    let (krate, functions) = (&spec.krate, expressions.functions());
    // A run-time local in a constant is an error that rustc marks there, too.
    let name = Place::at(spec.ident.span()).name(quote!(_));
    // The functions stand outside, so that what they name is the user's and not one of the names inside.
    let conditions = declaration::conditions(&spec.attrs);
    quote! {
        #conditions
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        #[allow(unused_variables, unused_parens, unused_braces, dead_code)]
        const #name: () = {
            #functions
            const _: () = {
                use #krate::exec::generated as __redist;
                #implementation
            };
        };
        #declaration
    }
}

fn planner(spec: &Spec) -> Planner {
    let sizes =
        spec.extents.iter().chain(spec.sides().into_iter().filter_map(|(_, s)| s.layout()).flat_map(LayoutSpec::sizes));
    let values = spec.sides().into_iter().filter_map(|(_, side)| match side {
        SideSpec::Value(_, value) => Some(*value),
        SideSpec::Layout(_) => None,
    });
    let latest = sizes.map(|size| size.value).chain(values).max();
    match latest {
        _ if !spec.params.is_empty() => Planner::New,
        Some(Value::Generic) => Planner::Generic,
        _ => Planner::Constant,
    }
}

fn implementation(
    spec: &Spec,
    planner: Planner,
    expressions: &Expressions<'_>,
    kernels: &kernel::EmittedKernels,
) -> TokenStream {
    let constants = expressions.constants();
    let Spec { krate, ident, element, .. } = spec;
    let (generics, arguments, bounds) = spec.generics.split_for_impl();
    let rank = layout::number(spec.extents.len());
    let (plan, constructor) = match planner {
        Planner::Constant => (plan::constant(spec, expressions), declaration::constructor(spec)),
        Planner::Generic => (plan::generic(spec, expressions), constructor::generic(spec)),
        Planner::New => (table::demanded(spec, expressions), constructor::run_time(spec, expressions)),
    };
    let value = plan::value(spec, planner);
    let (tables, windows) = (table::statics(spec, planner, expressions), table::references(spec, planner, expressions));
    let (functions, method) = (&kernels.functions, &kernels.method);
    let (name, tiers) = (ident.to_string(), tier_list(spec));
    quote! {
        #constants
        #plan
        #tables
        #functions
        #constructor
        impl #generics #krate::Redistribution<#rank> for #ident #arguments #bounds {
            type Element = #element;

            fn name(&self) -> &str {
                #name
            }

            fn tiers(&self) -> [(#krate::Tier, &'static str); #rank] {
                #tiers
            }

            fn plan(&self) -> #krate::Plan<#rank> {
                #value
            }

            fn windows(&self) -> [&'static [#krate::Piece]; #rank] {
                #windows
            }

            #method
        }
    }
}

/// The tiers with their reasons, as the `tiers` method returns them.
fn tier_list(spec: &Spec) -> TokenStream {
    let krate = &spec.krate;
    let tiers = tiers::tiers(spec).into_iter().map(|tier| {
        let name = match tier.blocks {
            Value::Literal(_) => quote!(Literal),
            Value::Constant | Value::Generic => quote!(Constant),
            Value::Parameter => quote!(RunTime),
        };
        let reason = tier.reason;
        quote!((#krate::Tier::#name, #reason))
    });
    quote!([#(#tiers),*])
}
