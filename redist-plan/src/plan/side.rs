//! The two sides of a redistribution.

use core::fmt;

/// One of the two sides of a redistribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The array before the move: `from`.
    Source,
    /// The array after the move: `to`.
    Destination,
}

impl Side {
    /// The side across.
    pub const fn other(self) -> Side {
        match self {
            Side::Source => Side::Destination,
            Side::Destination => Side::Source,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Source => "source",
            Side::Destination => "destination",
        })
    }
}
