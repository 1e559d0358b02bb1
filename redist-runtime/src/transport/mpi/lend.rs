//! Exchanges without messages: ranks of one node copy from each other's shared arrays.

use super::channel::MpiChannel;
use super::preflight::{failure_of, lowest};
use super::shared::SharedArray;
use crate::element::Element;
use crate::error::Error;
use crate::transport::Arrived;
use crate::transport::recycle::recycle;
use std::mem;

impl<T: Element> MpiChannel<T> {
    /// An array of so many elements in shared memory, for the ranks of this channel. Collective.
    pub(crate) fn shared_array(&self, len: usize) -> Result<SharedArray<T>, Error> {
        SharedArray::on(&self.communicator.context, len)
    }

    /// Whether all ranks are on one node: the same on all.
    pub(crate) fn is_on_one_node(&self) -> bool {
        self.communicator.context.is_one_node()
    }

    /// Lends this rank's array to all others, and has `copy` copy from theirs. Collective, for ranks of one node. Returns
    /// when nobody reads the array any more, and allocates nothing where nothing goes wrong.
    ///
    /// # Errors
    /// This rank's own error, if it was not ready; or, naming the rank, that another was not, or that arrays do not belong
    /// together. Nothing is copied then.
    pub(crate) fn copy_shared(
        &mut self,
        ready: Result<(), Error>,
        source: &SharedArray<T>,
        copy: impl FnOnce(Arrived<'_, '_, T>),
    ) -> Result<(), Error> {
        self.finish_forgotten();
        let ready = ready.and_then(|()| self.own_array(source)).and_then(|()| source.synchronise());
        let (rank, none) = (self.communicator.rank() as u64, self.communicator.size() as u64);
        let unready = if ready.is_err() { rank } else { none };
        let [failed, least, most] = self.communicator.minima([unready, source.id, !source.id])?;
        if failed < none {
            return Err(failure_of(&self.communicator, failed as usize, ready.as_ref().err())?);
        }
        if least != !most {
            let other = lowest(&self.communicator, source.id != least)?.unwrap_or_default();
            return Err(Error::DifferentArrays { rank: other });
        }
        source.synchronise()?;
        let guard = UntilAllHaveCopied(self);
        let mut sources: Vec<&[T]> = recycle(mem::take(&mut guard.0.sources));
        // SAFETY: all ranks have just met, each in this call with its part of the array of one number, borrowed, and made
        // for the ranks of this communicator; none leaves before all have copied, also when unwinding.
        sources.extend(unsafe { source.parts() });
        copy(Arrived::Sources(&sources));
        guard.0.sources = recycle(sources);
        guard.wait()
    }

    fn own_array(&mut self, source: &SharedArray<T>) -> Result<(), Error> {
        if self.known_array != source.id {
            if !source.belongs_to(&self.communicator)? {
                return Err(Error::ForeignArray { rank: self.communicator.rank() });
            }
            self.known_array = source.id;
        }
        Ok(())
    }
}

/// Meets all ranks again, even when dropped while unwinding: nobody reads this rank's array any more then.
struct UntilAllHaveCopied<'a, T: Element>(&'a mut MpiChannel<T>);

impl<T: Element> UntilAllHaveCopied<'_, T> {
    fn wait(self) -> Result<(), Error> {
        let met = self.0.communicator.minima([0]);
        mem::forget(self);
        met.map(drop)
    }
}

impl<T: Element> Drop for UntilAllHaveCopied<'_, T> {
    fn drop(&mut self) {
        // Whoever unwinds has worse to tell.
        let _ = self.0.communicator.minima([0]);
    }
}
