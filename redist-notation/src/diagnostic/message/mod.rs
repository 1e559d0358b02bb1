//! Every message of the macro: the mistake and its mend. It is placed at a token, and names side
//! and dimension (from 0) if the token is not enough.

mod rule;
mod syntax;

pub use rule::*;
pub use syntax::*;

use quote::ToTokens;

/// Writes an expression about as the user did: tokens have lost their spacing.
pub fn source_text(tokens: impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (wide, narrow) in [
        (" :: ", "::"),
        (" . ", "."),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" ,", ","),
        (" ;", ";"),
    ] {
        text = text.replace(wide, narrow);
    }
    text
}
