//! The C interface of `redist`: what `include/redist.h` declares.
//!
//! Functions that C calls are in `ffi/`, one file a subject; each is a `guarded` closure, so that
//! errors and panics become a [`Status`](status::Status) and a message. Pointers that C passes
//! become references in `pointers.rs` and nowhere else.

mod bound;
mod communicator;
mod element;
mod ffi;
mod guard;
mod layout;
mod options;
mod pointers;
mod status;
