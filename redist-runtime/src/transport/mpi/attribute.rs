//! What we keep on communicators of the user's: a [`Context`] as an attribute, which is what the
//! standard has for libraries.
//!
//! Unsafe, since the library keeps our pointers, and calls us back when a communicator is freed.

use super::communicator::checked;
use super::context::Context;
use crate::error::Error;
use ::mpi::ffi::{self, MPI_Comm};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The key of our attribute, once there is one.
static KEY: Mutex<Option<c_int>> = Mutex::new(None);

/// True from the beginning of `MPI_Finalize`.
static FINALIZING: AtomicBool = AtomicBool::new(false);

/// Whether MPI is finalised, or about to be: nothing may be freed any more, as other ranks may not
/// do so, too.
pub(super) fn is_over() -> bool {
    FINALIZING.load(Ordering::Relaxed) || ::mpi::is_finalized()
}

/// The context that is kept on a communicator. Local.
///
/// # Safety
/// `raw` is a live communicator.
pub(super) unsafe fn kept(raw: MPI_Comm) -> Result<Option<Arc<Context>>, Error> {
    let (mut value, mut found) = (null_mut::<c_void>(), 0);
    // SAFETY: the caller vouches for the communicator; the key is ours, and both places outlive the
    // call.
    let code = unsafe { ffi::MPI_Comm_get_attr(raw, key()?, (&raw mut value).cast(), &mut found) };
    checked(0, "MPI_Comm_get_attr", code)?;
    if found == 0 {
        return Ok(None);
    }
    let context = value.cast_const().cast::<Context>();
    // SAFETY: attributes of this key come from `keep`, which gave the library a share that it has
    // until `forget`.
    unsafe {
        Arc::increment_strong_count(context);
        Ok(Some(Arc::from_raw(context)))
    }
}

/// Keeps a context on a communicator until that is freed. Local.
///
/// # Safety
/// `raw` is a live communicator.
pub(super) unsafe fn keep(raw: MPI_Comm, context: Arc<Context>) -> Result<(), Error> {
    let key = key()?;
    let value = Arc::into_raw(context).cast_mut().cast::<c_void>();
    // SAFETY: the caller vouches for the communicator; the key is ours. Where this fails a share is
    // lost, no more.
    checked(0, "MPI_Comm_set_attr", unsafe { ffi::MPI_Comm_set_attr(raw, key, value) })
}

/// Our key. When it is made, we also ask to be told of the end: by an attribute of `MPI_COMM_SELF`,
/// whose attributes are deleted before `MPI_Finalize` does anything else (MPI-3.1, 8.7.1).
fn key() -> Result<c_int, Error> {
    let mut known = KEY.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(key) = *known {
        return Ok(key);
    }
    let end = new_key(ends)?;
    // SAFETY: the communicator is predefined, and the key was made just now.
    let code = unsafe { ffi::MPI_Comm_set_attr(ffi::RSMPI_COMM_SELF, end, null_mut()) };
    checked(0, "MPI_Comm_set_attr", code)?;
    let key = new_key(forget)?;
    *known = Some(key);
    Ok(key)
}

type Deleted = unsafe extern "C" fn(MPI_Comm, c_int, *mut c_void, *mut c_void) -> c_int;

fn new_key(deleted: Deleted) -> Result<c_int, Error> {
    let mut key = ffi::MPI_KEYVAL_INVALID as c_int;
    // SAFETY: both functions have the types that the library asks for, and live as long as the
    // process.
    let code = unsafe {
        ffi::MPI_Comm_create_keyval(Some(not_copied), Some(deleted), &mut key, null_mut())
    };
    checked(0, "MPI_Comm_create_keyval", code)?;
    Ok(key)
}

/// Duplicates of a communicator are others, whose users need not agree with each other.
unsafe extern "C" fn not_copied(
    _: MPI_Comm,
    _: c_int,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    copied: *mut c_int,
) -> c_int {
    // SAFETY: the library passes a place for the answer.
    unsafe { *copied = 0 };
    ffi::MPI_SUCCESS as c_int
}

/// The communicator is freed, by all its ranks: the library's share of the context goes, and what
/// only all ranks together can give back.
unsafe extern "C" fn forget(_: MPI_Comm, _: c_int, value: *mut c_void, _: *mut c_void) -> c_int {
    // SAFETY: the value is that of `keep`, and is deleted once.
    let context = unsafe { Arc::from_raw(value.cast_const().cast::<Context>()) };
    if !is_over() {
        context.close_staging();
    }
    ffi::MPI_SUCCESS as c_int
}

unsafe extern "C" fn ends(_: MPI_Comm, _: c_int, _: *mut c_void, _: *mut c_void) -> c_int {
    FINALIZING.store(true, Ordering::Relaxed);
    ffi::MPI_SUCCESS as c_int
}
