//! Words of broken grammar.

use redist_plan::layout::vocabulary::{self, alternatives, counted};
use syn::Ident;

pub const EXPECTED_ITEM: &str = "expected `struct Name: [Element; extents] { from: ..., to: ... }`";

pub const EXPECTED_NAME: &str =
    "expected a name for the redistribution, as in `struct Name: [f64; 1000] { ... }`";

pub fn expected_array(name: &Ident) -> String {
    format!("expected `:` and the array, as in `struct {name}: [f64; 1000] {{ ... }}`")
}

pub fn expected_bracket(name: &Ident) -> String {
    format!(
        "expected the array in brackets, its type of elements before its extents, as in \
         `struct {name}: [f64; 1000] {{ ... }}`"
    )
}

pub const EXPECTED_EXTENTS: &str =
    "expected `;` and the extents of the array, as in `[f64; 100, 90]`";

pub const EXPECTED_ELEMENT: &str = "expected the type of the elements, as in `[f64; 100, 90]`";

pub fn expected_body(name: &Ident) -> String {
    format!("expected `{{ from: ..., to: ... }}`, the two layouts of `{name}`")
}

pub fn param_type(name: &Ident) -> String {
    format!(
        "the parameter `{name}` must be a `usize` or a `Layout<D>` with its number of dimensions, as in `Layout<2>`"
    )
}

pub fn expected_clause(clauses: &[&str]) -> String {
    format!(
        "expected a clause: {}, each followed by `:`; lists of numbers stand in parentheses",
        alternatives(clauses)
    )
}

pub fn expected_colon(clause: &Ident) -> String {
    format!("expected `:` after `{clause}`; write `{clause}: ...`")
}

pub fn equals_for_colon(clause: &Ident) -> String {
    format!("expected `:` after `{clause}`, found `=`; write `{clause}: ...`")
}

pub const MISSING_COMMA: &str = "expected `,` before this clause";

pub const EXPECTED_COMMA: &str = "expected `,`: nothing can follow here but the next clause";

pub fn unknown_word(what: &str, word: &Ident, known: &[&str]) -> String {
    vocabulary::unknown_word(what, &word.to_string(), known)
}

pub fn expected_one_of(what: &str, known: &[&str]) -> String {
    format!("expected a {what}: {}", alternatives(known))
}

pub fn given_twice(word: &Ident) -> String {
    format!("`{word}` is given twice; remove one of them")
}

pub const EXPECTED_SIDE: &str =
    "expected a layout, such as `cyclic(64) onto 4` or `(cyclic(64), *) onto 4`";

pub const EXPECTED_DISTRIBUTION: &str = "\
    expected a distribution: `*`, `block`, `block(size)`, `block balanced`, `cyclic`, `cyclic(size)`, \
    `gen_block([size, ...])`, `blocks([cut, ...], [owner, ...])`, `rows([length, ...], ...)`, `points([length, ...])` or \
    `split([extent, ...], ...)`";

pub const EXPECTED_COMMA_BETWEEN_DISTRIBUTIONS: &str =
    "expected `,` before the distribution of the next dimension";

pub fn expected_block_size(word: &Ident) -> String {
    format!(
        "expected the block size of `{word}`, as in `{word}(64)`; without one, leave the parentheses out"
    )
}

pub fn one_block_size(word: &Ident) -> String {
    format!(
        "`{word}` takes one block size; several dimensions are written `({word}(64), {word}(32))`"
    )
}

pub fn list_for_block_size(word: &Ident) -> String {
    format!(
        "`{word}` takes one block size, found a list; a size for each rank is written `gen_block([10, 20, 30])`"
    )
}

pub const EXPECTED_BLOCK_SIZES: &str =
    "`gen_block` takes a list of block sizes, one for each rank, as in `gen_block([10, 20, 30])`";

pub const EXPECTED_CUTS: &str = "\
    `blocks` takes a list of cuts, and a list of the owners of all parts, as in `blocks([10, 30], [1, 0, 1])`; lists \
    that are constants go into a side that is a constant `Layout`, with `Dist::Blocks`";

pub const EXPECTED_FACTORS: &str = "\
    `split` takes the extents of its factors, and a distribution for each, as in `split([2, 4096], *, block)`";

pub fn more_factors(factors: usize) -> String {
    format!("`split` lists {}; leave out this further distribution", counted(factors, "factor"))
}

pub fn fewer_factors(factors: usize, found: usize) -> String {
    format!(
        "`split` lists {}, but {}; give each one",
        counted(factors, "factor"),
        counted(found, "distribution")
    )
}

pub fn expected_row_lengths(word: &Ident) -> String {
    let example = if word == "points" { "" } else { ", block" };
    format!(
        "`{word}` takes a list of the rows' lengths, as in `{word}([20, 27, 32 x 4]{example})`; a list that is a \
         constant goes into a side that is a constant `Layout`, with `Dist::Rows` or `Dist::Points`"
    )
}

pub const EXPECTED_ROW_DEALING: &str =
    "expected `, block` or `, cyclic(rows)`: how the rows are dealt";

pub const EXPECTED_ROW_POINTS: &str =
    "expected `points(ranks)`: among how many ranks the points of a row are divided";

pub fn expected_repetition(most: usize) -> String {
    format!(
        "expected how often the size is repeated, a literal of at most {most}, as in `128 x 12`"
    )
}

pub fn scalapack_count(found: usize) -> String {
    format!(
        "`scalapack` takes 4 or 6 numbers, found {found}; write `scalapack(MB, NB, P, Q)` or \
         `scalapack(MB, NB, P, Q, RSRC, CSRC)`"
    )
}

pub const EXPECTED_MODIFIER: &str = "\
    expected `,` or a word such as `onto`, `first` or `ranks`; lists of numbers stand in \
    parentheses, as in `onto (2, 3)`";

pub fn expected_sizes(word: &Ident) -> String {
    format!("expected a number or a list after `{word}`, as in `{word} 2` or `{word} (2, 3)`")
}

pub const EXPECTED_COMMA_BETWEEN_NUMBERS: &str =
    "expected `,` before the next number of the list, as in `2, 3`";

pub fn expected_count(word: &Ident) -> String {
    format!("expected a number after `{word}`, as in `{word} 4`")
}

pub fn unfinished_size(problem: impl core::fmt::Display) -> String {
    format!(
        "expected a size, such as `64`, `NB` or `2 * nb`, but it is no whole expression: {problem}"
    )
}

pub const EXPECTED_RANKS: &str = "\
    expected a range of ranks, as in `ranks 6..12` or `ranks 6..`, or a list, as in \
    `ranks [3, 1, 4]`";

pub const RELABEL_SIDE: &str =
    "only the ranks of the destination can go to other cells of their grid: write `relabel: to`";

pub const INCLUSIVE_RANKS: &str =
    "the end of `ranks` is left out: the six ranks 0 to 5 are `ranks 0..6`";

pub fn scalapack_dimensions(dimensions: usize) -> String {
    format!(
        "`scalapack` describes a matrix, but the array has {}; write the distributions out, as in \
         `(cyclic(64), ...) onto (2, ...)`",
        counted(dimensions, "extent")
    )
}
