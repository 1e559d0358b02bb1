use std::fmt;

/// The reason why a picture cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
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

impl fmt::Display for DrawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.option.is_empty() { "" } else { " " };
        write!(f, "{}{space}{}", self.option, self.reason)
    }
}
