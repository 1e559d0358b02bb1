//! Messages from one rank to another. Unsafe, because the library reads and writes buffers.

use crate::communicator::Communicator;
use crate::constant::Constant;
use crate::element::Element;
use crate::error::{Error, int};
use crate::handle::{self, Handle};
use crate::request::Request;
use crate::status::Status;
use std::ffi::{c_int, c_void};

/// Returns the beginning of a buffer that the library reads. An empty one may have an address that
/// the library takes for something else, such as `MPI_IN_PLACE`.
#[inline]
pub(crate) fn start<T>(buffer: &[T]) -> *const c_void {
    if buffer.is_empty() { std::ptr::null() } else { buffer.as_ptr().cast() }
}

#[inline]
pub(crate) fn start_mut<T>(buffer: &mut [T]) -> *mut c_void {
    if buffer.is_empty() { std::ptr::null_mut() } else { buffer.as_mut_ptr().cast() }
}

impl Communicator {
    #[inline]
    fn source(&self, from: Option<usize>) -> Result<c_int, Error> {
        from.map_or(Ok(self.library.number(Constant::ANY_SOURCE)), int)
    }

    #[inline]
    fn tag(&self, tag: Option<i32>) -> c_int {
        tag.unwrap_or_else(|| self.library.number(Constant::ANY_TAG))
    }

    /// Sends elements. May wait until they are received.
    #[inline]
    pub fn send<T: Element>(&self, elements: &[T], to: usize, tag: i32) -> Result<(), Error> {
        let (count, to) = (int(elements.len())?, int(to)?);
        let datatype = self.library.handle(T::DATATYPE.0);
        // SAFETY: the communicator is alive; the buffer has `count` elements of the type that is
        // stated, and outlives the call.
        unsafe { self.mpi()?.MPI_Send(start(elements), count, datatype, to, tag, self.raw) }?;
        Ok(())
    }

    /// Receives up to as many elements as there is room for; `None` is any rank, or any tag.
    ///
    /// # Errors
    /// The library's, also if the message is longer. Or a number is too large.
    #[inline]
    pub fn recv<T: Element>(
        &self,
        elements: &mut [T],
        from: Option<usize>,
        tag: Option<i32>,
    ) -> Result<Status, Error> {
        let (count, from, tag) = (int(elements.len())?, self.source(from)?, self.tag(tag));
        let (datatype, mut status) = (self.library.handle(T::DATATYPE.0), Status::new(self));
        let (place, filled) = (start_mut(elements), status.pointer());
        // SAFETY: the communicator is alive. The buffer has room for `count` elements of the stated
        // type, any bytes of which are elements. Buffer and status outlive the call.
        unsafe { self.mpi()?.MPI_Recv(place, count, datatype, from, tag, self.raw, filled) }?;
        Ok(status)
    }

    /// Begins to send `len` bytes.
    ///
    /// # Safety
    /// There are `len` bytes. They stay in place, and are not written to, until the request is
    /// complete or MPI is finalised.
    #[inline]
    pub unsafe fn isend(
        &self,
        bytes: *const u8,
        len: usize,
        to: usize,
        tag: i32,
    ) -> Result<Request, Error> {
        let (mpi, len, to) = (self.mpi()?, int(len)?, int(to)?);
        let datatype = self.library.handle(Constant::BYTE);
        // SAFETY: the communicator is alive; the caller leaves the bytes untouched until the
        // request is complete.
        unsafe {
            Request::begun(self, |place| {
                mpi.MPI_Isend(bytes.cast(), len, datatype, to, tag, self.raw, place)
            })
        }
    }

    /// Sends as [`isend`](Self::isend) does; the request is complete once the receiver receives.
    ///
    /// # Safety
    /// As for [`isend`](Self::isend).
    pub unsafe fn issend(
        &self,
        bytes: *const u8,
        len: usize,
        to: usize,
        tag: i32,
    ) -> Result<Request, Error> {
        let (mpi, len, to) = (self.mpi()?, int(len)?, int(to)?);
        let datatype = self.library.handle(Constant::BYTE);
        // SAFETY: the communicator is alive; the caller leaves the bytes untouched until the
        // request is complete.
        unsafe {
            Request::begun(self, |place| {
                mpi.MPI_Issend(bytes.cast(), len, datatype, to, tag, self.raw, place)
            })
        }
    }

    /// Begins to receive up to `len` bytes; `None` is any rank, or any tag.
    ///
    /// # Safety
    /// The `len` bytes may be written. They stay in place, untouched, until the request is complete
    /// or MPI is finalised.
    #[inline]
    pub unsafe fn irecv(
        &self,
        bytes: *mut u8,
        len: usize,
        from: Option<usize>,
        tag: Option<i32>,
    ) -> Result<Request, Error> {
        let (mpi, len, from, tag) = (self.mpi()?, int(len)?, self.source(from)?, self.tag(tag));
        let datatype = self.library.handle(Constant::BYTE);
        // SAFETY: the communicator is alive; the caller leaves the bytes untouched until the
        // request is complete.
        unsafe {
            Request::begun(self, |place| {
                mpi.MPI_Irecv(bytes.cast(), len, datatype, from, tag, self.raw, place)
            })
        }
    }

    /// Returns `true` if a message can be received; `None` is any. Lets the library make progress.
    #[inline]
    pub fn iprobe(&self, from: Option<usize>, tag: Option<i32>) -> Result<bool, Error> {
        let (from, tag, mut found) = (self.source(from)?, self.tag(tag), 0);
        let status = self.library.no_status();
        // SAFETY: the communicator is alive, the number outlives the call, and no status is asked
        // for.
        unsafe { self.mpi()?.MPI_Iprobe(from, tag, self.raw, &mut found, status) }?;
        Ok(found != 0)
    }

    /// Matches a message, which no other call receives from now on. `None` is any rank, or any tag.
    #[inline]
    pub fn improbe(
        &self,
        from: Option<usize>,
        tag: Option<i32>,
    ) -> Result<Option<Message<'_>>, Error> {
        let (mpi, from, tag, mut found) = (self.mpi()?, self.source(from)?, self.tag(tag), 0);
        let mut status = Status::new(self);
        let filled = status.pointer();
        // SAFETY: the communicator is alive, and all places outlive the call.
        let raw = self.library.written(Constant::MESSAGE_NULL, |place| unsafe {
            mpi.MPI_Improbe(from, tag, self.raw, &mut found, place, filled)
        })?;
        Ok((found != 0).then_some(Message { raw, status, communicator: self }))
    }
}

/// A matched message, which no other call receives.
#[derive(Debug)]
pub struct Message<'a> {
    raw: Handle<handle::Message>,
    status: Status,
    communicator: &'a Communicator,
}

impl Message<'_> {
    /// Returns its source, its tag and its length.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Receives it.
    ///
    /// # Errors
    /// The library's, also if the message is longer. Or a number is too large.
    pub fn recv<T: Element>(self, elements: &mut [T]) -> Result<(), Error> {
        let (count, place) = (int(elements.len())?, start_mut(elements));
        let (library, mpi) = (self.communicator.library, self.communicator.mpi()?);
        let (datatype, status) = (library.handle(T::DATATYPE.0), library.no_status());
        // SAFETY: the buffer has room for `count` elements of the stated type, any bytes of which
        // are elements. It outlives the call. The library found the message, which has not been
        // received, because this call consumes it.
        let (received, _) = self.raw.in_memory(library.is_narrow, |message| unsafe {
            mpi.MPI_Mrecv(place, count, datatype, message, status)
        });
        Ok(received?)
    }
}
