//! Collective calls. Unsafe, because the library reads and writes buffers.

use crate::communicator::Communicator;
use crate::element::{Element, Operation};
use crate::error::{Error, int};
use crate::point_to_point::{start, start_mut};
use crate::request::Request;

/// All are collective.
impl Communicator {
    /// Waits for all ranks.
    pub fn barrier(&self) -> Result<(), Error> {
        // SAFETY: the communicator is alive.
        unsafe { self.mpi()?.MPI_Barrier(self.raw) }?;
        Ok(())
    }

    /// Broadcasts the elements of one rank. All ranks bring room for equally many.
    pub fn bcast<T: Element>(&self, root: usize, elements: &mut [T]) -> Result<(), Error> {
        let (root, count, place) = (int(root)?, int(elements.len())?, start_mut(elements));
        let datatype = self.library.handle(T::DATATYPE.0);
        // SAFETY: the communicator is alive; the buffer has room for `count` elements of the type
        // that is stated, any bytes of which are elements, and outlives the call.
        unsafe { self.mpi()?.MPI_Bcast(place, count, datatype, root, self.raw) }?;
        Ok(())
    }

    /// Reduces each of the elements over all ranks.
    ///
    /// # Panics
    /// If the two lists do not have equally many.
    pub fn allreduce<T: Element>(
        &self,
        mine: &[T],
        of_all: &mut [T],
        operation: Operation,
    ) -> Result<(), Error> {
        assert_eq!(mine.len(), of_all.len(), "room for what is reduced");
        let (count, from, to) = (int(mine.len())?, start(mine), start_mut(of_all));
        let datatype = self.library.handle(T::DATATYPE.0);
        let op = self.library.handle(operation.constant());
        // SAFETY: the communicator is alive; both buffers have `count` elements of the type that is
        // stated, the second borrowed exclusively, and outlive the call.
        unsafe { self.mpi()?.MPI_Allreduce(from, to, count, datatype, op, self.raw) }?;
        Ok(())
    }

    /// Begins to reduce each of `len` elements over all ranks, which bring equally many.
    ///
    /// # Safety
    /// Both places hold `len` elements and do not overlap. They stay in place, untouched, until the
    /// request is complete or MPI is finalised.
    pub unsafe fn iallreduce<T: Element>(
        &self,
        mine: *const T,
        of_all: *mut T,
        len: usize,
        operation: Operation,
    ) -> Result<Request, Error> {
        let (mpi, count) = (self.mpi()?, int(len)?);
        let datatype = self.library.handle(T::DATATYPE.0);
        let op = self.library.handle(operation.constant());
        let (from, to) = (mine.cast(), of_all.cast());
        // SAFETY: the communicator is alive; the caller leaves `count` elements of the type that is
        // stated untouched at both places until the request is complete, which has no other owner.
        unsafe {
            Request::begun(self, |place| {
                mpi.MPI_Iallreduce(from, to, count, datatype, op, self.raw, place)
            })
        }
    }
}
