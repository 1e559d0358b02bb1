//! Emits an item's implementation of the facade's trait.

use super::layout::number;
use super::place::Place;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use redist_notation::spec::Spec;

pub struct Made {
    pub tiers: TokenStream,
    pub there: (TokenStream, TokenStream),
    /// The inverse's, in constants: no plan if `new` plans, and no tables if there are none.
    pub back: (Option<TokenStream>, Option<TokenStream>),
    pub blocks: TokenStream,
}

pub fn of(spec: &Spec, made: &Made) -> TokenStream {
    let Spec { krate, ident, element, .. } = spec;
    let (generics, arguments, bounds) = spec.generics.split_for_impl();
    let (rank, name) = (number(spec.extents.len()), ident.to_string());
    let Made { tiers, there: (plan, windows), blocks, .. } = made;
    let kernels = (!blocks.is_empty()).then(|| {
        quote! {
            fn kernels(&self) -> #krate::Kernels {
                __redist::kernels::<Self, #rank>()
            }
        }
    });
    let body = quote! {
        type Element = #element;

        fn name(&self) -> &str {
            #name
        }

        fn tiers(&self) -> [(#krate::Tier, &'static str); #rank] {
            #tiers
        }

        fn plan(&self) -> #krate::Plan<#rank> {
            #plan
        }

        fn windows(&self) -> [&'static [#krate::Piece]; #rank] {
            #windows
        }

        #kernels

        #[inline]
        fn inverse(&self) -> #krate::Inverse<Self::Element, #rank> {
            __redist::inverse(self)
        }
    };
    let (keyword, body) = braced(ident, body);
    let compiled = compiled(spec, made);
    quote! {
        #compiled
        #keyword #generics #krate::Redistribution<#rank> for #ident #arguments #bounds #body
    }
}

fn compiled(spec: &Spec, made: &Made) -> TokenStream {
    let ident = &spec.ident;
    let (generics, arguments, bounds) = spec.generics.split_for_impl();
    let rank = number(spec.extents.len());
    let (inverse, windows) = &made.back;
    let none = quote!(__redist::Inverted::AT_RUN_TIME);
    let plan = inverse
        .as_ref()
        .map(only_when_used)
        .map(|plan| quote!(plan: ::core::option::Option::Some(#plan),));
    let windows = windows.as_ref().map(|windows| quote!(windows: #windows,));
    let rest = (plan.is_none() || windows.is_none()).then(|| quote!(..#none));
    let inverse = (plan.is_some() || windows.is_some()).then(|| {
        quote! {
            fn inverted<const __USED: ::core::primitive::usize>() -> __redist::Inverted<#rank> {
                __redist::Inverted { #plan #windows #rest }
            }
        }
    });
    let blocks = &made.blocks;
    let (keyword, body) = braced(ident, quote!(#blocks #inverse));
    quote! {
        #keyword #generics __redist::Compiled<#rank> for #ident #arguments #bounds #body
    }
}

pub fn only_when_used(value: &TokenStream) -> TokenStream {
    quote! {
        const {
            __redist::only_when_used(__USED);
            #value
        }
    }
}

/// `impl` and its braces at the item's name, to which the compiler points if another has it, too.
pub fn braced(ident: &Ident, body: TokenStream) -> (TokenStream, TokenStream) {
    let place = Place::at(ident.span());
    (place.name(quote!(impl)), place.block(TokenStream::new(), body))
}
