//! Repeated moves between threads. A rank reads the arrays of its senders, or, if either of both has
//! only begun the move, the sender's buffer of packed messages. Unsafe, because it shares arrays:
//! `lent.rs` has the proof.

use super::board::ThreadBoard;
use super::group::Rank;
use super::outbox::{Packed, RankOutbox, Slot};
use crate::error::Error;
use crate::program::{Envelope, StridedArrays};
use crate::transport::board::Rounds;
#[cfg(feature = "mpi")]
use crate::transport::mpi::Context;
use crate::transport::sync::Arc;
use crate::transport::{
    Arrays, Channel, ChannelFacts, GoesOn, Inbox, LentArrays, Messages, Messaging, Outbox,
    Partners, Pull, Pulls, Rooms, Shape, Target, Way,
};
use std::mem;
use std::sync::Arc as StdArc;

#[derive(Debug)]
pub(super) struct ThreadChannel {
    rounds: Rounds<ThreadBoard>,
    way: (Way, &'static str),
    lent: LentArrays,
    /// By rank and side, if not all are dense.
    strided: Option<StridedArrays>,
    messages: Option<StdArc<Messages>>,
    /// The last packed messages had another layout.
    is_renewed: bool,
    packing: Option<Arc<Packed>>,
    /// The buffer of each incoming message, while it is here.
    inbox: Vec<Option<Arc<Packed>>>,
}

impl ThreadChannel {
    pub fn new(
        rank: &Rank,
        way: (Way, &'static str),
        (outboxes, partners): (Vec<Arc<RankOutbox>>, Partners),
        strided: Option<StridedArrays>,
    ) -> Self {
        Self {
            strided,
            lent: LentArrays::new(outboxes.len()),
            rounds: Rounds::new(rank.rank(), ThreadBoard::new(rank, outboxes), partners),
            way,
            messages: None,
            is_renewed: false,
            packing: None,
            inbox: Vec::new(),
        }
    }

    fn begin_round(&mut self, ready: Result<(), Error>) -> Result<(), Error> {
        let call = self.rounds.call()?;
        // No caller waits for the result.
        if self.rounds.under_way && self.agree().is_ok() {
            self.end();
        }
        // No partner may still be reading this rank's messages of the last move.
        self.rounds.begin(call, ready);
        Ok(())
    }

    fn share(&self, Arrays { source, target }: &mut Arrays<'_>) {
        let arrays = &self.rounds.own().arrays;
        if matches!(target, Target::Kept) {
            self.rounds.mark(|rank| &rank.keeps);
        }
        // No rank reads the slot: partners have left the last move, and this rank is not counted in
        // this one.
        match self.rounds.ready {
            Ok(()) => arrays.show(source.bytes(), target.bytes_mut()),
            Err(_) => arrays.show(&[], &mut []),
        }
        self.rounds.arrive();
    }

    /// Takes the messages of the ranks that `sends` tells.
    fn take(&mut self, sends: impl Fn(&Rounds<ThreadBoard>, usize) -> bool) {
        let Self { rounds, inbox, messages, .. } = self;
        let messages = messages.as_ref().expect("messages are prepared before they go");
        for (message, Envelope { rank, .. }) in inbox.iter_mut().zip(&messages.incoming.envelopes) {
            let outbox = sends(rounds, *rank).then(|| &rounds.board.outboxes[*rank]);
            *message = outbox.and_then(|outbox| outbox.packed().clone());
        }
    }

    fn end_round(&mut self, how: Result<(), Error>) -> Result<(), Error> {
        self.rounds.under_way = false;
        // Senders reuse the memory when this rank is counted.
        self.inbox.fill(None);
        self.rounds.count(|rank| &rank.unpacked);
        how
    }
}

impl Channel for ThreadChannel {
    fn way(&self) -> (Way, &'static str) {
        self.way
    }

    fn facts(&self) -> ChannelFacts {
        let messages =
            self.rounds.board.own().packed().as_ref().map_or(0, |packed| packed.buffer.len());
        ChannelFacts { messages, ..ChannelFacts::default() }
    }

    fn begin_call(&mut self, several: bool) -> Result<(), Error> {
        self.rounds.board.group.begin_call(self.rounds.rank)?;
        self.rounds.begin_call(several);
        Ok(())
    }

    fn end_call(&mut self, left_out: Option<&Error>) {
        self.rounds.board.group.end_call(self.rounds.rank);
        self.rounds.end_call(left_out);
    }

    fn arrays(&self) -> Option<StridedArrays> {
        self.strided.clone()
    }

    #[cfg(feature = "mpi")]
    fn context(&self) -> Option<&StdArc<Context>> {
        None
    }

    #[cfg(feature = "mpi")]
    fn slots(&mut self) -> Option<&mut crate::transport::NearMove> {
        None
    }

    unsafe fn meet(
        &mut self,
        ready: Result<(), Error>,
        arrays: &mut Arrays<'_>,
    ) -> Result<Shape<'_>, Error> {
        self.begin_round(ready)?;
        if self.way.0 == Way::Messages {
            return Ok(Shape::Messages);
        }
        self.share(arrays);
        if self.rounds.ready.is_err() {
            // Receivers that have only begun the move find the refusal where all is packed.
            self.rounds.count(|rank| &rank.packed);
            return self.end_round(self.rounds.ready.clone()).map(|()| Shape::Messages);
        }
        // From here on, a guard reports the end.
        self.rounds.under_way = false;
        let all_share = self.rounds.partners.divide && self.rounds.all_share();
        if !all_share {
            return Ok(Shape::Pulled(Pull::new(self)));
        }
        let arrays = || self.rounds.board.outboxes.iter().map(|outbox| &outbox.progress.arrays);
        self.lent.note(arrays().map(Slot::source), arrays().map(Slot::destination));
        // SAFETY: this rank has counted itself as arrived, and so have all of the plan (release and
        // acquire). Each reads the same marks, which no rank changes before all have left the move
        // (`Partners::met` has all): all are ready, none packs or keeps. So
        // each comes to this line with its arrays borrowed, and drops the guard that is made here
        // before it uses them otherwise, as their callers promise. The guard waits until all have
        // counted themselves as through (release and acquire).
        Ok(Shape::Lent(unsafe { self.lent.lent(&self.rounds) }))
    }

    fn begin(&mut self, ready: Result<(), Error>, goes_on: GoesOn) -> Result<(), Error> {
        self.begin_round(ready)?;
        self.rounds.begun = Some(goes_on);
        Ok(())
    }

    fn test(&mut self) -> Result<bool, Error> {
        Ok(self.rounds.behind(&self.rounds.partners.senders, |rank| &rank.packed).is_none())
    }

    fn agree(&mut self) -> Result<(), Error> {
        let agreed = self.rounds.agree(|rank| &rank.packed);
        if agreed.is_err() { self.end_round(agreed) } else { agreed }
    }

    fn end(&mut self) {
        let _ = self.end_round(Ok(()));
    }
}

impl Messaging for ThreadChannel {
    fn prepare_messages(&mut self, messages: StdArc<Messages>) {
        self.inbox = vec![None; messages.incoming.envelopes.len()];
        self.is_renewed = self.messages.is_some();
        self.messages = Some(messages);
    }

    fn begin_messages(&mut self) -> Result<Option<Outbox<'_>>, Error> {
        if self.rounds.ready.is_err() {
            return Ok(None);
        }
        let messages = self.messages.as_ref().expect("messages are prepared before they go");
        let last = self.rounds.board.own().packed().take();
        // All have given it back, as they do before they are counted.
        let mut unused = last.filter(|last| Arc::strong_count(last) == 1);
        if mem::take(&mut self.is_renewed)
            && let Some(packed) = unused.as_mut().and_then(Arc::get_mut)
        {
            packed.renew(&messages.outgoing);
        }
        let packed = self
            .packing
            .insert(unused.unwrap_or_else(|| Arc::new(Packed::new(&messages.outgoing))));
        let buffer = Arc::get_mut(packed).map(|packed| &mut packed.buffer[..]);
        Ok(buffer.map(|buffer| Outbox { rooms: Rooms { buffer, joined: None }, posting: None }))
    }

    fn send(&mut self) -> Result<(), Error> {
        *self.rounds.board.own().packed() = self.packing.take();
        if self.rounds.begun.is_some() {
            self.rounds.mark(|rank| &rank.packs);
        }
        self.rounds.arrive();
        self.rounds.count(|rank| &rank.packed);
        Ok(())
    }

    fn leave(&mut self) -> Result<(), Error> {
        let (rank, reason) = (self.rounds.rank, "a panic while it packed".into());
        let error = Error::PeerFailed { rank, reason };
        self.rounds.refuse(&error);
        (self.rounds.ready, self.packing) = (Err(error), None);
        self.send()
    }

    fn inbox(&mut self) -> Option<Inbox<'_>> {
        None
    }

    fn all(&mut self) -> Result<(), Error> {
        self.take(|_, _| true);
        Ok(())
    }

    fn message(&self, number: usize) -> Option<&[u8]> {
        self.inbox[number].as_ref().map(|packed| packed.message_to(self.rounds.rank))
    }
}

impl Pulls for ThreadChannel {
    fn senders(&mut self) -> Result<(), Error> {
        self.rounds.senders_are_ready(|rank| &rank.arrived)
    }

    fn has_messages(&self) -> bool {
        let senders = &self.rounds.partners.senders;
        senders.iter().any(|rank| self.rounds.sends_message(*rank))
    }

    unsafe fn sources(&mut self) -> &[&[u8]] {
        const NONE: &[u8] = &[];
        let Self { rounds, lent, .. } = self;
        let mut senders = rounds.partners.senders.iter().copied().peekable();
        let sources = rounds.board.outboxes.iter().enumerate().map(|(rank, outbox)| {
            let is_sender = senders.next_if_eq(&rank).is_some();
            let shares = is_sender && !rounds.sends_message(rank) || rank == rounds.rank;
            if shares { outbox.progress.arrays.source() } else { NONE }
        });
        lent.note(sources, std::iter::empty());
        // SAFETY: each of these senders has published its source, and has only run the move, as this
        // rank has seen (release and acquire, `senders`). It keeps the array borrowed until this
        // rank has left (`Rounds::is_a_message_wanted`), which it does when the borrow that is
        // returned has ended: `is_a_message_wanted` takes this value mutably. The caller vouches
        // for this rank's own.
        unsafe { lent.sources() }
    }

    fn receive(&mut self) -> Result<(), Error> {
        self.take(|rounds, rank| rank != rounds.rank && rounds.sends_message(rank));
        Ok(())
    }

    fn is_a_message_wanted(&mut self) -> bool {
        let _ = self.end_round(Ok(()));
        self.rounds.is_a_message_wanted(true)
    }
}

impl Drop for ThreadChannel {
    /// Ends a forgotten move, which no rank completes any more.
    fn drop(&mut self) {
        if self.rounds.under_way {
            self.end();
        }
    }
}
