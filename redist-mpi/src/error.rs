//! Errors of calls of MPI.

use crate::constant::ErrorClass;
use std::ffi::c_int;
use std::fmt;

/// The environment variable that names the library to use, by a path or a name.
pub const VARIABLE: &str = "REDIST_MPI_LIBRARY";

/// An error, in a sentence. It is two words long, so that calls stay fast.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no library to call.
    #[error(transparent)]
    Library(#[from] Box<LibraryError>),
    /// MPI is not initialised.
    #[error("MPI is not initialised: call `MPI_Init`, or `redist_mpi::initialize`, before")]
    NotInitialized,
    /// MPI is initialised, and was not by this call.
    #[error("MPI is initialised already; take `redist_mpi::world`")]
    AlreadyInitialized,
    /// MPI is finalised, after which it cannot be used again.
    #[error("MPI has been finalised")]
    Finalized,
    /// Another thread than the main one calls, which MPI was not initialised for.
    #[error(
        "MPI was initialised for its main thread alone, and this is another; initialise it with \
         `MPI_THREAD_SERIALIZED` or more"
    )]
    Threads,
    /// The handle is that of no communicator.
    #[error("the communicator is `MPI_COMM_NULL`")]
    NoCommunicator,
    /// The handle is that of an intercommunicator.
    #[error("it is an intercommunicator; merge it first")]
    Intercommunicator,
    /// A length, a rank or a color is larger than the library's numbers.
    #[error("{value} is more than the numbers of MPI, which end at {}", c_int::MAX)]
    TooLarge {
        /// The number.
        value: usize,
    },
    /// The library says that a call has failed.
    #[error(transparent)]
    Call(#[from] Box<CallError>),
}

/// Writes the sentence, because a `main` that returns an error prints it so.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Reasons that there is no library to call. A `library` is named as it was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum LibraryError {
    #[error(
        "no MPI library is loaded, and none of {tried} can be; install one, or name its file in \
         `{VARIABLE}`"
    )]
    NotFound { tried: String },
    /// The library that the variable names does not load.
    #[error("the MPI library `{path}`, which `{VARIABLE}` names, cannot be loaded: {reason}")]
    NotLoaded { path: String, reason: String },
    /// It has none of the interfaces that are known.
    #[error(
        "the MPI library {library} calls itself \"{version}\", which is none of MPICH 3.1 or later, \
         Open MPI 3 or later, their derivatives, and libraries with the interface of MPI 5.0"
    )]
    Unknown {
        library: String,
        /// The first line of `MPI_Get_library_version`.
        version: String,
    },
    #[error(
        "two MPI libraries are in this process, {first} and {second}; load one, or name that of your \
         communicators in `{VARIABLE}`"
    )]
    Two { first: String, second: String },
    #[error("the MPI library {library} has no `{name}`; libraries of MPI 3.1 or later have it")]
    Lacks {
        library: String,
        /// The name of the function, or of a variable.
        name: &'static str,
    },
    /// It does not see the ranks that were launched.
    #[error(
        "a launcher started {launched} ranks, of which the MPI library {library} knows this one alone; \
         launch with the library's own `mpiexec`, or name the launcher's library in `{VARIABLE}`"
    )]
    OtherLauncher { launched: usize, library: String },
}

impl From<LibraryError> for Error {
    fn from(error: LibraryError) -> Self {
        Self::Library(Box::new(error))
    }
}

/// The library's account of a call that has failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{call}` failed: {text} ({class})")]
#[non_exhaustive]
#[allow(missing_docs)]
pub struct CallError {
    pub call: &'static str,
    /// Error code of the library.
    pub code: i32,
    /// The library's number of the class of errors, by `MPI_Error_class`.
    pub class_number: i32,
    pub class: ErrorClass,
    pub text: String,
}

/// A failed call, before the library has been asked what its code means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failure {
    pub call: &'static str,
    pub code: c_int,
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[inline]
pub(crate) fn int(value: usize) -> Result<c_int, Error> {
    c_int::try_from(value).map_err(|_| Error::TooLarge { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_returned_in_registers() {
        assert_eq!(size_of::<Result<(), Error>>(), 2 * size_of::<usize>());
    }
}
