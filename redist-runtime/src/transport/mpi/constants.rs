//! The library's constants, which are variables of C to Rust.

use ::mpi::ffi::{
    self, MPI_Comm, MPI_Errhandler, MPI_Info, MPI_Op, MPI_Request, MPI_Status, MPI_Win,
};
use std::ffi::c_int;

macro_rules! constants {
    ($($name:ident: $type:ty = $constant:ident;)*) => {$(
        #[inline]
        pub(super) fn $name() -> $type {
            // SAFETY: `mpi-sys` defines the variable as `const` with a constant for its value, so
            // that it is initialised before any code runs, and nothing writes to it.
            unsafe { ffi::$constant }
        }
    )*};
}

constants! {
    world: MPI_Comm = RSMPI_COMM_WORLD;
    this_rank_alone: MPI_Comm = RSMPI_COMM_SELF;
    no_communicator: MPI_Comm = RSMPI_COMM_NULL;
    no_info: MPI_Info = RSMPI_INFO_NULL;
    no_request: MPI_Request = RSMPI_REQUEST_NULL;
    no_window: MPI_Win = RSMPI_WIN_NULL;
    no_status: *mut MPI_Status = RSMPI_STATUS_IGNORE;
    errors_return: MPI_Errhandler = RSMPI_ERRORS_RETURN;
    shares_memory: c_int = RSMPI_COMM_TYPE_SHARED;
    any_source: c_int = RSMPI_ANY_SOURCE;
    any_tag: c_int = RSMPI_ANY_TAG;
    serialized: c_int = RSMPI_THREAD_SERIALIZED;
    undefined: c_int = RSMPI_UNDEFINED;
    least: MPI_Op = RSMPI_MIN;
    most: MPI_Op = RSMPI_MAX;
}
