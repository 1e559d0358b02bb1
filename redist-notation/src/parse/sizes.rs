//! Parses sizes, lists of sizes and ranges of ranks.

use super::recover;
use crate::ast::Sizes;
use crate::diagnostic::message;
use crate::size::{RanksSpec, Size};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, LitInt, Token, token};

pub fn sizes(input: ParseStream, word: &Ident) -> syn::Result<Sizes> {
    if is_missing(input) {
        return Err(recover::expected(input, message::expected_sizes(word)));
    }
    if is_list(input) {
        return list(input);
    }
    let size = size(input)?;
    Ok(Sizes { tokens: size.expr.to_token_stream(), values: vec![size] })
}

pub fn one(input: ParseStream, word: &Ident) -> syn::Result<Size> {
    if is_missing(input) {
        return Err(recover::expected(input, message::expected_count(word)));
    }
    size(input)
}

fn is_missing(input: ParseStream) -> bool {
    recover::at_clause_end(input) || recover::at_modifier_for_size(input)
}

pub fn size(input: ParseStream) -> syn::Result<Size> {
    let unfinished =
        |error: syn::Error| syn::Error::new(error.span(), message::unfinished_size(error));
    input.parse().map(Size::written).map_err(unfinished)
}

/// Returns `true` if a group is all of the sizes, and not the beginning of `(2 + 1) * 3`.
fn is_list(input: ParseStream) -> bool {
    let ahead = input.fork();
    let group = ahead.peek(token::Paren) || ahead.peek(token::Bracket);
    recover::skip_one(&ahead);
    let operator =
        matches!(ahead.parse::<TokenTree>(), Ok(TokenTree::Punct(punct)) if punct.as_char() != ',');
    group && !operator
}

/// Parses `(2, 3)` or `[2, 3, 128 x 12]`.
pub fn list(input: ParseStream) -> syn::Result<Sizes> {
    let tokens = input.fork().parse::<TokenTree>()?.into_token_stream();
    let content;
    if input.peek(token::Paren) {
        syn::parenthesized!(content in input);
    } else {
        syn::bracketed!(content in input);
    }
    let values = Punctuated::<_, Token![,]>::parse_terminated_with(&content, entry)?;
    Ok(Sizes { tokens, values: values.into_iter().flatten().collect() })
}

/// Most times that `length x count` may repeat a length.
const MAX_REPEATED: usize = 1 << 20;

/// Parses a size of a list, repeated or not, before a comma or the list's end.
fn entry(input: ParseStream) -> syn::Result<Vec<Size>> {
    let sizes = repeated(input)?;
    match input.is_empty() || input.peek(Token![,]) {
        true => Ok(sizes),
        false => Err(recover::expected(input, message::EXPECTED_COMMA_BETWEEN_NUMBERS)),
    }
}

fn repeated(input: ParseStream) -> syn::Result<Vec<Size>> {
    let size = size(input)?;
    let times: Option<Ident> = input.fork().parse().ok();
    if times.is_none_or(|word| word != "x") {
        return Ok(vec![size]);
    }
    input.parse::<Ident>()?;
    let wrong = || recover::expected(input, message::expected_repetition(MAX_REPEATED));
    let count: LitInt = input.fork().parse().map_err(|_| wrong())?;
    let number: usize = count.base10_parse().map_err(|_| wrong())?;
    if number > MAX_REPEATED {
        return Err(wrong());
    }
    input.parse::<LitInt>()?;
    Ok(vec![size; number])
}

/// Parses `first..end`, `first..` or `[rank, rank, ...]`, after the word `ranks`.
pub fn ranks(input: ParseStream) -> syn::Result<(TokenStream, RanksSpec)> {
    let ahead = input.fork();
    recover::skip_one(&ahead);
    let goes_on = ahead.peek(Token![..]) || ahead.peek(token::Bracket);
    if input.peek(token::Bracket) && is_list(input) && !goes_on {
        return list(input).map(|list| (list.tokens, RanksSpec::Map(list.values)));
    }
    range(input)
}

/// Parses `first..end` or `first..`; Rust would read `6.. order row` as a range up to `order`.
fn range(input: ParseStream) -> syn::Result<(TokenStream, RanksSpec)> {
    let mut before = TokenStream::new();
    while !input.peek(Token![..]) {
        if recover::at_clause_end(input) {
            return Err(recover::expected(input, message::EXPECTED_RANKS));
        }
        before.extend(input.parse::<TokenTree>()?.into_token_stream());
    }
    if let Ok(dots) = input.parse::<Token![..=]>() {
        return Err(syn::Error::new_spanned(dots, message::INCLUSIVE_RANKS));
    }
    let dots: Token![..] = input.parse()?;
    let wrong = |_| syn::Error::new_spanned(quote!(#before #dots), message::EXPECTED_RANKS);
    let first: Expr = syn::parse2(before.clone()).map_err(wrong)?;
    let end = if is_missing(input) { None } else { Some(size(input)?) };
    let last = end.as_ref().map(|end| &end.expr);
    let tokens = quote!(#first #dots #last);
    Ok((tokens, RanksSpec::Range { first: Size::written(first), end }))
}
