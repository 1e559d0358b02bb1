//! What ranks lend or show each other of their arrays: slices while they do, pointers between moves.
//!
//! Unsafe, since a lifetime cannot say that arrays are used by other ranks until they are through.

use crate::error::Error;
use std::cell::UnsafeCell;

/// The arrays that all ranks lend each other until the last is through, by rank.
pub struct Lent<'a> {
    /// These are read only. They may be longer than they should by some elements.
    pub(crate) sources: &'a [&'a [u8]],
    /// Each element may be written to by one rank, which all have to agree on; no other rank uses
    /// it. Empty where each rank writes to its own destination alone.
    pub(crate) destinations: &'a [&'a [UnsafeCell<u8>]],
    /// Until it has left.
    pub(crate) ranks: Option<&'a dyn Leave>,
}

/// Those who lend each other their arrays.
pub trait Leave {
    /// Tells that this rank has copied its share, or has `failed` to, and waits until all have: no
    /// rank uses this one's arrays any more then.
    ///
    /// # Errors
    /// Naming the rank, that another has failed to copy its share.
    fn leave(&self, failed: bool) -> Result<(), Error>;
}

impl Lent<'_> {
    /// Waits until no rank uses this one's arrays any more.
    ///
    /// # Errors
    /// Naming the rank, that another has failed to copy its share.
    pub fn end(mut self) -> Result<(), Error> {
        self.ranks.take().map_or(Ok(()), |ranks| ranks.leave(false))
    }
}

impl Drop for Lent<'_> {
    /// While unwinding, that is: arrays must not go before all are through.
    fn drop(&mut self) {
        if let Some(ranks) = self.ranks.take() {
            let _ = ranks.leave(true);
        }
    }
}

/// A chunk of a rank's source array.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'m> {
    /// Its [number](crate::program::RankChunks::number).
    pub(crate) number: usize,
    /// The bytes of the chunk; where they are this rank's own, none.
    pub(crate) bytes: &'m [u8],
}

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
