//! The C interface of `redist`: what `include/redist.h` declares.
//!
//! Functions that C calls are in `ffi/`, one file a subject; each is a `guarded` closure, so that
//! errors and panics become a [`Status`](status::Status) and a message. Pointers that C passes
//! become references in `pointers.rs` and nowhere else.
// Without MPI there are plans alone, which do not need all of what is here.
#![cfg_attr(not(feature = "mpi"), allow(dead_code))]

#[cfg(feature = "mpi")]
mod bound;
#[cfg(feature = "mpi")]
mod communicator;
#[cfg(feature = "mpi")]
mod element;
mod ffi;
mod guard;
mod layout;
#[cfg(feature = "mpi")]
mod options;
mod pointers;
mod status;
