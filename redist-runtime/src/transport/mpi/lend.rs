//! Moves without messages: ranks of one node copy between each other's shared arrays. Unsafe,
//! because no lifetime says that other processes use memory until they have left.

use super::communicator::OwnCommunicator;
use super::context::Context;
use super::shared::{SharedBytes, SharedWindow};
use super::vote::Vote;
use crate::error::Error;
use crate::plan::Side;
use crate::transport::{Arrays, Leave, Lent, LentArrays, Source, Target};
use std::cell::{RefCell, UnsafeCell};
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct Lending {
    context: Arc<Context>,
    communicator: Arc<OwnCommunicator>,
    vote: RefCell<Vote>,
    /// This rank's arrays, while others use them.
    own: RefCell<[Option<Arc<SharedWindow>>; 2]>,
    /// Numbers of the last shared arrays of this communicator's ranks, by side.
    known: [u64; 2],
    arrays: LentArrays,
}

impl Lending {
    pub fn new(context: Arc<Context>, communicator: Arc<OwnCommunicator>) -> Self {
        let ranks = communicator.size();
        Self {
            context,
            communicator,
            vote: RefCell::new(Vote::new()),
            own: RefCell::default(),
            known: [0; 2],
            arrays: LentArrays::new(ranks),
        }
    }

    /// Checks that the arrays were made for the ranks of this channel, and makes this rank's writes
    /// visible to those it meets next. Local.
    pub fn recognise(&mut self, arrays: [Option<&SharedBytes>; 2]) -> Result<(), Error> {
        for ((side, array), known) in
            [Side::Source, Side::Destination].into_iter().zip(arrays).zip(&mut self.known)
        {
            let Some(array) = array else { continue };
            if array.number() != *known {
                if !array.belongs_to(&self.communicator)? {
                    return Err(Error::ForeignArray { rank: self.communicator.rank(), side });
                }
                *known = array.number();
            }
            array.window().synchronise()?;
        }
        Ok(())
    }

    /// Returns all ranks' parts of the source's array, and, with `destinations`, of the
    /// destination's. Allocates nothing.
    ///
    /// # Safety
    /// All ranks of one node have met, each to share its parts of the same arrays, and call this.
    /// The two arrays differ, because each rank has borrowed the one, and the other mutably. Each
    /// keeps them borrowed until it drops the returned value, and does not use a shared destination
    /// otherwise.
    pub unsafe fn lent(
        &mut self,
        arrays: &Arrays<'_>,
        destinations: bool,
    ) -> Result<Lent<'_>, Error> {
        let source = match &arrays.source {
            Source::Shared(array) => Some(*array),
            Source::Own(_) => None,
        };
        let target = match &arrays.target {
            Target::Shared(array) if destinations => Some(&**array),
            Target::Shared(_) | Target::Own(_) | Target::Kept => None,
        };
        *self.own.get_mut() = [source, target].map(|array| array.map(SharedBytes::window));
        let writable = |part: *const [u8]| part as *const [UnsafeCell<u8>];
        let sources = source.into_iter().flat_map(SharedBytes::parts);
        let destinations = target.into_iter().flat_map(SharedBytes::parts).map(writable);
        self.arrays.note(sources, destinations);
        // From here to the guard, failures reach all ranks through the guard.
        let synchronised = self.synchronise();
        // SAFETY: each is a part of a window that `self.own` has a share of until this rank leaves,
        // and that is freed only when all ranks have dropped theirs (`Context::free_windows`). All
        // its bytes are initialised (`SharedBytes::new`). Its owner keeps it borrowed until it has
        // dropped its guard, as the caller promises. The guard waits in `leave` until all ranks
        // have met again, each when it drops its own. Windows are synchronised after both votes,
        // which orders the ranks' writes.
        let lent = unsafe { self.arrays.lent(self) };
        synchronised.map(|()| lent)
    }

    /// Makes this rank's writes visible to ranks it meets next, and their earlier ones to it.
    fn synchronise(&self) -> Result<(), Error> {
        self.own.borrow().iter().flatten().try_for_each(|window| window.synchronise())
    }
}

impl Leave for Lending {
    /// If the library fails, others may still use the arrays, so this rank must not any more.
    fn leave(&self, failed: bool) -> Result<(), Error> {
        let synchronised = self.synchronise();
        let met = self.context.meetings().part(&mut self.vote.borrow_mut(), failed);
        if met.is_err() {
            self.own.borrow().iter().flatten().for_each(|window| window.lose());
        }
        let again = self.synchronise();
        *self.own.borrow_mut() = [None, None];
        let culprit = met?.filter(|_| !failed);
        synchronised.and(again)?;
        let reason = || "a panic or a failure while it copied".into();
        culprit.map_or(Ok(()), |rank| Err(Error::PeerFailed { rank, reason: reason() }))
    }
}
