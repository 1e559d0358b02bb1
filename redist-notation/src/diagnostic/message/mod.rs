//! Every message of the macro: the mistake and its mend. It is placed at a token, and names side
//! and dimension (from 0) if the token is not enough.

mod budget;
mod copies;
mod number;
mod params;
mod require;
mod rule;
mod syntax;

pub use budget::*;
pub use copies::*;
pub use number::*;
pub use params::*;
pub use require::*;
pub use rule::*;
pub use syntax::*;

use quote::ToTokens;

/// Writes an expression about as the user did: tokens have lost their spacing.
pub fn source_text(tokens: impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (wide, narrow) in
        [(" :: ", "::"), (" . ", "."), (" (", "("), ("( ", "("), (" )", ")"), (" ,", ",")]
    {
        text = text.replace(wide, narrow);
    }
    text
}
