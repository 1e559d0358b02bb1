//! Calls that all ranks of a communicator make together.
//!
//! Unsafe, since the library is given buffers.

use crate::communicator::Communicator;
use crate::element::{Element, Operation};
use crate::error::{Error, int};
use crate::point_to_point::{start, start_mut};
use crate::request::Request;

/// All are collective.
impl Communicator {
    /// Waits for all ranks.
    ///
    /// # Errors
    /// The library's.
    pub fn barrier(&self) -> Result<(), Error> {
        // SAFETY: the communicator is alive.
        unsafe { self.mpi()?.MPI_Barrier(self.raw) }?;
        Ok(())
    }

    /// Has the elements of one rank on all ranks, which bring room for equally many.
    ///
    /// # Errors
    /// The library's; or a number is too large.
    pub fn bcast<T: Element>(&self, root: usize, elements: &mut [T]) -> Result<(), Error> {
        let (root, count, place) = (int(root)?, int(elements.len())?, start_mut(elements));
        let datatype = self.library.handle(T::DATATYPE.0);
        // SAFETY: the communicator is alive; the buffer has room for `count` elements of the type
        // that is stated, any bytes of which are elements, and outlives the call.
        unsafe { self.mpi()?.MPI_Bcast(place, count, datatype, root, self.raw) }?;
        Ok(())
    }

    /// Reduces each of the elements over all ranks, which bring equally many.
    ///
    /// # Errors
    /// The library's; or a number is too large.
    ///
    /// # Panics
    /// If there is not room for as many elements as `mine`.
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
    /// There are so many elements at both places, which do not overlap, stay where they are, and
    /// are not touched, until the request is complete, or MPI is finalised.
    ///
    /// # Errors
    /// The library's; or a number is too large.
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
        // stated alone at both places until the request is complete, which has no other owner.
        unsafe {
            Request::begun(self, |place| {
                mpi.MPI_Iallreduce(from, to, count, datatype, op, self.raw, place)
            })
        }
    }

    /// The elements of all ranks, which bring equally many, on all of them, in the order of ranks.
    ///
    /// # Errors
    /// The library's; or a number is too large.
    ///
    /// # Panics
    /// If there is not room for those of all ranks.
    pub fn allgather<T: Element>(&self, mine: &[T], of_all: &mut [T]) -> Result<(), Error> {
        assert_eq!(mine.len() * self.size(), of_all.len(), "room for the elements of all ranks");
        let (count, from, to) = (int(mine.len())?, start(mine), start_mut(of_all));
        let datatype = self.library.handle(T::DATATYPE.0);
        // SAFETY: the communicator is alive; the first buffer has `count` elements of the type that
        // is stated, the second, borrowed exclusively, as many of each rank; both outlive the call.
        unsafe { self.mpi()?.MPI_Allgather(from, count, datatype, to, count, datatype, self.raw) }?;
        Ok(())
    }

    /// The elements of all ranks, which bring equally many, on rank `root`, in the order of ranks.
    /// Others need no room.
    ///
    /// # Errors
    /// The library's; or a number is too large.
    ///
    /// # Panics
    /// If there is not room on `root` for those of all ranks.
    pub fn gather<T: Element>(
        &self,
        root: usize,
        mine: &[T],
        of_all: &mut [T],
    ) -> Result<(), Error> {
        let room = mine.len() * self.size();
        assert!(self.rank() != root || of_all.len() == room, "room for the elements of all ranks");
        let (root, count, from, to) =
            (int(root)?, int(mine.len())?, start(mine), start_mut(of_all));
        let datatype = self.library.handle(T::DATATYPE.0);
        // SAFETY: the communicator is alive; the first buffer has `count` elements of the type that
        // is stated, the second, borrowed exclusively, as many of each rank where the library
        // writes to it; both outlive the call.
        unsafe {
            self.mpi()?.MPI_Gather(from, count, datatype, to, count, datatype, root, self.raw)
        }?;
        Ok(())
    }
}
