//! The type that an item declares.

use crate::spec::Spec;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::GenericParam;

/// The type and its constructor; `docs` follow the user's own.
pub fn of(spec: &Spec, docs: &[String]) -> TokenStream {
    let Spec { attrs, vis, ident, generics, .. } = spec;
    let (impl_generics, arguments, bounds) = generics.split_for_impl();
    let used: Vec<TokenStream> = generics.params.iter().filter_map(used).collect();
    let (body, value) = match used.is_empty() {
        true => (quote!(#bounds;), quote!(Self)),
        false => (
            quote!((::core::marker::PhantomData<fn() -> (#(#used,)*)>) #bounds;),
            quote!(Self(::core::marker::PhantomData)),
        ),
    };
    quote! {
        #(#attrs)*
        #(#[doc = #docs])*
        #vis struct #ident #generics #body

        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, dead_code)]
        impl #impl_generics #ident #arguments #bounds {
            /// The redistribution, planned when this crate was compiled.
            #[must_use]
            #vis const fn new() -> Self {
                #value
            }
        }
    }
}

/// How a parameter of the type occurs in its field, which the language demands of types and lifetimes.
fn used(param: &GenericParam) -> Option<TokenStream> {
    match param {
        GenericParam::Type(parameter) => Some(parameter.ident.to_token_stream()),
        GenericParam::Lifetime(parameter) => {
            let lifetime = &parameter.lifetime;
            Some(quote!(&#lifetime ()))
        }
        GenericParam::Const(_) => None,
    }
}
