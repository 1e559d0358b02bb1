//! What we keep on communicators of the user's: a [`Context`] as an attribute, which is what the
//! standard has for libraries.
//!
//! Unsafe, since the library keeps our pointers, and calls us back when a communicator is freed.

use super::abort::abort_if_others_wait;
use super::communicator::checked;
use super::context::Context;
use crate::error::Error;
use ::mpi::ffi::{self, MPI_Comm, MPI_Request};
use std::ffi::{c_int, c_void};
use std::mem;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The key of our attribute, once there is one.
static KEY: Mutex<Option<c_int>> = Mutex::new(None);

/// True from the beginning of `MPI_Finalize`.
static FINALIZING: AtomicBool = AtomicBool::new(false);

/// Whether MPI is finalised, or about to be: nothing may be freed any more, as other ranks may not
/// do so, too.
pub(super) fn is_over() -> bool {
    FINALIZING.load(Ordering::Relaxed) || ::mpi::is_finalized()
}

/// What is told to the other ranks when this one finalises MPI.
static LIVE: Mutex<Vec<LiveContext>> = Mutex::new(Vec::new());

struct LiveContext(Weak<Context>);

// SAFETY: only `ends` looks into it, on the thread that finalises MPI, which no other thread may
// call any more; it uses `Meetings::end`, which reads what does not change and what is atomic.
// Where it drops the last share, MPI is over, and nothing is freed.
unsafe impl Send for LiveContext {}

/// Has the other ranks of a context told when this one finalises MPI.
pub(super) fn tell_the_end(context: &Arc<Context>) -> Result<(), Error> {
    key()?;
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    live.retain(|context| context.0.strong_count() > 0);
    live.push(LiveContext(Arc::downgrade(context)));
    Ok(())
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
    // The window stays where the thread that uses it cannot be asked.
    if !is_over() && context.meetings().is_ours() {
        context.close_staging();
        let _ = context.free_windows();
    }
    ffi::MPI_SUCCESS as c_int
}

/// `MPI_Finalize` begins, which waits for all ranks: those that wait for this one are told.
unsafe extern "C" fn ends(_: MPI_Comm, _: c_int, _: *mut c_void, _: *mut c_void) -> c_int {
    if std::thread::panicking() {
        abort_if_others_wait();
    }
    let live = mem::take(&mut *LIVE.lock().unwrap_or_else(PoisonError::into_inner));
    let live: Vec<Arc<Context>> = live.iter().filter_map(|context| context.0.upgrade()).collect();
    let told = live.iter().filter_map(|context| context.meetings().end());
    wait_a_while(&mut told.collect::<Vec<_>>());
    FINALIZING.store(true, Ordering::Relaxed);
    ffi::MPI_SUCCESS as c_int
}

/// Waits until requests are complete, but not long: ranks that are not in a call now will be told
/// while the library waits for them.
fn wait_a_while(requests: &mut [MPI_Request]) {
    let (mut done, begun) = (0, Instant::now());
    while done == 0 && begun.elapsed() < Duration::from_millis(50) {
        let (count, requests) = (requests.len() as c_int, requests.as_mut_ptr());
        // SAFETY: the requests are live or null; no status is asked for.
        let code =
            unsafe { ffi::MPI_Testall(count, requests, &mut done, ffi::RSMPI_STATUSES_IGNORE) };
        if code != ffi::MPI_SUCCESS as c_int {
            return;
        }
        std::thread::yield_now();
    }
}
