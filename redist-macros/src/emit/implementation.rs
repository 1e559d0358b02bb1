//! Emits an item's implementation of the facade's trait.

use super::layout::number;
use super::loops::Loops;
use super::place::Place;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use redist_notation::spec::Spec;

/// The parts of an item's implementation.
pub struct Made {
    /// The dimensions' tiers, unless all are of literals.
    pub tiers: Option<TokenStream>,
    pub plan: TokenStream,
    /// The window tables, if there are any.
    pub windows: Option<TokenStream>,
    /// Blocks that rustc compiles code for, and the loops of the text.
    pub blocks: Loops,
}

pub fn of(spec: &Spec, made: &Made) -> TokenStream {
    let Spec { krate, ident, element, .. } = spec;
    let (generics, arguments, bounds) = spec.generics.split_for_impl();
    let (rank, name) = (number(spec.extents.len()), ident.to_string());
    let Made { tiers, plan, windows, blocks } = made;
    let kernels = (!blocks.constants.is_empty()).then(|| {
        quote! {
            fn kernels(&self) -> #krate::Kernels {
                __redist::kernels::<Self, #rank>()
            }

            #[inline]
            fn inverse(&self) -> #krate::Inverse<Self::Element, #rank> {
                __redist::inverse(self)
            }
        }
    });
    let windows = windows.as_ref().map(|windows| {
        quote! {
            fn windows(&self) -> [__redist::WindowTable<'static>; #rank] {
                #windows
            }
        }
    });
    let tiers = tiers.as_ref().map(|tiers| {
        quote! {
            fn tiers(&self) -> [(#krate::Tier, &'static ::core::primitive::str); #rank] {
                #tiers
            }
        }
    });
    let body = quote! {
        type Element = #element;

        fn name(&self) -> &::core::primitive::str {
            #name
        }

        #tiers

        fn plan(&self) -> #krate::Plan<#rank> {
            #plan
        }

        #windows

        #kernels
    };
    let (keyword, body) = braced(ident, body);
    let compiled = compiled(spec, blocks);
    quote! {
        #compiled
        #keyword #generics #krate::Redistribution<#rank> for #ident #arguments #bounds #body
    }
}

fn compiled(spec: &Spec, Loops { functions, constants }: &Loops) -> TokenStream {
    let ident = &spec.ident;
    let (generics, arguments, bounds) = spec.generics.split_for_impl();
    let rank = number(spec.extents.len());
    let (keyword, body) = braced(ident, constants.clone());
    quote! {
        #functions
        #keyword #generics __redist::Compiled<#rank> for #ident #arguments #bounds #body
    }
}

/// `impl` and its braces at the item's name, to which the compiler points if two items have it.
pub fn braced(ident: &Ident, body: TokenStream) -> (TokenStream, TokenStream) {
    let place = Place::at(ident.span());
    (place.name(quote!(impl)), place.block(TokenStream::new(), body))
}
