//! Starting ranks as threads, and ending them without leaving anybody waiting.

use super::group::{Group, Rank};
use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// How the first rank to go wrong did so; those it took with it are not named.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure<E> {
    /// It returned an error.
    #[error("rank {rank} failed: {error}")]
    Error {
        /// The rank.
        rank: usize,
        /// What it returned.
        error: E,
    },
    /// It panicked.
    #[error("rank {rank} panicked: {message}")]
    Panic {
        /// The rank.
        rank: usize,
        /// The panic's message.
        message: String,
    },
    /// Its thread could not be started; no rank ran.
    #[error("rank {rank} could not be started: {reason}")]
    Spawn {
        /// The rank.
        rank: usize,
        /// The operating system's reason.
        reason: String,
    },
}

/// Runs `body` once for each of `ranks` ranks, each on a thread of its own, and returns what they returned, by rank.
///
/// # Errors
/// The first failure in time. The other ranks are not killed: those that wait for the failed one, now or later, get
/// [`Error::RankEnded`](crate::Error::RankEnded) and can return it.
pub fn run<R: Send, E: Send + Display>(
    ranks: usize,
    body: impl Fn(&Rank) -> Result<R, E> + Sync,
) -> Result<Vec<R>, Failure<E>> {
    let group = Arc::new(Group::new(ranks));
    let first_failure = Mutex::new(None);
    let (body, first) = (&body, &first_failure);
    let results: Vec<Option<R>> = thread::scope(|scope| {
        let start = |rank| {
            let group = Arc::clone(&group);
            let name = format!("rank {rank}");
            thread::Builder::new().name(name).spawn_scoped(scope, move || run_one(rank, &group, body, first))
        };
        let mut handles = Vec::with_capacity(ranks);
        for rank in 0..ranks {
            match start(rank) {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    let reason = error.to_string();
                    group.end(rank, format!("could not be started: {reason}"));
                    fail(first, Failure::Spawn { rank, reason });
                    (rank + 1..ranks).for_each(|rank| group.end(rank, "was not started".into()));
                    break;
                }
            }
        }
        handles.into_iter().map(|handle| handle.join().unwrap_or(None)).collect()
    });
    match first_failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(failure) => Err(failure),
        None => Ok(results.into_iter().flatten().collect()),
    }
}

fn run_one<R, E: Display>(
    rank: usize,
    group: &Arc<Group>,
    body: &impl Fn(&Rank) -> Result<R, E>,
    first: &Mutex<Option<Failure<E>>>,
) -> Option<R> {
    let handle = Rank::new(rank, Arc::clone(group));
    // What `body` borrows is shared with other ranks, which are told of the panic and see nothing half done of ours.
    let (how, result) = match catch_unwind(AssertUnwindSafe(|| body(&handle))) {
        Ok(Ok(result)) => ("returned".into(), Some(result)),
        Ok(Err(error)) => {
            let how = format!("failed: {error}");
            fail(first, Failure::Error { rank, error });
            (how, None)
        }
        Err(payload) => {
            let message = panic_message(payload.as_ref());
            let failure = Failure::Panic { rank, message: message.clone() };
            if group.panicked_first(rank) {
                // Those that it took with it may have been quicker to end.
                *first.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
            } else {
                fail(first, failure);
            }
            (format!("panicked: {message}"), None)
        }
    };
    group.end(rank, how);
    result
}

fn fail<E>(first: &Mutex<Option<Failure<E>>>, failure: Failure<E>) {
    first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}
