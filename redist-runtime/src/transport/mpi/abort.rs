//! Aborts of an MPI job: for a panic, and for an error that other ranks cannot receive.

use crate::error::Error;
use redist_mpi::Communicator;
use std::io::Write as _;
use std::time::Duration;
use std::{io, panic, thread};

const PANICKED: i32 = 101;

/// Delay before an abort: launchers forward a rank's output a moment later, and drop it on abort.
const HEARD: Duration = Duration::from_millis(250);

const FAILED: i32 = 1;

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

/// Aborts the job: MPI is finalised, but safe code could still read its memory.
pub(super) fn abort_for_memory(what: &str) {
    say(format!(
        "{what} while MPI is finalised, with which its memory goes; it has to end before\n"
    ));
    redist_mpi::abort(FAILED);
}

/// Writes a line at once, because launchers prefix each piece, and waits until it is forwarded.
fn say(line: String) {
    let _ = io::stderr().write_all(line.as_bytes());
    thread::sleep(HEARD);
}
