//! Communicators of the crate `mpi`. They are generic, so unused code refers to no library. Unsafe,
//! because handles come from another crate.

use crate::as_communicator::AsCommunicator;
use crate::communicator::CommunicatorRef;
use crate::error::Error;
use mpi::ffi::MPI_Comm;
use mpi::traits::{AsRaw, Communicator};

impl<C: Communicator + AsRaw<Raw = MPI_Comm>> AsCommunicator for C {
    fn borrowed(&self) -> Result<CommunicatorRef<'_>, Error> {
        let handle = self.as_raw();
        // SAFETY: the unsafe trait `AsRaw` returns the handle of a communicator that the value
        // borrows or owns. It lies in `handle`. Its owner frees it when it is dropped, which the
        // borrow prevents. The crate is linked with the library of this process.
        unsafe { CommunicatorRef::from_place((&raw const handle).cast()) }
    }
}
