//! Parses one side: distributions, grid and modifiers, or an expression.

use super::{distribution, recover, sizes, word};
use crate::ast::{DistAst, LayoutAst, SideAst, Sizes};
use crate::diagnostic::{Diagnostics, message};
use crate::size::{DistSpec, Size};
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use redist_plan::layout::vocabulary::{
    ALONG, DISTRIBUTIONS, MODIFIERS, RANK_ORDERS, SCALAPACK, STORAGE_ORDERS, did_you_mean,
    means_scalapack,
};
use redist_plan::layout::{RankOrder, StorageOrder};
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, Token, token};

pub fn side(input: ParseStream, diagnostics: &mut Diagnostics) -> syn::Result<SideAst> {
    if recover::at_clause_end(input) || is_modifier_alone(input) {
        return Err(recover::expected(input, message::EXPECTED_SIDE));
    }
    if !is_layout(input) {
        return input.parse().map(SideAst::Value);
    }
    let start = input.fork().parse::<TokenTree>()?;
    let mut layout = LayoutAst::starting_at(start.span());
    if let Err(error) = distributions(input, &mut layout, diagnostics) {
        diagnostics.push(error);
        layout.broken = true;
        recover::skip_to_modifier(input);
    }
    modifiers(input, &mut layout, diagnostics);
    Ok(SideAst::Layout(Box::new(layout)))
}

fn distributions(
    input: ParseStream,
    layout: &mut LayoutAst,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    if input.peek(token::Paren) {
        layout.dists = distribution::list(input, diagnostics)?;
    } else if scalapack_is_next(input) {
        scalapack(input, layout, diagnostics)?;
    } else {
        layout.dists = vec![distribution::one(input, diagnostics)?];
    }
    Ok(())
}

fn is_modifier_alone(input: ParseStream) -> bool {
    let ahead = input.fork();
    recover::skip_one(&ahead);
    recover::at_modifier(input)
        && !recover::at_clause_end(&ahead)
        && recover::at_no_operator(&ahead)
}

/// Returns `true` if the notation begins here. Other values are layouts only if a word follows,
/// because no expression allows that.
fn is_layout(input: ParseStream) -> bool {
    let ahead = input.fork();
    match ahead.parse::<TokenTree>() {
        Ok(TokenTree::Punct(star)) => {
            star.as_char() == '*'
                && (recover::at_clause_end(&ahead) || recover::at_modifier(&ahead))
        }
        Ok(TokenTree::Group(group)) if input.peek(token::Paren) => {
            ends_with_word(&ahead)
                || (recover::at_no_operator(&ahead) && is_list_of_distributions(group.stream()))
        }
        Ok(TokenTree::Ident(word)) if input.peek(Ident) => {
            let called = ahead.peek(token::Paren);
            if called {
                recover::skip_one(&ahead);
            }
            ends_with_word(&ahead)
                || (recover::at_no_operator(&ahead) && is_distribution(&word, called))
        }
        _ => false,
    }
}

fn ends_with_word(ahead: ParseStream) -> bool {
    ahead.peek(Ident) && !recover::at_clause(ahead)
}

/// Accepts `(cyclic(4), *)`, `(block)` and `()`, but not `(peer)`.
fn is_list_of_distributions(content: TokenStream) -> bool {
    let mut tokens = content.into_iter().peekable();
    let begins = match tokens.peek() {
        Some(TokenTree::Ident(word)) => is_word(&lower(word)),
        Some(TokenTree::Punct(star)) => star.as_char() == '*',
        None => true,
        _ => false,
    };
    begins || tokens.any(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','))
}

/// A near miss counts only if it is called: a lone name may be a value.
fn is_distribution(word: &Ident, called: bool) -> bool {
    let word = lower(word);
    let near = || did_you_mean(&word, DISTRIBUTIONS).is_some_and(is_word);
    is_word(&word) || (called && (near() || means_scalapack(&word)))
}

/// `rows` and `points` may be names of values.
fn is_word(lower: &str) -> bool {
    DISTRIBUTIONS.contains(&lower) && !matches!(lower, "rows" | "points")
}

fn lower(word: &Ident) -> String {
    word.to_string().to_lowercase()
}

fn modifiers(input: ParseStream, layout: &mut LayoutAst, diagnostics: &mut Diagnostics) {
    while !recover::at_clause_end(input) {
        if let Err(error) = modifier(input, layout, diagnostics) {
            diagnostics.push(error);
            layout.broken = true;
            recover::skip_to_modifier(input);
        }
    }
}

fn modifier(
    input: ParseStream,
    layout: &mut LayoutAst,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    if !input.peek(Ident) {
        return Err(recover::expected(input, message::EXPECTED_MODIFIER));
    }
    let keyword: Ident = input.parse()?;
    let Some(meant) = word::known(&keyword, "modifier", MODIFIERS, diagnostics) else {
        layout.broken = true;
        recover::skip_to_modifier(input);
        return Ok(());
    };
    match meant {
        "onto" => list(input, &mut layout.grid, &keyword, diagnostics)?,
        "first" => list(input, &mut layout.first, &keyword, diagnostics)?,
        "of" => list(input, &mut layout.of, &keyword, diagnostics)?,
        "at" => list(input, &mut layout.at, &keyword, diagnostics)?,
        "axes" => list(input, &mut layout.axes, &keyword, diagnostics)?,
        "ranks" => word::once(&mut layout.ranks, sizes::ranks(input)?, &keyword, diagnostics),
        "transposed" => word::once(&mut layout.transposed, keyword.clone(), &keyword, diagnostics),
        "order" => {
            let (_, order) = word::one_of(input, "rank order", RANK_ORDERS, diagnostics)?;
            let order = if order == Some("col") { RankOrder::Col } else { RankOrder::Row };
            word::once(&mut layout.order, order, &keyword, diagnostics);
        }
        "storage" => {
            let (_, order) = word::one_of(input, "storage order", STORAGE_ORDERS, diagnostics)?;
            let is_fortran = order == Some("fortran");
            let order = if is_fortran { StorageOrder::Fortran } else { StorageOrder::C };
            word::once(&mut layout.storage, order, &keyword, diagnostics);
        }
        "copies" => {
            word::once(&mut layout.copies, sizes::one(input, &keyword)?, &keyword, diagnostics);
            if distribution::follows(input, ALONG, diagnostics)? {
                layout.along = Some(sizes::one(input, &keyword)?);
            }
        }
        _ => unreachable!("`{meant}` is not a modifier"),
    }
    Ok(())
}

fn list(
    input: ParseStream,
    slot: &mut Option<Sizes>,
    keyword: &Ident,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    word::once(slot, sizes::sizes(input, keyword)?, keyword, diagnostics);
    Ok(())
}

fn scalapack_is_next(input: ParseStream) -> bool {
    input.fork().parse().is_ok_and(|word: Ident| means_scalapack(&word.to_string()))
}

/// Reads `(cyclic(MB), cyclic(NB)) onto (P, Q) first (RSRC, CSRC)`, by default `storage fortran`.
fn scalapack(
    input: ParseStream,
    layout: &mut LayoutAst,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    let word: Ident = input.parse()?;
    word::known(&word, "distribution", &[SCALAPACK], diagnostics);
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
