//! Values for the names of a description.

use super::refusal::Refusal;
use super::report::Texts;
use super::{depth, lexer, names};
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::cell::Cell;
use syn::Expr;

/// Values of the command line, by name.
pub struct Values(Vec<GivenValue>);

/// One value.
struct GivenValue {
    name: String,
    tokens: TokenStream,
    /// `true` once the description has used it.
    used: Cell<bool>,
}

impl Values {
    /// Reads each `NAME=VALUE`; a value may use earlier names.
    pub fn parse(given: &[String], texts: &mut Texts) -> Result<Self, Refusal> {
        let mut values = Values(Vec::new());
        for text in given {
            let Some((name, value)) = text.split_once('=') else {
                return Err(Refusal::Option(format!(
                    "--set {text}: expected NAME=VALUE, as in NB=64"
                )));
            };
            let name = without_spaces(name);
            if values.0.iter().any(|value| value.name == name) {
                return Err(Refusal::Option(format!(
                    "--set {name}: given twice; remove one of them"
                )));
            }
            let tokens = lexer::tokens(texts, &format!("--set {name}"), value)?;
            lexer::check_depth(texts, depth::too_deep(tokens.clone()))?;
            if tokens.is_empty() {
                return Err(Refusal::Option(format!(
                    "--set {name}: the value is missing, as in {name}=64"
                )));
            }
            let tokens =
                names::replace(tokens, &mut |name| values.number_at(&name.text, name.span));
            values.0.push(GivenValue { name, tokens, used: Cell::new(false) });
        }
        Ok(values)
    }

    pub fn fill_in(&self, size: &Expr) -> Expr {
        if matches!(size, Expr::Lit(_)) {
            return size.clone();
        }
        let tokens = names::replace(size.to_token_stream(), &mut |name| {
            self.number_at(&name.text, name.span)
        });
        syn::parse2(tokens).unwrap_or_else(|_| size.clone())
    }

    pub fn tokens(&self, name: &str) -> Option<TokenStream> {
        self.find(name).map(|value| value.tokens.clone())
    }

    pub fn unused(&self) -> Option<&str> {
        self.0.iter().find(|value| !value.used.get()).map(|value| value.name.as_str())
    }

    /// Returns a name's value, if it is a number, at the name's place.
    fn number_at(&self, name: &str, span: Span) -> Option<TokenStream> {
        let tokens = self.find(name)?.tokens.clone();
        syn::parse2::<Expr>(tokens.clone()).ok()?;
        let mut group = Group::new(Delimiter::None, moved(tokens, span));
        group.set_span(span);
        Some(TokenTree::Group(group).into())
    }

    fn find(&self, name: &str) -> Option<&GivenValue> {
        let value = self.0.iter().find(|value| value.name == name)?;
        value.used.set(true);
        Some(value)
    }
}

fn moved(tokens: TokenStream, span: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|mut token| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), moved(group.stream(), span)).into();
        }
        token.set_span(span);
        token
    });
    moved.collect()
}

pub fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}
