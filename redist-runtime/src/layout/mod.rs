//! Stage 1: one side of a redistribution. Knows nothing of the other side, of element types or of transports.

mod order;
pub mod vocabulary;

pub use order::{RankOrder, StorageOrder};
