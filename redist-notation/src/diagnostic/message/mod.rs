//! Every message of the macro: what is wrong, where, and how to mend it.
//!
//! The place is the token that the message stands at; where that leaves a choice, the side and the dimension
//! (counted from 0) are named too.

mod budget;
mod number;
mod params;
mod rule;
mod syntax;

pub use budget::*;
pub use number::*;
pub use params::*;
pub use rule::*;
pub use syntax::*;

use core::fmt::Display;
use quote::ToTokens;

/// `1 extent`, `2 extents`.
fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// `` `a`, `b` or `c` ``.
fn alternatives<T: Display>(words: &[T]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// An expression about as the user wrote it: tokens alone have lost their spacing.
pub fn source_text(tokens: impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (wide, narrow) in [(" :: ", "::"), (" . ", "."), (" (", "("), ("( ", "("), (" )", ")"), (" ,", ",")] {
        text = text.replace(wide, narrow);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_english() {
        assert_eq!(count(1, "extent"), "1 extent");
        assert_eq!(count(0, "extent"), "0 extents");
        assert_eq!(alternatives(&["a"]), "`a`");
        assert_eq!(alternatives(&["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
