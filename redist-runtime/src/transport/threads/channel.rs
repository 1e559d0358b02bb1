//! Repeated moves between threads. A rank reads the arrays of its senders, or, if either of both has
//! only begun the move, the sender's buffer of packed messages. Unsafe, because it shares arrays:
//! `lent.rs` has the proof.

use super::board::ThreadBoard;
use super::group::Rank;
use super::outbox::{Packed, RankOutbox, SharedArrays};
use crate::error::Error;
use crate::program::{Envelope, StridedArrays};
use crate::transport::board::Progress;
#[cfg(feature = "mpi")]
use crate::transport::mpi::ContextUse;
use crate::transport::sync::Arc;
use crate::transport::{
    Access, Arrays, Channel, ChannelFacts, GoesOn, Inbox, LentArrays, Messages, Messaging, Outbox,
    Partners, Pull, Pulls, Rooms, Senders, Target, Way,
};
use std::mem;
use std::sync::Arc as StdArc;

/// One rank's end of the moves of a plan between threads.
#[derive(Debug)]
pub(super) struct ThreadChannel {
    progress: Progress<ThreadBoard>,
    way: (Way, &'static str),
    lent: LentArrays,
    /// By rank and side, if not all are dense.
    strided: Option<StridedArrays>,
    messages: Option<StdArc<Messages>>,
    /// The last packed messages had another layout.
    is_renewed: bool,
    /// Messages between packing and sending.
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
            progress: Progress::new(rank.rank(), ThreadBoard::new(rank, outboxes), partners),
            way,
            messages: None,
            is_renewed: false,
            packing: None,
            inbox: Vec::new(),
        }
    }

    fn begin_round(&mut self, ready: Result<(), Error>) -> Result<(), Error> {
        let call = self.progress.call()?;
        // No caller waits for the result.
        if self.progress.under_way && self.agree().is_ok() {
            self.end();
        }
        // No partner may still be reading this rank's messages of the last move.
        self.progress.begin(call, ready);
        Ok(())
    }

    fn share(&self, Arrays { source, target }: &mut Arrays<'_>) {
        let arrays = &self.progress.own().arrays;
        if matches!(target, Target::Kept) {
            self.progress.mark(|rank| &rank.keeps);
        }
        // No rank reads the arrays: partners have left the last move, and this rank is not counted in
        // this one.
        match self.progress.ready {
            Ok(()) => arrays.show(source.bytes(), target.bytes_mut()),
            Err(_) => arrays.show(&[], &mut []),
        }
        self.progress.arrive();
    }

    /// Takes the messages of the ranks that `sends` tells.
    fn take(&mut self, sends: impl Fn(&Progress<ThreadBoard>, usize) -> bool) {
        let Self { progress, inbox, messages, .. } = self;
        let messages = messages.as_ref().expect("messages are prepared before they go");
        for (message, Envelope { rank, .. }) in inbox.iter_mut().zip(&messages.incoming.envelopes) {
            let outbox = sends(progress, *rank).then(|| &progress.board.outboxes[*rank]);
            *message = outbox.and_then(|outbox| outbox.packed().clone());
        }
    }

    fn end_round(&mut self, how: Result<(), Error>) -> Result<(), Error> {
        self.progress.under_way = false;
        // Senders reuse the memory when this rank is counted.
        self.inbox.fill(None);
        self.progress.count(|rank| &rank.unpacked);
        how
    }
}

impl Channel for ThreadChannel {
    fn way(&self) -> (Way, &'static str) {
        self.way
    }

    fn facts(&self) -> ChannelFacts {
        let messages =
            self.progress.board.own().packed().as_ref().map_or(0, |packed| packed.buffer.len());
        ChannelFacts { messages, ..ChannelFacts::default() }
    }

    fn begin_call(&mut self, several: bool) -> Result<(), Error> {
        self.progress.board.group.begin_call(self.progress.rank)?;
        self.progress.begin_call(several, self.way.0 == Way::Messages);
        Ok(())
    }

    fn end_call(&mut self, left_out: Option<&Error>) {
        self.progress.board.group.end_call(self.progress.rank);
        self.progress.end_call(left_out);
    }

    fn arrays(&self) -> Option<StridedArrays> {
        self.strided.clone()
    }

    #[cfg(feature = "mpi")]
    fn context(&self) -> Option<&ContextUse> {
        None
    }

    #[cfg(feature = "mpi")]
    fn slots(&mut self) -> Option<&mut crate::transport::NodeEnd> {
        None
    }

    unsafe fn meet(
        &mut self,
        ready: Result<(), Error>,
        arrays: &mut Arrays<'_>,
    ) -> Result<Access<'_>, Error> {
        self.begin_round(ready)?;
        if self.way.0 == Way::Messages {
            return Ok(Access::Messages);
        }
        self.share(arrays);
        if self.progress.ready.is_err() {
            // Receivers that have only begun the move find the refusal where all is packed.
            self.progress.count(|rank| &rank.packed);
            return self.end_round(self.progress.ready.clone()).map(|()| Access::Messages);
        }
        // From here on, a guard reports the end.
        self.progress.under_way = false;
        let all_share = self.progress.partners.divide && self.progress.all_share();
        if !all_share {
            return Ok(Access::Pulled(Pull::new(self)));
        }
        let arrays = || self.progress.board.outboxes.iter().map(|outbox| &outbox.marks.arrays);
        self.lent.note(arrays().map(SharedArrays::source), arrays().map(SharedArrays::destination));
        // SAFETY: this rank has counted itself as arrived, and so have all of the plan (release and
        // acquire). Each reads the same marks, which no rank changes before all have left the move
        // (`Partners::met` has all): all are ready, none packs or keeps. So
        // each comes to this line with its arrays borrowed, and drops the guard that is made here
        // before it uses them otherwise, as their callers promise. The guard waits until all have
        // counted themselves as through (release and acquire).
        Ok(Access::Lent(unsafe { self.lent.lent(&self.progress) }))
    }

    fn begin(&mut self, ready: Result<(), Error>, goes_on: GoesOn) -> Result<(), Error> {
        self.begin_round(ready)?;
        self.progress.begun = Some(goes_on);
        Ok(())
    }

    fn test(&mut self) -> Result<bool, Error> {
        Ok(self.progress.behind(&self.progress.partners.senders, |rank| &rank.packed).is_none())
    }

    fn agree(&mut self) -> Result<(), Error> {
        let agreed = self.progress.agree(|rank| &rank.packed);
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
        if self.progress.ready.is_err() {
            return Ok(None);
        }
        let messages = self.messages.as_ref().expect("messages are prepared before they go");
        let last = self.progress.board.own().packed().take();
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
        *self.progress.board.own().packed() = self.packing.take();
        if self.progress.begun.is_some() {
            self.progress.mark(|rank| &rank.packs);
        }
        self.progress.arrive();
        self.progress.count(|rank| &rank.packed);
        Ok(())
    }

    fn leave(&mut self) -> Result<(), Error> {
        let (rank, reason) = (self.progress.rank, "a panic while it packed".into());
        let error = Error::PeerFailed { rank, reason };
        self.progress.refuse(&error);
        (self.progress.ready, self.packing) = (Err(error), None);
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
        self.inbox[number].as_ref().map(|packed| packed.message_to(self.progress.rank))
    }
}

impl Pulls for ThreadChannel {
    fn senders(&mut self) -> Result<(), Error> {
        self.progress.senders_are_ready(|rank| &rank.arrived)
    }

    fn senders_give(&self) -> Senders {
        let senders = &self.progress.partners.senders;
        match senders.iter().any(|rank| self.progress.sends_message(*rank)) {
            true => Senders::Mixed,
            false => Senders::Arrays,
        }
    }

    unsafe fn sources(&mut self) -> &[&[u8]] {
        const NONE: &[u8] = &[];
        let Self { progress, lent, .. } = self;
        let mut senders = progress.partners.senders.iter().copied().peekable();
        let sources = progress.board.outboxes.iter().enumerate().map(|(rank, outbox)| {
            let is_sender = senders.next_if_eq(&rank).is_some();
            let shares = is_sender && !progress.sends_message(rank) || rank == progress.rank;
            if shares { outbox.marks.arrays.source() } else { NONE }
        });
        lent.note(sources, std::iter::empty());
        // SAFETY: each of these senders has published its source, and has only run the move, as this
        // rank has seen (release and acquire, `senders`). It keeps the array borrowed until this
        // rank has left (`Progress::is_a_message_wanted`), which it does when the borrow that is
        // returned has ended: `is_a_message_wanted` takes this value mutably. The caller vouches
        // for this rank's own.
        unsafe { lent.sources() }
    }

    fn receive(&mut self) -> Result<(), Error> {
        self.take(|progress, rank| rank != progress.rank && progress.sends_message(rank));
        Ok(())
    }

    fn is_a_message_wanted(&mut self) -> bool {
        let _ = self.end_round(Ok(()));
        self.progress.is_a_message_wanted(true)
    }
}

impl Drop for ThreadChannel {
    /// Ends a forgotten move, which no rank can complete.
    fn drop(&mut self) {
        if self.progress.under_way {
            self.end();
        }
    }
}
