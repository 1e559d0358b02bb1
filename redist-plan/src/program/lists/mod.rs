//! Moves by lists: each rank knows the global indices of its own elements, before and after.
//!
//! No rank knows another's list. So ranks meet at a directory: rank `d` answers for the `d`th block
//! of all indices. Each rank sends every part of its lists to the rank that answers for it. The
//! directory joins owners with the ranks that want their indices, and tells both ([`join`]). They
//! make a [`ListProgram`] of the answers: runs of the local array, message by message.
//!
//! No directory is asked where all ranks have one run of indices each on a side, as of an array in
//! blocks. Ranks tell each other of these runs, and each finds the owners by itself (`partition.rs`).
//!
//! Words travel over log₂ P neighbours ([`route`]), so that a rank sends as many messages, whatever
//! the lists are. A rank holds its own lists, its block of indices, and what travels through it:
//! in the mean its share of all, for P ranks n/P elements.
//!
//! Elements of a message are in the order of the blocks of indices, and those of a block in the order
//! of the receiver's places. Without a directory they are in the order of the rank that finds the
//! owners. Neighbours in both lists become runs, and runs at equal distances one group of runs, which
//! is copied as such.

mod directory;
mod error;
mod index_list;
mod list_program;
mod partition;
mod router;
#[cfg(test)]
mod tests;
mod words;

pub use error::ListError;
pub use index_list::{IndexList, IndexRun};
pub use list_program::{ListMessage, ListPart, ListProgram, ListRun, ListSides, Places};
pub use router::Neighbours;
#[doc(hidden)]
pub use {
    directory::join,
    partition::{are_told, told_by},
    router::{met, route},
};
