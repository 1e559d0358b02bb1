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

/// Tells of the work of all ranks: each does as much as this one.
pub struct OfAll<'a> {
    pub watch: &'a dyn Watch,
    /// Number of ranks.
    pub ranks: usize,
}

impl Watch for OfAll<'_> {
    fn begin(&self, what: &'static str, bytes: u64) {
        self.watch.begin(what, bytes);
    }

    fn add(&self, bytes: u64) {
        self.watch.add(bytes.saturating_mul(self.ranks as u64));
    }

    fn end(&self) {
        self.watch.end();
    }

    fn warn(&self, words: &str) {
        self.watch.warn(words);
    }
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
