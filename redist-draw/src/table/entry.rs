/// A piece of a source's local array, or a message in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub destination: usize,
    pub len: usize,
}

/// One entry for each source, if any.
pub type Row = Vec<Option<Entry>>;
