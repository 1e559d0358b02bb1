//! The type that an item declares, and what makes one.
//!
//! An item expands to its declaration only, with an attribute that puts all else beside it. So the
//! user's `cfg`s, which come first, are on everything. The compiler says once, at the item's name,
//! that no type can be declared there, or that another type has that name.

use super::implementation;
use super::layout::number;
use super::place::Place;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use redist_notation::ast::{Param, ParamKind};
use redist_notation::spec::Spec;
use syn::{GenericParam, Generics, Type};

/// Puts `items` beside the type; `docs` follow the user's own.
pub fn of(spec: &Spec, docs: &[String], items: &TokenStream) -> TokenStream {
    let Spec { attrs, vis, ident, generics, krate, .. } = spec;
    let (place, marker) = (Place::at(ident.span()), marker(generics));
    let (keyword, bounds) = (place.name(quote!(struct)), &generics.where_clause);
    let body = if spec.params.is_empty() {
        let (field, end) = (marker.map(|marker| quote!((#marker))), place.name(quote!(;)));
        quote!(#field #bounds #end)
    } else {
        let rank = number(spec.extents.len());
        let generics = marker.map(|marker| quote!(generics: #marker,));
        let copies = spec.has_copies().then(|| quote!(copies: [::core::primitive::usize; 2],));
        let fields = quote!(plan: #krate::Plan<#rank>, #copies #generics);
        let fields = place.block(TokenStream::new(), fields);
        quote!(#bounds #fields)
    };
    quote! {
        #(#attrs)*
        #[#krate::__macros::beside { #items }]
        #(#[doc = #docs])*
        #[allow(missing_debug_implementations, missing_copy_implementations)]
        #vis #keyword #ident #generics #body
    }
}

pub fn plan_field(spec: &Spec) -> TokenStream {
    Place::at(spec.ident.span()).name(quote!(plan))
}

pub fn copies_field(spec: &Spec) -> TokenStream {
    Place::at(spec.ident.span()).name(quote!(copies))
}

/// The function `new`, by which programs make an item.
pub struct Constructor {
    /// Docs and attributes.
    pub attributes: TokenStream,
    pub constness: Option<TokenStream>,
    pub params: Vec<TokenStream>,
    pub result: TokenStream,
    pub body: TokenStream,
}

impl Constructor {
    /// Makes the constructor of an item given nothing at run time: the compiler looks at `checked`
    /// first.
    pub fn of_constant(spec: &Spec, checked: Option<TokenStream>) -> Self {
        let value = marker(&spec.generics).map(|_| quote!((::core::marker::PhantomData)));
        let place = Place::at(spec.ident.span());
        let (result, constructor) = (quote!(Self), place.name(quote!(Self)));
        Self {
            attributes: quote! {
                /// The redistribution, planned when this crate was compiled.
                #[must_use]
            },
            constness: Some(quote!(const)),
            params: Vec::new(),
            result,
            body: quote!(#checked #constructor #value),
        }
    }

    /// The function in an `impl` of its own. Both stand at the item's name: where another item has
    /// that name, too, the compiler points there.
    pub fn emitted(self, spec: &Spec) -> TokenStream {
        let Self { attributes, constness, params, result, body } = self;
        let Spec { vis, ident, generics, .. } = spec;
        let (impl_generics, arguments, bounds) = generics.split_for_impl();
        let place = Place::at(ident.span());
        let (name, result) = (place.name(quote!(#constness fn new)), place.name(result));
        let body = place.block(TokenStream::new(), body);
        let function = quote!(#attributes #vis #name(#(#params),*) -> #result #body);
        let (keyword, body) = implementation::braced(ident, function);
        quote!(#[allow(dead_code)] #keyword #impl_generics #ident #arguments #bounds #body)
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

pub fn params(params: &[Param], krate: &TokenStream) -> Vec<TokenStream> {
    let is_first = |index: usize, param: &Param| {
        params[..index].iter().all(|earlier| earlier.ident != param.ident)
    };
    let params = params.iter().enumerate().filter(|(index, param)| is_first(*index, param));
    let declared = params.map(|(_, Param { ident, kind, ty })| match kind {
        // The bare name needs no import.
        ParamKind::Layout(_) if is_bare(ty) => quote!(#ident: #krate::#ty),
        ParamKind::Layout(_) => quote!(#ident: #ty),
        ParamKind::Usize => quote!(#ident: ::core::primitive::usize),
    });
    declared.collect()
}

fn is_bare(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.len() == 1 && path.path.leading_colon.is_none())
}
