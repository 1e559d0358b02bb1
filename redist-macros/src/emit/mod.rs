//! Plan → items.

use crate::spec::Spec;
use proc_macro2::TokenStream;
use quote::quote;

/// The items of one redistribution.
pub fn item(spec: &Spec) -> TokenStream {
    let Spec {
        attrs,
        vis,
        ident,
        generics,
        ..
    } = spec;
    quote!(#(#attrs)* #vis struct #ident #generics;)
}
