//! Requests under way, and waits. Unsafe, because the library is called, and writes to lists.

use crate::communicator::Communicator;
use crate::constant::Constant;
use crate::error::{Error, Failure, int};
use crate::functions::Functions;
use crate::handle::{self, Handle, Places};
use crate::library::Library;
use crate::life::callable;
use crate::status::{Status, Statuses};
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;

/// A call that is under way, or nothing. Dropping it does not wait. Its memory must stay as long as
/// its caller has promised.
#[derive(Debug)]
pub struct Request {
    handle: Handle<handle::Request>,
    library: &'static Library,
    /// Not `Send`, because MPI was asked about this thread only.
    thread: PhantomData<*const ()>,
}

impl Request {
    /// Makes a request by a call.
    ///
    /// # Safety
    /// A call that succeeds has written the handle of a request that no other code completes.
    #[inline]
    pub(crate) unsafe fn begun(
        communicator: &Communicator,
        begin: impl FnOnce(*mut c_void) -> Result<(), Failure>,
    ) -> Result<Self, Error> {
        let library = communicator.library;
        Ok(Self::of(library, library.written(Constant::REQUEST_NULL, begin)?))
    }

    #[inline]
    fn update(
        &mut self,
        call: impl FnOnce(&Functions, *mut c_void) -> Result<(), Failure>,
    ) -> Result<(), Error> {
        let (mpi, is_narrow) = (callable(self.library)?, self.library.is_narrow);
        let (result, handle) = self.handle.in_memory(is_narrow, |place| call(mpi, place));
        self.handle = handle;
        Ok(result?)
    }

    #[inline]
    fn of(library: &'static Library, handle: Handle<handle::Request>) -> Self {
        Self { handle, library, thread: PhantomData }
    }

    /// Returns `true` if something is under way, or is complete and was not asked for.
    #[inline]
    pub fn is_live(&self) -> bool {
        self.handle != self.library.handle(Constant::REQUEST_NULL)
    }

    /// Waits until it is complete, if there is one.
    #[inline]
    pub fn wait(&mut self) -> Result<(), Error> {
        let status = self.library.no_status();
        // SAFETY: the request is live or null: `begun` and `of` ensure it, and the library sets it
        // to null when it is complete. It is borrowed exclusively, and no status is asked for.
        self.update(|mpi, place| unsafe { mpi.MPI_Wait(place, status) })
    }

    /// Cancels a receive of bytes, and waits until it is complete. Returns the number of bytes if
    /// its message had been matched before, and `None` if it has none.
    pub fn cancel(&mut self) -> Result<Option<usize>, Error> {
        if !self.is_live() {
            return Ok(None);
        }
        // SAFETY: the request is live, as in `wait`, and borrowed exclusively.
        self.update(|mpi, place| unsafe { mpi.MPI_Cancel(place) })?;
        let mut status = Status::of(self.library);
        let filled = status.pointer();
        // SAFETY: as in `wait`; the status outlives the call.
        self.update(|mpi, place| unsafe { mpi.MPI_Wait(place, filled) })?;
        match status.is_cancelled()? {
            true => Ok(None),
            false => Ok(Some(status.count::<u8>()?.unwrap_or(usize::MAX))),
        }
    }

    /// Returns `true` if it is complete, or there is none.
    #[inline]
    pub fn test(&mut self) -> Result<bool, Error> {
        let (mut done, status) = (0, self.library.no_status());
        // SAFETY: the request is live or null, as in `wait`, and borrowed exclusively. The number
        // outlives the call, and no status is asked for.
        self.update(|mpi, place| unsafe { mpi.MPI_Test(place, &mut done, status) })?;
        Ok(done != 0)
    }
}

impl Communicator {
    /// Returns a request of nothing.
    #[inline]
    pub fn no_request(&self) -> Request {
        Request::of(self.library, self.library.handle(Constant::REQUEST_NULL))
    }

    /// Returns requests of nothing, which can be waited for together.
    pub fn requests(&self, len: usize) -> Requests {
        let (library, none) = (self.library, self.library.handle(Constant::REQUEST_NULL));
        Requests {
            places: Places::filled(none, len, library.is_narrow),
            indices: vec![0; len],
            statuses: Statuses::new(library, len),
            found: 0,
            library,
            thread: PhantomData,
        }
    }
}

/// A list of requests. Methods panic if it has no such place, or no such completion.
#[derive(Debug)]
pub struct Requests {
    places: Places,
    indices: Vec<c_int>,
    statuses: Statuses,
    /// Places of both lists that the library has written last.
    found: usize,
    library: &'static Library,
    thread: PhantomData<*const ()>,
}

impl Requests {
    /// Returns `true` if something is under way in a place, or is complete and was not asked for.
    #[inline]
    pub fn is_live(&self, place: usize) -> bool {
        self.places.get(place) != self.library.handle(Constant::REQUEST_NULL)
    }

    /// Stores a request in a place, and returns the request that was there.
    #[inline]
    pub fn replace(&mut self, place: usize, request: Request) -> Request {
        let before = Request::of(self.library, self.places.get(place));
        self.places.set(place, request.handle);
        before
    }

    /// Waits until some are complete, or only tests; `false` if none was live.
    pub fn some(&mut self, waits: bool) -> Result<bool, Error> {
        let (count, mut found) = (int(self.indices.len())?, 0);
        self.found = 0;
        let (list, indices) = (self.places.pointer(), self.indices.as_mut_ptr());
        let statuses = self.statuses.pointer();
        // SAFETY: the list has `count` requests, each live or null, as in `Request::wait`. It is
        // borrowed exclusively; `Communicator::requests` has made room for as many indices and
        // statuses.
        unsafe {
            let mpi = callable(self.library)?;
            match waits {
                true => mpi.MPI_Waitsome(count, list, &mut found, indices, statuses),
                false => mpi.MPI_Testsome(count, list, &mut found, indices, statuses),
            }
        }?;
        let is_left = found != self.library.number(Constant::UNDEFINED);
        if is_left {
            self.found = usize::try_from(found).unwrap_or(0).min(self.indices.len());
        }
        Ok(is_left)
    }

    /// Returns the number of requests found complete last.
    pub fn found(&self) -> usize {
        self.found
    }

    /// Returns the place of the request that was found complete last.
    pub fn place(&self, found: usize) -> usize {
        self.indices[..self.found][found] as usize
    }

    /// Returns the received bytes of one found complete last; `None` if there are too many.
    pub fn bytes(&self, found: usize) -> Result<Option<usize>, Error> {
        assert!(found < self.found, "completion {found} of {}", self.found);
        callable(self.library)?;
        self.statuses.bytes(found)
    }
}
