//! Communicators: owned ones, freed when they are dropped, and borrowed ones. Unsafe, because the
//! library is called with handles of other code.

use crate::constant::Constant;
use crate::error::{Error, Failure, int};
use crate::functions::Functions;
use crate::handle::{Comm, Errhandler, Group, Handle};
use crate::launches;
use crate::library::Library;
use crate::life::{callable, is_over, running};
use std::any::Any;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ops::Deref;

/// A group of ranks that send messages to each other: an intracommunicator.
///
/// A value owns its communicator, on which errors are returned. Dropping frees it, for which all
/// its ranks meet in some libraries. All ranks make collective calls in one order.
#[derive(Debug)]
pub struct Communicator {
    pub(crate) raw: Handle<Comm>,
    pub(crate) library: &'static Library,
    /// This process's rank.
    rank: usize,
    /// Number of ranks.
    size: usize,
    /// `true` if dropping must not free it.
    is_kept: Cell<bool>,
    /// Not `Send`, because MPI was asked about this thread only.
    thread: PhantomData<*const ()>,
}

impl Communicator {
    /// Reads the facts of a handle, which another owner has until `adopt` is called.
    ///
    /// # Safety
    /// MPI may be called on this thread. The handle's communicator is alive as long as the value.
    unsafe fn of(library: &'static Library, raw: Handle<Comm>) -> Result<Self, Error> {
        let (mpi, mut inter, mut rank, mut size) = (&library.functions, 0, 0, 0);
        // SAFETY: the communicator is alive, as the caller promises; all numbers outlive the calls.
        unsafe {
            mpi.MPI_Comm_test_inter(raw, &mut inter)?;
            if inter != 0 {
                return Err(Error::Intercommunicator);
            }
            mpi.MPI_Comm_rank(raw, &mut rank)?;
            mpi.MPI_Comm_size(raw, &mut size)?;
        }
        let (rank, size, is_kept) = (rank as usize, size as usize, Cell::new(true));
        Ok(Self { raw, library, rank, size, is_kept, thread: PhantomData })
    }

    /// Makes a communicator by a call, with errors returned.
    ///
    /// # Safety
    /// A call that succeeds has written the handle of an intracommunicator without another owner.
    pub(crate) unsafe fn made(
        library: &'static Library,
        make: impl FnOnce(&Functions, *mut c_void) -> Result<(), Failure>,
    ) -> Result<Self, Error> {
        let raw = library.written(Constant::COMM_NULL, |new| make(&library.functions, new))?;
        // SAFETY: the call succeeded, so its handle is as the caller promises. It was made on this
        // thread.
        let made = unsafe { Self::of(library, raw) }?;
        made.is_kept.set(false);
        launches::note(made.raw);
        made.return_errors()?;
        Ok(made)
    }

    #[inline]
    pub(crate) fn mpi(&self) -> Result<&'static Functions, Error> {
        callable(self.library)
    }

    /// Returns this rank's number.
    #[inline]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    #[inline]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the library.
    pub fn library(&self) -> &'static Library {
        self.library
    }

    /// Returns the handle of C: a pointer, or a number with its sign.
    pub fn as_raw(&self) -> usize {
        self.raw.word()
    }

    /// Returns the handle of Fortran.
    pub fn as_fortran(&self) -> i32 {
        // SAFETY: the communicator is alive.
        unsafe { self.library.fortran_of(self.raw) }
    }

    /// Leaks the communicator, because the next communicator with its number would receive its
    /// leftover messages.
    pub fn keep(&self) {
        self.keep_until_the_end();
        launches::forget(self.raw);
    }

    /// Leaves the communicator to the end of MPI, when ranks need not free it in one order.
    pub fn keep_until_the_end(&self) {
        self.is_kept.set(true);
    }

    /// Duplicates the communicator. Collective.
    pub fn duplicate(&self) -> Result<Self, Error> {
        self.mpi()?;
        // SAFETY: the communicator is alive, as is its duplicate, which has no other owner.
        unsafe { Self::made(self.library, |mpi, new| mpi.MPI_Comm_dup(self.raw, new)) }
    }

    /// Splits the ranks by color, and numbers them by `key`. Collective.
    pub fn split(&self, color: usize, key: usize) -> Result<Self, Error> {
        self.mpi()?;
        let (color, key) = (int(color)?, int(key)?);
        // SAFETY: the communicator is alive, as are its parts, which have no other owner. No color
        // is negative.
        unsafe {
            Self::made(self.library, |mpi, new| mpi.MPI_Comm_split(self.raw, color, key, new))
        }
    }

    /// Returns the ranks that share memory with this one, numbered by `key`. Collective.
    pub fn split_shared(&self, key: usize) -> Result<Self, Error> {
        self.mpi()?;
        let (key, kind) = (int(key)?, self.library.number(Constant::COMM_TYPE_SHARED));
        let info = self.library.handle(Constant::INFO_NULL);
        // SAFETY: the communicator is alive, as are its parts, which have no other owner.
        unsafe {
            Self::made(self.library, |mpi, new| {
                mpi.MPI_Comm_split_type(self.raw, kind, key, info, new)
            })
        }
    }

    /// Returns `true` if both have the same ranks in the same order. Local.
    pub fn has_the_ranks_of(&self, other: &Self) -> Result<bool, Error> {
        let mut result = 0;
        // SAFETY: both communicators are alive, and the number outlives the call.
        unsafe { self.mpi()?.MPI_Comm_compare(self.raw, other.raw, &mut result) }?;
        let alike = [Constant::IDENT, Constant::CONGRUENT];
        Ok(alike.into_iter().any(|constant| result == self.library.number(constant)))
    }

    /// Returns the rank here of each rank of another communicator; `None` without one. Local.
    pub fn ranks_of(&self, other: &Self) -> Result<Vec<Option<usize>>, Error> {
        let theirs: Vec<c_int> = (0..other.size as c_int).collect();
        let mut here = vec![0; other.size];
        let (of, to, mpi) = (GroupOf::new(other)?, GroupOf::new(self)?, self.mpi()?);
        let (count, from, place) = (other.size as c_int, theirs.as_ptr(), here.as_mut_ptr());
        // SAFETY: both groups are alive. Both lists have as many numbers as the call is told.
        unsafe { mpi.MPI_Group_translate_ranks(of.0, count, from, to.0, place) }?;
        let undefined = self.library.number(Constant::UNDEFINED);
        Ok(here.into_iter().map(|rank| (rank != undefined).then_some(rank as usize)).collect())
    }

    /// Returns the largest tag of messages. Local.
    pub fn largest_tag(&self) -> Result<i32, Error> {
        /// The least that the standard promises.
        const LEAST: i32 = 32_767;
        Ok(self.number_of_world(Constant::TAG_UB)?.unwrap_or(LEAST))
    }

    /// Returns the number of this rank's program, if the launcher numbers programs. Local.
    pub fn program(&self) -> Result<Option<usize>, Error> {
        let number = self.number_of_world(Constant::APPNUM)?;
        Ok(number.and_then(|number| usize::try_from(number).ok()))
    }

    fn number_of_world(&self, key: Constant) -> Result<Option<c_int>, Error> {
        let (mut value, mut found) = (std::ptr::null::<c_int>(), 0);
        let (world, key) = (self.library.handle(Constant::COMM_WORLD), self.library.number(key));
        let place = (&raw mut value).cast();
        // SAFETY: the world is alive, and both places outlive the call. Such an attribute is a
        // pointer to a number that lives as long as the library (MPI 3.1, 6.7.2 and 8.1.2).
        unsafe {
            self.mpi()?.MPI_Comm_get_attr(world, key, place, &mut found)?;
            Ok((found != 0).then(|| value.as_ref().copied()).flatten())
        }
    }

    /// Makes calls on it return their errors, from now on.
    fn return_errors(&self) -> Result<(), Error> {
        let handler = self.library.handle(Constant::ERRORS_RETURN);
        // SAFETY: the communicator is alive; the handler is a constant of the library.
        unsafe { self.mpi()?.MPI_Comm_set_errhandler(self.raw, handler) }?;
        Ok(())
    }

    /// Makes calls on it return their errors, until the value ends and its owner's handler returns.
    ///
    /// Errors of calls without a communicator go to the handler of the world in libraries before
    /// MPI 4. From then on they go to that of `this_rank`.
    pub fn errors_returned(&self) -> Result<ErrorsReturned<'_>, Error> {
        let mpi = self.mpi()?;
        // SAFETY: the communicator is alive, and the place outlives the call.
        let before = self.library.written(Constant::ERRHANDLER_NULL, |place| unsafe {
            mpi.MPI_Comm_get_errhandler(self.raw, place)
        })?;
        let returned = ErrorsReturned { communicator: self, before };
        self.return_errors()?;
        Ok(returned)
    }

    /// Ends the job.
    pub fn abort(&self, exit_code: i32) -> ! {
        if !is_over() {
            // SAFETY: the communicator is alive. Nothing is used after the call, which does not
            // return.
            let _ = unsafe { self.library.functions.MPI_Abort(self.raw, exit_code) };
        }
        std::process::abort()
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        if !is_over() && !self.is_kept.get() {
            launches::forget(self.raw);
            // SAFETY: this owns the communicator, because only `made` has it freed. Nothing uses it
            // after this. The error has no receiver.
            self.raw.in_memory(self.library.is_narrow, |place| unsafe {
                let _ = self.library.functions.MPI_Comm_free(place);
            });
        }
    }
}

/// A communicator that its owner does not free in `'a`.
///
/// Only `Key`s set attributes on it. Its owner's handler receives errors; the default ends the job.
#[derive(Debug)]
pub struct CommunicatorRef<'a> {
    /// Kept, so that dropping it frees nothing.
    communicator: Communicator,
    alive: PhantomData<&'a ()>,
}

impl<'a> CommunicatorRef<'a> {
    /// Borrows a handle of C, as a word: pointer or number.
    ///
    /// # Safety
    /// The handle is `MPI_COMM_NULL`, or a communicator of this process and of the library. It is
    /// not freed in `'a`.
    ///
    /// # Errors
    /// MPI is not there, or the handle is that of no intracommunicator.
    pub unsafe fn from_raw(handle: usize) -> Result<Self, Error> {
        let library = running()?;
        let handle = Handle::new(handle);
        let handle = if library.is_narrow { Handle::from_narrow(handle.narrow()) } else { handle };
        // SAFETY: the communicator is alive in `'a`, as the caller promises.
        unsafe { Self::of(library, handle) }
    }

    /// Borrows a handle of Fortran. Fails if MPI is not there, or the handle is none of an
    /// intracommunicator.
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw).
    pub unsafe fn from_fortran(handle: i32) -> Result<Self, Error> {
        let library = running()?;
        // SAFETY: the communicator is alive in `'a`, as the caller promises.
        unsafe { Self::of(library, library.handle_of_fortran(handle)) }
    }

    /// Borrows a handle that lies in memory, as in an object of mpi4py's
    /// (`MPI._addressof`). Fails if MPI is not there, or the handle is none of an intracommunicator.
    ///
    /// # Safety
    /// The place holds `Library::bytes_of_handle` bytes: a handle for [`from_raw`](Self::from_raw).
    pub unsafe fn from_place(place: *const c_void) -> Result<Self, Error> {
        let library = running()?;
        // SAFETY: a handle of the library's width lies there, as the caller promises.
        let handle = unsafe {
            match library.is_narrow {
                true => Handle::from_narrow(place.cast::<c_int>().read_unaligned()),
                false => Handle::new(place.cast::<usize>().read_unaligned()),
            }
        };
        // SAFETY: the communicator is alive in `'a`, as the caller promises.
        unsafe { Self::of(library, handle) }
    }

    /// Borrows a communicator that the library itself has.
    ///
    /// # Safety
    /// MPI may be called on this thread.
    pub(crate) unsafe fn given(
        library: &'static Library,
        constant: Constant,
    ) -> Result<Self, Error> {
        // SAFETY: it is alive as long as MPI is.
        unsafe { Self::of(library, library.handle(constant)) }
    }

    /// # Safety
    /// MPI may be called on this thread. The handle is `MPI_COMM_NULL`, or a communicator that is
    /// alive in `'a`.
    unsafe fn of(library: &'static Library, handle: Handle<Comm>) -> Result<Self, Error> {
        if handle == library.handle(Constant::COMM_NULL) {
            return Err(Error::NoCommunicator);
        }
        // SAFETY: the handle is not that of no communicator. The rest is as the caller promises.
        let communicator = unsafe { Communicator::of(library, handle) }?;
        Ok(Self { communicator, alive: PhantomData })
    }
}

impl Deref for CommunicatorRef<'_> {
    type Target = Communicator;

    fn deref(&self) -> &Communicator {
        &self.communicator
    }
}

/// While this lives, calls on a communicator return their errors.
#[derive(Debug)]
pub struct ErrorsReturned<'a> {
    communicator: &'a Communicator,
    before: Handle<Errhandler>,
}

impl Drop for ErrorsReturned<'_> {
    fn drop(&mut self) {
        if is_over() {
            return;
        }
        let Communicator { library, raw, .. } = *self.communicator;
        // SAFETY: the communicator is borrowed, and alive. The handler came from it. The standard
        // demands that the handle is freed, and the handler itself stays with the communicator (MPI
        // 3.1, 8.3.4). The error has no receiver.
        self.before.in_memory(library.is_narrow, |place| unsafe {
            let _ = library.functions.MPI_Comm_set_errhandler(raw, self.before);
            let _ = library.functions.MPI_Errhandler_free(place);
        });
    }
}

/// An intracommunicator of any owner: a [`Communicator`], a [`CommunicatorRef`], or, with the
/// feature `rsmpi`, any of the crate `mpi`.
pub trait AsCommunicator {
    /// Borrows the communicator.
    ///
    /// # Errors
    /// MPI is not there: not initialised, finalised, or for another thread. Or it is an
    /// intercommunicator.
    fn borrowed(&self) -> Result<CommunicatorRef<'_>, Error>;

    /// Returns a value that a crate keeps with the communicator, for that crate only.
    #[doc(hidden)]
    fn kept(&self) -> Option<&dyn Any> {
        None
    }
}

impl AsCommunicator for Communicator {
    fn borrowed(&self) -> Result<CommunicatorRef<'_>, Error> {
        self.mpi()?;
        let Self { raw, library, rank, size, .. } = *self;
        let is_kept = Cell::new(true);
        let communicator = Self { raw, library, rank, size, is_kept, thread: PhantomData };
        Ok(CommunicatorRef { communicator, alive: PhantomData })
    }
}

impl AsCommunicator for CommunicatorRef<'_> {
    fn borrowed(&self) -> Result<CommunicatorRef<'_>, Error> {
        Communicator::borrowed(self)
    }
}

/// Communicators of the crate `mpi`. They are generic, so unused code refers to no library.
#[cfg(feature = "rsmpi")]
impl<C> AsCommunicator for C
where
    C: mpi::traits::Communicator + mpi::traits::AsRaw<Raw = mpi::ffi::MPI_Comm>,
{
    fn borrowed(&self) -> Result<CommunicatorRef<'_>, Error> {
        let handle = self.as_raw();
        // SAFETY: the unsafe trait `AsRaw` returns the handle of a communicator that the value
        // borrows or owns. It lies in `handle`. Its owner frees it when it is dropped, which the
        // borrow prevents. The crate is linked with the library of this process.
        unsafe { CommunicatorRef::from_place((&raw const handle).cast()) }
    }
}

/// A group of processes, freed when it is dropped.
struct GroupOf(Handle<Group>, &'static Library);

impl GroupOf {
    fn new(communicator: &Communicator) -> Result<Self, Error> {
        let (library, mpi) = (communicator.library, communicator.mpi()?);
        // SAFETY: the communicator is alive, and the place outlives the call.
        let raw = library.written(Constant::GROUP_NULL, |place| unsafe {
            mpi.MPI_Comm_group(communicator.raw, place)
        })?;
        Ok(Self(raw, library))
    }
}

impl Drop for GroupOf {
    fn drop(&mut self) {
        // SAFETY: `new` made the group, and only this frees it. It does so in the call of
        // `ranks_of` that made it, during which MPI is not finalised. The error has no receiver.
        self.0.in_memory(self.1.is_narrow, |place| unsafe {
            let _ = self.1.functions.MPI_Group_free(place);
        });
    }
}
