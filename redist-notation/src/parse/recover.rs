//! Finds the place to read on from after an error.

use proc_macro2::{TokenStream, TokenTree};
use redist_plan::layout::vocabulary::{ALONG, MODIFIERS};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, Token, token};

/// Reports at the next token, or at the group's end.
pub fn expected(input: ParseStream, message: impl core::fmt::Display) -> syn::Error {
    syn::Error::new(input.span(), message)
}

/// Returns `true` if a clause begins here: `word:` and not `word::`.
pub fn at_clause(input: ParseStream) -> bool {
    input.peek(Ident::peek_any) && input.peek2(Token![:]) && !input.peek2(Token![::])
}

pub fn at_clause_end(input: ParseStream) -> bool {
    input.is_empty() || input.peek(Token![,]) || at_clause(input)
}

pub fn at_modifier(input: ParseStream) -> bool {
    let word = input.fork().call(Ident::parse_any);
    word.is_ok_and(|word| MODIFIERS.contains(&word.to_string().to_lowercase().as_str()))
}

/// Returns `true` if a modifier begins in the place of a size. A name that is spelt like one ends
/// the size, goes on as an expression, or is not in lower case.
pub fn at_modifier_for_size(input: ParseStream) -> bool {
    let ahead = input.fork();
    let Ok(word) = ahead.call(Ident::parse_any) else { return false };
    let is_modifier = MODIFIERS.iter().any(|modifier| word == modifier);
    let at_along = ahead.fork().parse().is_ok_and(|word: Ident| word == ALONG[0]);
    let ends = at_clause_end(&ahead) || at_modifier(&ahead) || at_along;
    let called = ahead.peek(token::Paren)
        && matches!(word.to_string().as_str(), "ranks" | "order" | "storage");
    let may_end = word == "transposed";
    is_modifier && if ends { may_end } else { at_no_operator(&ahead) && !called }
}

/// Returns `true` if no operator follows.
pub fn at_no_operator(input: ParseStream) -> bool {
    match input.fork().parse::<TokenTree>() {
        Ok(TokenTree::Punct(punct)) => punct.as_char() == ',',
        _ => true,
    }
}

/// Goes past the comma before the next clause; the broken clause may have commas inside.
pub fn skip_to_clause(input: ParseStream) {
    while !input.is_empty() {
        let comma = input.parse::<Token![,]>().is_ok();
        if comma && (input.is_empty() || at_clause(input)) {
            return;
        }
        if !comma {
            skip_one(input);
        }
    }
}

pub fn skip_clause(input: ParseStream) {
    while !at_clause_end(input) {
        skip_one(input);
    }
}

pub fn skip_to_modifier(input: ParseStream) {
    while !at_clause_end(input) && !at_modifier(input) {
        skip_one(input);
    }
}

pub fn skip_to_comma(input: ParseStream) {
    while !input.is_empty() && !input.peek(Token![,]) {
        skip_one(input);
    }
}

/// Goes to an item's braces, or its probable end.
pub fn skip_to_body(input: ParseStream) {
    while !input.is_empty()
        && !input.peek(token::Brace)
        && !input.peek(Token![;])
        && !input.peek(Token![struct])
    {
        skip_one(input);
    }
}

pub fn skip_rest(input: ParseStream) {
    // Any tokens are a token stream, so this cannot fail.
    let _: syn::Result<TokenStream> = input.parse();
}

pub fn skip_one(input: ParseStream) {
    let _: syn::Result<TokenTree> = input.parse();
}
