//! What there is behind a communicator, and one rank's end of repeated moves of one plan.

#[cfg(not(feature = "mpi"))]
use self::{NoMessages as Inbox, NoMessages as Posting, NoMessages as SlotRooms};
#[cfg(feature = "mpi")]
use super::mpi::{Context, Inbox, JoinedRooms, Posting, SlotRooms};
use super::{Arrays, Chunk, Lent, Lists, Messages, Proposal, Source, Way};
use crate::error::Error;
use crate::program::{RankChunks, StridedArrays};
#[cfg(not(feature = "mpi"))]
use core::{convert::Infallible, marker::PhantomData};
use std::sync::Arc;

/// What there is behind a [`Transport`](super::Transport).
///
/// # Contract
/// [`open`](RankGroup::open) is collective: every rank of the group calls it, in the same order. An
/// error on one rank reaches all of them, as an error: none hangs.
pub trait RankGroup {
    /// This rank's number in the group.
    fn rank(&self) -> usize;

    /// Number of ranks in the group.
    fn size(&self) -> usize;

    /// Sets up repeated moves. A rank that could not prepare brings its error instead of a
    /// proposal. Collective.
    ///
    /// # Errors
    /// Its own error; or, naming the rank, that another could not prepare, proposed something else,
    /// or is gone.
    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<Box<dyn Channel>, Error>;
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
    fn arrays(&self) -> Option<StridedArrays>;

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

    /// What arrays in shared memory are made of; `None` where ranks are threads, which can use any of
    /// each other's.
    #[cfg(feature = "mpi")]
    fn context(&self) -> Option<&Arc<Context>>;

    /// Where the way is that of chunks, what ranks show each other.
    fn chunks(&mut self) -> Option<&mut dyn ShowsChunks>;

    /// Whether that is packed messages in place of chunks.
    fn packs_slots(&self) -> bool;

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
    fn inbox(&mut self) -> Option<Inbox<'_>>;

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

/// A channel whose ranks show each other chunks of their source arrays, or packed messages in place of
/// them, in memory that they share.
///
/// # Contract
/// Chunks are [noted](Self::note_chunks) once. In a move of chunks, [`next_chunks`](Self::next_chunks)
/// is called until there are none. In a move of packed messages, these are packed into the
/// [rooms](Self::rooms), [waited for](Self::wait_for_packed) and [read](Self::add_messages). Every move
/// ends by [`leave`](Self::leave).
pub trait ShowsChunks {
    /// The most elements of a chunk.
    fn max_chunk(&self) -> usize;

    /// Says which chunks this rank will show: once.
    fn note_chunks(&mut self, own: &RankChunks);

    /// Memory to pack what the move shows that is met next, if it can be packed by now: to be asked for
    /// right before [`meet`](Channel::meet), by a rank that is ready.
    fn rooms_to_show(&mut self, source: &Source<'_>) -> Option<SlotRooms<'_>>;

    /// Shows this rank's next chunks, and returns one of every rank, by rank; `None` when all have
    /// been returned.
    ///
    /// # Errors
    /// Naming the rank, that another has left the move in the middle.
    fn next_chunks(
        &mut self,
        source: &[u8],
        own: &RankChunks,
    ) -> Result<Option<&[Chunk<'_>]>, Error>;

    /// Memory to pack into, where this rank has not packed before all met.
    ///
    /// # Errors
    /// Naming the rank, that another has left a move in the middle.
    fn rooms(&mut self) -> Result<Option<SlotRooms<'_>>, Error>;

    /// Waits until all have packed, as this rank has.
    ///
    /// # Errors
    /// As [`rooms`](Self::rooms).
    fn wait_for_packed(&mut self) -> Result<(), Error>;

    /// Adds each incoming message, when all have packed.
    fn add_messages<'m>(&'m self, messages: &mut Vec<&'m [u8]>);

    /// Ends a move whose packed messages have been read.
    fn end_packed(&mut self);

    /// Tells the others that they wait in vain, unless the move has ended.
    fn leave(&mut self);
}

/// What all ranks that have met in a move do: the same on all of them.
pub enum Shape<'a> {
    /// Packed messages go.
    Messages,
    /// All use each other's arrays.
    Lent(Lent<'a>),
    /// All show each other chunks of their source arrays.
    Chunks(Shown<'a>),
    /// All have packed messages for each other where all find them.
    Packed(Shown<'a>),
}

/// What is shown in one move. When it is dropped before the end, the others are told.
pub struct Shown<'a>(pub(crate) &'a mut dyn ShowsChunks);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}
