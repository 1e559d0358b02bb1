use super::{distribution, modifier, recover, scalapack};
use crate::ast::{LayoutAst, SideAst};
use crate::diagnostic::{Diagnostics, message};
use proc_macro2::{TokenStream, TokenTree};
use redist_plan::layout::vocabulary::{DISTRIBUTIONS, did_you_mean, means_scalapack};
use syn::parse::ParseStream;
use syn::{Ident, token};

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
    modifier::modifiers(input, &mut layout, diagnostics);
    Ok(SideAst::Layout(Box::new(layout)))
}

fn distributions(
    input: ParseStream,
    layout: &mut LayoutAst,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    if input.peek(token::Paren) {
        layout.dists = distribution::list(input, diagnostics)?;
    } else if scalapack::is_next(input) {
        scalapack::side(input, layout, diagnostics)?;
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

/// Accepts `(cyclic(4), *)` and `(block)`, but not `(peer)`.
fn is_list_of_distributions(content: TokenStream) -> bool {
    let mut tokens = content.into_iter().peekable();
    let begins = match tokens.peek() {
        Some(TokenTree::Ident(word)) => is_word(&lower(word)),
        Some(TokenTree::Punct(star)) => star.as_char() == '*',
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
