//! Ranks are threads of this process: the default transport.
//!
//! ```
//! use redist_runtime::transport::{Transport, threads};
//! let squares = threads::run(4, |rank| Ok::<_, redist_runtime::Error>(rank.rank() * rank.rank()))?;
//! assert_eq!(squares, [0, 1, 4, 9]);
//! # Ok::<(), threads::Failure<redist_runtime::Error>>(())
//! ```
//!
//! A receiver unpacks straight from the sender's packed messages, so there is one buffer, the sender's. If a rank
//! returns early, fails or panics, every rank that waits for it gets [`Error::RankEnded`](crate::Error::RankEnded).

mod channel;
mod group;
mod offer;
mod rounds;
mod spawn;
mod turns;

pub use channel::ThreadChannel;
pub use group::Rank;
pub use spawn::{Failure, run};
