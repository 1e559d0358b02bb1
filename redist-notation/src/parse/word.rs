//! Words of the vocabulary, with a second chance for a mistyped one.

use super::recover;
use crate::diagnostic::{Diagnostics, message};
use redist_plan::layout::vocabulary::did_you_mean;
use syn::Ident;
use syn::ext::IdentExt;
use syn::parse::ParseStream;

/// Looks `word` up in any letter case. A near miss is reported, and read as what it resembles.
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

/// Reads one word that has to be one of `known`; keywords of Rust count as words.
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

/// Fills a slot, unless it is taken.
pub fn once<T>(slot: &mut Option<T>, value: T, word: &Ident, diagnostics: &mut Diagnostics) {
    if slot.is_some() {
        diagnostics.error(word, message::given_twice(word));
    } else {
        *slot = Some(value);
    }
}
