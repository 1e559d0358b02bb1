//! Errors of options that do not fit the plan.

/// The reason why a picture cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{option}{}{reason}", if option.is_empty() { "" } else { " " })]
pub struct DrawError {
    /// `axes`, `slice`, `pair` or `method:`; empty if it is about the plan.
    pub option: &'static str,
    /// Its value and its mistake.
    pub reason: String,
}

impl DrawError {
    pub(crate) fn of(option: &'static str, reason: impl Into<String>) -> Self {
        Self { option, reason: reason.into() }
    }
}
