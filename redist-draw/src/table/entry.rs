//! An entry of a table, and a row of entries.

/// A piece of the array in its place, or a message in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The piece's place in the order of the global index, from 0; `None` for a message of several.
    pub piece: Option<usize>,
    /// The rank that owns it after the move, on the destination's side.
    pub destination: usize,
    /// Elements of the piece, or of the message.
    pub len: usize,
}

/// One entry for each rank of a side, if any.
pub type Row = Vec<Option<Entry>>;
