//! Ranks that are threads, or those of two programs. Unsafe, because C passes pointers.

use super::batch::{Batch, bind as bind_batch};
use super::bind::{Over, bind as bind_plan};
use super::copies::{Copies, bind as bind_copies};
use super::lists::{Lists, bind as bind_lists};
use super::plan::Plan;
use crate::bound::Bound;
use crate::bound_batch::BoundBatch;
use crate::guard::{guarded, last_words};
use crate::options::Options;
use crate::pointers::{put_numbers, reference, taken};
use crate::ranks::Ranks;
use crate::status::{Refusal, Status};
use redist::threads::{self, Failure, Rank};
use std::ffi::{c_char, c_void};
use std::fmt;

/// A program of a rank that is a thread: see `redist_threads_run`. It returns 0, or any other number if it
/// has failed.
pub type RankFunction =
    Option<unsafe extern "C" fn(ranks: *const Ranks, state: *mut c_void) -> i32>;

/// A caller's pointer, which all threads pass on.
#[derive(Clone, Copy)]
struct State(*mut c_void);

// SAFETY: the library only passes the pointer on. The header demands of the caller a function that
// several threads may call with this state.
unsafe impl Sync for State {}

/// The failure of a rank's function.
struct Returned {
    /// Its result.
    code: i32,
    /// The last message of its thread.
    message: String,
}

impl fmt::Display for Returned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, message } = self;
        write!(f, "its function has returned {code}")?;
        if message.is_empty() { Ok(()) } else { write!(f, "; its last message is: {message}") }
    }
}

/// Calls `function` on a thread for each of `ranks` ranks, with the ranks and with `state`. Returns when all
/// have ended. Neither MPI nor a communicator is needed: `redist_bind_ranks` and others bind plans to the
/// ranks, and all else that takes a bound plan serves it, on its thread. `ranks` is the function's own: only
/// its thread uses it, until the function returns. It frees what it has bound before.
///
/// The function returns to its caller: it is not left by `longjmp`, `pthread_exit` or an exception. If one
/// returns another number than 0, `REDIST_PEER` is the status, and the message has its rank and the last
/// message of its thread. Ranks that wait for a rank that has ended get `REDIST_PEER`, so that none waits
/// for ever.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_threads_run(
    ranks: i64,
    function: RankFunction,
    state: *mut c_void,
) -> Status {
    guarded(|| {
        let count = usize::try_from(ranks).ok().filter(|count| *count > 0).ok_or_else(|| {
            Refusal::argument(format!("`ranks` is {ranks}, and must be at least 1"))
        })?;
        let function = function.ok_or_else(|| Refusal::null("function"))?;
        let state = State(state);
        let called = |rank: &Rank| {
            // The whole of it, which threads share.
            let state: &State = &state;
            // SAFETY: this thread has the rank until the end of this call, and the ranks are gone then.
            let own = unsafe { Ranks::of_thread(rank) };
            // SAFETY: the header demands a function that any thread may call with this state, and that
            // returns.
            match unsafe { function(&own, state.0) } {
                0 => Ok(()),
                code => Err(Returned { code, message: last_words() }),
            }
        };
        threads::run(count, called).map(drop).map_err(failed)
    })
}

fn failed(failure: Failure<Returned>) -> Refusal {
    let (status, message) = match &failure {
        // The rank comes first, whatever the message says.
        Failure::Error { rank, error } => {
            (Status::RedistPeer, format!("rank {rank} failed: {error}"))
        }
        Failure::Panic { .. } => (Status::RedistPanic, failure.to_string()),
        Failure::Spawn { .. } => (Status::RedistUnavailable, failure.to_string()),
    };
    Refusal::new(status, message)
}

/// Stores this rank's number, and the number of ranks. Each pointer may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_ranks_size(
    ranks: *const Ranks,
    rank: *mut i64,
    size: *mut i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or live ranks, and NULL or a place for each number.
        unsafe {
            let [own, all] = reference(ranks, "ranks")?.numbers()?;
            put_numbers(rank, &[own])?;
            put_numbers(size, &[all])
        }
    })
}

/// Waits until all ranks have called it. Collective. A rank that has ended is an error of those that wait.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_ranks_barrier(ranks: *const Ranks) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or live ranks.
        let ranks = unsafe { reference(ranks, "ranks") }?;
        Ok(ranks.with(|ranks| ranks.barrier())??)
    })
}

/// Frees the ranks of two programs, on the thread that coupled them. Plans bound to them stay. Ranks that are
/// threads are not freed. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_ranks_free(ranks: *mut Ranks) -> Status {
    guarded(|| {
        if ranks.is_null() {
            return Ok(());
        }
        // SAFETY: the header demands live ranks, which `put_handle` has made unless they are threads.
        // Nothing uses them after this call.
        unsafe {
            reference(ranks, "ranks")?.check_freed()?;
            drop(taken(ranks));
        }
        Ok(())
    })
}

/// As `redist_bind`, with ranks that are threads, or of two programs. Collective.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_bind_ranks(
    plan: *const Plan,
    element: *const c_char,
    ranks: *const Ranks,
    options: *const Options,
    bound: *mut *mut Bound,
) -> Status {
    // SAFETY: the header demands all that `bind_plan` needs of pointers and of the ranks.
    guarded(|| unsafe { bind_plan(plan, element, Over::Ranks(ranks), options, bound) })
}

/// As `redist_bind_copies`, with ranks that are threads, or of two programs. Collective.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_bind_copies_ranks(
    copies: *const Copies,
    element: *const c_char,
    ranks: *const Ranks,
    bound: *mut *mut Bound,
) -> Status {
    // SAFETY: the header demands all that `bind_copies` needs of pointers and of the ranks.
    guarded(|| unsafe { bind_copies(copies, element, Over::Ranks(ranks), bound) })
}

/// As `redist_bind_lists`, with ranks that are threads, or of two programs. Collective.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_bind_lists_ranks(
    lists: *const Lists,
    element: *const c_char,
    ranks: *const Ranks,
    bound: *mut *mut Bound,
) -> Status {
    // SAFETY: the header demands all that `bind_lists` needs of pointers and of the ranks.
    guarded(|| unsafe { bind_lists(lists, element, Over::Ranks(ranks), bound) })
}

/// As `redist_batch_bind`, with ranks that are threads, or of two programs. Collective.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_bind_ranks(
    batch: *const Batch,
    ranks: *const Ranks,
    bound: *mut *mut BoundBatch,
) -> Status {
    // SAFETY: the header demands all that `bind_batch` needs of pointers and of the ranks.
    guarded(|| unsafe { bind_batch(batch, Over::Ranks(ranks), bound) })
}
