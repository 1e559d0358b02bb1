//! Emits the item without a plan beside errors, so that they stay the only ones.

use crate::emit::declaration;
use crate::emit::place::Place;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use redist_notation::ast::{Item, Param, ParamKind, SideAst};
use redist_notation::check::undeclared_name;
use redist_notation::diagnostic::Diagnostics;
use redist_notation::resolve;
use redist_notation::spec::Size;

pub fn item(item: &Item, errors: Option<syn::Error>) -> TokenStream {
    let stub = stub(item);
    let errors = errors.map(syn::Error::into_compile_error);
    quote!(#stub #errors)
}

pub fn without_item(diagnostics: Diagnostics) -> TokenStream {
    diagnostics.finish().err().map(syn::Error::into_compile_error).unwrap_or_default()
}

/// Writes every expression into a function that nothing calls, so that editors resolve and complete
/// them while the item is unfinished. Leaves out literals and whatever is no size.
fn echo(item: &Item) -> TokenStream {
    let is_layout = |number: &Size| {
        matches!(item.param(&number.expr), Some(Param { kind: ParamKind::Layout(_), .. }))
    };
    let open = |number: &&Size| {
        number.is_open()
            && !is_layout(number)
            // The compiler would report a local variable a second time.
            && undeclared_name(item, number).is_none()
    };
    let sizes = item.sizes().filter(open).map(|number| &number.expr);
    let values = item.sides().filter_map(|(_, side)| match side {
        SideAst::Value(value) if !matches!(value, syn::Expr::Lit(_)) => Some(value),
        _ => None,
    });
    let statements: Vec<TokenStream> = sizes
        .map(|size| {
            let number = quote!(::core::primitive::usize);
            let number = Place::of(size).map_or(number.clone(), |place| place.name(number));
            quote!(let _: #number = #size;)
        })
        .chain(values.map(|value| quote!(let _ = #value;)))
        .collect();
    if statements.is_empty() {
        return TokenStream::new();
    }
    let (generics, _, bounds) = item.generics.split_for_impl();
    let params = params(item);
    quote! {
        const _: () = {
            #[allow(dead_code, unused_variables, unused_parens, unused_braces, clippy::all)]
            fn __redist_sizes #generics(#(#params),*) #bounds { #(#statements)* }
        };
    }
}

/// Writes the type, `new` and the trait. `new` returns a value, because constants may call it while
/// the crate compiles; the errors keep the rest from running.
fn stub(item: &Item) -> TokenStream {
    let Item { attrs, vis, ident, generics, .. } = item;
    let (impl_generics, type_generics, bounds) = generics.split_for_impl();
    let (fields, value) = match declaration::marker(generics) {
        Some(marker) => (quote!((#marker)), quote!(Self(::core::marker::PhantomData))),
        None => (quote!(), quote!(Self)),
    };
    let (params, krate, place) = (params(item), &item.krate, Place::at(ident.span()));
    // As in `emit::declaration`.
    let (keyword, end) = (place.name(quote!(struct)), place.name(quote!(;)));
    // Values that are given at run time may be wrong.
    let (result, value) = if params.is_empty() {
        (quote!(Self), value)
    } else {
        (
            quote!(::core::result::Result<Self, #krate::Error>),
            quote!(::core::result::Result::Ok(#value)),
        )
    };
    let (echo, redistribution) = (echo(item), redistribution(item));
    // The expressions go first: editors find the cursor in them by offset, and strings that quote
    // them shift it.
    quote! {
        #(#attrs)*
        #[#krate::__macros::beside {
            #echo

            #[allow(dead_code, unused_variables, clippy::all)]
            impl #impl_generics #ident #type_generics #bounds {
                /// The item has errors.
                #vis const fn new(#(#params),*) -> #result {
                    #value
                }
            }

            #redistribution
        }]
        #vis #keyword #ident #generics #fields #bounds #end
    }
}

fn redistribution(item: &Item) -> Option<TokenStream> {
    let array = item.array.as_ref().filter(|array| !array.extents.is_empty() && !item.lost)?;
    let (element, dimensions) = (&array.element, array.extents.len());
    let (ident, krate) = (&item.ident, &item.krate);
    let (impl_generics, type_generics, bounds) = item.generics.split_for_impl();
    let has_copies = item.layouts().any(|(_, layout)| layout.copies.is_some());
    let (implemented, plan, copies) = match has_copies {
        true => {
            let copies = quote! {
                fn copies(&self, _: #krate::Side) -> ::core::primitive::usize {
                    ::core::unreachable!()
                }
            };
            (quote!(WithCopies), quote!(first), Some(copies))
        }
        false => (quote!(Redistribution), quote!(plan), None),
    };
    Some(quote! {
        #[allow(clippy::all)]
        impl #impl_generics #krate::#implemented<#dimensions> for #ident #type_generics #bounds {
            type Element = #element;
            fn name(&self) -> &::core::primitive::str {
                ::core::unreachable!()
            }
            fn #plan(&self) -> #krate::Plan<#dimensions> {
                ::core::unreachable!()
            }
            #copies
        }
    })
}

/// The parameters of `new`. Parameters that share a generic's name, which was reported, get a new
/// name: a pattern cannot.
fn params(item: &Item) -> Vec<TokenStream> {
    let generics = resolve::generics(item);
    let renamed = item.params.iter().cloned().map(|param| {
        let ident = if generics.contains(&param.ident) {
            format_ident!("__redist_{}", param.ident)
        } else {
            param.ident
        };
        Param { ident, ..param }
    });
    declaration::params(&renamed.collect::<Vec<_>>(), &item.krate)
}
