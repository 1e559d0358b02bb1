//! From when to when MPI may be called, and by which threads.
//!
//! Unsafe, since the library is called.

use crate::constant::Constant;
use crate::error::Error;
use crate::functions::Functions;
use crate::key::{Attribute, Key};
use crate::library::Library;
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Which threads may call MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Threading {
    /// There is one thread.
    Single,
    /// The main thread alone.
    Funneled,
    /// Any thread, one at a time; the program sees to it.
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

/// True from the end of `MPI_Finalize`'s calls of others' functions on.
static OVER: AtomicBool = AtomicBool::new(false);

/// True if MPI is finalised, as far as anything of this crate was used before. It costs nothing.
#[inline]
pub fn is_over() -> bool {
    OVER.load(Ordering::Relaxed)
}

/// True if MPI has been initialised, by whomever.
///
/// # Errors
/// No library is found.
pub fn is_initialized() -> Result<bool, Error> {
    // SAFETY: the call may be made at any time; the flag outlives it.
    flag(Library::get()?, |mpi, flag| Ok(unsafe { mpi.MPI_Initialized(flag) }?))
}

/// True if MPI has been finalised.
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

thread_local! {
    /// True if this thread may call MPI until that is over, as has been found out before.
    static MAY_CALL: Cell<bool> = const { Cell::new(false) };
}

/// The library, once it is known that it may be called, on this thread.
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

/// Asks the library, and has [`is_over`] know of the end.
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
    // SAFETY: MPI is initialised and not finalised, as the caller has looked; the number outlives
    // the call.
    unsafe { library.functions.MPI_Query_thread(&mut level) }?;
    Ok(Threading::of(level, library))
}

/// Which threads may call MPI.
///
/// # Errors
/// MPI is not there: not initialised, finalised, or for another thread.
pub fn threading() -> Result<Threading, Error> {
    threading_of(running()?)
}

/// Is told when MPI is finalised.
struct End;

impl Attribute for End {
    fn deleted(self: Arc<Self>) {
        OVER.store(true, Ordering::Relaxed);
    }
}

/// Has [`is_over`] know of the end: attributes of `MPI_COMM_SELF` are deleted before `MPI_Finalize`
/// does anything else, the first that was set last (MPI 3.1, 8.7.1).
fn await_the_end(library: &'static Library) -> Result<(), Error> {
    static END: Key<End> = Key::new();
    static IS_AWAITED: Mutex<bool> = Mutex::new(false);
    let mut is_awaited = IS_AWAITED.lock().unwrap_or_else(PoisonError::into_inner);
    if !*is_awaited {
        let alone = library.handle(Constant::COMM_SELF);
        // SAFETY: it is alive as long as MPI, which is there, as the caller has looked.
        unsafe { END.keep_on((library, alone), Arc::new(End)) }?;
        *is_awaited = true;
    }
    Ok(())
}

/// Ends the job, whichever thread this is.
pub fn abort(exit_code: i32) -> ! {
    if let (Ok(library), Ok(true), Ok(false)) = (Library::get(), is_initialized(), is_finalized()) {
        let world = library.handle(Constant::COMM_WORLD);
        // SAFETY: MPI is initialised and not finalised, and the world is alive as long; nothing is
        // used after the call, which does not return.
        let _ = unsafe { library.functions.MPI_Abort(world, exit_code) };
    }
    std::process::abort()
}
