//! What ends an MPI job: a panic, and an error of the library that other ranks cannot be told of.

use crate::error::Error;
use redist_mpi::Communicator;
use std::io::Write as _;
use std::time::Duration;
use std::{io, panic, thread};

/// The exit code of a job that was aborted because of a panic.
const PANICKED: i32 = 101;

/// Launchers pass on what ranks write a moment later, and drop it when a job is aborted.
const HEARD: Duration = Duration::from_millis(250);

/// The exit code of a job that was aborted because of an error of the library.
const FAILED: i32 = 1;

/// Makes a panic on any thread of this rank abort the whole job, after the usual message.
///
/// Without it, a panic that unwinds to the end of `main` does so where a plan has been bound or a
/// shared array made before; a panic before that, or on another thread, has the other ranks wait
/// for ever. To be called once, before or after MPI is initialised.
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

/// Aborts the job, if there are other ranks: this one panics, and would wait for them in
/// `MPI_Finalize`, as they do for it.
pub(super) fn abort_if_others_wait() {
    let Ok(world) = redist_mpi::world() else { return };
    if world.size() > 1 {
        thread::sleep(HEARD);
        world.abort(PANICKED);
    }
}

/// Aborts the job with the words of an error that the other ranks, which wait for this one, cannot
/// be told of.
pub(super) fn abort_for(communicator: &Communicator, error: &Error) {
    say(format!("{error}; the other ranks cannot be told, so the job ends\n"));
    communicator.abort(FAILED);
}

/// Aborts the job, since MPI is finalised while this rank uses what goes with it: safe code could read
/// memory that is gone.
pub(super) fn abort_for_memory(what: &str) {
    say(format!(
        "{what} while MPI is finalised, with which its memory goes; it has to end before\n"
    ));
    redist_mpi::abort(FAILED);
}

/// Writes a line at once, because launchers put their mark before each piece that a rank writes.
///
/// Returns after the launcher has passed the line on.
fn say(line: String) {
    // A rank whose standard error is closed has nobody to tell.
    let _ = io::stderr().write_all(line.as_bytes());
    thread::sleep(HEARD);
}
