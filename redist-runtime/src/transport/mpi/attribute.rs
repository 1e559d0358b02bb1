//! What we keep on communicators of the user's: a [`Context`] as an attribute, which is what the
//! standard has for libraries.
//!
//! Unsafe, since the library keeps our pointers, and calls us back when a communicator is freed.

use super::abort::{abort_for_memory, abort_if_others_wait};
use super::communicator::checked;
use super::context::Context;
use super::live::LiveCommunicator;
use super::request::Request;
use crate::error::Error;
use ::mpi::ffi::{self, MPI_Comm};
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

/// Before any call of the library that a caller may make after its end.
///
/// # Errors
/// MPI [is over](is_over).
pub(super) fn check_that_mpi_is_there() -> Result<(), Error> {
    if !is_over() {
        return Ok(());
    }
    let reason = "MPI has been finalised".into();
    Err(Error::Unavailable { what: "a move or a plan".into(), reason })
}

/// What is told to the other ranks when this one finalises MPI.
static LIVE: Mutex<Vec<LiveContext>> = Mutex::new(Vec::new());

struct LiveContext(Weak<Context>);

// SAFETY: other threads than that of the context do three things with it. `tell_the_end` looks at
// its count, which is atomic, and drops it where the context is gone already. `ends`, on the thread
// that finalises MPI, asks `in_use`, which is atomic, and calls `Meetings::end` and
// `have_all_ended`, which use what never changes, atomics, a `OnceLock`, and the library, which no other thread may call any more. And `ends` may drop the last share, but after
// `FINALIZING` is set, when `drop` of all that a context has neither calls the library nor frees
// what it uses.
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
pub(super) fn kept(communicator: LiveCommunicator<'_>) -> Result<Option<Arc<Context>>, Error> {
    let (mut value, mut found, key) = (null_mut::<c_void>(), 0, key()?);
    let place = (&raw mut value).cast();
    // SAFETY: the communicator is alive, the key was made by `new_key` and is never freed, and both
    // places outlive the call.
    let code = unsafe { ffi::MPI_Comm_get_attr(communicator.raw, key, place, &mut found) };
    checked(0, "MPI_Comm_get_attr", code)?;
    if found == 0 {
        return Ok(None);
    }
    let context = value.cast_const().cast::<Context>();
    // SAFETY: `set` alone sets attributes of this key, to `keep`'s share of a context, made by
    // `Arc::into_raw`; the library has that share until it calls `forget`, when the communicator is
    // freed, which it is not while this borrows it.
    unsafe {
        Arc::increment_strong_count(context);
        Ok(Some(Arc::from_raw(context)))
    }
}

/// Keeps a context on a communicator until that is freed. Local.
pub(super) fn keep(communicator: LiveCommunicator<'_>, context: Arc<Context>) -> Result<(), Error> {
    // Where this fails a share is lost, no more.
    set(communicator, key()?, Arc::into_raw(context).cast_mut().cast())
}

fn set(communicator: LiveCommunicator<'_>, key: c_int, value: *mut c_void) -> Result<(), Error> {
    // SAFETY: the communicator is alive, and the key was made by `new_key` and is never freed; the
    // library only hands the value back.
    let code = unsafe { ffi::MPI_Comm_set_attr(communicator.raw, key, value) };
    checked(0, "MPI_Comm_set_attr", code)
}

/// Our key. When it is made, we also ask to be told of the end: by an attribute of `MPI_COMM_SELF`,
/// whose attributes are deleted before `MPI_Finalize` does anything else (MPI-3.1, 8.7.1).
fn key() -> Result<c_int, Error> {
    let mut known = KEY.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(key) = *known {
        return Ok(key);
    }
    let end = new_key(ends)?;
    set(LiveCommunicator::this_rank_alone(), end, null_mut())?;
    let key = new_key(forget)?;
    *known = Some(key);
    Ok(key)
}

type Deleted = unsafe extern "C" fn(MPI_Comm, c_int, *mut c_void, *mut c_void) -> c_int;

fn new_key(deleted: Deleted) -> Result<c_int, Error> {
    let mut key = ffi::MPI_KEYVAL_INVALID as c_int;
    // SAFETY: both functions have the types that the library asks for, are part of the program, and
    // do not unwind, since functions of C's abort then; the key outlives the call.
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
    // SAFETY: `new_key` gives this function as the one that copies, to which the library passes a
    // place of its own for the answer, used by nothing else until this returns (MPI-3.1, 6.7.2).
    unsafe { *copied = 0 };
    ffi::MPI_SUCCESS as c_int
}

/// The communicator is freed, by all its ranks: the library's share of the context goes, and what
/// only all ranks together can give back.
unsafe extern "C" fn forget(_: MPI_Comm, _: c_int, value: *mut c_void, _: *mut c_void) -> c_int {
    // SAFETY: the key is `keep`'s alone, so that the value is a share made by `Arc::into_raw`; the
    // library deletes it once, and `kept` only takes shares of its own.
    let context = unsafe { Arc::from_raw(value.cast_const().cast::<Context>()) };
    // The window stays where the thread that uses it cannot be asked.
    if !is_over() && context.meetings().is_ours() {
        context.close();
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
    if let Some(what) = live.iter().find_map(|context| context.in_use()) {
        abort_for_memory(what);
    }
    let told = live.iter().flat_map(|context| context.meetings().end());
    wait_a_while(&mut told.collect::<Vec<_>>(), &live);
    FINALIZING.store(true, Ordering::Relaxed);
    ffi::MPI_SUCCESS as c_int
}

/// Waits until requests are complete, and all ranks of these contexts have come so far, but not long:
/// ranks that are not in a call now will be told while the library waits for them.
fn wait_a_while(requests: &mut [Request], contexts: &[Arc<Context>]) {
    let is_over = |request: &mut Request| {
        let (code, done) = request.test();
        done || code != ffi::MPI_SUCCESS as c_int
    };
    let begun = Instant::now();
    let have_ended = || contexts.iter().all(|context| context.meetings().have_all_ended());
    while begun.elapsed() < Duration::from_millis(50)
        && !(requests.iter_mut().all(is_over) && have_ended())
    {
        std::thread::yield_now();
    }
}
