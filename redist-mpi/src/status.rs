//! Statuses of messages that the library has received. Unsafe, because the library reads them back.

use crate::communicator::Communicator;
use crate::constant::Constant;
use crate::element::Element;
use crate::error::Error;
use crate::handle::Handle;
use crate::library::Library;
use std::ffi::{c_int, c_void};

/// Words of 8 bytes with room for any library's status.
const WORDS: usize = 4;

/// The source, the tag and the length of a message.
#[derive(Clone, Copy, Debug)]
pub struct Status {
    /// The library's own status.
    words: [u64; WORDS],
    library: &'static Library,
}

impl Status {
    pub(crate) fn new(communicator: &Communicator) -> Self {
        Self::of(communicator.library)
    }

    pub(crate) fn of(library: &'static Library) -> Self {
        Self { words: [0; WORDS], library }
    }

    /// Returns the place for the library, which writes one status.
    pub(crate) fn pointer(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast()
    }

    /// Returns the rank that sent the message.
    pub fn source(&self) -> usize {
        self.number(Constant::SOURCE_IN_STATUS) as usize
    }

    /// Returns the tag of the message.
    pub fn tag(&self) -> i32 {
        self.number(Constant::TAG_IN_STATUS)
    }

    /// Returns `true` if the receive was cancelled, and has no message.
    pub(crate) fn is_cancelled(&self) -> Result<bool, Error> {
        let mut flag = 0;
        // SAFETY: the library has filled the status, or it is zero, and the number outlives the
        // call. MPI was initialised then.
        unsafe {
            self.library.functions.MPI_Test_cancelled(self.words.as_ptr().cast(), &mut flag)
        }?;
        Ok(flag != 0)
    }

    fn number(&self, place: Constant) -> c_int {
        let at = self.library.word(place);
        let bytes: [u8; WORDS * 8] =
            std::array::from_fn(|byte| self.words[byte / 8].to_ne_bytes()[byte % 8]);
        c_int::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
    }

    /// Returns the elements of the message; `None` if they are no whole number, or too many.
    pub fn count<T: Element>(&self) -> Result<Option<usize>, Error> {
        let datatype = self.library.handle(T::DATATYPE.0);
        // SAFETY: the library has filled the status, or it is zero. MPI was initialised then.
        unsafe { count(self.library, self.words.as_ptr().cast(), datatype) }
    }
}

/// # Safety
/// The status is zero, or the library has filled it.
unsafe fn count(
    library: &Library,
    status: *const c_void,
    datatype: Handle<crate::handle::Datatype>,
) -> Result<Option<usize>, Error> {
    let mut count = 0;
    // SAFETY: the status is one, as the caller promises. The datatype is a constant of the library,
    // and the number outlives the call.
    unsafe { library.functions.MPI_Get_count(status, datatype, &mut count) }?;
    // The library's number for an undefined count is negative.
    Ok(usize::try_from(count).ok())
}

/// Room for the statuses of many messages.
#[derive(Debug)]
pub(crate) struct Statuses {
    /// The library's own statuses, one after the other.
    words: Vec<u64>,
    library: &'static Library,
}

impl Statuses {
    pub fn new(library: &'static Library, len: usize) -> Self {
        Self { words: vec![0; len * WORDS], library }
    }

    /// Returns the list for the library, which writes up to `len` statuses.
    pub fn pointer(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast()
    }

    /// Returns the bytes of the message of a status.
    pub fn bytes(&self, at: usize) -> Result<Option<usize>, Error> {
        assert!(at < self.words.len() / WORDS, "status {at} of {}", self.words.len() / WORDS);
        let size = self.library.word(Constant::BYTES_OF_STATUS);
        // SAFETY: no library's status is longer than `WORDS` words, so `at` of them end in the
        // list; statuses are zero, or what the library has filled.
        unsafe {
            let status = self.words.as_ptr().cast::<u8>().add(at * size);
            count(self.library, status.cast(), self.library.handle(Constant::BYTE))
        }
    }
}
