//! From when to when MPI may be called, and by which threads.
//!
//! Unsafe, since the library is called.

use crate::attribute::{Attribute, Key};
use crate::communicator::{Communicator, CommunicatorRef};
use crate::constant::Constant;
use crate::error::{Error, LibraryError};
use crate::functions::Functions;
use crate::launcher::Launcher;
use crate::library::Library;
use std::cell::Cell;
use std::ffi::c_int;
use std::marker::PhantomData;
use std::ptr::null_mut;
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

    fn number(self, library: &Library) -> c_int {
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

/// Whether MPI is finalised, as far as anything of this crate was used before. It costs nothing.
#[inline]
pub fn is_over() -> bool {
    OVER.load(Ordering::Relaxed)
}

/// Whether MPI has been initialised, by whomever.
///
/// # Errors
/// No library is found.
pub fn is_initialized() -> Result<bool, Error> {
    // SAFETY: the call may be made at any time; the flag outlives it.
    flag(Library::get()?, |mpi, flag| Ok(unsafe { mpi.MPI_Initialized(flag) }?))
}

/// Whether MPI has been finalised.
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
    /// Whether this thread may call MPI until that is over, as has been found out before.
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
        // SAFETY: it is alive as long as MPI, which is there, as the caller has looked.
        let alone = unsafe { CommunicatorRef::given(library, Constant::COMM_SELF) }?;
        END.keep(&alone, Arc::new(End))?;
        *is_awaited = true;
    }
    Ok(())
}

/// All ranks of the launch.
///
/// # Errors
/// MPI is not there: not initialised, finalised, or for another thread.
pub fn world() -> Result<CommunicatorRef<'static>, Error> {
    // SAFETY: it is alive as long as MPI, which is there, as `running` has looked.
    unsafe { CommunicatorRef::given(running()?, Constant::COMM_WORLD) }
}

/// This rank alone: `MPI_COMM_SELF`.
///
/// # Errors
/// MPI is not there: not initialised, finalised, or for another thread.
pub fn this_rank() -> Result<CommunicatorRef<'static>, Error> {
    // SAFETY: it is alive as long as MPI, which is there, as `running` has looked.
    unsafe { CommunicatorRef::given(running()?, Constant::COMM_SELF) }
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

/// Initialises MPI for the main thread. It is finalised when the value is dropped.
///
/// # Errors
/// No library is found; or MPI has been initialised, or finalised; or the launcher is another
/// library's, so that ranks do not see each other.
pub fn initialize() -> Result<Environment, Error> {
    initialize_with(Threading::Funneled)
}

/// Initialises MPI for threads as asked for, or as many as the library can:
/// [`threading`] tells. It is finalised when the value is dropped.
///
/// # Errors
/// As [`initialize`].
pub fn initialize_with(threading: Threading) -> Result<Environment, Error> {
    let library = Library::get()?;
    if is_finalized()? {
        return Err(Error::Finalized);
    }
    if is_initialized()? {
        return Err(Error::AlreadyInitialized);
    }
    let (required, mut provided) = (threading.number(library), 0);
    // SAFETY: MPI has not been initialised; arguments of the program may be null (MPI 3.1, 8.7).
    unsafe {
        library.functions.MPI_Init_thread(null_mut(), null_mut(), required, &mut provided)?;
    }
    let environment = Environment { library, thread: PhantomData };
    check_launcher(library, &*environment.world()?)?;
    Ok(environment)
}

/// Ranks of another library's launcher would each be alone in the world.
fn check_launcher(library: &Library, world: &Communicator) -> Result<(), Error> {
    match Launcher::of_this_process() {
        Some(Launcher { ranks, .. }) if ranks > 1 && world.size() == 1 => {
            let library = library.name().into();
            Err(LibraryError::OtherLauncher { launched: ranks, library }.into())
        }
        _ => Ok(()),
    }
}

/// MPI, which is finalised when this is dropped.
#[derive(Debug)]
pub struct Environment {
    library: &'static Library,
    /// The thread that initialises MPI finalises it.
    thread: PhantomData<*const ()>,
}

impl Environment {
    /// All ranks of the launch.
    ///
    /// # Errors
    /// MPI has been finalised by others.
    pub fn world(&self) -> Result<CommunicatorRef<'static>, Error> {
        world()
    }

    /// The library.
    pub fn library(&self) -> &'static Library {
        self.library
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        if is_finalized() == Ok(false) {
            // SAFETY: MPI is initialised, by this thread, and not finalised. An error has no place
            // to be told.
            let _ = unsafe { self.library.functions.MPI_Finalize() };
        }
    }
}
