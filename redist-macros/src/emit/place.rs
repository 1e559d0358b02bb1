//! Code that stands, for the compiler's messages, at a place in the user's source.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use redist_notation::spec::Size;

/// From the first to the last of the user's tokens: stable Rust cannot make one span for both.
#[derive(Clone, Copy)]
pub struct Place {
    start: Span,
    end: Span,
}

impl Place {
    pub fn of(tokens: impl ToTokens) -> Option<Self> {
        let mut spans = tokens.to_token_stream().into_iter().map(|token| token.span());
        let start = spans.next()?;
        Some(Place { start, end: spans.last().unwrap_or(start) })
    }

    pub fn of_call() -> Self {
        Place::at(Span::call_site())
    }

    pub fn at(span: Span) -> Self {
        Place { start: span, end: span }
    }

    pub fn of_sizes<'a>(sizes: impl IntoIterator<Item = &'a Size>) -> Option<Self> {
        let written = sizes.into_iter().filter(|size| !size.is_implied()).map(|size| &size.expr);
        Place::of(quote!(#(#written)*))
    }

    /// A call at this place: a panic in it, in a constant, is reported there, not at the macro.
    pub fn call(&self, function: TokenStream, arguments: TokenStream) -> TokenStream {
        let function = located(function, self.start);
        let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
        arguments.set_span(self.end);
        quote!(#function #arguments)
    }

    /// A block of code at this place, after `before`; what is inside stays where it is.
    pub fn block(&self, before: TokenStream, inside: TokenStream) -> TokenStream {
        let before = located(before, self.start);
        let mut inside = Group::new(Delimiter::Brace, inside);
        inside.set_span(self.end);
        quote!(#before #inside)
    }

    pub fn name(&self, tokens: impl ToTokens) -> TokenStream {
        located(tokens.to_token_stream(), self.start)
    }
}

fn located(tokens: TokenStream, span: Span) -> TokenStream {
    let locate = |mut token: TokenTree| {
        token.set_span(if is_crate(&token) { token.span().located_at(span) } else { span });
        token
    };
    tokens.into_iter().map(locate).collect()
}

/// `$crate` means what it means by where it comes from.
fn is_crate(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Ident(name) if name == "$crate")
}
