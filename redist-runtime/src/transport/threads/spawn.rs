//! Starting ranks as threads, and ending them without blocking any.

use super::group::{Group, Rank};
use crate::transport::sync::{Arc, Mutex, lock};
use std::any::Any;
use std::fmt::{self, Display};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// The failure of the first rank to go wrong; ranks that failed because of it are not named.
/// [`Debug`](fmt::Debug) shows the words of [`Display`]: `main` may return it.
#[derive(Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Failure<E> {
    /// The rank returned an error.
    Error { rank: usize, error: E },
    /// The rank panicked.
    Panic { rank: usize, message: String },
    /// The rank's thread could not be started; no rank ran.
    Spawn { rank: usize, reason: String },
}

impl<E: Display> Display for Failure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Error { rank, error } => match error.to_string() {
                // The rank at fault comes first, and once.
                text if names_rank(&text) => f.write_str(&text),
                text => write!(f, "rank {rank} failed: {text}"),
            },
            Failure::Panic { rank, message } => write!(f, "rank {rank} panicked: {message}"),
            Failure::Spawn { rank, reason } => {
                write!(f, "rank {rank} could not be started: {reason}")
            }
        }
    }
}

impl<E: Display> fmt::Debug for Failure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl<E: Display> std::error::Error for Failure<E> {}

fn names_rank(text: &str) -> bool {
    text.strip_prefix("rank ")
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Most threads of Linux (`PID_MAX_LIMIT`).
const MOST_THREADS: usize = 1 << 22;

/// Runs `body` for each of `ranks` ranks, each on its own thread. Returns the results by rank.
///
/// # Errors
/// The first failure in time that no other rank caused. The other ranks keep running. Ranks that
/// wait for the failed one, now or later, get [`Error::RankEnded`](crate::Error::RankEnded) and can
/// return it.
pub fn run<R: Send, E: Send + Display>(
    ranks: usize,
    body: impl Fn(&Rank) -> Result<R, E> + Sync,
) -> Result<Vec<R>, Failure<E>> {
    if ranks > MOST_THREADS {
        let reason = format!("no system has more than {MOST_THREADS} threads");
        return Err(Failure::Spawn { rank: MOST_THREADS, reason });
    }
    let group = Arc::new(Group::new(ranks));
    let first_failure = FirstFailure::new(None);
    let (body, first) = (&body, &first_failure);
    let results: Vec<Option<R>> = thread::scope(|scope| {
        let start = |rank| {
            let group = Arc::clone(&group);
            thread::Builder::new()
                .name(format!("rank {rank}"))
                .spawn_scoped(scope, move || run_one(rank, &group, body, first))
        };
        let mut handles = Vec::with_capacity(ranks);
        for rank in 0..ranks {
            match start(rank) {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    let reason = error.to_string();
                    group.end(rank, format!("could not be started: {reason}"));
                    note(first, Failure::Spawn { rank, reason }, false);
                    (rank + 1..ranks).for_each(|rank| group.end(rank, "was not started".into()));
                    break;
                }
            }
        }
        handles.into_iter().map(|handle| handle.join().unwrap_or(None)).collect()
    });
    match lock(&first_failure).take() {
        Some((failure, _)) => Err(failure),
        None => Ok(results.into_iter().flatten().collect()),
    }
}

pub(super) fn run_one<R, E: Display>(
    rank: usize,
    group: &Arc<Group>,
    body: &impl Fn(&Rank) -> Result<R, E>,
    first: &FirstFailure<E>,
) -> Option<R> {
    let handle = Rank::new(rank, Arc::clone(group));
    // Other ranks share `body`'s borrowed data: they learn of the panic, and see none half done.
    let (how, result) = match catch_unwind(AssertUnwindSafe(|| body(&handle))) {
        Ok(Ok(result)) => ("returned".into(), Some(result)),
        Ok(Err(error)) => {
            let how = format!("failed: {}", in_short(rank, &error));
            note(first, Failure::Error { rank, error }, group.was_told(rank));
            (how, None)
        }
        Err(payload) => {
            let message = panic_message(payload.as_ref());
            note(first, Failure::Panic { rank, message: message.clone() }, group.was_told(rank));
            (format!("panicked: {message}"), None)
        }
    };
    group.end(rank, how);
    result
}

/// The failure to return, and `true` if it is likely to be another rank's fault.
pub(super) type FirstFailure<E> = Mutex<Option<(Failure<E>, bool)>>;

/// Notes a failure. Ranks that another took with it may end first.
fn note<E>(first: &FirstFailure<E>, failure: Failure<E>, was_told: bool) {
    let mut first = lock(first);
    if first.as_ref().is_none_or(|(_, earlier_was_told)| *earlier_was_told && !was_told) {
        *first = Some((failure, was_told));
    }
}

/// Returns the first line of a rank's error, without the rank.
fn in_short(rank: usize, error: &impl Display) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix(&format!("rank {rank}: ")).unwrap_or(line).to_owned()
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into())
}
