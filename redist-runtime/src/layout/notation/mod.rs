//! The macro's notation of a layout, read and written at run time.
//!
//! ```text
//! layout = ( "(" dist {"," dist} ")" | dist ) "onto" sizes {modifier} | "scalapack" "(" MB, NB, P, Q [, RSRC, CSRC] ")" {modifier}
//! dist   = "*" | "block" ["(" size ")"] | "cyclic" ["(" size ")"] | "gen_block" "(" "[" {size ","} [size] "]" ")"
//! modifier = "first" sizes | "ranks" size ".." [size] | "order" ("row" | "col") | "storage" ("c" | "fortran")
//!          | "of" sizes | "at" sizes | "transposed" | "axes" sizes
//! sizes  = size | "(" size {"," size} ")" | "[" size {"," size} "]"
//! ```
//!
//! The letter case of the words is free. `onto` and `first` speak of the distributed dimensions only. The sizes of a
//! `gen_block` are kept for as long as the program runs, each list once: see [`Dist::gen_block`](super::Dist::gen_block).

mod display;
mod lexer;
mod parser;

use core::ops::Range;
use core::str::FromStr;

use super::Layout;

/// Why a text is not a layout, and where in the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at characters {}..{}", span.start, span.end)]
pub struct NotationError {
    /// What is wrong and how to mend it.
    pub message: String,
    /// The bytes of the text at fault.
    pub span: Range<usize>,
}

impl<const D: usize> FromStr for Layout<D> {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        parser::Parser::new(text)?.layout()
    }
}
