//! The interface behind a communicator, and one rank's end of repeated moves of one plan.

#[cfg(feature = "mpi")]
use super::mpi::{ContextUse, GatewayRooms, Inbox, NodeEnd, Posting};
#[cfg(not(feature = "mpi"))]
use super::without_mpi::{
    NoMessages as GatewayRooms, NoMessages as Inbox, NoMessages as Posting, NoSlots as NodeEnd,
};
use super::{Arrays, GoesOn, Lent, Lists, Messages, Proposal, Way};
use crate::error::Error;
use crate::program::StridedArrays;
use std::sync::Arc;

/// The ranks behind a [`Transport`](super::Transport). Every rank of the group calls
/// [`open`](RankGroup::open), in the same order. An error on one rank reaches all of them as an
/// error, so that none hangs.
pub trait RankGroup {
    fn rank(&self) -> usize;

    fn size(&self) -> usize;

    /// Sets up repeated moves. A rank that could not prepare passes its error instead. Collective.
    /// Fails with that error, or if another could not prepare, proposed another plan, or ended.
    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<Box<dyn Channel>, Error>;
}

/// Memory to pack messages into, and the sender of those packed, if the transport has one.
pub struct Outbox<'a> {
    pub rooms: Rooms<'a>,
    pub posting: Option<Posting<'a>>,
}

/// Memory for a rank's outgoing messages.
pub struct Rooms<'a> {
    /// Memory for messages that travel on their own.
    pub buffer: &'a mut [u8],
    /// Memory for messages that travel with other ranks' messages.
    pub joined: Option<GatewayRooms<'a>>,
}

impl<'a> Rooms<'a> {
    pub fn add_to(self, lists: &Lists, rooms: &mut Vec<&'a mut [u8]>) {
        match self.joined {
            #[cfg(feature = "mpi")]
            Some(joined) => joined.add_to(lists, self.buffer, rooms),
            _ => rooms.extend(lists.split(self.buffer)),
        }
    }
}

/// Facts of a channel, and bytes that it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelFacts {
    /// This rank receives messages; else it reads them where senders packed them.
    pub receives: bool,
    /// Bytes for messages of this plan.
    pub messages: usize,
    /// Bytes for slots, shared by all plans of the communicator.
    pub window: usize,
    /// Bytes before each message between processes.
    pub head: usize,
}

/// One rank's end of repeated moves of one plan. Arrays and messages are the bytes of elements. A
/// move is either run, [`meet`](Channel::meet), or begun and completed later,
/// [`begin`](Channel::begin). Both are collective; ranks may choose differently between them. If
/// the move was begun, or `meet` returns [`Access::Messages`], call in this order:
/// [`prepare_messages`](Messaging::prepare_messages) (once),
/// [`begin_messages`](Messaging::begin_messages), [`send`](Messaging::send),
/// [`agree`](Channel::agree), [`inbox`](Messaging::inbox), [`all`](Messaging::all),
/// [`end`](Channel::end). An error also ends the move, for all ranks.
pub trait Channel: Messaging {
    /// Returns the way of a move that all ranks run, and the reason: the same on all ranks of a
    /// node.
    fn way(&self) -> (Way, &'static str);

    fn facts(&self) -> ChannelFacts;

    /// Returns the places of all ranks' local arrays in memory, by rank and side, if some are not
    /// dense and ranks still use each other's.
    fn arrays(&self) -> Option<StridedArrays>;

    /// Begins a call that reads the arrays of a move, or of `several` by parts, and that may call a
    /// function of the caller's. Memory that it reads stays until the call
    /// [ends](Channel::end_call). Fails in that function; the other ranks need not know.
    fn begin_call(&mut self, several: bool) -> Result<(), Error>;

    /// Ends it. A thread whose call has failed before its last move passes the error on to the ranks
    /// that make the later moves.
    fn end_call(&mut self, left_out: Option<&Error>);

    /// Returns the owner of shared arrays; `None` if ranks are threads, which can share any array.
    #[cfg(feature = "mpi")]
    fn context(&self) -> Option<&ContextUse>;

    /// Returns the slots of memory that ranks of a node share, if this move may use them.
    #[cfg(feature = "mpi")]
    fn slots(&mut self) -> Option<&mut NodeEnd>;

    /// Meets all ranks in a move, and returns what all of them do. A rank that is not `ready` takes
    /// part, so that all ranks learn of it. Allocates nothing. Fails with this rank's own error,
    /// or if another rank was not ready, or has ended; nothing is moved then. If messages go,
    /// errors may come later.
    ///
    /// # Safety
    /// The shape is dropped, not forgotten, before the borrows of the arrays end. If it is
    /// [`Access::Lent`] with destinations, this rank uses its own only through these until then.
    unsafe fn meet(
        &mut self,
        ready: Result<(), Error>,
        arrays: &mut Arrays<'_>,
    ) -> Result<Access<'_>, Error>;

    /// Begins a move that is completed later. All messages go at once, because this rank may not be
    /// there to send the next one. A rank that is not ready may wait for all in the next call.
    /// Collective, as [`meet`](Channel::meet). Fails if another rank has ended, and names it.
    fn begin(&mut self, ready: Result<(), Error>, goes_on: GoesOn) -> Result<(), Error>;

    /// Returns `true` if the next step would not wait.
    fn test(&mut self) -> Result<bool, Error>;

    /// Waits until all ranks, or the senders of a thread, are known to have been ready; nothing may
    /// be unpacked before. Fails with this rank's own error, or names another rank that was not
    /// ready, or has ended.
    fn agree(&mut self) -> Result<(), Error>;

    fn end(&mut self);
}

/// Returns the slots that a channel uses. Without MPI none has any, so that programs do not link
/// the code for them.
pub fn slots_of(channel: &mut dyn Channel) -> Option<&mut NodeEnd> {
    #[cfg(feature = "mpi")]
    return channel.slots();
    #[cfg(not(feature = "mpi"))]
    {
        let _ = channel;
        None
    }
}

/// The messages of a channel, in the order of a move's calls.
pub trait Messaging {
    /// Sets the messages: before messages first go, and when they change, after a move has begun
    /// and before packing. Buffers of the same length are reused.
    fn prepare_messages(&mut self, messages: Arc<Messages>);

    /// Returns memory for outgoing messages; `None` if this rank is not ready. Allocates once.
    fn begin_messages(&mut self) -> Result<Option<Outbox<'_>>, Error>;

    /// Sends packed messages that have not been sent.
    fn send(&mut self) -> Result<(), Error>;

    /// Sends no messages in a move in which this rank panicked while packing, and notifies the
    /// ranks that wait for them.
    fn leave(&mut self) -> Result<(), Error>;

    /// Returns messages readable before they are whole; called before [`all`](Messaging::all).
    fn inbox(&mut self) -> Option<Inbox<'_>>;

    /// Waits for all messages.
    fn all(&mut self) -> Result<(), Error>;

    /// Returns a message that has arrived, or that its sender has packed; `None` if the sender shares
    /// its array, or its chunks have been copied.
    fn message(&self, number: usize) -> Option<&[u8]>;

    /// Drops the channel, and waits for no rank. The context of its ranks keeps what still receives
    /// the messages of a move under way, until all are there.
    fn leave_behind(self: Box<Self>) {}
}

/// The way in which a rank's senders, and the rank itself, give their elements in a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Senders {
    /// All share their arrays.
    Arrays,
    /// Some share their arrays. The rest have shown chunks, which this rank has copied.
    SomeArrays,
    /// All have shown chunks, which this rank has copied, or there are no senders.
    Chunks,
    /// All have packed their messages in slots.
    Packed,
    /// Some have packed messages. The rest share their arrays, or have shown chunks.
    Mixed,
}

/// A channel whose rank reads the arrays, or messages, of its senders only.
pub trait Pulls: Channel {
    /// Waits until all senders have published their arrays or messages. Fails if one is not ready,
    /// has ended, or makes a different call.
    fn senders(&mut self) -> Result<(), Error>;

    /// Returns the way in which the senders, which have come, and this rank give their elements.
    fn senders_give(&self) -> Senders;

    /// Returns the source arrays of this rank and of the senders that share theirs, by rank. Others
    /// are empty.
    ///
    /// # Safety
    /// All [senders](Self::senders) have come in a move that this rank has not left. Its own array
    /// stays borrowed as long as the result.
    unsafe fn sources(&mut self) -> &[&[u8]];

    /// Waits for the messages of senders that have only begun the move.
    fn receive(&mut self) -> Result<(), Error>;

    /// Receives what arrives although the move has failed for this rank.
    fn fail(&mut self) {}

    /// Leaves the senders, and waits for all receivers; `true` if one waits for a message, which the
    /// caller packs and [sends](Messaging::send).
    fn is_a_message_wanted(&mut self) -> bool;
}

/// A move in which this rank reads from its senders. Dropping it waits until no receiver reads this
/// rank's array; a receiver that waits for a message fails then.
pub struct Pull<'a> {
    pub channel: &'a mut dyn Pulls,
    /// `true` once all senders have published.
    have_come: bool,
    /// `true` once this rank has left its senders.
    is_over: bool,
}

impl<'a> Pull<'a> {
    pub fn new(channel: &'a mut dyn Pulls) -> Self {
        Self { channel, have_come: false, is_over: false }
    }

    pub fn senders(&mut self) -> Result<(), Error> {
        self.channel.senders().inspect(|()| self.have_come = true)
    }

    /// Returns the [sources](Pulls::sources) of this rank and its senders. Panics if the senders
    /// have not come, or this rank has left.
    pub fn sources(&mut self) -> &[&[u8]] {
        assert!(self.have_come && !self.is_over, "arrays are read within a move");
        // SAFETY: as asserted just now, this rank has waited for its senders and has not left. Its
        // own array is borrowed longer than this value, as the caller of `meet` promises.
        unsafe { self.channel.sources() }
    }

    pub fn is_a_message_wanted(&mut self) -> bool {
        self.is_over = true;
        self.channel.is_a_message_wanted()
    }
}

impl Drop for Pull<'_> {
    fn drop(&mut self) {
        if !self.is_over && self.is_a_message_wanted() {
            let _ = self.channel.leave();
        }
    }
}

/// How a rank gets at its elements in a move.
pub enum Access<'a> {
    /// Packed messages go.
    Messages,
    /// All ranks share their arrays, and divide the copies.
    Lent(Lent<'a>),
    /// This rank waits for its partners only.
    Pulled(Pull<'a>),
}
