//! Stage 1, **layout**: extents, distributions, process grid and orders of one side; who owns which
//! element and where. It knows no other side, no element types and no transports.

mod any;
mod balanced;
mod block_cyclic;
mod blocks;
mod const_text;
mod copies;
mod descriptor;
mod dist;
mod error;
mod factor;
pub mod interchange;
mod listed;
mod local;
mod notation;
mod order;
mod ownership;
mod padding;
mod ranks;
mod side;
mod split;
#[doc(hidden)]
pub mod vocabulary;

#[doc(hidden)]
pub use any::AnyDescriptor;
pub use block_cyclic::BlockCyclic;
pub use blocks::Block;
#[doc(hidden)]
pub use const_text::ConstText;
pub(crate) use const_text::in_const_words;
#[doc(hidden)]
pub use copies::Copies;
pub use copies::CopiesAlongError;
pub use descriptor::Descriptor;
pub use dist::Dist;
pub use error::{BlockCyclicError, LayoutError, MAX_EXTENT, MAX_PARTS_OF_ROWS, MAX_RANKS};
pub use factor::{Factor, FactorDist};
pub use local::LocalArray;
pub use notation::NotationError;
pub use order::{RankOrder, StorageOrder};
#[doc(hidden)]
pub use padding::LocalPlaces;
pub use padding::{Padding, PaddingError};
pub use ranks::Ranks;
pub use side::{Layout, MAX_COPIED_RANKS};
