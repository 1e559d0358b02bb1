//! Copies from local array to local array, without a message between: both ends' offsets in step.

mod chunks;
mod lattice;
mod overlap;
mod rounds;
mod tiles;
mod value;

pub use chunks::{Chunks, RankChunks};
pub use lattice::{Lattice, Spacing};
pub use overlap::Overlap;
pub use value::{DirectProgram, Walk};
