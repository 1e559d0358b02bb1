//! Repeated exchanges between threads: every rank packs into a buffer of its own, from which the others unpack.

use super::group::{Group, Rank};
use crate::element::Element;
use crate::error::Error;
use crate::plan::Digest;
use crate::program::Envelope;
use crate::transport::recycle::recycle;
use crate::transport::{Arrived, Channel, Proposal, Transport};
use std::any::{Any, type_name};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

/// How often a rank offers its processor to the others before it goes to sleep until they are done.
const YIELDS: usize = 200;

/// A rank's end of a channel between threads.
#[derive(Debug)]
pub struct ThreadChannel<T: 'static> {
    rank: usize,
    group: Arc<Group>,
    /// Number of exchanges begun.
    round: usize,
    /// Whether this rank is ready for this exchange.
    ready: Result<(), Error>,
    /// True from `begin` to `complete`.
    under_way: bool,
    progress: Vec<Arc<Progress>>,
    outgoing: Vec<usize>,
    buffer: Arc<RwLock<Vec<T>>>,
    incoming: Vec<Incoming<T>>,
    /// Lists kept between exchanges for their memory only.
    spare: Spare<T>,
}

#[derive(Debug)]
struct Incoming<T> {
    buffer: Arc<RwLock<Vec<T>>>,
    elements: Range<usize>,
}

#[derive(Debug)]
struct Spare<T: 'static> {
    out: Vec<&'static mut [T]>,
    guards: Vec<RwLockReadGuard<'static, Vec<T>>>,
    inbox: Vec<&'static [T]>,
}

/// How far a rank has come, counted in exchanges.
#[derive(Debug, Default)]
struct Progress {
    packed: AtomicUsize,
    unpacked: AtomicUsize,
    /// The exchange that it was not ready for, and why.
    refused: Mutex<Option<(usize, Error)>>,
}

/// What a rank shows the others when a channel is opened.
struct Offer {
    digest: Digest,
    element: &'static str,
    outgoing: Vec<Envelope>,
    buffer: Arc<dyn Any + Send + Sync>,
    progress: Arc<Progress>,
}

impl Transport for Rank {
    type Channel<T: Element> = ThreadChannel<T>;

    fn rank(&self) -> usize {
        self.number()
    }

    fn size(&self) -> usize {
        self.group().size()
    }

    fn open<T: Element>(&self, proposal: Result<Proposal<'_>, Error>) -> Result<ThreadChannel<T>, Error> {
        let len = proposal.as_ref().map_or(0, |p| p.outgoing.iter().map(|envelope| envelope.len).sum());
        let buffer = Arc::new(RwLock::new(vec![T::ZERO; len]));
        let offer = proposal.as_ref().map_err(Error::clone).map(|proposal| Offer {
            digest: proposal.digest,
            element: type_name::<T>(),
            outgoing: proposal.outgoing.to_vec(),
            buffer: buffer.clone(),
            progress: Arc::default(),
        });
        let offers = self.meet(offer)?;
        let proposal = proposal?;
        let offers = agree(&offers)?;
        Ok(ThreadChannel::new(self, &proposal, buffer, &offers))
    }
}

/// All offers, if there are all and they are alike. Every rank compares with rank 0, so all find the same difference.
fn agree(offers: &[Arc<Result<Offer, Error>>]) -> Result<Vec<&Offer>, Error> {
    let mut agreed: Vec<&Offer> = Vec::with_capacity(offers.len());
    for (rank, offer) in offers.iter().enumerate() {
        let offer = offer.as_ref().as_ref().map_err(|error| Error::PeerFailed { rank, reason: error.to_string() })?;
        agreed.push(offer);
    }
    let Some(&first) = agreed.first() else {
        return Ok(agreed);
    };
    for (rank, offer) in agreed.iter().enumerate() {
        if offer.element != first.element {
            return Err(Error::DifferentElement {
                rank,
                theirs: offer.element.into(),
                here: 0,
                ours: first.element.into(),
            });
        }
        if offer.digest != first.digest {
            return Err(Error::DifferentPlan { rank, theirs: offer.digest, here: 0, ours: first.digest });
        }
    }
    Ok(agreed)
}

impl<T: Element> ThreadChannel<T> {
    fn new(rank: &Rank, proposal: &Proposal<'_>, buffer: Arc<RwLock<Vec<T>>>, offers: &[&Offer]) -> Self {
        let here = rank.number();
        let incoming: Vec<_> = proposal.incoming.iter().filter_map(|from| incoming(offers[from.rank], here)).collect();
        let messages = (proposal.outgoing.len(), incoming.len());
        assert_eq!(messages.1, proposal.incoming.len(), "plans with one digest have the same messages");
        let lists = (Vec::with_capacity(messages.0), Vec::with_capacity(messages.1), Vec::with_capacity(messages.1));
        Self {
            rank: here,
            group: Arc::clone(rank.group()),
            round: 0,
            ready: Ok(()),
            under_way: false,
            progress: offers.iter().map(|offer| Arc::clone(&offer.progress)).collect(),
            outgoing: proposal.outgoing.iter().map(|envelope| envelope.len).collect(),
            buffer,
            incoming,
            spare: Spare { out: lists.0, guards: lists.1, inbox: lists.2 },
        }
    }

    fn pack(&mut self, pack: impl FnOnce(&mut [&mut [T]])) {
        let mut buffer = self.buffer.write().unwrap_or_else(PoisonError::into_inner);
        let mut out: Vec<&mut [T]> = recycle(std::mem::take(&mut self.spare.out));
        let mut rest = buffer.as_mut_slice();
        for &len in &self.outgoing {
            let (message, after) = rest.split_at_mut(len);
            out.push(message);
            rest = after;
        }
        pack(&mut out);
        self.spare.out = recycle(out);
    }

    fn unpack(&mut self, unpack: impl FnOnce(&mut [&[T]])) {
        let mut guards: Vec<RwLockReadGuard<'_, Vec<T>>> = recycle(std::mem::take(&mut self.spare.guards));
        let mut inbox: Vec<&[T]> = recycle(std::mem::take(&mut self.spare.inbox));
        guards.extend(self.incoming.iter().map(|from| from.buffer.read().unwrap_or_else(PoisonError::into_inner)));
        inbox.extend(guards.iter().zip(&self.incoming).map(|(buffer, from)| &buffer[from.elements.clone()]));
        unpack(&mut inbox);
        self.spare.inbox = recycle(inbox);
        self.spare.guards = recycle(guards);
    }

    /// A rank that has not counted up to this exchange.
    fn behind(&self, round: usize, counter: impl Fn(&Progress) -> &AtomicUsize) -> Option<usize> {
        self.progress.iter().position(|rank| counter(rank).load(Ordering::Acquire) < round)
    }

    /// Waits until every rank has counted up to this exchange.
    fn wait_for(&self, round: usize, counter: impl Fn(&Progress) -> &AtomicUsize) -> Result<(), Error> {
        let behind = || self.behind(round, &counter);
        // The others are seldom far behind, and going to sleep takes longer than most exchanges.
        for _ in 0..YIELDS {
            if behind().is_none() {
                return Ok(());
            }
            std::thread::yield_now();
        }
        self.group.wait(self.rank, behind)
    }

    fn count(&self, counter: impl Fn(&Progress) -> &AtomicUsize) {
        counter(&self.progress[self.rank]).store(self.round, Ordering::Release);
        self.group.notify();
    }

    /// Why this exchange must not go on, if a rank was not ready: its own reason first.
    fn refusal(&self) -> Result<(), Error> {
        self.ready.clone()?;
        for (rank, progress) in self.progress.iter().enumerate() {
            let refused = progress.refused.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, error)) = refused.as_ref().filter(|(round, _)| *round == self.round) {
                return Err(Error::PeerFailed { rank, reason: error.to_string() });
            }
        }
        Ok(())
    }
}

impl<T: Element> Channel<T> for ThreadChannel<T> {
    const ONE_BY_ONE: bool = false;

    fn begin(&mut self, ready: Result<(), Error>, pack: impl FnOnce(&mut [&mut [T]])) -> Result<(), Error> {
        if self.under_way {
            // A move that was begun and forgotten: whoever wants to know how it went finishes it.
            let _ = self.complete(|_| ());
        }
        // Nobody may still be reading what the last exchange packed.
        self.wait_for(self.round, |rank| &rank.unpacked)?;
        self.round += 1;
        match &ready {
            Ok(()) => self.pack(pack),
            Err(error) => {
                let mut refused = self.progress[self.rank].refused.lock().unwrap_or_else(PoisonError::into_inner);
                *refused = Some((self.round, error.clone()));
            }
        }
        self.ready = ready;
        self.under_way = true;
        self.count(|rank| &rank.packed);
        Ok(())
    }

    fn test(&mut self) -> Result<bool, Error> {
        Ok(self.behind(self.round, |rank| &rank.packed).is_none())
    }

    fn complete(&mut self, mut unpack: impl FnMut(Arrived<'_, '_, T>)) -> Result<(), Error> {
        self.under_way = false;
        self.wait_for(self.round, |rank| &rank.packed)?;
        let agreed = self.refusal();
        if agreed.is_ok() {
            self.unpack(|messages| unpack(Arrived::All(messages)));
        }
        self.count(|rank| &rank.unpacked);
        agreed
    }
}

impl<T> Drop for ThreadChannel<T> {
    /// A move that was begun and forgotten must not keep the others waiting.
    fn drop(&mut self) {
        if self.under_way {
            self.progress[self.rank].unpacked.store(self.round, Ordering::Release);
            self.group.notify();
        }
    }
}

/// Where a sender's buffer holds what it sends to rank `here`.
fn incoming<T: Element>(sender: &Offer, here: usize) -> Option<Incoming<T>> {
    let index = sender.outgoing.iter().position(|envelope| envelope.rank == here)?;
    let start = sender.outgoing[..index].iter().map(|envelope| envelope.len).sum();
    let buffer = Arc::clone(&sender.buffer).downcast().ok()?;
    Some(Incoming { buffer, elements: start..start + sender.outgoing[index].len })
}
