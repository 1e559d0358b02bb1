//! The C interface of `redist`, declared in `include/redist.h`.
//!
//! Functions that C calls are in `ffi/`. Each is a `guarded` closure: errors and panics become a
//! [`Status`](status::Status) and a message. Only `pointers.rs` makes references of pointers.

mod array;
mod bound;
mod bound_batch;
mod communicator;
mod element;
mod ffi;
mod guard;
mod layout;
mod options;
mod pointers;
mod ranks;
mod status;
