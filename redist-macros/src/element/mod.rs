//! `#[derive(Element)]`: read → check → emit.

mod attributes;
mod check;
mod message;

use crate::emit::place::Place;
use attributes::crate_path;
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use redist_notation::diagnostic::Diagnostics;
use syn::{Data, DeriveInput, Ident, Member, Path, Type};

struct Fields {
    members: Vec<Member>,
    types: Vec<Type>,
}

pub fn derive(input: TokenStream) -> TokenStream {
    let input = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut diagnostics = Diagnostics::new();
    let krate = crate_path(&input, &mut diagnostics);
    let item = read(&input, &mut diagnostics);
    match (diagnostics.finish(), item) {
        (Ok(()), Some(item)) => {
            let (implementation, padding) =
                (implementation(&input, &krate, &item), padding(&input, &krate, &item));
            quote!(#implementation #padding)
        }
        (errors, _) => {
            let errors = errors.err().map(syn::Error::into_compile_error);
            let stub = stub(&input, &krate);
            quote!(#errors #stub)
        }
    }
}

fn read(input: &DeriveInput, diagnostics: &mut Diagnostics) -> Option<Fields> {
    let name = &input.ident;
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            diagnostics.error(data.enum_token, message::is_enum(name, data.variants.first()));
            return None;
        }
        Data::Union(data) => {
            diagnostics.error(data.union_token, message::is_union(name));
            return None;
        }
    };
    let types = fields.iter().map(|field| field.ty.clone()).collect();
    let fields = Fields { members: fields.members().collect(), types };
    check::item(input, &fields.types, diagnostics);
    Some(fields)
}

fn implementation(
    input: &DeriveInput,
    krate: &Path,
    Fields { members, types }: &Fields,
) -> TokenStream {
    let (ident, mut generics) = (&input.ident, input.generics.clone());
    if !generics.params.is_empty() {
        // All fields are of one type, or arrays of it.
        let element = types.first().map(check::base);
        generics.make_where_clause().predicates.extend(element.map(
            |element| -> syn::WherePredicate { syn::parse_quote!(#element: #krate::Element) },
        ));
    }
    let (impl_generics, arguments, bounds) = generics.split_for_impl();
    quote! {
        // SAFETY: all fields are elements, in the order in which they stand, and there is no padding,
        // or else the signature is no constant.
        #[automatically_derived]
        unsafe impl #impl_generics #krate::Element for #ident #arguments #bounds {
            const ZERO: Self = Self { #(#members: <#types as #krate::Element>::ZERO),* };
            const SIGNATURE: #krate::exec::generated::Signature =
                <#krate::exec::generated::Signature>::of::<Self>(
                    &[#(<#types as #krate::Element>::SIGNATURE),*]
                );
        }
    }
}

/// The check of what only the compiler knows. Generic structs have no padding: see [`check::item`].
fn padding(
    input: &DeriveInput,
    krate: &Path,
    Fields { members, types }: &Fields,
) -> Option<TokenStream> {
    let ident = &input.ident;
    if !input.generics.params.is_empty() {
        return None;
    }
    let names = members.iter().map(|member| match member {
        Member::Named(name) => Literal::string(&text(name)),
        Member::Unnamed(index) => Literal::string(&index.index.to_string()),
    });
    let name = Literal::string(&text(ident));
    let fields = quote! {
        #name, &[#(__generated::Field::of::<#types>(#names, ::core::mem::offset_of!(#ident, #members))),*]
    };
    // Reported at the struct's name. Tokens at the name count as the user's own code. The path of
    // the crate does not, because it may be longer than the user's lints allow.
    let check = Place::at(ident.span()).call(quote!(__generated::check_padding::<#ident>), fields);
    Some(quote! {
        const _: () = {
            use #krate::exec::generated as __generated;
            #check
        };
    })
}

/// A struct with a mistake is an element for the rest of the program: one mistake is one error.
fn stub(input: &DeriveInput, krate: &Path) -> TokenStream {
    let (ident, mut generics) = (&input.ident, input.generics.clone());
    generics.make_where_clause().predicates.push(syn::parse_quote! {
        Self: ::core::marker::Copy + ::core::marker::Send + ::core::marker::Sync + 'static
    });
    let (impl_generics, arguments, bounds) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        unsafe impl #impl_generics #krate::Element for #ident #arguments #bounds {
            const ZERO: Self = ::core::panic!();
        }
    }
}

fn text(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}
