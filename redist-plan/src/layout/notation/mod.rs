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
//! The letter case of words is free. `onto` and `first` list the distributed dimensions only. `128
//! x 12` in a list is 128 twelve times. A single layout refuses `copies`.

mod display;
mod lexer;
mod mistake;
mod parser;
#[cfg(test)]
mod tests;
mod tokens;

pub use mistake::NotationError;

use super::Layout;
use core::str::FromStr;

impl<const D: usize> FromStr for Layout<D> {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let layout = tokens::Tokens::new(text).and_then(parser::layout);
        layout.map_err(|mistake| mistake.of(text))
    }
}

impl<const D: usize> Layout<D> {
    /// Parses the layouts of all copies; one if the text does not say `copies`.
    #[doc(hidden)]
    pub fn parse_copies(text: &str) -> Result<Vec<Self>, NotationError> {
        let copies = tokens::Tokens::new(text).and_then(parser::copies);
        copies.map_err(|mistake| mistake.of(text))
    }
}
