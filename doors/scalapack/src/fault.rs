//! Ends a program whose call cannot be served.

use crate::call::{Call, Section};
use redist::Error;
use redist_mpi::Library;
use std::backtrace::Backtrace;
use std::io::Write;
use std::process;

/// If set, and neither empty nor 0, a wrong parameter aborts the program.
const ABORT: &str = "REDIST_SCALAPACK_ABORT";

/// A call that cannot be served, in words.
#[derive(Debug)]
pub(crate) struct Fault {
    words: String,
    /// Another process is at fault, and says more.
    elsewhere: bool,
}

impl Fault {
    pub fn elsewhere(words: String) -> Self {
        Self { words, elsewhere: true }
    }
}

impl From<String> for Fault {
    fn from(words: String) -> Self {
        Self { words, elsewhere: false }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        error.to_string().into()
    }
}

impl From<redist_mpi::Error> for Fault {
    fn from(error: redist_mpi::Error) -> Self {
        match (&error, Library::get()) {
            // BLACS has initialised its own.
            (redist_mpi::Error::NotInitialized, Ok(library)) => format!(
                "MPI is not initialised in {}, which is the MPI library that is found for this \
                 program; if it has another one, name that in `{}`",
                library.name(),
                redist_mpi::VARIABLE
            )
            .into(),
            _ => error.to_string().into(),
        }
    }
}

/// Prints the reason, and ends the program with status 1, as ScaLAPACK.
pub(crate) fn end(call: &Call, fault: &Fault) -> ! {
    let aborts = is_set(ABORT);
    // A process that is not at fault may print nothing, because all others only need its end.
    if !fault.elsewhere || aborts {
        say(&format!("{}: {}", call.routine, fault.words));
    }
    if !fault.elsewhere && call.sides.iter().any(Section::is_wide) {
        say(&format!(
            "{}: its descriptors are those of a program whose INTEGER has 8 bytes (ILP64, -i8); here it \
             has 4, as in ScaLAPACK's LP64 library",
            call.routine
        ));
    }
    if aborts {
        say(&Backtrace::force_capture().to_string());
        process::abort();
    }
    process::exit(1)
}

/// Writes a line at once: lines of several processes do not mix.
pub(crate) fn say(line: &str) {
    // A failure to write has no other place to go.
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// Returns `true` for a variable that is neither empty nor 0.
pub(crate) fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0")
}
