//! The type that an item declares, and what makes one.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use redist_notation::ast::{Param, ParamKind};
use redist_notation::spec::Spec;
use syn::{Attribute, GenericParam, Generics, Type};

/// The type; `docs` follow the user's own. An item that is given values at run time keeps its plan.
pub fn of(spec: &Spec, docs: &[String]) -> TokenStream {
    let Spec { attrs, vis, ident, generics, krate, .. } = spec;
    let bounds = &generics.where_clause;
    let marker = marker(generics);
    let body = if spec.params.is_empty() {
        let field = marker.map(|marker| quote!((#marker)));
        quote!(#field #bounds;)
    } else {
        let rank = proc_macro2::Literal::usize_unsuffixed(spec.extents.len());
        let generics = marker.map(|marker| quote!(generics: #marker,));
        quote!(#bounds { plan: #krate::Plan<#rank>, #generics })
    };
    quote! {
        #(#attrs)*
        #(#[doc = #docs])*
        #vis struct #ident #generics #body
    }
}

/// The conditions on which an item is compiled at all: everything that is emitted for it needs them.
pub fn conditions(attrs: &[Attribute]) -> TokenStream {
    attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).map(ToTokens::to_token_stream).collect()
}

/// `new` of an item that is given nothing.
pub fn constructor(spec: &Spec) -> TokenStream {
    let Spec { vis, ident, generics, .. } = spec;
    let (impl_generics, arguments, bounds) = generics.split_for_impl();
    let value = if marker(generics).is_some() { quote!(Self(::core::marker::PhantomData)) } else { quote!(Self) };
    quote! {
        #[allow(dead_code)]
        impl #impl_generics #ident #arguments #bounds {
            /// The redistribution, planned when this crate was compiled.
            #[must_use]
            #vis const fn new() -> Self {
                #value
            }
        }
    }
}

/// The type of a field that uses the generics, which the language demands of types and lifetimes.
pub fn marker(generics: &Generics) -> Option<TokenStream> {
    let used: Vec<TokenStream> = generics.params.iter().filter_map(used).collect();
    (!used.is_empty()).then(|| quote!(::core::marker::PhantomData<fn() -> (#(#used,)*)>))
}

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

/// The parameters of `new` as they are declared, each name once.
pub fn params(params: &[Param], krate: &TokenStream) -> Vec<TokenStream> {
    let is_first = |index: usize, param: &Param| params[..index].iter().all(|earlier| earlier.ident != param.ident);
    let params = params.iter().enumerate().filter(|(index, param)| is_first(*index, param));
    let declared = params.map(|(_, Param { ident, kind, ty })| match kind {
        // The name alone needs no import.
        ParamKind::Layout(_) if is_bare(ty) => quote!(#ident: #krate::#ty),
        ParamKind::Layout(_) => quote!(#ident: #ty),
        ParamKind::Usize => quote!(#ident: ::core::primitive::usize),
    });
    declared.collect()
}

fn is_bare(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.len() == 1 && path.path.leading_colon.is_none())
}
