//! The macro as a function: every input gives an answer.

use super::expand;
use proc_macro2::{TokenStream, TokenTree};
use std::str::FromStr;

/// One item with most of the grammar in it.
const VALID: &str = "
    /// Docs.
    pub struct Panel<T: redist::Element>: [T; 50, 20] where T: Copy {
        from: (cyclic(16), BLOCK) onto (2, 2) ranks 4..8 order col of [128, 64] at [37, 5],
        to: (cyclic(7), block(10)) onto (3, 2) first (1, 1) storage fortran transposed,
        require: tables,
        unroll: 2 * 32,
        crate: ::redist,
    }
";

fn messages(input: &str) -> Vec<String> {
    let output = expand(TokenStream::from_str(input).expect("the test's own text has to be Rust tokens"));
    let mut tokens = output.into_iter();
    let mut found = Vec::new();
    while let Some(token) = tokens.next() {
        // `compile_error ! { "message" }`
        if token.to_string() == "compile_error" {
            found.extend(tokens.nth(1).map(|group| group.to_string()));
        }
    }
    found
}

fn is_valid(input: &str) -> bool {
    messages(input).is_empty()
}
