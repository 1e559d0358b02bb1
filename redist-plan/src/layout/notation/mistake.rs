//! Mistakes in the notation, with their places.

use crate::quote::marked;
use core::ops::Range;

/// A mistake in a layout; [`Display`](core::fmt::Display) quotes and marks its place:
///
/// ```
/// # use redist_plan as redist;
/// let error = "cylic(3) onto 2".parse::<redist::Layout<1>>().unwrap_err();
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
    /// The mistake and its mend.
    #[doc(hidden)]
    pub message: String,
    /// The text.
    #[doc(hidden)]
    pub text: String,
    /// The bytes of the text at fault.
    #[doc(hidden)]
    pub span: Range<usize>,
}

debug_in_words!(NotationError);

/// A mistake in a text, before the text is quoted.
#[derive(Debug)]
pub(super) struct Mistake {
    pub message: String,
    /// Bytes of the text at fault.
    pub span: Range<usize>,
}

impl Mistake {
    pub fn of(self, text: &str) -> NotationError {
        NotationError { message: self.message, text: text.to_owned(), span: self.span }
    }
}
