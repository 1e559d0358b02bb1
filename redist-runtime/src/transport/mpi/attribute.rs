//! What we keep on communicators of the user's: a [`Context`] as an attribute, which is what the
//! standard has for libraries.
//!
//! Unsafe, since the library keeps our pointers, and calls us back when a communicator is freed.

use super::abort::{abort_for_memory, abort_if_others_wait};
use super::context::Context;
use super::live::told;
use crate::error::Error;
use redist_mpi::{Attribute, Communicator, Key, Request};
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The key of our attribute, and of what tells the end.
static KEPT: Key<Kept> = Key::new();
static END: Key<End> = Key::new();

/// True from the beginning of `MPI_Finalize`.
static FINALIZING: AtomicBool = AtomicBool::new(false);

/// Whether MPI is finalised, or about to be: nothing may be freed any more, as other ranks may not
/// do so, too.
pub(super) fn is_over() -> bool {
    FINALIZING.load(Ordering::Relaxed) || redist_mpi::is_over()
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
    await_the_end()?;
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    live.retain(|context| context.0.strong_count() > 0);
    live.push(LiveContext(Arc::downgrade(context)));
    Ok(())
}

/// A context, kept on a communicator.
struct Kept(Arc<Context>);

// SAFETY: other threads than that of the context do two things with it. `kept` counts it, which is
// atomic, and hands it out, after which its users ask `Meetings::is_ours`, which is of what never
// changes, before anything else. `deleted` asks the same, and drops its share: that may be the last one
// on another thread, where the window and the communicator stay or are given back, and nobody else is
// left to use the context.
unsafe impl Send for Kept {}
// SAFETY: threads that share it read the context's place and count its owners by `Arc`, which is atomic;
// what they call on it first is `Meetings::is_ours`, which reads what never changes.
unsafe impl Sync for Kept {}

impl Attribute for Kept {
    /// The communicator is freed, by all its ranks: the library's share of the context goes, and what
    /// only all ranks together can give back.
    fn deleted(self: Arc<Self>) {
        // The window stays where the thread that uses it cannot be asked.
        if !is_over() && self.0.meetings().is_ours() {
            self.0.close();
        }
    }
}

/// The context that is kept on a communicator. Local.
pub(super) fn kept(communicator: &Communicator) -> Result<Option<Arc<Context>>, Error> {
    let kept = KEPT.kept(communicator).map_err(|why| told(0, why))?;
    Ok(kept.map(|kept| Arc::clone(&kept.0)))
}

/// Keeps a context on a communicator until that is freed. Local.
pub(super) fn keep(communicator: &Communicator, context: Arc<Context>) -> Result<(), Error> {
    KEPT.keep(communicator, Arc::new(Kept(context))).map_err(|why| told(0, why))
}

/// Asks to be told of the end: by an attribute of `MPI_COMM_SELF`, whose attributes are deleted before
/// `MPI_Finalize` does anything else (MPI-3.1, 8.7.1).
fn await_the_end() -> Result<(), Error> {
    static IS_AWAITED: Mutex<bool> = Mutex::new(false);
    let mut is_awaited = IS_AWAITED.lock().unwrap_or_else(PoisonError::into_inner);
    if !mem::replace(&mut *is_awaited, true) {
        let alone = redist_mpi::this_rank().map_err(|why| told(0, why))?;
        END.keep(&alone, Arc::new(End)).map_err(|why| told(0, why))?;
    }
    Ok(())
}

/// Is told when MPI is finalised.
struct End;

impl Attribute for End {
    /// `MPI_Finalize` begins, which waits for all ranks: those that wait for this one are told.
    fn deleted(self: Arc<Self>) {
        if std::thread::panicking() {
            abort_if_others_wait();
        }
        let live = mem::take(&mut *LIVE.lock().unwrap_or_else(PoisonError::into_inner));
        let live: Vec<Arc<Context>> =
            live.iter().filter_map(|context| context.0.upgrade()).collect();
        if let Some(what) = live.iter().find_map(|context| context.in_use()) {
            abort_for_memory(what);
        }
        let told = live.iter().flat_map(|context| context.meetings().end());
        wait_a_while(&mut told.collect::<Vec<_>>(), &live);
        FINALIZING.store(true, Ordering::Relaxed);
    }
}

/// How long a rank that finalises MPI waits for the others, beyond which they have to be told while the
/// library waits for them: MPICH 4.0 does not go on with a reduction then, in which they may be. Nothing is
/// lost meanwhile, because `MPI_Finalize` waits for all ranks in any case.
const PATIENCE: Duration = Duration::from_secs(1);

/// Waits until requests are complete, and all ranks of these contexts have come so far, for
/// [`PATIENCE`] at most: other ranks may not be in a call.
fn wait_a_while(requests: &mut [Request], contexts: &[Arc<Context>]) {
    let is_over = |request: &mut Request| request.test() != Ok(false);
    let begun = Instant::now();
    let have_ended = || contexts.iter().all(|context| context.meetings().have_all_ended());
    while begun.elapsed() < PATIENCE && !(requests.iter_mut().all(is_over) && have_ended()) {
        std::thread::yield_now();
    }
}
