//! Copies from local array to local array, without a message between: both ends' offsets in step.

mod chunks;
mod interleaving;
mod lattice;
mod overlap;
mod rounds;
mod rows;
mod tiles;
mod value;

pub use chunks::{Chunks, RankChunks};
pub use interleaving::{Front, Interleaving, MOST_COORDINATES, Rounds, Run};
pub use lattice::{Lattice, Spacing};
pub use overlap::Overlap;
pub use rows::{Grain, Row, RowProgram, RowWalk};
pub use value::{DirectProgram, Walk};
