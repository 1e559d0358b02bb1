use super::message;
use proc_macro2::{Span, TokenTree};
use redist_notation::diagnostic::Diagnostics;
use syn::{DeriveInput, Meta, Path};

#[derive(Default)]
pub struct Repr {
    /// `C` or `transparent`: fields lie in the order of the text.
    pub is_ordered: bool,
    /// The attribute that aligns the struct to more than its fields need.
    pub align: Option<Span>,
}

impl Repr {
    pub fn of(input: &DeriveInput) -> Self {
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

pub fn crate_path(input: &DeriveInput, diagnostics: &mut Diagnostics) -> Path {
    let mut path = syn::parse_quote!(::redist);
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("redist")) {
        let read = attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(syn::Error::new_spanned(meta.path, message::expected_crate()));
            }
            path = meta.value()?.parse()?;
            Ok(())
        });
        if let Err(error) = read {
            let at = error.into_iter().next().map_or_else(Span::call_site, |error| error.span());
            diagnostics.error_at(at, message::expected_crate());
        }
    }
    path
}
