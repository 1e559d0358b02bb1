//! A communicator of our own, and the library's calls with their return codes checked.
//!
//! The safe calls of the crate `mpi` drop return codes, so all that moves data goes through its
//! `ffi` module.

use super::abort::abort_for;
use super::attribute::is_over;
use super::completions::Completions;
use super::constants::{any_source, any_tag, least, most, no_status};
use super::live::LiveCommunicator;
use super::request::Request;
use crate::error::Error;
use crate::transport::wire;
use ::mpi::ffi::{self, MPI_Comm, MPI_Datatype, MPI_Message, MPI_Status};
use ::mpi::traits::{AsRaw, Equivalence};
use std::cell::Cell;
use std::ffi::c_int;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// A duplicate of the user's communicator, on which errors are returned. Freed when dropped.
#[derive(Debug)]
pub(super) struct OwnCommunicator {
    pub(super) raw: MPI_Comm,
    rank: usize,
    size: usize,
    /// Whether messages are left on it that are never received: it is not freed then, since the
    /// library may give its number to another, which would receive them.
    kept: Cell<bool>,
    /// MPI handles stay on their thread.
    thread: PhantomData<*const ()>,
}

impl OwnCommunicator {
    /// Takes a communicator over.
    ///
    /// # Safety
    /// `raw` is a live intracommunicator that only the value made here frees.
    pub(super) unsafe fn adopt(raw: MPI_Comm) -> Result<Self, Error> {
        let mut own = Self { raw, rank: 0, size: 0, kept: Cell::new(false), thread: PhantomData };
        own.live().return_errors()?;
        (own.rank, own.size) = own.live().rank_and_size()?;
        Ok(own)
    }

    /// It is alive as long as this value.
    pub fn live(&self) -> LiveCommunicator<'_> {
        // SAFETY: the caller of `adopt`, which alone makes such values, says that this value alone
        // frees the communicator; it does so when it is dropped, and so after the borrow.
        unsafe { LiveCommunicator::new(self.raw) }
    }

    pub fn rank(&self) -> usize {
        self.rank
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// Has it never freed.
    pub fn keep(&self) {
        self.kept.set(true);
    }

    /// An error with the library's class and text, unless the code means success.
    pub fn check(&self, call: &'static str, code: c_int) -> Result<(), Error> {
        checked(self.rank, call, code)
    }

    /// As [`check`](Self::check), in a call that other ranks wait for and by which they are told of
    /// errors: an error ends the job.
    pub fn must(&self, call: &'static str, code: c_int) -> Result<(), Error> {
        self.check(call, code).inspect_err(|error| abort_for(self.live(), error))
    }

    /// The smallest of each number over all ranks. Collective.
    ///
    /// MPICH 4.0 takes numbers from 2^63 on for negative ones. The order of complements is reversed
    /// either way, so that the smallest of a number and of its complement still tell whether all
    /// ranks brought the same.
    pub fn minima<const N: usize>(&self, mine: [u64; N]) -> Result<[u64; N], Error> {
        let mut smallest = mine;
        self.reduce(&mine, &mut smallest)?;
        Ok(smallest)
    }

    /// As [`minima`](Self::minima), in place and for any number of numbers. Collective.
    pub fn minima_of(&self, numbers_of_all: &mut [u64]) -> Result<(), Error> {
        let mine = numbers_of_all.to_vec();
        self.reduce(&mine, numbers_of_all)
    }

    /// The smallest of each number over all ranks, for as many as there are in both. Collective.
    fn reduce(&self, mine: &[u64], smallest: &mut [u64]) -> Result<(), Error> {
        let count = bounded(mine.len().min(smallest.len()));
        let (from, to) = (mine.as_ptr().cast(), smallest.as_mut_ptr().cast());
        // SAFETY: both buffers hold at least `count` numbers of the type named, the second borrowed
        // exclusively, and outlive the call; our communicator is alive (`live`).
        let code = unsafe { ffi::MPI_Allreduce(from, to, count, numbers(), least(), self.raw) };
        self.must("MPI_Allreduce", code)
    }

    /// A text of one rank, on all ranks, for people to read. Collective.
    pub fn broadcast_text(&self, root: usize, text: &str) -> Result<String, Error> {
        let bytes = self.broadcast_bytes(root, text.as_bytes())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The bytes of one rank, on all ranks; no more than may be sent. Collective.
    pub fn broadcast_bytes(&self, root: usize, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let mine = wire::clipped(bytes);
        let mut len = (mine.len() as u64).to_be_bytes();
        self.broadcast(root, &mut len)?;
        let len = u64::from_be_bytes(len);
        let len = wire::length(len).map_err(|error| error.told_by(self.rank))?;
        // An empty vector's pointer may be what the library takes for MPI_IN_PLACE.
        if len == 0 {
            return Ok(Vec::new());
        }
        let mut bytes = if self.rank == root { mine.to_vec() } else { vec![0; len] };
        self.broadcast(root, &mut bytes)?;
        Ok(bytes)
    }

    /// The bytes of one rank, on all ranks, which bring as many. Collective.
    fn broadcast(&self, root: usize, bytes: &mut [u8]) -> Result<(), Error> {
        let (count, place) = (bounded(bytes.len()), bytes.as_mut_ptr().cast());
        // SAFETY: the buffer holds at least `count` bytes, is borrowed exclusively and outlives the
        // call; our communicator is alive (`live`).
        let code = unsafe { ffi::MPI_Bcast(place, count, raw_bytes(), root as c_int, self.raw) };
        self.must("MPI_Bcast", code)
    }

    /// Begins to find the largest of each number over all ranks; numbers are less than 2^63.
    /// Collective.
    ///
    /// # Safety
    /// All numbers stay where they are, and are not touched, until the request is complete.
    pub unsafe fn begin_maxima<const N: usize>(
        &self,
        mine: *const [u64; N],
        of_all: *mut [u64; N],
    ) -> Result<Request, Error> {
        let mut request = Request::none();
        let (from, to, count, place) = (mine.cast(), of_all.cast(), N as c_int, request.place());
        // SAFETY: both places hold N numbers of the type named, which the caller leaves alone until
        // the request is complete; our communicator is alive (`live`).
        let code =
            unsafe { ffi::MPI_Iallreduce(from, to, count, numbers(), most(), self.raw, place) };
        self.must("MPI_Iallreduce", code)?;
        Ok(request)
    }

    /// Begins to send `len` bytes.
    ///
    /// # Safety
    /// The bytes stay where they are, and are not written to, until the request is complete.
    pub unsafe fn begin_send(
        &self,
        bytes: *const u8,
        len: usize,
        to: usize,
        tag: c_int,
    ) -> Result<Request, Error> {
        let mut request = Request::none();
        let (len, to, place) = (bounded(len), to as c_int, request.place());
        // SAFETY: there are at least that many bytes, which the caller leaves alone until the
        // request is complete; our communicator is alive (`live`).
        let code =
            unsafe { ffi::MPI_Isend(bytes.cast(), len, raw_bytes(), to, tag, self.raw, place) };
        self.must("MPI_Isend", code)?;
        Ok(request)
    }

    /// Begins to receive up to `len` bytes.
    ///
    /// # Safety
    /// The bytes may be written, stay where they are, and are not touched, until the request is
    /// complete.
    pub unsafe fn begin_receive(
        &self,
        bytes: *mut u8,
        len: usize,
        from: usize,
        tag: c_int,
    ) -> Result<Request, Error> {
        // SAFETY: the caller leaves the bytes alone, and where they are, until the request is complete.
        unsafe { self.begin_receive_from(bytes, len, from as c_int, tag) }
    }

    /// As [`begin_receive`](Self::begin_receive), from any rank.
    ///
    /// # Safety
    /// As there.
    pub unsafe fn begin_receive_any(
        &self,
        bytes: *mut u8,
        len: usize,
        tag: c_int,
    ) -> Result<Request, Error> {
        // SAFETY: the caller leaves the bytes alone, and where they are, until the request is complete.
        unsafe { self.begin_receive_from(bytes, len, any_source(), tag) }
    }

    /// # Safety
    /// As for [`begin_receive`](Self::begin_receive).
    unsafe fn begin_receive_from(
        &self,
        bytes: *mut u8,
        len: usize,
        from: c_int,
        tag: c_int,
    ) -> Result<Request, Error> {
        let mut request = Request::none();
        let (len, place) = (bounded(len), request.place());
        // SAFETY: there are at least that many bytes, which the caller leaves alone until the
        // request is complete; our communicator is alive (`live`).
        let code =
            unsafe { ffi::MPI_Irecv(bytes.cast(), len, raw_bytes(), from, tag, self.raw, place) };
        self.must("MPI_Irecv", code)?;
        Ok(request)
    }

    /// Lets the library work on what is under way.
    pub fn progress(&self) -> Result<(), Error> {
        let mut found = 0;
        // SAFETY: our communicator is alive (`live`); the number outlives the call, and no status is
        // asked for.
        let code =
            unsafe { ffi::MPI_Iprobe(any_source(), any_tag(), self.raw, &mut found, no_status()) };
        self.must("MPI_Iprobe", code)
    }

    /// A message from any rank that is there to be received with this tag; lets the library work
    /// where there is none.
    pub fn next_message(&self, tag: c_int) -> Result<Option<MatchedMessage>, Error> {
        let (mut found, mut status) = (0, MaybeUninit::<MPI_Status>::zeroed());
        let mut message = MaybeUninit::zeroed();
        let (place, filled) = (message.as_mut_ptr(), status.as_mut_ptr());
        // SAFETY: our communicator is alive (`live`); all places outlive the call.
        let code =
            unsafe { ffi::MPI_Improbe(any_source(), tag, self.raw, &mut found, place, filled) };
        self.must("MPI_Improbe", code)?;
        if found == 0 {
            return Ok(None);
        }
        let mut len = 0;
        // SAFETY: the library has filled the status of a message that it found; the number outlives
        // the call.
        let code = unsafe { ffi::MPI_Get_count(filled, raw_bytes(), &mut len) };
        self.must("MPI_Get_count", code)?;
        // SAFETY: zeroes, or what the library has written where it found a message, as it did: a
        // handle is a number or a pointer.
        let message = unsafe { message.assume_init() };
        Ok(Some(MatchedMessage { message, len: usize::try_from(len).unwrap_or(usize::MAX) }))
    }

    /// Receives such a message, into as many bytes as it has.
    pub fn receive(&self, mut found: MatchedMessage, bytes: &mut [u8]) -> Result<(), Error> {
        assert_eq!(bytes.len(), found.len, "room for the message");
        let (place, count) = (bytes.as_mut_ptr().cast(), bounded(bytes.len()));
        // SAFETY: there are at least that many bytes, borrowed exclusively, which outlive the call;
        // the message is one that the library found and that was not received, as this takes it.
        let code =
            unsafe { ffi::MPI_Mrecv(place, count, raw_bytes(), &mut found.message, no_status()) };
        self.must("MPI_Mrecv", code)
    }

    /// Waits for one request.
    pub fn wait(&self, request: &mut Request) -> Result<(), Error> {
        self.must("MPI_Wait", request.wait())
    }

    /// Whether a request is complete, or there is none.
    pub fn is_done(&self, request: &mut Request) -> Result<bool, Error> {
        let (code, done) = request.test();
        self.must("MPI_Test", code).map(|()| done)
    }

    /// Waits until some requests are complete, or only looks; false where no request is left.
    pub fn some(
        &self,
        wait: bool,
        requests: &mut [Request],
        done: &mut Completions,
    ) -> Result<bool, Error> {
        done.find(wait, requests).or_else(|(call, code)| self.must(call, code).map(|()| false))
    }
}

/// A message that is there, and that no other call receives.
pub(super) struct MatchedMessage {
    message: MPI_Message,
    /// Its bytes.
    pub len: usize,
}

impl Drop for OwnCommunicator {
    fn drop(&mut self) {
        if !is_over() && !self.kept.get() {
            // SAFETY: the communicator is alive, as in `live`, MPI is not finalised, and this value,
            // which alone uses it, is dropped. An error has no place to be told.
            unsafe { ffi::MPI_Comm_free(&mut self.raw) };
        }
    }
}

/// A length as the library counts, at most what it is.
fn bounded(len: usize) -> c_int {
    c_int::try_from(len).unwrap_or(c_int::MAX)
}

pub(super) fn checked(rank: usize, call: &'static str, code: c_int) -> Result<(), Error> {
    if code == ffi::MPI_SUCCESS as c_int {
        return Ok(());
    }
    let (mut class, mut len) = (0, 0);
    let mut text = [0; ffi::MPI_MAX_ERROR_STRING as usize];
    // SAFETY: the code came from the library; the text has the room that the library asks for, and
    // all places outlive the calls.
    unsafe {
        ffi::MPI_Error_class(code, &mut class);
        ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &mut len);
    }
    let len = usize::try_from(len).unwrap_or(0).min(text.len());
    let text: &[u8] = &text[..len];
    let text = String::from_utf8_lossy(text).trim_end_matches('\0').into();
    Err(Error::Library { rank, call, class, text })
}

fn numbers() -> MPI_Datatype {
    u64::equivalent_datatype().as_raw()
}

fn raw_bytes() -> MPI_Datatype {
    u8::equivalent_datatype().as_raw()
}
