//! Every message of the macro: what is wrong, where, and how to mend it.
//!
//! The place is the token that the message stands at; where that leaves a choice, the side and the
//! dimension (counted from 0) are named too.
#![allow(missing_docs)] // A function has the name of the mistake that it words; callers give the place.

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

/// An expression about as the user wrote it: tokens alone have lost their spacing.
pub fn source_text(tokens: impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (wide, narrow) in
        [(" :: ", "::"), (" . ", "."), (" (", "("), ("( ", "("), (" )", ")"), (" ,", ",")]
    {
        text = text.replace(wide, narrow);
    }
    text
}
