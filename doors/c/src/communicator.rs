//! Communicators of C and Fortran, of any MPI library that the process has loaded. Unsafe: a handle
//! is a communicator only by its caller's word.

use crate::pointers::text;
use crate::status::{Refusal, Status};
use redist::mpi::RawCommunicator;
use redist_mpi::{CommunicatorRef, Error, Library, is_finalized, is_initialized};
use std::ffi::{c_char, c_void};

/// A communicator in its caller's form.
#[derive(Clone, Copy)]
pub struct Brought {
    handle: Handle,
    /// The version text of the caller's MPI library, or NULL.
    library: *const c_char,
}

impl Brought {
    /// A communicator of C: its address and bytes.
    pub fn place(address: *const c_void, bytes: usize, library: *const c_char) -> Self {
        Self { handle: Handle::Place(address, bytes), library }
    }

    /// A communicator of Fortran.
    pub fn number(number: i32, library: *const c_char) -> Self {
        Self { handle: Handle::Number(number), library }
    }
}

/// A communicator as the caller has it.
#[derive(Clone, Copy)]
enum Handle {
    /// Of C: its address and bytes.
    Place(*const c_void, usize),
    Number(i32),
}

/// Returns a communicator for immediate use.
///
/// # Safety
/// The handle is that of no communicator, or of one of this process that outlives the value's use.
/// A place has the stated number of bytes. The library is NULL, or a text that ends with a zero.
pub unsafe fn communicator(brought: Brought) -> Result<RawCommunicator, Refusal> {
    let library = Library::get().map_err(failed)?;
    let theirs = match brought.library.is_null() {
        true => None,
        // SAFETY: it is not NULL, and the caller promises a text there.
        false => Some(unsafe { text(brought.library, "library") }?),
    };
    check_same(theirs, library.version(), library.name())?;
    check_mpi()?;
    let found = match brought.handle {
        Handle::Place(place, bytes) => {
            check_width(place, bytes, library)?;
            // SAFETY: `check_width` found a handle of the library's width there. The library is the
            // called one, as `check_same` found. The caller promises that it is alive.
            unsafe { CommunicatorRef::from_place(place) }
        }
        // SAFETY: the number is one of the called library, as `check_same` found. The caller
        // promises that its communicator is alive.
        Handle::Number(number) => unsafe { CommunicatorRef::from_fortran(number) },
    };
    match found {
        // SAFETY: the handle is that of a communicator, which the caller keeps alive.
        Ok(found) => Ok(unsafe { RawCommunicator::new(found.as_raw()) }?),
        Err(Error::NoCommunicator) => Err(Refusal::argument("the communicator is MPI_COMM_NULL")),
        Err(Error::Intercommunicator) => Err(Refusal::argument(
            "the communicator is an intercommunicator; make one group of its two by \
             `MPI_Intercomm_merge`",
        )),
        Err(error) => Err(failed(error)),
    }
}

/// Checks that the caller's library is the called one.
fn check_same(theirs: Option<&str>, ours: &str, name: &str) -> Result<(), Refusal> {
    let Some(theirs) = theirs.map(str::trim).filter(|theirs| *theirs != ours.trim()) else {
        return Ok(());
    };
    let [theirs, ours] = [theirs, ours].map(|text| {
        let line = text.lines().next().unwrap_or_default();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    Err(Refusal::new(
        Status::RedistMpi,
        format!(
            "the program calls \"{theirs}\", but the MPI library that redist has found in this \
             process is {name}, \"{ours}\"; name the program's own in `{}`",
            redist_mpi::VARIABLE
        ),
    ))
}

/// Checks that a handle in memory is as wide as the library's.
fn check_width(place: *const c_void, bytes: usize, library: &Library) -> Result<(), Refusal> {
    if place.is_null() {
        return Err(Refusal::null("communicator"));
    }
    let expected = library.bytes_of_handle();
    if bytes == expected {
        return Ok(());
    }
    let message = format!(
        "the program was compiled for handles of {bytes} bytes, but those of {}, the MPI library of \
         this process, have {expected}; compile it with the library's own header",
        library.name()
    );
    Err(Refusal::new(Status::RedistMpi, message))
}

pub fn check_mpi() -> Result<(), Refusal> {
    let wrong = match (is_initialized().map_err(failed)?, is_finalized().map_err(failed)?) {
        (false, _) => "MPI is not initialised: call `MPI_Init` before",
        (true, true) => "MPI is finalised: bind plans, and move, before",
        (true, false) => return Ok(()),
    };
    Err(Refusal::new(Status::RedistMpi, wrong))
}

fn failed(error: Error) -> Refusal {
    Refusal::new(Status::RedistMpi, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_library_is_told_by_what_it_says() {
        let open = "Open MPI v4.1.4, package: Debian";
        let mpich = "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7";
        assert_eq!(check_same(None, open, "libmpi.so.40"), Ok(()));
        assert_eq!(
            check_same(Some("Open MPI v4.1.4, package: Debian  \n"), open, "libmpi.so.40"),
            Ok(())
        );
        let refusal = check_same(Some(mpich), open, "libmpi.so.40").unwrap_err();
        assert_eq!(refusal.status, Status::RedistMpi);
        assert_eq!(
            refusal.message,
            "the program calls \"MPICH Version: 4.0.2\", but the MPI library that redist has found \
             in this process is libmpi.so.40, \"Open MPI v4.1.4, package: Debian\"; name the \
             program's own in `REDIST_MPI_LIBRARY`"
        );
    }
}
