//! The state of MPI, its errors as errors of this crate, and aborts of its job: for a panic, and for an
//! error that other ranks cannot receive.

use crate::error::Error;
use redist_mpi::Communicator;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{io, panic, thread};

const PANICKED: i32 = 101;
const FAILED: i32 = 1;

/// Delay before an abort: launchers forward a rank's output a moment later, and drop it on abort.
const HEARD: Duration = Duration::from_millis(250);

/// `true` from the beginning of `MPI_Finalize`.
static FINALIZING: AtomicBool = AtomicBool::new(false);

pub(super) fn note_the_end() {
    FINALIZING.store(true, Ordering::Relaxed);
}

/// Returns `true` if MPI is finalised, or about to be: nothing may be freed from then on, because
/// other ranks may not do so either.
pub fn is_over() -> bool {
    FINALIZING.load(Ordering::Relaxed) || redist_mpi::is_over()
}

/// Checks that MPI is running, before any call that a user may make after its end.
pub(super) fn check_that_mpi_is_there() -> Result<(), Error> {
    if is_over() { Err(told(0, redist_mpi::Error::Finalized)) } else { Ok(()) }
}

/// Words an error of a rank as this crate does.
pub fn told(rank: usize, why: redist_mpi::Error) -> Error {
    let plan =
        |on: &str, reason: String| Error::Unavailable { what: format!("a plan{on}"), reason };
    match why {
        redist_mpi::Error::Call(error) => {
            let redist_mpi::CallError { call, class_number, text, .. } = *error;
            Error::Library { rank, call, class: class_number, text }
        }
        redist_mpi::Error::Finalized => {
            let reason = "MPI has been finalised".into();
            Error::Unavailable { what: "a move or a plan".into(), reason }
        }
        redist_mpi::Error::Threads => {
            let reason = "MPI was initialised for its main thread alone; initialise it for more";
            plan(" on this thread", reason.into())
        }
        redist_mpi::Error::Library(error) => plan(" over MPI", error.to_string()),
        other => plan(" on this communicator", other.to_string()),
    }
}

/// Makes a panic on any thread of this rank abort the whole job, after the usual message. To be
/// called once, before or after MPI is initialised. Without it, only a panic that unwinds to the
/// end of `main` aborts the job, and only after a plan was bound or a shared array made. After any
/// other panic the other ranks wait for ever.
pub fn abort_on_panic() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        usual(info);
        if redist_mpi::is_initialized() == Ok(true) && redist_mpi::is_finalized() == Ok(false) {
            thread::sleep(HEARD);
            redist_mpi::abort(PANICKED);
        }
    }));
}

/// Aborts the job if there are other ranks: this one panics, and `MPI_Finalize` would deadlock.
pub(super) fn abort_if_others_wait() {
    let Ok(world) = redist_mpi::world() else { return };
    if world.size() > 1 {
        thread::sleep(HEARD);
        world.abort(PANICKED);
    }
}

pub(super) fn abort_for(communicator: &Communicator, error: &Error) {
    say(format!("{error}; the other ranks cannot be told, so the job ends\n"));
    communicator.abort(FAILED);
}

/// Writes a line at once, because launchers prefix each piece, and waits until it is forwarded.
fn say(line: String) {
    let (_, begun) = (io::stderr().write_all(line.as_bytes()), Instant::now());
    // A sleep would never end where signals of a timer come faster than their handler runs.
    while let Some(left) = HEARD.checked_sub(begun.elapsed()) {
        thread::park_timeout(left);
    }
}
