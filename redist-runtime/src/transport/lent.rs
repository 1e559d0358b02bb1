//! Arrays that ranks share: slices while they do, pointers between moves. Unsafe, because no
//! lifetime says that other ranks use arrays until they have left.

use crate::error::Error;
use std::cell::UnsafeCell;

/// The arrays of all ranks, by rank, shared until the last rank leaves.
pub struct Lent<'a> {
    /// Sources, read only. They may be longer than needed by some elements.
    pub(crate) sources: &'a [&'a [u8]],
    /// Destinations. One rank, agreed on by all, writes each element; no other rank uses it. Empty
    /// if each rank writes to its own destination only.
    pub(crate) destinations: &'a [&'a [UnsafeCell<u8>]],
    /// The ranks to leave; `None` once this rank has left.
    pub(crate) ranks: Option<&'a dyn Leave>,
}

/// Ranks that share their arrays, and leave together.
pub trait Leave {
    /// Publishes that this rank has copied its share, or has `failed` to, and waits for all ranks;
    /// none uses its arrays afterwards. Fails if another rank has failed, and names it.
    fn leave(&self, failed: bool) -> Result<(), Error>;
}

impl Lent<'_> {
    /// Waits until no rank uses this rank's arrays. Returns the errors of [`Leave::leave`].
    pub fn end(mut self) -> Result<(), Error> {
        self.ranks.take().map_or(Ok(()), |ranks| ranks.leave(false))
    }
}

impl Drop for Lent<'_> {
    /// Runs while unwinding: arrays must stay until all ranks have left.
    fn drop(&mut self) {
        if let Some(ranks) = self.ranks.take() {
            let _ = ranks.leave(true);
        }
    }
}

/// The number of a chunk of a rank that publishes none.
pub const NO_CHUNK: usize = usize::MAX;

/// A chunk of a sender's source array.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'m> {
    /// Its place in the sender's array, or [`NO_CHUNK`].
    pub(crate) number: usize,
    /// The bytes of the chunk; empty for this rank's own.
    pub(crate) bytes: &'m [u8],
}

/// The arrays of all ranks, by rank: read only while shared.
#[derive(Debug)]
pub struct LentArrays {
    /// Source of each rank.
    sources: Vec<*const [u8]>,
    /// Destination of each rank.
    destinations: Vec<*const [UnsafeCell<u8>]>,
}

impl LentArrays {
    pub fn new(ranks: usize) -> Self {
        Self { sources: Vec::with_capacity(ranks), destinations: Vec::with_capacity(ranks) }
    }

    /// Sets the arrays of a move. Allocates nothing.
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

    /// Returns the sources that were set last.
    ///
    /// # Safety
    /// Each owner keeps its slice borrowed, and nothing writes to it, as long as `self` is borrowed.
    pub unsafe fn sources(&self) -> &[&[u8]] {
        let sources: *const [*const [u8]] = &raw const self.sources[..];
        // SAFETY: a reference to a slice has the layout of a pointer to it, the list is borrowed as
        // long as the result, and the caller vouches for the slices.
        unsafe { &*(sources as *const [&[u8]]) }
    }

    /// Returns the arrays that were set last; dropping them leaves the `ranks`.
    ///
    /// # Safety
    /// Each owner keeps its pointer's slice borrowed: mutably, if it is a destination. The owner
    /// does not use it otherwise until it has left the `ranks`. No rank has left before all have
    /// published that they are through, which orders copies before later accesses of the owners.
    /// Earlier accesses of the owners are ordered before this call.
    pub unsafe fn lent<'a>(&'a self, ranks: &'a dyn Leave) -> Lent<'a> {
        // SAFETY: a reference to a slice has the layout of a pointer to it, and the lists are
        // borrowed for `'a`. The owner of each slice keeps it borrowed until it has left, as the
        // caller promises. No owner leaves before this rank has published that it is through. This
        // rank does so when it drops the value made here, and uses the slices no longer. Other
        // ranks may write to destinations, which are cells, and write to no source.
        let (sources, destinations) = unsafe {
            let sources: *const [*const [u8]] = &raw const self.sources[..];
            let destinations: *const [*const [UnsafeCell<u8>]] = &raw const self.destinations[..];
            (&*(sources as *const [&[u8]]), &*(destinations as *const [&[UnsafeCell<u8>]]))
        };
        Lent { sources, destinations, ranks: Some(ranks) }
    }
}
