//! Direct copies from one rank's local array to another rank's.

mod copy;
mod direct_copies;
mod exchange;
mod pairs;
mod rows;
mod staged;

pub(super) use copy::{copy_stored, copy_strided};
pub(super) use direct_copies::DirectCopies;
pub use direct_copies::RankCopies;
pub(super) use pairs::Pairs;
pub(super) use rows::CopyOptions;
pub(super) use staged::Staged;

#[cfg(test)]
mod tests;
