//! Communicators that may reach ranks of other launches. Unsafe, because the library is called.
//!
//! A rank with two such communicators sends words on each in Open MPI 4.1's `MPI_Finalize`, without
//! waiting for words of other ranks. Words to a rank that has left close its connection while the
//! library uses it, and `MPI_Finalize` may never return.

use crate::flavour::Flavour;
use crate::handle::{Comm, Handle};
use crate::library::Library;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `true` once ranks of another launch are joined.
static HAS_OTHERS: AtomicBool = AtomicBool::new(false);

/// Handles of communicators that this crate made, and has neither freed nor leaked, as words.
static MADE: Mutex<Vec<usize>> = Mutex::new(Vec::new());

fn made() -> MutexGuard<'static, Vec<usize>> {
    MADE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn note_another() {
    HAS_OTHERS.store(true, Ordering::Relaxed);
}

pub fn note(handle: Handle<Comm>) {
    made().push(handle.word());
}

pub fn forget(handle: Handle<Comm>) {
    let mut made = made();
    if let Some(at) = made.iter().position(|word| *word == handle.word()) {
        made.swap_remove(at);
    }
}

/// Frees what is left, if ranks of another launch are joined.
///
/// # Safety
/// MPI is not finalised, and no communicator of this crate is in use.
pub unsafe fn free_all(library: &Library) {
    if library.flavour() != Flavour::OpenMpi || !HAS_OTHERS.load(Ordering::Relaxed) {
        return;
    }
    for word in mem::take(&mut *made()) {
        // SAFETY: the communicator is alive, because whatever frees or leaks one forgets it first.
        // Nothing uses it, as the caller promises. Freeing is local in this library.
        Handle::<Comm>::new(word).in_memory(library.is_narrow, |place| unsafe {
            let _ = library.functions.MPI_Comm_free(place);
        });
    }
}
