//! The arrays that ranks lend each other, as pointers between moves.
//!
//! Unsafe, since a lifetime cannot say that arrays are used by other ranks until they are through.

use super::{Leave, Lent};
use std::cell::UnsafeCell;

/// The arrays of all ranks, by rank: looked at only while they are lent, and kept for their memory
/// otherwise.
#[derive(Debug)]
pub struct LentArrays {
    sources: Vec<*const [u8]>,
    destinations: Vec<*const [UnsafeCell<u8>]>,
}

impl LentArrays {
    pub fn new(ranks: usize) -> Self {
        Self { sources: Vec::with_capacity(ranks), destinations: Vec::with_capacity(ranks) }
    }

    /// Notes the arrays of a move. Allocates nothing.
    pub fn note(
        &mut self,
        sources: impl Iterator<Item = *const [u8]>,
        destinations: impl Iterator<Item = *const [UnsafeCell<u8>]>,
    ) {
        self.sources.clear();
        self.destinations.clear();
        self.sources.extend(sources);
        self.destinations.extend(destinations);
    }

    /// What was noted last, until it is dropped, which is when this rank leaves the `ranks`.
    ///
    /// # Safety
    /// Each pointer is of a slice whose owner keeps it borrowed, mutably if it is a destination,
    /// and does not use it otherwise, until it has left the `ranks`. No rank has left before all
    /// have told that they are through, which orders what is copied before what owners do
    /// afterwards; what owners did before is ordered before this call.
    pub unsafe fn lent<'a>(&'a self, ranks: &'a dyn Leave) -> Lent<'a> {
        // SAFETY: a reference to a slice has the layout of a pointer to it, and the lists are
        // borrowed for `'a`. The caller says that each pointer is of a slice that its owner keeps
        // borrowed until it has left, which none does before this rank has told that it is through;
        // it tells so when it drops what is made here, and uses that no more. Other ranks may write
        // to destinations, which are cells, and write to no source.
        let (sources, destinations) = unsafe {
            let sources: *const [*const [u8]] = &raw const self.sources[..];
            let destinations: *const [*const [UnsafeCell<u8>]] = &raw const self.destinations[..];
            (&*(sources as *const [&[u8]]), &*(destinations as *const [&[UnsafeCell<u8>]]))
        };
        Lent { sources, destinations, ranks: Some(ranks) }
    }
}
