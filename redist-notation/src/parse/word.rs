//! Reads words of the notation, near misses included.

use super::recover;
use crate::diagnostic::{Diagnostics, message};
use redist_plan::layout::vocabulary::did_you_mean;
use syn::Ident;
use syn::ext::IdentExt;
use syn::parse::ParseStream;

/// Looks `word` up in any letter case. A near miss is reported, and read as its neighbour.
pub fn known(
    word: &Ident,
    what: &str,
    known: &[&'static str],
    diagnostics: &mut Diagnostics,
) -> Option<&'static str> {
    let lower = word.to_string().to_lowercase();
    let exact = known.iter().find(|candidate| **candidate == lower).copied();
    exact.or_else(|| {
        diagnostics.error(word, message::unknown_word(what, word, known));
        did_you_mean(&lower, known)
    })
}

pub fn one_of(
    input: ParseStream,
    what: &str,
    words: &[&'static str],
    diagnostics: &mut Diagnostics,
) -> syn::Result<(Ident, Option<&'static str>)> {
    if recover::at_clause_end(input) || recover::at_modifier(input) {
        return Err(recover::expected(input, message::expected_one_of(what, words)));
    }
    let word = Ident::parse_any(input)
        .map_err(|error| syn::Error::new(error.span(), message::expected_one_of(what, words)))?;
    let meant = known(&word, what, words, diagnostics);
    Ok((word, meant))
}

pub fn once<T>(slot: &mut Option<T>, value: T, word: &Ident, diagnostics: &mut Diagnostics) {
    if slot.is_some() {
        diagnostics.error(word, message::given_twice(word));
    } else {
        *slot = Some(value);
    }
}
