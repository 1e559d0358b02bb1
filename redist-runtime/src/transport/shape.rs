//! What ranks that have met in a move do together.

use super::SlotRooms;
use crate::error::Error;
use crate::program::RankChunks;
use core::cell::UnsafeCell;

/// What all ranks that have met in a move do: the same on all of them.
pub enum Shape<'a> {
    /// Packed messages go.
    Messages,
    /// All use each other's arrays.
    Lent(Lent<'a>),
    /// All show each other chunks of their source arrays.
    Chunks(Shown<'a>),
    /// All have packed messages for each other where all find them.
    Packed(PackedSlots<'a>),
}

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
    /// Its [number](RankChunks::number).
    pub(crate) number: usize,
    /// The bytes of the chunk; where they are this rank's own, none.
    pub(crate) bytes: &'m [u8],
}

/// The chunks of one move. When it is dropped before the end, the others are told.
pub struct Shown<'a>(pub(crate) &'a mut dyn ShowsChunks);

/// A channel that shows source arrays a chunk at a time.
pub trait ShowsChunks {
    /// Shows this rank's next chunks, and returns one of every rank, by rank; `None` when all have
    /// been returned.
    ///
    /// # Errors
    /// Naming the rank, that another has left the move in the middle.
    fn next(&mut self, source: &[u8], own: &RankChunks) -> Result<Option<&[Chunk<'_>]>, Error>;

    /// Tells the others that they wait in vain, unless the move has ended.
    fn leave(&mut self);
}

impl Shown<'_> {
    /// As [`ShowsChunks::next`].
    pub fn next(&mut self, source: &[u8], own: &RankChunks) -> Result<Option<&[Chunk<'_>]>, Error> {
        self.0.next(source, own)
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// The packed messages of one move. When it is dropped before the end, the others are told.
pub struct PackedSlots<'a>(pub(crate) &'a mut dyn PacksSlots);

/// A channel whose messages are read where they were packed.
pub trait PacksSlots {
    /// Memory to pack into, where this rank has not packed before all met.
    ///
    /// # Errors
    /// Naming the rank, that another has left a move in the middle.
    fn rooms(&mut self) -> Result<Option<SlotRooms<'_>>, Error>;

    /// Waits until all have packed, as this rank has.
    ///
    /// # Errors
    /// As [`rooms`](Self::rooms).
    fn wait_for_all(&mut self) -> Result<(), Error>;

    /// Adds each incoming message, when all have packed.
    fn add_messages<'m>(&'m self, messages: &mut Vec<&'m [u8]>);

    /// Ends the move, whose messages have been read.
    fn end_packed(&mut self);

    /// Tells the others that they wait in vain, unless the move has ended.
    fn leave_packed(&mut self);
}

impl Drop for PackedSlots<'_> {
    fn drop(&mut self) {
        self.0.leave_packed();
    }
}
