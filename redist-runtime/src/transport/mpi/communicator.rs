//! A communicator of our own, and the library's calls with their return codes checked.
//!
//! The safe calls of the crate `mpi` drop return codes, so all that moves data goes through its
//! `ffi` module.

use super::abort::abort_for;
use super::attribute::is_over;
use super::completions::Completions;
use crate::error::Error;
use crate::transport::wire;
use ::mpi::ffi::{self, MPI_Comm, MPI_Datatype, MPI_Request};
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
    /// Duplicates a communicator. Collective.
    ///
    /// # Safety
    /// `raw` is a live communicator.
    ///
    /// # Errors
    /// What the library says; or that it is an intercommunicator.
    pub unsafe fn duplicate(raw: MPI_Comm) -> Result<Self, Error> {
        let mut inter = 0;
        // SAFETY: the caller vouches for the handle; `inter` outlives the call.
        checked(0, "MPI_Comm_test_inter", unsafe { ffi::MPI_Comm_test_inter(raw, &mut inter) })?;
        if inter != 0 {
            let reason = "it is an intercommunicator; merge it first".into();
            return Err(Error::Unavailable { what: "a plan on this communicator".into(), reason });
        }
        // SAFETY: as above; the null handle is a constant of the library.
        let mut own = unsafe { ffi::RSMPI_COMM_NULL };
        // SAFETY: as above; every rank of the communicator makes this call.
        checked(0, "MPI_Comm_dup", unsafe { ffi::MPI_Comm_dup(raw, &mut own) })?;
        // SAFETY: `own` was made just now; the handler is a constant of the library.
        let set = unsafe { ffi::MPI_Comm_set_errhandler(own, ffi::RSMPI_ERRORS_RETURN) };
        checked(0, "MPI_Comm_set_errhandler", set)?;
        // SAFETY: `own` is alive.
        let (rank, size) = unsafe { rank_and_size(own) }?;
        Ok(Self { raw: own, rank, size, kept: Cell::new(false), thread: PhantomData })
    }

    /// Takes a communicator over.
    ///
    /// # Safety
    /// `raw` is a live intracommunicator that only the value made here frees.
    pub(super) unsafe fn adopt(raw: MPI_Comm) -> Result<Self, Error> {
        // SAFETY: the caller vouches for the handle; the handler is a constant of the library.
        let set = unsafe { ffi::MPI_Comm_set_errhandler(raw, ffi::RSMPI_ERRORS_RETURN) };
        checked(0, "MPI_Comm_set_errhandler", set)?;
        // SAFETY: as above.
        let (rank, size) = unsafe { rank_and_size(raw) }?;
        Ok(Self { raw, rank, size, kept: Cell::new(false), thread: PhantomData })
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
        self.check(call, code).inspect_err(|error| {
            // SAFETY: the communicator is alive.
            unsafe { abort_for(self.raw, error) };
        })
    }

    /// The smallest of each number over all ranks. Collective.
    ///
    /// MPICH 4.0 takes numbers from 2^63 on for negative ones. The order of complements is reversed
    /// either way, so that the smallest of a number and of its complement still tell whether all
    /// ranks brought the same.
    pub fn minima<const N: usize>(&self, mine: [u64; N]) -> Result<[u64; N], Error> {
        let mut least = [0u64; N];
        let (from, to) = (mine.as_ptr().cast(), least.as_mut_ptr().cast());
        // SAFETY: both buffers hold N numbers of the type named, and outlive the call.
        let code = unsafe {
            ffi::MPI_Allreduce(from, to, N as c_int, numbers(), ffi::RSMPI_MIN, self.raw)
        };
        self.must("MPI_Allreduce", code)?;
        Ok(least)
    }

    /// As [`minima`](Self::minima), in place and for any number of numbers. Collective.
    pub fn minima_of(&self, numbers_of_all: &mut [u64]) -> Result<(), Error> {
        let mine = numbers_of_all.to_vec();
        let (from, to, count) =
            (mine.as_ptr().cast(), numbers_of_all.as_mut_ptr().cast(), mine.len() as c_int);
        // SAFETY: both buffers hold `count` numbers of the type named, and outlive the call.
        let code =
            unsafe { ffi::MPI_Allreduce(from, to, count, numbers(), ffi::RSMPI_MIN, self.raw) };
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
        let mut len = [mine.len() as u64];
        // SAFETY: the buffer holds one number of the type named, and outlives the call.
        let code = unsafe {
            ffi::MPI_Bcast(len.as_mut_ptr().cast(), 1, numbers(), root as c_int, self.raw)
        };
        self.must("MPI_Bcast", code)?;
        let len = wire::length(len[0]).map_err(|error| error.told_by(self.rank))?;
        // An empty vector's pointer may be what the library takes for MPI_IN_PLACE.
        if len == 0 {
            return Ok(Vec::new());
        }
        let mut bytes = if self.rank == root { mine.to_vec() } else { vec![0; len] };
        // SAFETY: the buffer holds `len` bytes on every rank, and outlives the call.
        let code = unsafe {
            let (start, count) = (bytes.as_mut_ptr().cast(), len as c_int);
            ffi::MPI_Bcast(start, count, raw_bytes(), root as c_int, self.raw)
        };
        self.must("MPI_Bcast", code)?;
        Ok(bytes)
    }

    /// Begins to find the largest of each number over all ranks; numbers are less than 2^63.
    /// Collective.
    ///
    /// # Safety
    /// All numbers stay where they are, and are not touched, until the request is complete.
    pub unsafe fn begin_maxima<const N: usize>(
        &self,
        mine: *const [u64; N],
        most: *mut [u64; N],
    ) -> Result<MPI_Request, Error> {
        let mut request = no_request();
        let (from, to, count) = (mine.cast(), most.cast(), N as c_int);
        // SAFETY: the caller keeps all numbers alive; the other arguments are constants of the
        // library.
        let code = unsafe {
            ffi::MPI_Iallreduce(from, to, count, numbers(), ffi::RSMPI_MAX, self.raw, &mut request)
        };
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
    ) -> Result<MPI_Request, Error> {
        let mut request = no_request();
        let (len, to) = (len as c_int, to as c_int);
        // SAFETY: the caller keeps the bytes alive; lengths are limited so that they fit.
        let code = unsafe {
            ffi::MPI_Isend(bytes.cast(), len, raw_bytes(), to, tag, self.raw, &mut request)
        };
        self.must("MPI_Isend", code)?;
        Ok(request)
    }

    /// Begins to receive up to `len` bytes.
    ///
    /// # Safety
    /// The bytes stay where they are, and are not touched, until the request is complete.
    pub unsafe fn begin_receive(
        &self,
        bytes: *mut u8,
        len: usize,
        from: usize,
        tag: c_int,
    ) -> Result<MPI_Request, Error> {
        let mut request = no_request();
        let (len, from) = (len as c_int, from as c_int);
        // SAFETY: the caller keeps the bytes alive; lengths are limited so that they fit.
        let code = unsafe {
            ffi::MPI_Irecv(bytes.cast(), len, raw_bytes(), from, tag, self.raw, &mut request)
        };
        self.must("MPI_Irecv", code)?;
        Ok(request)
    }

    /// Lets the library work on what is under way.
    pub fn progress(&self) -> Result<(), Error> {
        let mut found = 0;
        // SAFETY: the communicator is alive; the number outlives the call, and no status is asked
        // for.
        let code = unsafe {
            let (any, ignored) = (ffi::RSMPI_ANY_SOURCE, ffi::RSMPI_STATUS_IGNORE);
            ffi::MPI_Iprobe(any, ffi::RSMPI_ANY_TAG, self.raw, &mut found, ignored)
        };
        self.must("MPI_Iprobe", code)
    }

    /// Waits for one request.
    pub fn wait(&self, request: &mut MPI_Request) -> Result<(), Error> {
        // SAFETY: the request is live or null; no status is asked for.
        let code = unsafe { ffi::MPI_Wait(request, ffi::RSMPI_STATUS_IGNORE) };
        self.must("MPI_Wait", code)
    }

    /// Whether a request is complete, or there is none.
    pub fn is_done(&self, request: &mut MPI_Request) -> Result<bool, Error> {
        let mut done = 0;
        // SAFETY: the request is live or null, the number outlives the call, and no status is asked
        // for.
        let code = unsafe { ffi::MPI_Test(request, &mut done, ffi::RSMPI_STATUS_IGNORE) };
        self.must("MPI_Test", code)?;
        Ok(done != 0)
    }

    /// Waits until some requests are complete, or only looks; false where no request is left.
    pub fn some(
        &self,
        wait: bool,
        requests: &mut [MPI_Request],
        done: &mut Completions,
    ) -> Result<bool, Error> {
        done.find(wait, requests).or_else(|(call, code)| self.must(call, code).map(|()| false))
    }
}

impl Drop for OwnCommunicator {
    fn drop(&mut self) {
        if !is_over() && !self.kept.get() {
            // SAFETY: the duplicate is ours, alive, and not used again. An error has no place to be
            // told.
            unsafe { ffi::MPI_Comm_free(&mut self.raw) };
        }
    }
}

/// The null request.
pub(super) fn no_request() -> MPI_Request {
    // SAFETY: a constant of the library.
    unsafe { ffi::RSMPI_REQUEST_NULL }
}

/// Rank and size in a communicator.
///
/// # Safety
/// `raw` is a live communicator.
pub(super) unsafe fn rank_and_size(raw: MPI_Comm) -> Result<(usize, usize), Error> {
    let (mut rank, mut size) = (0, 0);
    // SAFETY: the caller vouches for the handle; the numbers outlive the calls.
    checked(0, "MPI_Comm_rank", unsafe { ffi::MPI_Comm_rank(raw, &mut rank) })?;
    // SAFETY: as above.
    checked(0, "MPI_Comm_size", unsafe { ffi::MPI_Comm_size(raw, &mut size) })?;
    Ok((rank as usize, size as usize))
}

pub(super) fn checked(rank: usize, call: &'static str, code: c_int) -> Result<(), Error> {
    if code == ffi::MPI_SUCCESS as c_int {
        return Ok(());
    }
    let (mut class, mut len) = (0, 0);
    let mut text = MaybeUninit::<[u8; ffi::MPI_MAX_ERROR_STRING as usize]>::zeroed();
    // SAFETY: the code came from the library; the text has the room that the library asks for and
    // is zeroed.
    let text = unsafe {
        ffi::MPI_Error_class(code, &mut class);
        ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &mut len);
        text.assume_init()
    };
    let text = String::from_utf8_lossy(&text[..len as usize]).trim_end_matches('\0').into();
    Err(Error::Library { rank, call, class, text })
}

fn numbers() -> MPI_Datatype {
    u64::equivalent_datatype().as_raw()
}

fn raw_bytes() -> MPI_Datatype {
    u8::equivalent_datatype().as_raw()
}
