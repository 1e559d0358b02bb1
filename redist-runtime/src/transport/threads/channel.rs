//! Repeated moves between threads: ranks copy between each other's arrays, or every rank packs into
//! a buffer of its own, from which the others unpack. Unsafe, because it shares arrays: `lend.rs`
//! has the proof.

use super::group::Rank;
use super::lend::Slot;
use super::outbox::{Packed, RankOutbox};
use super::rounds::Rounds;
use crate::error::Error;
use crate::program::StridedArrays;
#[cfg(feature = "mpi")]
use crate::transport::mpi::Context;
use crate::transport::sync::Arc;
use crate::transport::{
    Arrays, Channel, Held, Inbox, LentArrays, Messages, Outbox, Rooms, Shape, ShowsChunks, Target,
    Way,
};
use std::mem;
use std::sync::Arc as StdArc;

#[derive(Debug)]
pub(super) struct ThreadChannel {
    rounds: Rounds,
    way: (Way, &'static str),
    ready: Result<(), Error>,
    under_way: bool,
    begun: bool,
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
        outboxes: Vec<Arc<RankOutbox>>,
        strided: Option<StridedArrays>,
    ) -> Self {
        Self {
            strided,
            lent: LentArrays::new(outboxes.len()),
            rounds: Rounds::new(rank, outboxes),
            way,
            ready: Ok(()),
            under_way: false,
            begun: false,
            messages: None,
            is_renewed: false,
            packing: None,
            inbox: Vec::new(),
        }
    }

    /// Begins a move; the others see it when this rank is counted.
    fn begin_round(&mut self, ready: Result<(), Error>) -> Result<(), Error> {
        let call = self.rounds.call()?;
        // No caller waits for the result.
        if self.under_way && self.agree().is_ok() {
            self.end();
        }
        // No rank may still be reading this rank's messages of the last move.
        self.rounds.begin(call)?;
        if let Err(error) = &ready {
            self.rounds.refuse(error);
        }
        (self.ready, self.under_way, self.begun) = (ready, true, false);
        Ok(())
    }

    /// Shares this rank's arrays; `true` if all share theirs, `false` if messages have to go.
    fn lend(&mut self, Arrays { source, target }: &mut Arrays<'_>) -> Result<bool, Error> {
        let arrays = &self.rounds.own().progress.arrays;
        if matches!(target, Target::Kept) {
            self.rounds.keep();
        }
        // No rank reads the slot: the last move is over everywhere, and this rank is not counted in
        // this one.
        match self.ready {
            Ok(()) => arrays.show(source.bytes(), target.bytes_mut()),
            Err(_) => arrays.show(&[], &mut []),
        }
        self.rounds.count(|rank| &rank.arrived);
        self.rounds.wait_for(|rank| &rank.arrived)?;
        self.rounds.agree_on_call()?;
        self.ready.clone().and_then(|()| self.rounds.refusal())?;
        Ok(!self.rounds.one_packs())
    }

    fn end_round(&mut self, how: Result<(), Error>) -> Result<(), Error> {
        self.under_way = false;
        // The senders reuse the memory when all ranks are counted.
        self.inbox.fill(None);
        self.rounds.count(|rank| &rank.unpacked);
        how
    }
}

impl Channel for ThreadChannel {
    fn way(&self) -> (Way, &'static str) {
        self.way
    }

    fn begin_call(&self) -> Result<(), Error> {
        self.rounds.group().begin_call(self.rounds.rank)
    }

    fn end_call(&self) {
        self.rounds.group().end_call(self.rounds.rank);
    }

    fn arrays(&self) -> Option<StridedArrays> {
        self.strided.clone()
    }

    fn memory(&self) -> Held {
        let messages = self.rounds.own().packed().map_or(0, |packed| packed.buffer.len());
        Held { messages, ..Held::default() }
    }

    fn receives(&self) -> bool {
        false
    }

    #[cfg(feature = "mpi")]
    fn context(&self) -> Option<&StdArc<Context>> {
        None
    }

    fn chunks(&mut self) -> Option<&mut dyn ShowsChunks> {
        None
    }

    fn packs_slots(&self) -> bool {
        false
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
        match self.lend(arrays) {
            Ok(true) => {}
            Ok(false) => return Ok(Shape::Messages),
            Err(error) => {
                // Ranks that only begin the move read the refusals when all have packed.
                self.rounds.count(|rank| &rank.packed);
                return self.end_round(Err(error)).map(|()| Shape::Messages);
            }
        }
        // The shared arrays' guard reports its own end.
        self.under_way = false;
        let arrays = || self.rounds.outboxes.iter().map(|outbox| &outbox.progress.arrays);
        let one_keeps = self.rounds.one_keeps();
        let lent = arrays().filter(|_| !one_keeps).map(Slot::destination);
        self.lent.note(arrays().map(Slot::source), lent);
        // SAFETY: this rank has counted itself as arrived, all ranks have (release and acquire),
        // all are ready and none packs. Each reads the same marks, which no rank changes before all
        // have left the move. So each comes to this line with its arrays borrowed, and drops the
        // guard that is made here before it uses them otherwise, as their callers promise. The
        // guard waits until all have counted themselves as through (release and acquire).
        Ok(Shape::Lent(unsafe { self.lent.lent(&self.rounds) }))
    }

    fn begin(&mut self, ready: Result<(), Error>) -> Result<(), Error> {
        self.begin_round(ready)?;
        self.begun = true;
        Ok(())
    }

    fn prepare_messages(&mut self, messages: StdArc<Messages>) {
        self.inbox = vec![None; messages.incoming.envelopes.len()];
        self.is_renewed = self.messages.is_some();
        self.messages = Some(messages);
    }

    fn begin_messages(&mut self) -> Result<Option<Outbox<'_>>, Error> {
        if self.ready.is_err() {
            return Ok(None);
        }
        let messages = self.messages.as_ref().expect("messages are prepared before they go");
        let last = self.rounds.own().take();
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
        Ok(buffer.map(|buffer| Outbox { rooms: Rooms::Buffer(buffer), posting: None }))
    }

    fn send(&mut self) -> Result<(), Error> {
        self.rounds.own().put(self.packing.take());
        if self.begun {
            self.rounds.pack();
            self.rounds.count(|rank| &rank.arrived);
        }
        self.rounds.count(|rank| &rank.packed);
        Ok(())
    }

    fn leave(&mut self) -> Result<(), Error> {
        let (rank, reason) = (self.rounds.rank, "a panic while it packed".into());
        let error = Error::PeerFailed { rank, reason };
        self.rounds.refuse(&error);
        (self.ready, self.packing) = (Err(error), None);
        self.send()
    }

    fn test(&mut self) -> Result<bool, Error> {
        Ok(self.rounds.behind(|rank| &rank.packed).is_none())
    }

    fn agree(&mut self) -> Result<(), Error> {
        let packed =
            self.rounds.wait_for(|rank| &rank.packed).and_then(|()| self.rounds.agree_on_call());
        // This rank's own reason first.
        let agreed = self.ready.clone().and(packed).and_then(|()| self.rounds.refusal());
        if agreed.is_err() { self.end_round(agreed) } else { agreed }
    }

    fn inbox(&mut self) -> Option<Inbox<'_>> {
        None
    }

    fn all(&mut self) -> Result<(), Error> {
        let messages = self.messages.as_ref().expect("messages are prepared before they go");
        for (message, envelope) in self.inbox.iter_mut().zip(&messages.incoming.envelopes) {
            *message = self.rounds.outboxes[envelope.rank].packed();
        }
        Ok(())
    }

    fn message(&self, number: usize) -> &[u8] {
        let packed =
            self.inbox[number].as_ref().expect("only messages that have arrived are asked for");
        packed.message_to(self.rounds.rank)
    }

    fn end(&mut self) {
        let _ = self.end_round(Ok(()));
    }
}
