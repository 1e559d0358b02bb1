//! One rank's end of repeated moves of one plan.

#[cfg(not(feature = "mpi"))]
use self::{NoMessages as Inbox, NoMessages as Posting, NoMessages as SlotRooms};
#[cfg(feature = "mpi")]
use super::mpi::{Inbox, JoinedRooms, Posting, SharedBytes, SlotRooms};
use super::{Lists, Messages, Shape, Way};
#[cfg(feature = "mpi")]
use crate::element::ElementType;
use crate::error::Error;
use crate::program::{RankChunks, StridedArrays};
#[cfg(not(feature = "mpi"))]
use core::{convert::Infallible, marker::PhantomData};
use std::sync::Arc;

/// What a call ends with that the function of a move makes: the others wait for that move to end, and
/// so would this rank for the others.
pub fn within_another(rank: usize) -> Error {
    let reason = format!(
        "rank {rank} asks for it in the function of another move, for whose end the others wait"
    );
    Error::Unavailable { what: "a move or a plan".into(), reason }
}

/// The bytes of this rank's source array.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// In memory of its own.
    Own(&'a [u8]),
    /// In its part of an array that the ranks of a node share.
    #[cfg(feature = "mpi")]
    Shared(&'a SharedBytes),
}

impl<'a> Source<'a> {
    /// Wherever it lies.
    pub fn bytes(&self) -> &'a [u8] {
        match self {
            Source::Own(bytes) => bytes,
            #[cfg(feature = "mpi")]
            Source::Shared(array) => array.bytes(),
        }
    }
}

/// The bytes of this rank's destination array.
#[derive(Debug)]
pub enum Target<'a> {
    /// In memory of its own.
    Own(&'a mut [u8]),
    /// In its part of an array that the ranks of a node share.
    #[cfg(feature = "mpi")]
    Shared(&'a mut SharedBytes),
    /// Kept: a function of this rank's writes to it, and no other rank does.
    Kept,
}

impl<'a> Target<'a> {
    /// Wherever it lies.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Target::Own(bytes) => bytes,
            Target::Kept => &mut [],
            #[cfg(feature = "mpi")]
            Target::Shared(array) => array.bytes_mut(),
        }
    }

    /// Wherever it lies.
    pub fn into_bytes(self) -> &'a mut [u8] {
        match self {
            Target::Own(bytes) => bytes,
            Target::Kept => &mut [],
            #[cfg(feature = "mpi")]
            Target::Shared(array) => array.bytes_mut(),
        }
    }
}

/// Both of a rank's arrays.
#[derive(Debug)]
pub struct Arrays<'a> {
    pub source: Source<'a>,
    pub target: Target<'a>,
}

/// Memory to pack messages into, and what sends them while others are packed, where that is possible.
pub struct Outbox<'a> {
    pub rooms: Rooms<'a>,
    pub posting: Option<Posting<'a>>,
}

/// Where messages are packed.
pub enum Rooms<'a> {
    /// In one buffer.
    Buffer(&'a mut [u8]),
    /// Where the ranks of a node find them.
    #[cfg(feature = "mpi")]
    Joined(JoinedRooms<'a>),
}

impl<'a> Rooms<'a> {
    /// Adds each message's memory.
    pub fn add_to(self, lists: &Lists, rooms: &mut Vec<&'a mut [u8]>) {
        match self {
            Rooms::Buffer(buffer) => rooms.extend(lists.split(buffer)),
            #[cfg(feature = "mpi")]
            Rooms::Joined(joined) => joined.add_to(rooms),
        }
    }

    /// The one buffer, which threads have.
    #[cfg(test)]
    pub fn buffer(self) -> &'a mut [u8] {
        match self {
            Rooms::Buffer(buffer) => buffer,
            #[cfg(feature = "mpi")]
            Rooms::Joined(_) => panic!("threads join nothing"),
        }
    }
}

/// What no transport has that sends no messages: neither a way to send them while they are packed,
/// nor messages that arrive.
#[cfg(not(feature = "mpi"))]
pub struct NoMessages<'a>(Infallible, PhantomData<&'a ()>);

#[cfg(not(feature = "mpi"))]
impl<'a> NoMessages<'a> {
    /// # Safety
    /// None can be made.
    pub unsafe fn packed(&mut self, _: usize, _: usize) -> Result<(), Error> {
        match self.0 {}
    }

    pub fn up_to(&mut self, _: usize, _: usize) -> Result<&'a [u8], Error> {
        match self.0 {}
    }

    pub fn add_to(self, _: &mut Vec<&'a mut [u8]>) {
        match self.0 {}
    }
}

/// Bytes of memory of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// For messages of this plan now.
    pub messages: usize,
    /// To show chunks in, for all plans of the communicator.
    pub window: usize,
}

/// One rank's end of repeated moves of one plan. Arrays and messages are the bytes of elements.
///
/// # Contract
/// A move is either run, [`meet`](Channel::meet), or begun and completed later,
/// [`begin`](Channel::begin). Both are collective, and some ranks may do the one and some the
/// other. Where this is the outcome, or the move was begun, messages go: they are
/// [prepared](Channel::prepare_messages) if they were not, [packed](Channel::begin_messages),
/// [sent](Channel::send), and when all ranks are found to have been ready
/// ([`agree`](Channel::agree)), received ([`inbox`](Channel::inbox), [`all`](Channel::all)), until
/// the move [ends](Channel::end). An error ends it, too, for all ranks.
pub trait Channel {
    /// What all ranks do where all of them run a move, and why: the same on all ranks.
    fn way(&self) -> (Way, &'static str);

    /// Where the local arrays of all ranks lie in memory, by rank and side, where some rank's are
    /// not dense and ranks use each other's all the same.
    fn arrays(&self) -> Option<StridedArrays> {
        None
    }

    /// Notes that a call begins that reads what ranks bring to a move, and that may call a function of
    /// the caller's: what it reads is not given back before the call [ends](Channel::end_call).
    ///
    /// # Errors
    /// That function makes it, of which the other ranks need not know.
    fn begin_call(&self) -> Result<(), Error>;

    /// Notes that such a call ends, returning or unwinding.
    fn end_call(&self);

    /// Bytes of memory that this rank has now.
    fn memory(&self) -> Held;

    /// Whether messages are received into memory of this rank's own, rather than read where their
    /// senders packed them.
    fn receives(&self) -> bool;

    /// Memory for `len` elements of this rank, which the other ranks of its node can use; or the
    /// reason why this rank asks for none. Collective.
    ///
    /// # Errors
    /// There is none, or less, or a rank asks for none: on every rank.
    #[cfg(feature = "mpi")]
    fn shared_bytes(
        &self,
        element: ElementType,
        len: Result<usize, Error>,
    ) -> Result<SharedBytes, Error> {
        let _ = (element, len);
        let reason =
            "ranks are threads of one process, which can use any array of each other's".into();
        Err(Error::Unavailable { what: "an array in shared memory".into(), reason })
    }

    /// The most elements of a chunk, where the way is that of chunks.
    fn max_chunk(&self) -> usize {
        0
    }

    /// Says which chunks this rank will show, where the way is that of chunks: once.
    fn note_chunks(&mut self, own: &RankChunks) {
        let _ = own;
    }

    /// Whether ranks show each other packed messages in place of chunks, where the way is that of
    /// chunks.
    fn packs_slots(&self) -> bool {
        false
    }

    /// Memory to pack what the move shows that is met next, if it can be packed by now: to be asked for
    /// right before [`meet`](Channel::meet), by a rank that is ready.
    fn rooms_to_show(&mut self, source: &Source<'_>) -> Option<SlotRooms<'_>> {
        let _ = source;
        None
    }

    /// Meets all ranks in a move, to find out what all of them do. A rank that is not `ready` takes
    /// part, so that the others learn of it. Allocates nothing.
    ///
    /// # Errors
    /// This rank's own error, if it was not ready; or, naming the rank, that another was not, or is
    /// gone. Nothing is moved then. Where messages go, errors may be told later.
    ///
    /// # Safety
    /// The shape is dropped, not forgotten, before the borrows of the arrays end. Where it is
    /// [`Shape::Lent`] with destinations, this rank's own is not used before but by way of these.
    unsafe fn meet(
        &mut self,
        ready: Result<(), Error>,
        arrays: &mut Arrays<'_>,
    ) -> Result<Shape<'_>, Error>;

    /// Begins a move that is completed later: messages go, all at once, as this rank may not be there
    /// to send the next one. Collective, as [`meet`](Channel::meet).
    ///
    /// # Errors
    /// Naming the rank, that another is gone.
    fn begin(&mut self, ready: Result<(), Error>) -> Result<(), Error>;

    /// Says which messages there are: before the first time that messages go, and where they are
    /// others from now on, when a move has begun and nothing of it has been packed. Buffers that are
    /// as long serve again.
    fn prepare_messages(&mut self, messages: Arc<Messages>);

    /// Memory to pack the outgoing messages into; `None` where this rank is not ready. Allocated
    /// when this is called for the first time.
    ///
    /// # Errors
    /// What the library says.
    fn begin_messages(&mut self) -> Result<Option<Outbox<'_>>, Error>;

    /// Sends what was packed, and has not been sent yet.
    ///
    /// # Errors
    /// What the library says.
    fn send(&mut self) -> Result<(), Error>;

    /// Sends no messages in a move in which this rank has panicked while it packed, and tells the
    /// others, who wait for them.
    ///
    /// # Errors
    /// What the library says.
    fn leave(&mut self) -> Result<(), Error>;

    /// True if what follows would not wait any more.
    ///
    /// # Errors
    /// What the library says.
    fn test(&mut self) -> Result<bool, Error>;

    /// Waits until it is known that all ranks were ready. Nothing may be unpacked before.
    ///
    /// # Errors
    /// This rank's own error, if it was not ready; or, naming the rank, that another was not, or is
    /// gone.
    fn agree(&mut self) -> Result<(), Error>;

    /// Messages that can be looked at before they are whole; `None` where they cannot. Before
    /// [`all`](Channel::all).
    fn inbox(&mut self) -> Option<Inbox<'_>> {
        None
    }

    /// Waits for all messages.
    ///
    /// # Errors
    /// What the library says.
    fn all(&mut self) -> Result<(), Error>;

    /// An incoming message that has arrived.
    fn message(&self, number: usize) -> &[u8];

    /// Ends a move whose messages have been unpacked.
    fn end(&mut self);
}
