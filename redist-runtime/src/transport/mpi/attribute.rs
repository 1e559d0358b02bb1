//! Our data on the user's communicators: a [`Context`] as an attribute, as MPI provides. Unsafe,
//! because the library keeps our pointers, and calls us back when a communicator is freed.

use super::communicator::OwnCommunicator;
use super::context::Context;
use super::lasting::{LIVE, LiveContext};
use super::life::{
    abort_for_memory, abort_if_others_wait, check_that_mpi_is_there, is_over, note_the_end, told,
};
use crate::error::Error;
use crate::transport::sync::lock;
use redist_mpi::{Attribute, Communicator, Key, Request};
use std::mem;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

static KEPT: Key<Kept> = Key::new();
static END: Key<End> = Key::new();

/// Returns the context that a communicator of the user's keeps. Fails for an intercommunicator or
/// another thread's communicator, or if MPI fails or is finalised. Collective.
pub(super) fn context_of(communicator: &Communicator) -> Result<Arc<Context>, Error> {
    check_that_mpi_is_there()?;
    // All ranks made the attribute together.
    if let Some(kept) = KEPT.kept(communicator).map_err(|why| told(0, why))? {
        return match kept.0.lasting.meetings.is_ours() {
            true => Ok(Arc::clone(&kept.0)),
            false => Err(Error::Unavailable {
                what: "a plan on this communicator".into(),
                reason: "plans of another thread are bound to it; give each thread a duplicate"
                    .into(),
            }),
        };
    }
    let context = context_on(OwnCommunicator::duplicate_of(communicator)?)?;
    let kept = Arc::new(Kept(Arc::clone(&context)));
    KEPT.keep(communicator, kept).map_err(|why| told(0, why))?;
    Ok(context)
}

/// As [`context_of`], on our own communicator. Other ranks learn when this one finalises MPI.
pub(super) fn context_on(communicator: OwnCommunicator) -> Result<Arc<Context>, Error> {
    let context = Context::on(communicator)?;
    await_the_end()?;
    lock(&LIVE).push(LiveContext(Arc::clone(&context.lasting)));
    Ok(context)
}

struct Kept(Arc<Context>);

// SAFETY: other threads than that of the context do two things with it. First, `context_of` counts
// it, which is atomic, and hands it out. Its users first ask `Meetings::is_ours`, which reads
// constant data. Second, `deleted` asks the same, and drops its share. Even if that is the last
// one, on another thread, the window and the communicator stay or are given back, and nobody else
// is left to use the context.
unsafe impl Send for Kept {}
// SAFETY: threads that share it read the context's address and count its owners by `Arc`, which is
// atomic. They first call `Meetings::is_ours` on it, which reads constant data.
unsafe impl Sync for Kept {}

impl Attribute for Kept {
    fn deleted(self: Arc<Self>) {
        // The window stays if the thread that uses it cannot be asked.
        if !is_over() && self.0.lasting.meetings.is_ours() {
            let _ = self.0.close();
        }
    }
}

/// Sets an attribute on `MPI_COMM_SELF`, whose attributes are deleted before `MPI_Finalize` does
/// anything else (MPI-3.1, 8.7.1).
fn await_the_end() -> Result<(), Error> {
    static IS_AWAITED: Mutex<bool> = Mutex::new(false);
    let mut is_awaited = lock(&IS_AWAITED);
    if !mem::replace(&mut *is_awaited, true) {
        let alone = redist_mpi::this_rank().map_err(|why| told(0, why))?;
        END.keep(&alone, Arc::new(End)).map_err(|why| told(0, why))?;
    }
    Ok(())
}

struct End;

impl Attribute for End {
    /// Notifies the ranks that wait for this one, because `MPI_Finalize` waits for all ranks.
    fn deleted(self: Arc<Self>) {
        if std::thread::panicking() {
            abort_if_others_wait();
        }
        let live = mem::take(&mut *lock(&LIVE));
        if let Some(what) = live.iter().find_map(|context| context.0.in_use()) {
            abort_for_memory(what);
        }
        let is_ours = |context: &&LiveContext| context.0.meetings.is_ours();
        for context in live.iter().filter(|context| !is_ours(context)) {
            context.0.frees_windows();
        }
        live.iter().for_each(|context| context.0.end_here());
        let owned = live.iter().filter(|context| context.is_owned());
        let told = owned.flat_map(|context| context.0.end_elsewhere());
        wait_a_while(&mut told.collect::<Vec<_>>(), &live);
        for context in live.iter().filter(is_ours) {
            if context.0.frees_windows() {
                context.0.free_together();
            }
        }
        note_the_end();
    }
}

/// Longest wait of a rank that finalises MPI for the ends of its node's ranks, which each publishes
/// before it waits. A rank that has waited in vain keeps its windows, and so do the others
/// ([`frees_windows`](super::lasting::Lasting::frees_windows)).
const PATIENCE: Duration = Duration::from_secs(5);

/// Longest wait for other nodes and for requests: MPICH 4.0 does not go on with a reduction in
/// `MPI_Finalize`, which waits for all ranks in any case.
const PATIENCE_WITH_MESSAGES: Duration = Duration::from_secs(1);

/// Waits a while for requests and all ranks' ends: other ranks may not be in a call.
fn wait_a_while(requests: &mut [Request], contexts: &[LiveContext]) {
    let begun = Instant::now();
    let is_over = |request: &mut Request| request.test() != Ok(false);
    let mut have_told = || {
        let mut owned = contexts.iter().filter(|context| context.is_owned());
        requests.iter_mut().all(is_over) && owned.all(|context| context.0.have_ended_here())
    };
    let have_ended_here = || contexts.iter().all(|context| context.0.have_ended_here());
    while begun.elapsed() < PATIENCE_WITH_MESSAGES && !have_told()
        || begun.elapsed() < PATIENCE && !have_ended_here()
    {
        std::thread::yield_now();
    }
}
