//! Translates Rust's names in messages to another language's.

use redist::layout::vocabulary::{ONE_COPY, WHOLE};

pub type Names = [(&'static str, &'static str)];

/// The error for a grid where nothing is distributed, of plans with one copy.
const WHOLE_ONCE: &str = "where all is `*`, one rank stores the whole array; leave `onto` out, and \
                          name the rank if it is not rank 0, as in `ranks 2..3`";

pub const C: &Names = &[
    (
        ONE_COPY,
        "a plan has one copy on each side; `redist_copies_parse` plans moves between copies",
    ),
    (
        "did you mean `copies`?",
        "a plan has one copy on each side; `redist_copies_parse` plans moves between copies",
    ),
    (", `axes` or `copies`", " or `axes`"),
    (WHOLE, WHOLE_ONCE),
    ("`AnyBound::run_with`", "`redist_run_with`"),
    ("`Bound::local_len`", "`redist_local_len`"),
    ("`Bound::array`", "the lengths of `redist_local`"),
    ("`Bound::shared_array`", "`redist_shared_alloc`"),
    ("`Binder::within`", "REDIST_PADDING_WITHIN"),
    ("`Binder::strides`", "REDIST_PADDING_STRIDES"),
    ("--element-bytes", "`element_bytes`"),
    ("--force", "`force`"),
    ("--memory", "`memory_bytes`"),
];

pub const PYTHON: &Names = &[
    (ONE_COPY, "a plan has one copy on each side; `Copies` moves between copies"),
    ("did you mean `copies`?", "a plan has one copy on each side; `Copies` moves between copies"),
    (", `axes` or `copies`", " or `axes`"),
    (WHOLE, WHOLE_ONCE),
    ("`Bound::local_len`", "`Bound.local_shape`"),
    ("`Bound::array`", "`Bound.empty`"),
    ("`Bound::shared_array`", "`Bound.shared`"),
    ("`Route::Automatic`", "`automatic`"),
    ("`Binder::within`", "`src_like` or `dst_like`"),
    ("`Binder::strides`", "`src_like` or `dst_like`"),
    ("--element-bytes", "`element_bytes`"),
    ("--force", "`force=True`"),
    ("--memory", "`memory`"),
    ("local source array", "src array"),
    ("local destination array", "dst array"),
    ("the source array", "the src array"),
    ("the destination array", "the dst array"),
    ("the source and the destination overlap", "the src and the dst array overlap"),
    ("the source has shape", "the src array has shape"),
    ("the destination has shape", "the dst array has shape"),
    ("the source is an array", "the src array is one"),
    ("the destination is an array", "the dst array is one"),
    ("the source is a shared", "the src array is a shared"),
    ("the destination is a shared", "the dst array is a shared"),
];

pub fn in_names(message: &str, names: &Names) -> String {
    names.iter().fold(message.to_owned(), |text, (ours, theirs)| text.replace(ours, theirs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DoorPlan;
    use redist::{Error, Side};

    #[test]
    fn messages_have_no_names_of_rust() {
        let (rank, side) = (1, Side::Source);
        let (shape, strides) = (vec![4, 3], vec![3, 1]);
        let (found_shape, found_strides, exchanged) = (vec![4, 3], vec![5, 1], false);
        let errors = [
            Error::LocalLength { rank, side, expected: 12, found: 11, exchanged: true },
            Error::ShortArray { rank, side, needed: 12, found: 11, exchanged: false },
            Error::ArrayShape { rank, side, shape, strides, found_shape, found_strides, exchanged },
            Error::ArrayGaps { rank, side },
            Error::ForeignArray { rank, side },
        ];
        let mut messages: Vec<String> = errors.iter().map(Error::to_string).collect();
        messages
            .push(DoorPlan::parse(&[6], "block onto 2", "(*) copies 2").unwrap_err().to_string());
        for message in messages {
            assert!(message.contains("::"), "{message}");
            for names in [C, PYTHON] {
                let text = in_names(&message, names);
                assert!(!text.contains("::") && !text.contains('!'), "{text}");
            }
        }
    }

    #[test]
    fn copies_are_not_offered_where_they_are_refused() {
        let (other, copy) = ("block onto 2 wide", "block onto 2 copys 3");
        for (text, word) in [(other, "`copies`"), (copy, "`copies`?"), ("(*) onto 2", "`copies 4`")]
        {
            let message = DoorPlan::parse(&[6], text, "(*)").unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
            for names in [C, PYTHON] {
                let text = in_names(&message, names);
                assert!(!text.contains("`copies"), "{text}");
            }
        }
    }
}
