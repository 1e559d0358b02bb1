//! The cells of the tables.

/// A piece of a source's local array, or a message in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The destination's number in its grid.
    pub destination: usize,
    /// Elements.
    pub len: usize,
}

/// A row of entries, one for each source; `None` where a source has none.
pub type Row = Vec<Option<Entry>>;
