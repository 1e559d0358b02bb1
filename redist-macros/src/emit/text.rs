//! Long lists as text.

use proc_macro2::TokenStream;

/// Returns the tokens of a text. Only the compiler reads it, where there is one: `proc_macro2`
/// would read it before that, which takes twice as long.
///
/// # Panics
/// The text is no tokens.
pub fn tokens(text: &str) -> TokenStream {
    match proc_macro::is_available() {
        true => text.parse().map(|tokens: proc_macro::TokenStream| tokens.into()).ok(),
        false => text.parse().ok(),
    }
    .expect("a written text is tokens")
}
