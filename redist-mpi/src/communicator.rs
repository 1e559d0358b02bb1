//! Communicators: owned ones, which are freed when they are dropped, and borrowed ones.
//!
//! Unsafe, since the library is called, with handles that others bring.

use crate::constant::Constant;
use crate::error::{Error, Failure, int};
use crate::functions::Functions;
use crate::handle::{Comm, Group, Handle, Place};
use crate::library::Library;
use crate::life::{is_over, running};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;

/// A group of ranks that send messages to each other: an intracommunicator.
///
/// A value owns its communicator, on which errors are returned; it is freed when the value is
/// dropped, for which all its ranks meet in some libraries. [`CommunicatorRef`] is one of others.
/// Collective calls are to be made by all its ranks, in one order.
#[derive(Debug)]
pub struct Communicator {
    pub(crate) raw: Handle<Comm>,
    pub(crate) library: &'static Library,
    rank: usize,
    size: usize,
    is_kept: Cell<bool>,
    /// Handles stay on the thread on which MPI was asked for them.
    thread: PhantomData<*const ()>,
}

/// How two communicators compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// They are one.
    Identical,
    /// They have the same ranks in the same order.
    Congruent,
    /// They have the same ranks in another order.
    Similar,
    /// They have other ranks.
    Unequal,
}

impl Communicator {
    /// Looks at a handle, which somebody else owns until `adopt` is called.
    ///
    /// # Safety
    /// MPI may be called on this thread; the handle is that of a communicator that is alive as long
    /// as the value.
    unsafe fn of(library: &'static Library, raw: Handle<Comm>) -> Result<Self, Error> {
        let (mpi, mut inter, mut rank, mut size) = (&library.functions, 0, 0, 0);
        // SAFETY: the communicator is alive, as the caller says; all numbers outlive the calls.
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

    /// Has a call make a communicator, and takes it over, with errors returned.
    ///
    /// # Safety
    /// A call that succeeds has written the handle of an intracommunicator that nobody else
    /// frees.
    pub(crate) unsafe fn made(
        library: &'static Library,
        make: impl FnOnce(&Functions, *mut c_void) -> Result<(), Failure>,
    ) -> Result<Self, Error> {
        let mut place = Place::holding(library.handle(Constant::COMM_NULL), library.is_narrow);
        make(&library.functions, place.pointer())?;
        // SAFETY: the call succeeded, so that its handle is what the caller says; it was made on
        // this thread.
        let made = unsafe { Self::of(library, place.handle(library.is_narrow)) }?;
        made.is_kept.set(false);
        made.return_errors()?;
        Ok(made)
    }

    /// The functions, while MPI is not finalised.
    #[inline]
    pub(crate) fn mpi(&self) -> Result<&'static Functions, Error> {
        if is_over() { Err(Error::Finalized) } else { Ok(&self.library.functions) }
    }

    /// This rank's number.
    #[inline]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of ranks.
    #[inline]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The same, borrowed.
    pub fn by_ref(&self) -> CommunicatorRef<'_> {
        let Self { raw, library, rank, size, .. } = *self;
        let is_kept = Cell::new(true);
        let communicator = Self { raw, library, rank, size, is_kept, thread: PhantomData };
        CommunicatorRef { communicator: ManuallyDrop::new(communicator), alive: PhantomData }
    }

    /// The library.
    pub fn library(&self) -> &'static Library {
        self.library
    }

    /// The handle of C: a pointer, or a number with its sign.
    pub fn as_raw(&self) -> usize {
        self.raw.word()
    }

    /// The handle of Fortran.
    pub fn as_fortran(&self) -> i32 {
        // SAFETY: the communicator is alive.
        unsafe { self.library.fortran_of(self.raw) }
    }

    /// Has it never freed: messages may be left on it, which another with its number would receive.
    pub fn keep(&self) {
        self.is_kept.set(true);
    }

    /// A duplicate. Collective.
    ///
    /// # Errors
    /// The library's.
    pub fn duplicate(&self) -> Result<Self, Error> {
        self.mpi()?;
        // SAFETY: the communicator is alive, and an intracommunicator, as is its duplicate, which
        // has no other owner.
        unsafe { Self::made(self.library, |mpi, new| mpi.MPI_Comm_dup(self.raw, new)) }
    }

    /// The ranks that bring the same color, numbered by `key`. Collective.
    ///
    /// # Errors
    /// The library's; or a number is too large.
    pub fn split(&self, color: usize, key: usize) -> Result<Self, Error> {
        self.mpi()?;
        let (color, key) = (int(color)?, int(key)?);
        // SAFETY: the communicator is alive, and an intracommunicator, as are its parts, which have
        // no other owner; the color is not that of no part, which is negative.
        unsafe {
            Self::made(self.library, |mpi, new| mpi.MPI_Comm_split(self.raw, color, key, new))
        }
    }

    /// The ranks that share memory with this one, numbered by `key`. Collective.
    ///
    /// # Errors
    /// The library's; or a number is too large.
    pub fn split_shared(&self, key: usize) -> Result<Self, Error> {
        self.mpi()?;
        let (key, kind) = (int(key)?, self.library.number(Constant::COMM_TYPE_SHARED));
        let info = self.library.handle(Constant::INFO_NULL);
        // SAFETY: the communicator is alive, and an intracommunicator, as are its parts, which have
        // no other owner.
        unsafe {
            Self::made(self.library, |mpi, new| {
                mpi.MPI_Comm_split_type(self.raw, kind, key, info, new)
            })
        }
    }

    /// How this and another compare. Local.
    ///
    /// # Errors
    /// The library's.
    pub fn compare(&self, other: &Self) -> Result<Comparison, Error> {
        let mut result = 0;
        // SAFETY: both communicators are alive, and the number outlives the call.
        unsafe { self.mpi()?.MPI_Comm_compare(self.raw, other.raw, &mut result) }?;
        let is = |constant| result == self.library.number(constant);
        Ok(if is(Constant::IDENT) {
            Comparison::Identical
        } else if is(Constant::CONGRUENT) {
            Comparison::Congruent
        } else if is(Constant::SIMILAR) {
            Comparison::Similar
        } else {
            Comparison::Unequal
        })
    }

    /// The rank here of each rank of another communicator; `None` where it has none. Local.
    ///
    /// # Errors
    /// The library's.
    pub fn ranks_of(&self, other: &Self) -> Result<Vec<Option<usize>>, Error> {
        let theirs: Vec<c_int> = (0..other.size as c_int).collect();
        let mut here = vec![0; other.size];
        let (of, to) = (GroupOf::new(other)?, GroupOf::new(self)?);
        let (count, from, place) = (other.size as c_int, theirs.as_ptr(), here.as_mut_ptr());
        // SAFETY: both groups are alive; both lists have as many numbers as the call is told.
        unsafe {
            self.mpi()?.MPI_Group_translate_ranks(of.handle(), count, from, to.handle(), place)
        }?;
        let undefined = self.library.number(Constant::UNDEFINED);
        Ok(here.into_iter().map(|rank| (rank != undefined).then_some(rank as usize)).collect())
    }

    /// The largest tag that messages may have. Local.
    ///
    /// # Errors
    /// The library's.
    pub fn largest_tag(&self) -> Result<i32, Error> {
        /// The least that the standard promises.
        const LEAST: i32 = 32_767;
        Ok(self.number_of_world(Constant::TAG_UB)?.unwrap_or(LEAST))
    }

    /// The number of this rank's program in the launch, where the launcher numbers programs. Local.
    ///
    /// # Errors
    /// The library's.
    pub fn program(&self) -> Result<Option<usize>, Error> {
        let number = self.number_of_world(Constant::APPNUM)?;
        Ok(number.and_then(|number| usize::try_from(number).ok()))
    }

    /// A number that the library itself keeps on the world.
    fn number_of_world(&self, key: Constant) -> Result<Option<c_int>, Error> {
        let (mut value, mut found) = (std::ptr::null::<c_int>(), 0);
        let (world, key) = (self.library.handle(Constant::COMM_WORLD), self.library.number(key));
        let place = (&raw mut value).cast();
        // SAFETY: the world is alive, and both places outlive the call; such an attribute is a
        // pointer to a number that lives as long as the library (MPI 3.1, 6.7.2 and 8.1.2).
        unsafe {
            self.mpi()?.MPI_Comm_get_attr(world, key, place, &mut found)?;
            Ok((found != 0).then(|| value.as_ref().copied()).flatten())
        }
    }

    /// Ends the job.
    pub fn abort(&self, exit_code: i32) -> ! {
        if !is_over() {
            // SAFETY: the communicator is alive; nothing is used after the call, which does not
            // return.
            let _ = unsafe { self.library.functions.MPI_Abort(self.raw, exit_code) };
        }
        std::process::abort()
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        if !is_over() && !self.is_kept.get() {
            let mut place = Place::holding(self.raw, self.library.is_narrow);
            // SAFETY: this owns the communicator, as `made` alone has it freed, and nothing uses it
            // after this. An error has no place to be told.
            let _ = unsafe { self.library.functions.MPI_Comm_free(place.pointer()) };
        }
    }
}

/// A communicator that somebody else frees, not in `'a`.
///
/// Nothing is set on it but attributes of `Key`s. Errors go where its owner has them
/// go: by default, they end the job.
#[derive(Debug)]
pub struct CommunicatorRef<'a> {
    communicator: ManuallyDrop<Communicator>,
    alive: PhantomData<&'a ()>,
}

impl<'a> CommunicatorRef<'a> {
    /// Borrows that of a handle of C: a pointer, or a number of C, as a word.
    ///
    /// # Safety
    /// The handle is `MPI_COMM_NULL`, or that of a communicator of this process and of
    /// the library, which is not freed in `'a`.
    ///
    /// # Errors
    /// MPI is not there, or the handle is that of no intracommunicator.
    pub unsafe fn from_raw(handle: usize) -> Result<Self, Error> {
        let library = running()?;
        let handle = Handle::new(handle);
        let handle = if library.is_narrow { Handle::from_narrow(handle.narrow()) } else { handle };
        // SAFETY: the caller says that the communicator is alive in `'a`.
        unsafe { Self::of(library, handle) }
    }

    /// Borrows that of a handle of Fortran.
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw).
    ///
    /// # Errors
    /// As there.
    pub unsafe fn from_fortran(handle: i32) -> Result<Self, Error> {
        let library = running()?;
        // SAFETY: the caller says that the communicator is alive in `'a`.
        unsafe { Self::of(library, library.handle_of_fortran(handle)) }
    }

    /// Borrows that whose handle lies in memory, as in an object of mpi4py's, whose address
    /// `MPI._addressof` tells.
    ///
    /// # Safety
    /// At the place is a handle of C, of `Library::bytes_of_handle` bytes, and such as
    /// [`from_raw`](Self::from_raw) takes.
    ///
    /// # Errors
    /// As there.
    pub unsafe fn from_place(place: *const c_void) -> Result<Self, Error> {
        let library = running()?;
        // SAFETY: the caller says that a handle of the library's width lies there.
        let handle = unsafe {
            match library.is_narrow {
                true => Handle::from_narrow(place.cast::<c_int>().read_unaligned()),
                false => Handle::new(place.cast::<usize>().read_unaligned()),
            }
        };
        // SAFETY: the caller says that the communicator is alive in `'a`.
        unsafe { Self::of(library, handle) }
    }

    /// One that the library itself has.
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
    /// MPI may be called on this thread; the handle is `MPI_COMM_NULL`, or that of a communicator
    /// that is alive in `'a`.
    unsafe fn of(library: &'static Library, handle: Handle<Comm>) -> Result<Self, Error> {
        if handle == library.handle(Constant::COMM_NULL) {
            return Err(Error::NoCommunicator);
        }
        // SAFETY: the handle is not that of no communicator, and else as the caller says.
        let communicator = ManuallyDrop::new(unsafe { Communicator::of(library, handle) }?);
        Ok(Self { communicator, alive: PhantomData })
    }
}

impl Deref for CommunicatorRef<'_> {
    type Target = Communicator;

    fn deref(&self) -> &Communicator {
        &self.communicator
    }
}

/// The group of a communicator's ranks, freed when dropped.
struct GroupOf(Place<Group>, &'static Library);

impl GroupOf {
    fn new(communicator: &Communicator) -> Result<Self, Error> {
        let library = communicator.library;
        let mut place = Place::holding(library.handle(Constant::GROUP_NULL), library.is_narrow);
        // SAFETY: the communicator is alive, and the place outlives the call.
        unsafe { communicator.mpi()?.MPI_Comm_group(communicator.raw, place.pointer()) }?;
        Ok(Self(place, library))
    }

    fn handle(&self) -> Handle<Group> {
        self.0.handle(self.1.is_narrow)
    }
}

impl Drop for GroupOf {
    fn drop(&mut self) {
        // SAFETY: `new` made the group, which only this frees, in the call of `ranks_of` that made
        // it, during which MPI is not finalised. An error has no place to be told.
        let _ = unsafe { self.1.functions.MPI_Group_free(self.0.pointer()) };
    }
}
