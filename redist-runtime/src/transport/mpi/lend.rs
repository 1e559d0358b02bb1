//! Exchanges without messages: ranks of one node copy between each other's shared arrays.
//!
//! Unsafe, since a lifetime cannot say that memory of one process is used by others until they are through.

use super::array::SharedArray;
use super::channel::MpiChannel;
use super::communicator::OwnCommunicator;
use super::preflight::{failure_of, lowest};
use super::shared::SharedBytes;
use crate::element::Element;
use crate::error::Error;
use crate::plan::Side;
use crate::transport::recycle::recycle;
use crate::transport::{Arrived, Lent, Unpack};
use std::cell::UnsafeCell;
use std::{mem, slice};

/// Where a rank wants its part of what comes from shared arrays.
#[derive(Debug)]
pub enum Destination<'a> {
    /// In memory of its own.
    Own(&'a mut [u8]),
    /// In its part of another shared array, which the others may write to, and which it has borrowed mutably.
    Shared(&'a SharedBytes),
}

impl Destination<'_> {
    fn shared(&self) -> Option<&SharedBytes> {
        match self {
            Destination::Own(_) => None,
            Destination::Shared(array) => Some(array),
        }
    }

    /// As memory of this rank's own.
    fn own(&mut self) -> &mut [u8] {
        match self {
            Destination::Own(array) => array,
            Destination::Shared(array) => {
                let (own, len) = array.own();
                // SAFETY: so many bytes are there, all written; the caller has borrowed the array mutably, and uses it only
                // by way of this.
                unsafe { slice::from_raw_parts_mut(own, len) }
            }
        }
    }
}

impl MpiChannel {
    /// An array of so many elements in shared memory, for the ranks of this channel. Collective.
    pub(crate) fn shared_array<T: Element>(&self, len: usize) -> Result<SharedArray<T>, Error> {
        SharedArray::on(&self.communicator.context, len)
    }

    /// Whether all ranks are on one node: the same on all.
    pub(crate) fn is_on_one_node(&self) -> bool {
        self.communicator.context.is_one_node()
    }

    /// Lends this rank's part of a shared array to all others, and has `copy` copy from theirs to `destination`:
    /// [`Arrived::Sources`]. Or, where the destinations of all ranks are shared as well, lends both, and has `copy` copy
    /// between them, each rank something else: [`Arrived::Lent`]. Collective, for ranks of one node. Returns when nobody uses
    /// the arrays any more, and allocates nothing where nothing goes wrong.
    ///
    /// # Errors
    /// This rank's own error, if it was not ready; or, naming the rank, that another was not, or that arrays do not belong
    /// together. Nothing is copied then. Also that another rank panicked while it copied.
    ///
    /// # Panics
    /// If the ranks are on several nodes.
    #[doc(hidden)]
    pub fn exchange_shared(
        &mut self,
        ready: Result<(), Error>,
        source: &SharedBytes,
        mut destination: Destination<'_>,
        copy: Unpack<'_>,
    ) -> Result<(), Error> {
        assert!(self.is_on_one_node(), "the ranks share no memory");
        self.finish_forgotten();
        let brought = Lending { source, destination: destination.shared() };
        brought.each().for_each(SharedBytes::check_that_it_is_ours);
        let ready = ready.and_then(|()| self.recognise(&brought)).and_then(|()| brought.synchronise());
        let all_shared = self.agree(&brought, &ready)?;
        let (own, shared) = match &mut destination {
            Destination::Shared(array) if all_shared => (&mut [][..], Some(*array)),
            alone => (alone.own(), None),
        };
        let lending = Lending { source, destination: shared };
        let guard = UntilAllHaveCopied { communicator: &self.communicator, lending };
        lending.synchronise()?;
        let mut sources: Vec<&[u8]> = recycle(mem::take(&mut self.sources));
        let mut destinations: Vec<&[UnsafeCell<u8>]> = recycle(mem::take(&mut self.destinations));
        // SAFETY: All ranks have just met, each in this call. All found the same from what they brought: that their sources
        // are parts of one array, made for these ranks, and whether their destinations are, of which nobody takes the parts
        // otherwise. The two arrays are not the same, since each rank has borrowed the one and mutably borrowed the other. All
        // of them are ready, so all come to this place, and their guards keep them in this call, and so both arrays borrowed,
        // and unused but by way of these lists, until all are through with copying, panicking or not; or else, if they cannot
        // meet, keep them from using the arrays ever after. The lists go no further than `copy`, which cannot keep them.
        unsafe {
            sources.extend(source.parts());
            destinations.extend(shared.into_iter().flat_map(|array| array.lent_parts()));
        }
        match shared {
            Some(_) => copy(Arrived::Lent(Lent { sources: &sources, destinations: &destinations }), own),
            None => copy(Arrived::Sources(&sources), own),
        }
        (self.sources, self.destinations) = (recycle(sources), recycle(destinations));
        guard.wait()
    }

    /// Whether the arrays were made for the ranks of this channel. Local.
    fn recognise(&mut self, brought: &Lending<'_>) -> Result<(), Error> {
        for ((side, array), known) in brought.arrays().into_iter().zip(&mut self.known_arrays) {
            let Some(array) = array.filter(|array| array.number != *known) else { continue };
            if !array.belongs_to(&self.communicator)? {
                return Err(Error::ForeignArray { rank: self.communicator.rank(), side });
            }
            *known = array.number;
        }
        Ok(())
    }

    /// Whether the destinations of all ranks are shared, if all are ready and their arrays belong together. Collective.
    fn agree(&self, brought: &Lending<'_>, ready: &Result<(), Error>) -> Result<bool, Error> {
        let (rank, none) = (self.communicator.rank() as u64, self.communicator.size() as u64);
        let unready = if ready.is_err() { rank } else { none };
        // No array has the number 0.
        let [from, to] = brought.arrays().map(|(_, array)| array.map_or(0, |array| array.id));
        let [failed, least_from, most_from, least_to, most_to] =
            brought.meet(&self.communicator, [unready, from, !from, to, !to])?;
        if failed < none {
            return Err(failure_of(&self.communicator, failed as usize, ready.as_ref().err())?);
        }
        for (side, id, least, most) in
            [(Side::Source, from, least_from, !most_from), (Side::Destination, to, least_to, !most_to)]
        {
            if least != 0 && least != most {
                let rank = lowest(&self.communicator, id != least)?.unwrap_or_default();
                return Err(Error::DifferentArrays { rank, side });
            }
        }
        Ok(least_to != 0)
    }
}

/// A rank's arrays that others use: its source, and its destination where that is shared.
#[derive(Clone, Copy)]
struct Lending<'a> {
    source: &'a SharedBytes,
    destination: Option<&'a SharedBytes>,
}

impl<'a> Lending<'a> {
    fn arrays(&self) -> [(Side, Option<&'a SharedBytes>); 2] {
        [(Side::Source, Some(self.source)), (Side::Destination, self.destination)]
    }

    fn each(&self) -> impl Iterator<Item = &'a SharedBytes> {
        self.arrays().into_iter().filter_map(|(_, array)| array)
    }

    /// Makes what this rank wrote visible to those it meets next, and what they wrote before they met visible to this one.
    fn synchronise(&self) -> Result<(), Error> {
        self.each().try_for_each(SharedBytes::synchronise)
    }

    /// The smallest of each number over all ranks, which all have come as far as this then. Collective. Where the library
    /// fails, others may have come further, or still use the arrays: this rank must not any more.
    fn meet<const N: usize>(&self, communicator: &OwnCommunicator, mine: [u64; N]) -> Result<[u64; N], Error> {
        let met = communicator.minima(mine);
        if met.is_err() {
            self.each().for_each(SharedBytes::lose);
        }
        met
    }
}

/// Meets all ranks again, even when dropped while unwinding: nobody uses this rank's arrays any more then.
struct UntilAllHaveCopied<'a> {
    communicator: &'a OwnCommunicator,
    lending: Lending<'a>,
}

impl UntilAllHaveCopied<'_> {
    fn wait(self) -> Result<(), Error> {
        let met = self.meet(self.communicator.size());
        mem::forget(self);
        match met? {
            Some(rank) => Err(Error::PeerFailed { rank, reason: "a panic or a failure while it copied".into() }),
            None => Ok(()),
        }
    }

    /// Tells which rank has not copied its part, if any, and learns of such a one.
    fn meet(&self, failed: usize) -> Result<Option<usize>, Error> {
        let synchronised = self.lending.synchronise();
        let [failed] = self.lending.meet(self.communicator, [failed as u64])?;
        synchronised.and_then(|()| self.lending.synchronise())?;
        Ok((failed < self.communicator.size() as u64).then_some(failed as usize))
    }
}

impl Drop for UntilAllHaveCopied<'_> {
    fn drop(&mut self) {
        // Whoever unwinds has worse to tell.
        let _ = self.meet(self.communicator.rank());
    }
}
