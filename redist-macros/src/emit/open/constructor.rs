//! `new` of items that the macro does not plan itself.

use super::expressions::Expressions;
use super::{Planner, given, plan};
use crate::emit::declaration;
use proc_macro2::TokenStream;
use quote::quote;
use redist_notation::spec::{Spec, Which};

/// `new` makes the compiler look at the plan of the instance, so that what is wrong is said where it is used.
pub fn generic(spec: &Spec) -> TokenStream {
    let Spec { vis, ident, generics, .. } = spec;
    let (impl_generics, arguments, bounds) = generics.split_for_impl();
    let plan = plan::value(spec, Planner::Generic);
    let value = match declaration::marker(generics) {
        Some(_) => quote!(Self(::core::marker::PhantomData)),
        None => quote!(Self),
    };
    quote! {
        #[allow(dead_code)]
        impl #impl_generics #ident #arguments #bounds {
            /// The redistribution, planned when this crate was compiled.
            #[must_use]
            #vis const fn new() -> Self {
                let _ = #plan;
                #value
            }
        }
    }
}

/// `new` that plans.
pub fn run_time(spec: &Spec, expressions: &Expressions<'_>) -> TokenStream {
    let Spec { krate, vis, ident, generics, .. } = spec;
    let (impl_generics, arguments, bounds) = generics.split_for_impl();
    let params = declaration::params(&spec.params, krate);
    let marker = declaration::marker(generics).map(|_| quote!(generics: ::core::marker::PhantomData,));
    let (name, given) = (ident.to_string(), given::list(spec));
    let extents = plan::extents(spec, expressions);
    let (from, to) = (expressions.side(Which::Source), expressions.side(Which::Destination));
    let (from_end, to_end) = (plan::end(&spec.from, expressions), plan::end(&spec.to, expressions));
    // Parameters may have the names of these variables: they are not used after the first `let`.
    quote! {
        #[allow(dead_code)]
        impl #impl_generics #ident #arguments #bounds {
            /// Plans the redistribution.
            ///
            /// # Errors
            /// Layouts that do not meet, naming the values and the expressions at fault.
            #vis fn new(#(#params),*) -> ::core::result::Result<Self, #krate::Error> {
                let (extents, from, to) = (#extents, (#from, #from_end), (#to, #to_end));
                let given: &[__redist::Given] = &[#(#given),*];
                match __redist::planned(#name, extents, from, to, given) {
                    ::core::result::Result::Ok(plan) => ::core::result::Result::Ok(Self { plan, #marker }),
                    ::core::result::Result::Err(error) => ::core::result::Result::Err(error),
                }
            }
        }
    }
}
