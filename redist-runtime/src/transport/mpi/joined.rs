//! Messages that are joined between nodes: one for each pair of nodes, in memory that the ranks of a
//! node share.
//!
//! Unsafe, since the memory is the library's, and since other processes read what is packed.

use super::channel::MpiChannel;
use super::context::{Context, TaggedCommunicator};
use super::preflight::all_prepared;
use super::request::Request;
use super::shared;
use super::window::Window;
use crate::error::Error;
use crate::transport::joined::{JoinedLayout, JoinedMemory, JointBlock, LINE, Place};
use crate::transport::nodes::Nodes;
use crate::transport::{Channel, Joining, Joins, Lists, Messages};
use std::ffi::c_int;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a rank that sends for others waits for them before it votes. One that waits longer sends
/// after the vote: others may be in another call, and never come.
const PATIENCE: Duration = Duration::from_millis(2);

/// How often a rank looks in vain before it lets the library work, and offers its processor to
/// others.
const SPINS: usize = 30;

/// The messages of one plan, joined.
#[derive(Debug)]
pub(super) struct JoinedMessages {
    /// Before the window that it is in.
    memory: JoinedMemory,
    window: Option<Window>,
    /// By which all ranks know the window.
    id: u64,
    /// Its tag is that of blocks alone.
    communicator: TaggedCommunicator,
    places: [Vec<(usize, Place)>; 2],
    /// Where this rank's messages lie, in its own order; of those that it receives, also only the
    /// ones from other nodes.
    outgoing: Vec<Place>,
    incoming: Vec<Place>,
    from_afar: Vec<Place>,
    /// What this rank exchanges with other nodes.
    blocks: Vec<JointBlock>,
    /// A receive for each block, then a send for each.
    requests: Vec<Request>,
    /// Moves that have begun.
    begun: u64,
    /// Whether this rank has sent its blocks in this move.
    has_sent: bool,
    /// Bytes of this rank's part.
    pub bytes: usize,
}

impl JoinedMessages {
    /// The memory for a plan whose messages have these bytes. Collective.
    ///
    /// # Errors
    /// There is none, or a block is longer than a message of the library's can be: on every rank.
    pub fn new(
        context: &Arc<Context>,
        communicator: TaggedCommunicator,
        joining: Joining<'_>,
    ) -> Result<Self, Error> {
        let nodes = context.nodes()?;
        let rank = communicator.rank();
        let layout = JoinedLayout::new(nodes, rank, joining.bytes);
        let here = nodes.place(rank);
        let bytes = part_bytes(&layout, here);
        all_prepared(context.communicator(), bytes.as_ref().err())?;
        let bytes = bytes?;
        let node = context.node()?;
        let window = Window::allocate(node, bytes + LINE);
        // A node may have no memory where another has some: all learn of it before they use what
        // they have.
        all_prepared(context.communicator(), window.as_ref().err())?;
        let window = window?;
        let part =
            |owner| window.part(owner).map(|(base, _)| base.wrapping_add(base.align_offset(LINE)));
        let parts = (0..node.size()).map(part).collect::<Result<Vec<_>, Error>>();
        all_prepared(context.communicator(), parts.as_ref().err())?;
        let parts = parts?;
        // SAFETY: this rank's part has `bytes` bytes from a multiple of a line on, which the library
        // has mapped here; no other rank looks at them before they meet below (`next_number`).
        unsafe { parts[here].write_bytes(0, bytes) };
        let JoinedLayout { lens, outgoing, incoming, blocks } = layout;
        // SAFETY: every rank of the node has found the same lengths from the plan, and has made its
        // part as long (`part_bytes`), in a window of these ranks alone, all of which come here; it
        // is initialised above. `self` has the window, and drops this first; what it hands out is
        // borrowed from `self`. The window is freed when all ranks have dropped theirs
        // (`Context::free_windows`). No rank goes on before all have met below, the window
        // synchronised.
        let memory = unsafe { JoinedMemory::new(parts, lens, here) };
        window.synchronise()?;
        let (_, id) = shared::next_number(context.communicator())?;
        context.note_window(id);
        Ok(Self {
            memory,
            window: Some(window),
            id,
            communicator,
            places: [outgoing, incoming],
            outgoing: Vec::new(),
            incoming: Vec::new(),
            from_afar: Vec::new(),
            requests: Request::list(2 * blocks.len()),
            blocks,
            begun: 0,
            has_sent: false,
            bytes,
        })
    }

    /// Notes in which order this rank has its messages.
    pub fn note_messages(&mut self, messages: &Messages, nodes: &Nodes) {
        let (here, [outgoing, incoming]) = (nodes.of(self.communicator.rank()), &self.places);
        self.outgoing = in_order(outgoing, &messages.outgoing);
        self.incoming = in_order(incoming, &messages.incoming);
        let is_far = |(rank, _): &&(usize, Place)| nodes.of(*rank) != here;
        self.from_afar = incoming.iter().filter(is_far).map(|(_, place)| place.clone()).collect();
    }

    /// The number of the move that has begun last.
    fn number(&self) -> u64 {
        self.begun - 1
    }

    /// Begins a move: posts all receives.
    pub fn restart(&mut self) -> Result<(), Error> {
        self.begun += 1;
        self.has_sent = false;
        let number = self.number();
        for (JointBlock { rank, incoming, .. }, request) in
            self.blocks.iter().zip(&mut self.requests)
        {
            let place = self.memory.block(number, incoming.clone());
            // SAFETY: the place is in this rank's part, which stays until the request is complete:
            // a move waits for it before it ends (`complete`), or else the window is given up
            // (`give_up`). No rank reads it before it is told that the block has arrived, and none
            // reads what was there two moves ago: all have begun the move before this one since.
            *request = unsafe {
                self.communicator.begin_receive(place, incoming.len(), *rank, self.communicator.tag)
            }?;
        }
        Ok(())
    }

    /// Sends this rank's blocks, or, where they do not count, empty messages in their place.
    fn send(&mut self, with_data: bool) -> Result<(), Error> {
        self.has_sent = true;
        let number = self.number();
        let requests = self.requests.iter_mut().skip(self.blocks.len());
        for (JointBlock { rank, outgoing, .. }, request) in self.blocks.iter().zip(requests) {
            let len = if with_data { outgoing.len() } else { 0 };
            let (place, tag) = (self.memory.block(number, outgoing.clone()), self.communicator.tag);
            // SAFETY: the place is in this rank's part, which stays until the request is complete,
            // as in `restart`. All ranks of the node have packed into it, and none does again before
            // the move after the next, or nothing of it is sent.
            *request = unsafe { self.communicator.begin_send(place, len, *rank, tag) }?;
        }
        Ok(())
    }

    /// This rank only begins the move, in which messages go by themselves.
    pub fn pass(&mut self) -> Result<(), Error> {
        self.memory.note_packed(self.number());
        self.send(false)
    }

    /// Looks now and then, for as long as the `patience`, whether something is true.
    fn wait(
        &self,
        patience: Option<Duration>,
        is_true: impl Fn(&JoinedMemory) -> bool,
    ) -> Result<bool, Error> {
        let (mut spins, mut since) = (0usize, None);
        while !is_true(&self.memory) {
            spins += 1;
            std::hint::spin_loop();
            if spins.is_multiple_of(SPINS) {
                self.communicator.progress()?;
                std::thread::yield_now();
                let since = *since.get_or_insert_with(Instant::now);
                if patience.is_some_and(|patience| since.elapsed() > patience) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Sends what all ranks of the node have packed, if that is soon.
    fn send_soon(&mut self, with_data: bool) -> Result<(), Error> {
        let number = self.number();
        if self.blocks.is_empty()
            || self.wait(Some(PATIENCE), |memory| memory.all_have_packed(number))?
        {
            self.send(with_data)?;
        }
        Ok(())
    }

    /// Whether nothing is under way any more.
    pub fn is_through(&mut self) -> Result<bool, Error> {
        for request in &mut self.requests {
            if !self.communicator.is_done(request)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Waits for all that this rank sends and receives, and tells the others of its node. All ranks
    /// have voted on this move.
    pub fn complete(&mut self) -> Result<(), Error> {
        let number = self.number();
        if !self.has_sent {
            // They vote when they have packed.
            self.wait(None, |memory| memory.all_have_packed(number))?;
            self.send(true)?;
        }
        while !self.is_through()? {
            std::thread::yield_now();
        }
        if !self.blocks.is_empty() {
            self.memory.note_arrival(number);
        }
        Ok(())
    }

    /// Gives up the memory, to which MPI may still write.
    pub fn give_up(&mut self) {
        self.communicator.keep();
        mem::forget(self.window.take());
    }
}

impl Drop for JoinedMessages {
    fn drop(&mut self) {
        if let Some(window) = self.window.take() {
            self.communicator.context.drop_window(self.id, window);
        }
    }
}

/// Bytes of this rank's part, if all that its node exchanges with another can be one message.
fn part_bytes(layout: &JoinedLayout, here: usize) -> Result<usize, Error> {
    let unavailable =
        |reason: String| Error::Unavailable { what: "joined messages".into(), reason };
    let blocks = layout.blocks.iter().flat_map(|block| [&block.outgoing, &block.incoming]);
    let longest = blocks.map(|bytes| bytes.len()).max().unwrap_or(0);
    if c_int::try_from(longest).is_err() {
        return Err(unavailable(format!(
            "{longest} bytes between two nodes are more than a message"
        )));
    }
    let bytes = JoinedMemory::part_bytes(layout.lens[here]);
    let bytes = bytes.filter(|bytes| isize::try_from(bytes.saturating_add(LINE)).is_ok());
    bytes.ok_or_else(|| unavailable("they are more than there are addresses".into()))
}

/// The places of messages in the order of a list.
fn in_order(places: &[(usize, Place)], lists: &Lists) -> Vec<Place> {
    let of = |rank: usize| {
        let found = places.binary_search_by_key(&rank, |(rank, _)| *rank);
        places[found.expect("the plan has each message")].1.clone()
    };
    let ordered: Vec<_> = lists.envelopes.iter().map(|envelope| of(envelope.rank)).collect();
    let fits = |(place, bytes): (&Place, &std::ops::Range<usize>)| place.bytes.len() == bytes.len();
    assert!(ordered.iter().zip(&lists.bytes).all(fits), "lengths are those of the plan");
    ordered
}

impl MpiChannel {
    fn joined(&mut self) -> &mut JoinedMessages {
        self.joined.as_mut().expect("the way is that of joined messages")
    }
}

impl Joins for MpiChannel {
    fn rooms<'a>(&'a mut self, rooms: &mut Vec<&'a mut [u8]>) -> bool {
        if self.ready.is_err() {
            return false;
        }
        let joined = self.joined();
        // SAFETY: these are this rank's places. It has begun this move (`restart`) and tells that it
        // has packed in `exchange`, which borrows this mutably again, and so after the rooms. All
        // have voted on the move before (`agreed`), and each dropped what it read of the one before
        // that when it began it.
        rooms.extend(unsafe { joined.memory.rooms(joined.number(), &joined.outgoing) });
        true
    }

    fn exchange(&mut self) -> Result<bool, Error> {
        let is_ready = self.ready.is_ok();
        let joined = self.joined();
        joined.memory.note_packed(joined.number());
        // Before the vote, as messages are elsewhere (`send`).
        joined.send_soon(is_ready)?;
        self.vote(false)?;
        self.has_met = true;
        self.wait_for_vote()?;
        self.joined().complete()?;
        self.under_way = false;
        if self.vote.one_sends() {
            return Ok(false);
        }
        self.outcome()?;
        self.arrays_differ()?;
        let joined = self.joined();
        let number = joined.number();
        joined.wait(None, |memory| memory.have_arrived(number, &joined.from_afar))?;
        // All have packed, as they have voted: this sees what they wrote.
        joined.wait(None, |memory| memory.all_have_packed(number))?;
        Ok(true)
    }

    fn leave(&mut self) {
        let (rank, reason) = (self.communicator.rank(), "a panic while it packed".into());
        self.ready = Err(Error::PeerFailed { rank, reason });
        if matches!(Joins::exchange(self), Ok(false)) {
            // Messages go by themselves: empty ones from here.
            let sent = self.begin_messages().map(drop).and_then(|()| self.send());
            let _ = sent.and_then(|()| self.agree());
        }
    }

    fn messages<'a>(&'a self, messages: &mut Vec<&'a [u8]>) {
        let joined = self.joined.as_ref().expect("the way is that of joined messages");
        // SAFETY: this is called after `exchange` has said that the messages are there: all ranks of
        // the node have packed, and what comes from afar has arrived. The slices borrow this, which
        // begins another move mutably.
        messages.extend(unsafe { joined.memory.messages(joined.number(), &joined.incoming) });
    }
}
