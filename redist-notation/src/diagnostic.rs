//! Collects the errors of an item.

pub mod message;

use core::fmt::Display;
use proc_macro2::Span;
use quote::ToTokens;

/// The errors of one item, reported together by [`finish`](Self::finish).
#[must_use]
#[derive(Default)]
pub struct Diagnostics {
    errors: Vec<syn::Error>,
}

impl Diagnostics {
    pub fn new() -> Self {
        Diagnostics::default()
    }

    pub fn error(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Reports at a place without tokens, such as the end of a list.
    pub fn error_at(&mut self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    pub fn push(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    pub fn len(&self) -> usize {
        self.errors.len()
    }

    /// Returns all errors in one, in the order of the text.
    pub fn finish(mut self) -> syn::Result<()> {
        self.errors.sort_by_key(position);
        let combined = self.errors.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        });
        combined.map_or(Ok(()), Err)
    }
}

fn position(error: &syn::Error) -> (usize, usize) {
    let span = error.span();
    if !proc_macro::is_available() {
        return position_in_text(span);
    }
    let span = span.unwrap();
    (span.line(), span.column())
}

#[cfg(feature = "locations")]
fn position_in_text(span: Span) -> (usize, usize) {
    let start = span.start();
    (start.line, start.column)
}

#[cfg(not(feature = "locations"))]
fn position_in_text(_: Span) -> (usize, usize) {
    (0, 0)
}
