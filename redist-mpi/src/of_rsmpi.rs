//! Communicators of the crate `mpi`. They are generic: what is not used refers to no library.
//!
//! Unsafe, since handles come from another crate.

use crate::as_communicator::AsCommunicator;
use crate::communicator::CommunicatorRef;
use crate::error::Error;
use mpi::ffi::MPI_Comm;
use mpi::traits::{AsRaw, Communicator};

impl<C: Communicator + AsRaw<Raw = MPI_Comm>> AsCommunicator for C {
    fn borrowed(&self) -> Result<CommunicatorRef<'_>, Error> {
        let handle = self.as_raw();
        // SAFETY: `AsRaw`, an unsafe trait, gives the handle of a communicator that the value
        // borrows or owns, which lies in `handle`; it is freed when its owner is dropped, which the
        // borrow keeps from happening. The crate is linked with the library of this process.
        unsafe { CommunicatorRef::from_place((&raw const handle).cast()) }
    }
}
