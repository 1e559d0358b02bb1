//! Opening a channel between threads: every rank shows the others what it brings.

use super::channel::{Incoming, Outbox, ThreadChannel};
use super::group::Rank;
use super::lend::Slot;
use super::rounds::Progress;
use super::turns::Turns;
use crate::element::ElementType;
use crate::error::Error;
use crate::plan::Digest;
use crate::plan::schedule::Method;
use crate::program::Envelope;
use crate::transport::{Proposal, Transport};
use std::sync::{Arc, RwLock};

/// What a rank shows the others when a channel is opened.
pub(super) struct Offer {
    digest: Digest,
    element: ElementType,
    method: Method,
    outgoing: Vec<Envelope>,
    outbox: Outbox,
    /// `None` where all messages go at once.
    turns: Option<Arc<Turns>>,
    pub progress: Arc<Progress>,
}

impl Transport for Rank {
    type Channel = ThreadChannel;

    fn rank(&self) -> usize {
        self.number()
    }

    fn size(&self) -> usize {
        self.group().size()
    }

    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<ThreadChannel, Error> {
        // Without steps, arrays are lent, and messages are packed only where a rank begins a move to finish it later.
        let packs = proposal.as_ref().is_ok_and(|proposal| proposal.steps.is_some());
        let len: usize =
            proposal.as_ref().map_or(0, |p| p.outgoing.iter().map(|envelope| envelope.len * p.element.bytes()).sum());
        let outbox = Outbox {
            buffer: Arc::new(RwLock::new(vec![0; if packs { len } else { 0 }])),
            arrays: Arc::new(Slot::empty()),
        };
        let offer = proposal.as_ref().map_err(Error::clone).map(|proposal| Offer {
            digest: proposal.digest,
            element: proposal.element,
            method: proposal.method,
            outgoing: proposal.outgoing.to_vec(),
            outbox: outbox.clone(),
            turns: proposal.steps.map(|steps| Arc::new(Turns::of(steps))),
            progress: Arc::default(),
        });
        let offers = self.meet(offer)?;
        let proposal = proposal?;
        let offers = prepared(&offers).inspect_err(|_| self.group().tell(self.number()))?;
        if let Some(rank) = one_that_differs(&offers, |offer| offer.element) {
            let (theirs, ours) = (offers[rank].element.name().into(), offers[0].element.name().into());
            return Err(Error::DifferentElement { rank, theirs, here: 0, ours });
        }
        if let Some(rank) = one_that_differs(&offers, |offer| offer.digest) {
            // All ranks have found the same, and so meet again.
            let described = self.meet(proposal.description.to_string())?;
            let [ours, theirs] = [0, rank].map(|rank| described[rank].to_string());
            return Err(Error::DifferentPlan { rank, theirs, here: 0, ours });
        }
        if let Some(rank) = one_that_differs(&offers, |offer| offer.method) {
            let (theirs, ours) = (offers[rank].method, offers[0].method);
            return Err(Error::DifferentSchedule { rank, theirs, here: 0, ours });
        }
        Ok(ThreadChannel::new(self, &proposal, outbox, &offers))
    }
}

/// All offers, if there are all.
fn prepared(offers: &[Arc<Result<Offer, Error>>]) -> Result<Vec<&Offer>, Error> {
    let failed = |rank, error: &Error| Error::PeerFailed { rank, reason: error.reason() };
    let offers = offers.iter().enumerate();
    offers.map(|(rank, offer)| (**offer).as_ref().map_err(|error| failed(rank, error))).collect()
}

/// A rank that differs from rank 0. Every rank compares with that, so all find the same.
fn one_that_differs<T: PartialEq>(offers: &[&Offer], what: impl Fn(&Offer) -> T) -> Option<usize> {
    offers.iter().position(|offer| what(offer) != what(offers[0]))
}

impl Offer {
    /// Where this rank shows its arrays.
    pub fn slot(&self) -> Arc<Slot> {
        Arc::clone(&self.outbox.arrays)
    }

    /// What this sender sends to rank `here`: where its buffer holds it, and when to read it.
    pub fn incoming(&self, here: usize) -> Option<Incoming> {
        let index = self.outgoing.iter().position(|envelope| envelope.rank == here)?;
        let start: usize = self.outgoing[..index].iter().map(|envelope| envelope.len).sum();
        let (buffer, width) = (Arc::clone(&self.outbox.buffer), self.element.bytes());
        let turn = self.turns.as_ref().and_then(|turns| Some((Arc::clone(turns), turns.place(here)?)));
        Some(Incoming { buffer, bytes: start * width..(start + self.outgoing[index].len) * width, turn })
    }
}
