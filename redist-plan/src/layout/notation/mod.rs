//! The macro's notation of a layout, read and written at run time.
//!
//! ```text
//! layout = ( "(" dist {"," dist} ")" | dist ) "onto" sizes {modifier} | "scalapack" "(" MB, NB, P, Q [, RSRC, CSRC] ")" {modifier}
//! dist   = "*" | "block" ["(" size ")"] | "cyclic" ["(" size ")"] | "gen_block" "(" lengths ")"
//!        | "rows" "(" lengths "," ("block" | "cyclic" ["(" size ")"]) ["," "points" "(" size ")"] ")" | "points" "(" lengths ")"
//! lengths = "[" {length ","} [length] "]" ;  length = size ["x" count]
//! modifier = "first" sizes | "ranks" size ".." [size] | "order" ("row" | "col") | "storage" ("c" | "fortran")
//!          | "of" sizes | "at" sizes | "transposed" | "axes" sizes | "copies" count
//! sizes  = size | "(" size {"," size} ")" | "[" size {"," size} "]"
//! ```
//!
//! `copies` is for sides with several copies: a single layout refuses it.
//!
//! The letter case of the words is free. `onto` and `first` speak of the distributed dimensions
//! only. `128 x 12` in a list of lengths is 128 twelve times. The sizes of a `gen_block` and the lengths
//! of rows are kept for as long as the program runs, each list once: see
//! [`Dist::gen_block`](super::Dist::gen_block).

mod display;
mod lexer;
mod parser;
#[cfg(test)]
mod tests;
mod tokens;

use core::ops::Range;
use core::str::FromStr;

use super::Layout;
use crate::quote::marked;

/// Why a text is not a layout, and where in the text.
///
/// In words it quotes the text, with a mark where it is wrong:
///
/// ```
/// # use redist_plan as redist;
/// let error = "cylic(3) onto 2".parse::<redist::layout::Layout<1>>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unknown distribution `cylic`; did you mean `cyclic`?
///   cylic(3) onto 2
///   ^^^^^"
/// );
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", marked(text, span))]
pub struct NotationError {
    /// What is wrong and how to mend it.
    pub message: String,
    /// The text.
    pub text: String,
    /// The bytes of the text at fault.
    pub span: Range<usize>,
}

debug_in_words!(NotationError);

/// What is wrong with a text, and where.
#[derive(Debug)]
struct Mistake {
    message: String,
    span: Range<usize>,
}

impl<const D: usize> FromStr for Layout<D> {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let layout = tokens::Tokens::new(text).and_then(parser::layout);
        layout.map_err(|mistake| mistake.of(text))
    }
}

impl<const D: usize> Layout<D> {
    /// The layouts of all copies that a text speaks of: one where it does not say `copies`.
    #[doc(hidden)]
    pub fn parse_copies(text: &str) -> Result<Vec<Self>, NotationError> {
        let copies = tokens::Tokens::new(text).and_then(parser::copies);
        copies.map_err(|mistake| mistake.of(text))
    }
}

impl Mistake {
    fn of(self, text: &str) -> NotationError {
        NotationError { message: self.message, text: text.to_owned(), span: self.span }
    }
}
