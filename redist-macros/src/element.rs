//! `#[derive(Element)]`: read → check → emit.

use crate::emit::place::Place;
use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use redist_notation::diagnostic::Diagnostics;
use redist_notation::diagnostic::message::source_text;
use syn::{Data, DeriveInput, Ident, Member, Meta, Path, Type, Variant};

/// The fields of a struct: names or numbers, and types.
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
            diagnostics.error(data.enum_token, is_enum(name, data.variants.first()));
            return None;
        }
        Data::Union(data) => {
            diagnostics.error(data.union_token, is_union(name));
            return None;
        }
    };
    let types = fields.iter().map(|field| field.ty.clone()).collect();
    let fields = Fields { members: fields.members().collect(), types };
    check(input, &fields.types, diagnostics);
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
        let element = types.first().map(base);
        generics.make_where_clause().predicates.extend(element.map(
            |element| -> syn::WherePredicate { syn::parse_quote!(#element: #krate::Element) },
        ));
    }
    let (impl_generics, arguments, bounds) = generics.split_for_impl();
    quote! {
        // SAFETY: all fields are elements, in the order in which they stand, and there is no padding,
        // because otherwise the signature is no constant.
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

/// The check of what only the compiler knows. Generic structs have no padding: see [`check`].
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

/// The attributes `#[repr(…)]` of a struct, as far as its layout depends on them.
#[derive(Default)]
struct Repr {
    /// `C` or `transparent`: fields lie in the order of the text.
    is_ordered: bool,
    /// The attribute that aligns the struct to more than its fields need.
    align: Option<Span>,
}

impl Repr {
    fn of(input: &DeriveInput) -> Self {
        let mut repr = Repr::default();
        for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
            let Meta::List(list) = &attribute.meta else { continue };
            // Rustc reports words that `repr` does not have.
            for token in list.tokens.clone() {
                let TokenTree::Ident(word) = token else { continue };
                repr.is_ordered |= word == "C" || word == "transparent";
                repr.align = repr.align.or((word == "align").then(|| word.span()));
            }
        }
        repr
    }
}

fn crate_path(input: &DeriveInput, diagnostics: &mut Diagnostics) -> Path {
    let mut path = syn::parse_quote!(::redist);
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("redist")) {
        let read = attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(syn::Error::new_spanned(meta.path, expected_crate()));
            }
            path = meta.value()?.parse()?;
            Ok(())
        });
        if let Err(error) = read {
            let at = error.into_iter().next().map_or_else(Span::call_site, |error| error.span());
            diagnostics.error_at(at, expected_crate());
        }
    }
    path
}

fn check(input: &DeriveInput, types: &[Type], diagnostics: &mut Diagnostics) {
    let (name, repr) = (&input.ident, Repr::of(input));
    if types.is_empty() {
        diagnostics.error(name, no_fields(name));
    }
    if !repr.is_ordered {
        diagnostics.error(name, no_repr(name));
    }
    for lifetime in input.generics.lifetimes() {
        diagnostics.error(&lifetime.lifetime, borrows(name));
    }
    if !input.generics.params.is_empty() {
        generic(name, &repr, types, diagnostics);
    }
}

/// rustc looks at no layout of a generic struct before it is used. So the text must show that there
/// is no padding: fields of one type, or arrays of it, leave no gaps.
fn generic(name: &Ident, repr: &Repr, types: &[Type], diagnostics: &mut Diagnostics) {
    if let Some(align) = repr.align {
        diagnostics.error_at(align, aligned_generic(name));
    }
    let text = |ty: &Type| base(ty).to_token_stream().to_string();
    if let Some(first) = types.first()
        && let Some(other) = types.iter().find(|ty| text(ty) != text(first))
    {
        diagnostics.error(other, mixed_generic(name, &source_text(base(first))));
    }
}

fn base(ty: &Type) -> &Type {
    match ty {
        Type::Array(array) => base(&array.elem),
        Type::Paren(inner) => base(&inner.elem),
        Type::Group(inner) => base(&inner.elem),
        other => other,
    }
}

fn is_enum(name: &Ident, first: Option<&Variant>) -> String {
    let message = "an enum cannot be an element, only a struct can";
    match first.filter(|variant| variant.fields.is_empty()) {
        Some(Variant { ident, .. }) => {
            format!("{message}; move the number of the variant, as in `{name}::{ident} as u8`")
        }
        None => message.into(),
    }
}

fn is_union(name: &Ident) -> String {
    format!(
        "a union cannot be an element, only a struct can; move `{name}` as the bytes that it holds, an array of `u8`"
    )
}

fn no_fields(name: &Ident) -> String {
    format!("`{name}` has no fields, so there is nothing to move; give it one")
}

fn no_repr(name: &Ident) -> String {
    format!(
        "`{name}` needs `#[repr(C)]`, or `#[repr(transparent)]` if it has one field: its fields have to lie in the same \
         places on every rank, and Rust is free to reorder them otherwise"
    )
}

fn borrows(name: &Ident) -> String {
    format!(
        "`{name}` cannot be an element while it borrows: an address means nothing to another rank; hold what it borrows"
    )
}

fn aligned_generic(name: &Ident) -> String {
    format!(
        "whether `{name}` has padding at its end would depend on its generics; leave `align` or the generics out"
    )
}

fn mixed_generic(name: &Ident, first: &str) -> String {
    format!(
        "whether `{name}` has padding would depend on its generics; the fields of a generic element have to be of one \
         type, or arrays of it, and the first is made of `{first}`"
    )
}

fn expected_crate() -> String {
    "expected the path of the crate, as in `#[redist(crate = path::to::redist)]`".into()
}
