//! Stage 1, **layout**: one side of a redistribution.
//!
//! Extents, the distribution of each dimension, the process grid, the orders; who owns which
//! element and where. Knows nothing of the other side, of element types or of transports. All sizes
//! are in elements.

mod any;
mod block_cyclic;
mod blocks;
mod copies;
mod descriptor;
mod dist;
mod error;
pub mod interchange;
mod local;
mod notation;
mod order;
mod ownership;
mod padding;
mod ranks;
mod side;
#[doc(hidden)]
pub mod vocabulary;

#[doc(hidden)]
pub use any::AnyDescriptor;
pub use block_cyclic::BlockCyclic;
pub use blocks::Block;
pub use copies::MAX_COPIED_RANKS;
pub use descriptor::Descriptor;
pub use dist::Dist;
pub use error::{BlockCyclicError, LayoutError, MAX_EXTENT, MAX_PARTS_OF_ROWS, MAX_RANKS};
pub use local::{GlobalIndices, LocalArray};
pub use notation::NotationError;
pub use order::{RankOrder, StorageOrder};
#[doc(hidden)]
pub use padding::LocalPlaces;
pub use padding::{Padding, PaddingError};
pub use ranks::Ranks;
pub use side::Layout;
