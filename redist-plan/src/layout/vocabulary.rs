//! The words of the notation, in lower case, for the macro and the run-time parser.

use core::fmt::Display;

/// Distributions, but for `*`.
pub const DISTRIBUTIONS: &[&str] =
    &["block", "cyclic", "gen_block", "blocks", "rows", "points", "split"];

/// Distributions that take lists.
pub const LISTED: &[&str] = &["gen_block", "blocks", "rows", "points", "split"];

/// The word after `block` for blocks that differ by one element at most.
pub const BALANCED: &[&str; 1] = &["balanced"];

/// The word after `block balanced` that gives the longer blocks to the last ranks.
pub const LAST: &[&str; 1] = &["last"];

/// The word after the number of `copies` that names the axis of the grid.
pub const ALONG: &[&str; 1] = &["along"];

/// Words that may follow the distributions of a side.
pub const MODIFIERS: &[&str] =
    &["onto", "first", "ranks", "order", "storage", "of", "at", "transposed", "axes", "copies"];

/// The error for `copies` in a layout with one copy.
pub const ONE_COPY: &str = "a `Plan` has one copy on each side; plans between copies are made by an \
                            item of `redistribute!`, or by `PlanWithCopies::parse`";

/// The end of the error for a list of extents or of indices with an entry for each factor of a `split`.
pub const OF_FACTORS: &str = "; a `split` is one dimension, of as many elements as all its factors \
                              together, and a section begins at an index of these";

pub const SCALAPACK: &str = "scalapack";

/// The error for a grid where nothing is distributed.
pub const WHOLE: &str = "where all is `*`, one rank stores the whole array; for copies on several \
                         ranks, write `copies 4`; otherwise leave `onto` out, and name the rank if \
                         it is not rank 0, as in `ranks 2..3`";

pub const RANK_ORDERS: &[&str] = &["row", "col"];

pub const STORAGE_ORDERS: &[&str] = &["c", "fortran"];

const ELEMENTS_ELSEWHERE: [(&str, &[&str]); 6] = [
    ("f64", &["double", "double precision", "double_precision", "float64", "real64", "real(8)"]),
    ("f32", &["float", "float32", "real", "real32", "real(4)"]),
    ("c64", &["double complex", "double_complex", "c_double_complex", "complex128", "complex(8)"]),
    ("c32", &["float complex", "complex", "c_float_complex", "complex64", "complex(4)"]),
    ("i32", &["int", "int32", "int32_t", "integer", "integer(4)"]),
    ("i64", &["long", "int64", "int64_t", "integer(8)"]),
];

/// Returns the element type for a name of another language, such as `double`.
#[doc(hidden)]
pub fn element_meant(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let name = lower.strip_prefix("mpi_").unwrap_or(&lower);
    ELEMENTS_ELSEWHERE.iter().find(|(_, names)| names.contains(&name)).map(|(ours, _)| *ours)
}

/// Returns the known word that `word` probably means: one is a prefix of the second, or few edits
/// are between them.
pub fn did_you_mean<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    known
        .iter()
        .filter(|candidate| is_near(&word, candidate))
        .min_by_key(|candidate| edit_distance(&word, candidate))
        .copied()
}

/// Returns `true` if `word` is `scalapack`, or nearer to it than to any distribution.
pub fn means_scalapack(word: &str) -> bool {
    did_you_mean(word, &[SCALAPACK]).is_some() && did_you_mean(word, DISTRIBUTIONS).is_none()
}

/// Words of other libraries' layouts for what local arrays have here.
const OF_ARRAYS: [&str; 10] = [
    "halo", "halos", "ghost", "ghosts", "overlap", "shadow", "pad", "padding", "stride", "strides",
];

/// Returns the message for a word that is none of those known.
pub fn unknown_word(what: &str, word: &str, known: &[&str]) -> String {
    if OF_ARRAYS.contains(&word.to_lowercase().as_str()) {
        return format!(
            "unknown {what} `{word}`; halos, padding and strides are of each rank's local array, and are told where a \
             plan is bound"
        );
    }
    match did_you_mean(word, known) {
        Some(near) => format!("unknown {what} `{word}`; did you mean `{near}`?"),
        None => format!("unknown {what} `{word}`; expected {}", alternatives(known)),
    }
}

/// Lists words to choose from: `` `a`, `b` or `c` ``.
pub fn alternatives<T: Display>(words: &[T]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// Writes `1 rank`, `2 ranks`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Allows one edit for three letters, and never all; `f` is not near `c`, nor `offset` near `of`.
fn is_near(word: &str, candidate: &str) -> bool {
    let longer = word.chars().count().max(candidate.len());
    let begins = (candidate.len() > 2 && word.starts_with(candidate))
        || (!word.is_empty() && candidate.starts_with(word));
    begins || (longer > 1 && edit_distance(word, candidate) <= (longer / 3).max(1).min(longer - 1))
}

fn edit_distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
    for (row, cells) in table.iter_mut().enumerate() {
        cells[0] = row;
    }
    for (column, cell) in table[0].iter_mut().enumerate() {
        *cell = column;
    }
    for row in 1..=left.len() {
        for column in 1..=right.len() {
            let differs = usize::from(left[row - 1] != right[column - 1]);
            let mut edits = (table[row - 1][column - 1] + differs)
                .min(table[row - 1][column] + 1)
                .min(table[row][column - 1] + 1);
            let swapped = row > 1
                && column > 1
                && left[row - 1] == right[column - 2]
                && left[row - 2] == right[column - 1];
            if swapped {
                edits = edits.min(table[row - 2][column - 2] + 1);
            }
            table[row][column] = edits;
        }
    }
    table[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("form", "from"), 1);
        assert_eq!(edit_distance("cyclik", "cyclic"), 1);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }

    #[test]
    fn near_words_are_proposed() {
        assert_eq!(did_you_mean("BLOK", DISTRIBUTIONS), Some("block"));
        assert_eq!(did_you_mean("genblock", DISTRIBUTIONS), Some("gen_block"));
        assert_eq!(did_you_mean("ontoo", MODIFIERS), Some("onto"));
        assert_eq!(did_you_mean("transpose", MODIFIERS), Some("transposed"));
        assert_eq!(did_you_mean("column", RANK_ORDERS), Some("col"));
        assert_eq!(did_you_mean("f", STORAGE_ORDERS), Some("fortran"));
    }

    #[test]
    fn lists_and_numbers_read_as_english() {
        let counts = [0, 1, 2].map(|count| counted(count, "extent"));
        assert_eq!(counts, ["0 extents", "1 extent", "2 extents"]);
        assert_eq!(alternatives(&["a"]), "`a`");
        assert_eq!(alternatives(&["a", "b", "c"]), "`a`, `b` or `c`");
        let unknown = unknown_word("storage order", "rows", STORAGE_ORDERS);
        assert_eq!(unknown, "unknown storage order `rows`; expected `c` or `fortran`");
    }

    #[test]
    fn scalapack_is_told_from_distributions() {
        assert!(["scalapack", "ScaLAPAK", "scalpack"].into_iter().all(means_scalapack));
        assert!(!["block", "cylic", "pack", "scale"].into_iter().any(means_scalapack));
    }

    #[test]
    fn far_words_are_not() {
        assert_eq!(did_you_mean("", MODIFIERS), None);
        assert_eq!(did_you_mean("x", STORAGE_ORDERS), None);
        assert_eq!(did_you_mean("offset", MODIFIERS), None);
        assert_eq!(did_you_mean("column", STORAGE_ORDERS), None);
        assert_eq!(did_you_mean("ähnlich", DISTRIBUTIONS), None);
    }
}
