//! A caller's view of the work.

/// Receives progress and warnings.
pub trait Watch: Sync {
    /// Begins a stage of so many bytes, in a word.
    fn begin(&self, what: &'static str, bytes: u64);

    /// Adds bytes that are done.
    fn add(&self, bytes: u64);

    /// Ends a stage.
    fn end(&self);

    /// Tells of something that is no error.
    fn warn(&self, words: &str);
}

/// Looks away.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn begin(&self, _what: &'static str, _bytes: u64) {}

    fn add(&self, _bytes: u64) {}

    fn end(&self) {}

    fn warn(&self, _words: &str) {}
}
