//! How rows are copied between a local array and messages, one file a regime.
//!
//! A kernel is chosen once, when a plan is bound, from the shape of a rank's runs: [`choose`]. What it decided, and why,
//! is a [`Recipe`], which can be printed and compared. All unsafe code is in `raw/`; [`section`] is its checked
//! interface.

mod build;
mod choose;
mod memory;
mod part;
mod pattern;
mod raw;
mod recipe;
mod row;
mod section;
#[cfg(test)]
mod tests;
mod vectors;

pub use memory::{Memory, set_nontemporal_threshold};
pub(super) use raw::deal::Network;
pub(super) use raw::memory::{fence, fetch_to_read};
pub use recipe::{Kernel, Recipe};
pub(super) use row::{Allowed, Extent, Row};
pub(super) use section::MOST_PEERS;
pub use vectors::{Vectors, limit_vectors};

/// Which side is copied from.
pub(super) trait Direction {
    /// True from the local array to messages.
    const PACKS: bool;

    /// Where a copy between a place in the local array and one in a message comes from, and where it goes.
    fn ends(local: *mut u8, message: *mut u8) -> (*const u8, *mut u8);
}

/// From the local array to messages.
pub(super) struct Pack;

/// From messages to the local array.
pub(super) struct Unpack;

impl Direction for Pack {
    const PACKS: bool = true;

    #[inline(always)]
    fn ends(local: *mut u8, message: *mut u8) -> (*const u8, *mut u8) {
        (local, message)
    }
}

impl Direction for Unpack {
    const PACKS: bool = false;

    #[inline(always)]
    fn ends(local: *mut u8, message: *mut u8) -> (*const u8, *mut u8) {
        (message, local)
    }
}
