use crate::ast::{DistAst, LayoutAst, Sizes};
use crate::diagnostic::{Diagnostics, message};
use crate::size::{DistSpec, Size};
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use redist_plan::layout::vocabulary::{SCALAPACK, means_scalapack};
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, Token};

pub fn is_next(input: ParseStream) -> bool {
    input.fork().parse().is_ok_and(|word: Ident| means_scalapack(&word.to_string()))
}

/// Reads `(cyclic(MB), cyclic(NB)) onto (P, Q) first (RSRC, CSRC)`, by default `storage fortran`.
pub fn side(
    input: ParseStream,
    layout: &mut LayoutAst,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    let word: Ident = input.parse()?;
    super::word::known(&word, "distribution", &[SCALAPACK], diagnostics);
    layout.scalapack = Some(word.clone());
    let group: TokenTree = input.fork().parse()?;
    let content;
    syn::parenthesized!(content in input);
    let numbers: Vec<Expr> =
        Punctuated::<Expr, Token![,]>::parse_terminated(&content)?.into_iter().collect();
    let found = numbers.len();
    let mut numbers = numbers.into_iter();
    let (Some(mb), Some(nb), Some(p), Some(q), 4 | 6) =
        (numbers.next(), numbers.next(), numbers.next(), numbers.next(), found)
    else {
        return Err(syn::Error::new_spanned(group, message::scalapack_count(found)));
    };
    let sizes = |tokens: TokenStream, values: Vec<Expr>| {
        let values = values.into_iter().map(Size::written).collect();
        Sizes { tokens, values }
    };
    let dist = |size| DistAst::new(&word, Some(DistSpec::Cyclic(Size::written(size))));
    layout.dists = vec![dist(mb), dist(nb)];
    layout.grid = Some(sizes(quote!(#p, #q), vec![p, q]));
    let first: Vec<Expr> = numbers.collect();
    layout.first = (found == 6).then(|| sizes(quote!(#(#first),*), first));
    Ok(())
}
