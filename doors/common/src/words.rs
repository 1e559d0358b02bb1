//! Translates Rust's names in messages to another language's.

use redist::layout::vocabulary::ONE_COPY;

pub type Names = [(&'static str, &'static str)];

pub const C: &Names = &[
    (ONE_COPY, "a plan has one copy on each side; plans between copies are made in Rust alone"),
    ("`Bound::local_len`", "`redist_local_len`"),
    ("`Bound::array`", "the lengths of `redist_local`"),
    ("`Bound::shared_array`", "`redist_shared_alloc`"),
    ("`Binder::within`", "REDIST_PADDING_WITHIN"),
    ("`Binder::strides`", "REDIST_PADDING_STRIDES"),
];

pub const PYTHON: &Names = &[
    (ONE_COPY, "a plan has one copy on each side; make one plan for each copy"),
    ("`Bound::local_len`", "`Bound.local_shape`"),
    ("`Bound::array`", "`Bound.empty`"),
    ("`Bound::shared_array`", "`Bound.shared`"),
    ("`Binder::within`", "`src_like` or `dst_like`"),
    ("`Binder::strides`", "`src_like` or `dst_like`"),
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
        let (found_shape, found_strides) = (vec![4, 3], vec![5, 1]);
        let errors = [
            Error::LocalLength { rank, side, expected: 12, found: 11 },
            Error::ShortArray { rank, side, needed: 12, found: 11 },
            Error::ArrayShape { rank, side, shape, strides, found_shape, found_strides },
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
}
