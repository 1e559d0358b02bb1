//! Ranks are threads of this process: the default transport.
//!
//! ```
//! # use redist_runtime as redist;
//! use redist::threads;
//! let squares = threads::run(4, |rank| Ok::<_, redist::Error>(rank.rank() * rank.rank()))?;
//! assert_eq!(squares, [0, 1, 4, 9]);
//! # Ok::<(), threads::Failure<redist::Error>>(())
//! ```
//!
//! Ranks that [run](crate::exec::Bound::run) a move share their arrays. If each exchanges elements
//! with each, all divide the copies; else each copies its part, and exchanges nothing with ranks
//! that it has no elements for. If a rank starts a move to finish it later, or there is a schedule,
//! receivers unpack messages from the sender's buffer. If a rank returns early, fails or panics,
//! every rank that waits for it gets [`Error::RankEnded`](crate::Error::RankEnded).

mod board;
mod channel;
mod group;
#[cfg(all(test, loom))]
pub(super) mod models;
mod open;
mod outbox;
mod spawn;
mod subjects;
#[cfg(all(test, not(loom)))]
mod tests;

pub use group::Rank;
pub use spawn::{Failure, run};
