//! The time and the threads for calls of MPI. Unsafe, because the library is called.

use crate::constant::Constant;
use crate::error::Error;
use crate::functions::Functions;
use crate::key::{Attribute, Key};
use crate::launches;
use crate::library::Library;
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The threads that may call MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Threading {
    /// The only thread.
    Single,
    /// The main thread only.
    Funneled,
    /// Any thread, one at a time; the program ensures it.
    Serialized,
    /// Any thread at any time.
    Multiple,
}

impl Threading {
    const ALL: [(Self, Constant); 4] = [
        (Self::Multiple, Constant::THREAD_MULTIPLE),
        (Self::Serialized, Constant::THREAD_SERIALIZED),
        (Self::Funneled, Constant::THREAD_FUNNELED),
        (Self::Single, Constant::THREAD_SINGLE),
    ];

    pub(crate) fn number(self, library: &Library) -> c_int {
        let constant = Self::ALL.iter().find(|(level, _)| *level == self).map(|(_, of)| *of);
        library.number(constant.unwrap_or(Constant::THREAD_SINGLE))
    }

    fn of(number: c_int, library: &Library) -> Self {
        let found = Self::ALL.iter().find(|(_, constant)| library.number(*constant) <= number);
        found.map_or(Self::Single, |(level, _)| *level)
    }
}

/// `true` once `MPI_Finalize` has called the functions of other code.
static OVER: AtomicBool = AtomicBool::new(false);

/// Returns `true` if MPI is finalised and this crate was used before that. It costs nothing.
#[inline]
pub fn is_over() -> bool {
    OVER.load(Ordering::Relaxed)
}

/// Returns `true` if any code has initialised MPI.
///
/// # Errors
/// No library is found.
pub fn is_initialized() -> Result<bool, Error> {
    // SAFETY: the call may be made at any time; the flag outlives it.
    flag(Library::get()?, |mpi, flag| Ok(unsafe { mpi.MPI_Initialized(flag) }?))
}

/// Returns `true` if MPI has been finalised.
///
/// # Errors
/// No library is found.
pub fn is_finalized() -> Result<bool, Error> {
    // SAFETY: the call may be made at any time; the flag outlives it.
    flag(Library::get()?, |mpi, flag| Ok(unsafe { mpi.MPI_Finalized(flag) }?))
}

fn flag(
    library: &Library,
    ask: impl FnOnce(&Functions, &mut c_int) -> Result<(), Error>,
) -> Result<bool, Error> {
    let mut flag = 0;
    ask(&library.functions, &mut flag)?;
    Ok(flag != 0)
}

/// Returns the functions of a library that was found [`running`], unless MPI is finalised by now.
#[inline]
pub(crate) fn callable(library: &'static Library) -> Result<&'static Functions, Error> {
    if is_over() { Err(Error::Finalized) } else { Ok(&library.functions) }
}

thread_local! {
    /// `true` if this thread is known to be allowed to call MPI until its end.
    static MAY_CALL: Cell<bool> = const { Cell::new(false) };
}

/// Returns the library once this thread is known to be allowed to call it.
pub(crate) fn running() -> Result<&'static Library, Error> {
    let library = Library::get()?;
    if is_over() {
        return Err(Error::Finalized);
    }
    if !MAY_CALL.get() {
        check_that_it_runs(library)?;
        MAY_CALL.set(true);
    }
    Ok(library)
}

/// Asks the library, and lets [`is_over`] learn of the end.
fn check_that_it_runs(library: &'static Library) -> Result<(), Error> {
    if is_finalized()? {
        return Err(Error::Finalized);
    }
    if !is_initialized()? {
        return Err(Error::NotInitialized);
    }
    if threading_of(library)? < Threading::Serialized {
        // SAFETY: MPI is initialised and not finalised; the flag outlives the call.
        let is_main = flag(library, |mpi, flag| Ok(unsafe { mpi.MPI_Is_thread_main(flag) }?))?;
        if !is_main {
            return Err(Error::Threads);
        }
    }
    await_the_end(library)
}

fn threading_of(library: &Library) -> Result<Threading, Error> {
    let mut level = 0;
    // SAFETY: the caller has checked that MPI is there, and the number outlives the call.
    unsafe { library.functions.MPI_Query_thread(&mut level) }?;
    Ok(Threading::of(level, library))
}

/// Returns the threads that may call MPI.
///
/// # Errors
/// MPI is not there: not initialised, finalised, or for another thread.
pub fn threading() -> Result<Threading, Error> {
    threading_of(running()?)
}

/// An attribute of `MPI_COMM_SELF`, which the library deletes at the beginning of `MPI_Finalize`.
struct End(&'static Library);

impl Attribute for End {
    fn deleted(self: Arc<Self>) {
        OVER.store(true, Ordering::Relaxed);
        // SAFETY: no value of this crate calls the library from now on, and it is not finalised
        // yet.
        unsafe { launches::free_all(self.0) };
    }
}

/// Lets [`is_over`] learn of the end. `MPI_Finalize` first deletes the attributes of
/// `MPI_COMM_SELF`, the last one first (MPI 3.1, 8.7.1).
fn await_the_end(library: &'static Library) -> Result<(), Error> {
    static END: Key<End> = Key::new();
    static IS_AWAITED: Mutex<bool> = Mutex::new(false);
    let mut is_awaited = IS_AWAITED.lock().unwrap_or_else(PoisonError::into_inner);
    if !*is_awaited {
        let alone = library.handle(Constant::COMM_SELF);
        // SAFETY: it is alive as long as MPI, which the caller has checked.
        unsafe { END.keep_on((library, alone), Arc::new(End(library))) }?;
        *is_awaited = true;
    }
    Ok(())
}

/// Ends the job, from any thread.
pub fn abort(exit_code: i32) -> ! {
    if let (Ok(library), Ok(true), Ok(false)) = (Library::get(), is_initialized(), is_finalized()) {
        let world = library.handle(Constant::COMM_WORLD);
        // SAFETY: MPI is initialised and not finalised, and the world is alive as long. Nothing is
        // used after the call, which does not return.
        let _ = unsafe { library.functions.MPI_Abort(world, exit_code) };
    }
    std::process::abort()
}
