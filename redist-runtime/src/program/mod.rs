//! Stage 3, **program**: what one rank does.
//!
//! Which stretches of its local array belong to which message, in which order, and how long each message is. Knows
//! one rank of one plan; nothing of element types, buffers, sockets or threads.

mod blocks;
mod by_peer;
mod cursor;
mod deal;
mod direct;
mod footprint;
mod fragment;
mod level;
mod period;
mod steps;
mod table;
mod value;

pub use blocks::{BlockStart, OwnBlocks};
pub(crate) use by_peer::ByPeer;
#[cfg(feature = "mpi")]
pub(crate) use by_peer::Strided;
pub use deal::Deal;
pub use direct::{
    Chunks, DirectProgram, Front, Grain, Interleaving, Lattice, MOST_COORDINATES, Overlap, RankChunks, Rounds, Row,
    RowProgram, RowWalk, Run, Spacing, Walk,
};
pub use footprint::Footprint;
#[cfg(feature = "mpi")]
pub(crate) use footprint::Loop;
pub use level::Level;
pub(crate) use period::{Period, Share};
pub use steps::{Step, steps};
pub use value::{Envelope, Program};
