//! Memory of arrays that the ranks of a node share. Unsafe, because the memory is MPI's, and
//! because other processes use it: `lend.rs` has the proof.

use super::communicator::OwnCommunicator;
use super::context::Context;
use super::preflight::all_prepared;
use super::window::Window;
use crate::element::ElementType;
use crate::error::Error;
use crate::transport::slots::PAGE;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The bytes of a rank's own array, in memory that the other ranks of its node can read and write.
#[derive(Debug)]
pub struct SharedBytes {
    own: *mut u8,
    len: usize,
    window: Option<Window>,
    /// Unique among the arrays of the context, and the same on all ranks.
    id: u64,
    /// Dropped after the window.
    context: Arc<Context>,
}

impl SharedBytes {
    /// Makes memory for `len` elements of this rank, all bytes zero. Collective; every rank passes
    /// a length of its own, or the error by which all fail.
    pub fn new(
        context: &Arc<Context>,
        element: ElementType,
        len: Result<usize, Error>,
    ) -> Result<Self, Error> {
        context.set_up()?;
        let communicator = context.communicator();
        let len = all_prepared(communicator, len.and_then(|len| bytes_of(element, len)))?;
        // Ranks agree on it to free the window when MPI ends, even without a plan.
        context.make_pages()?;
        let node = context.node()?;
        let (window, (own, parts)) = Window::on_pages(communicator, node, len, |parts| {
            let (own, room) = parts[node.rank()];
            // SAFETY: this rank's part of the window has `room` bytes from `own` on. No other rank
            // reads them before all meet in `on_pages`.
            unsafe { own.write_bytes(0, room) };
            (own, parts)
        })?;
        // Ranks of a node are in the order of the communicator.
        let id = context.lasting.note_window(if context.is_one_node() { parts } else { vec![] });
        context.lasting.arrays.fetch_add(1, Ordering::Relaxed);
        Ok(Self { own, len, window: Some(window), id, context: Arc::clone(context) })
    }

    pub fn bytes(&self) -> &[u8] {
        self.check_that_it_is_ours();
        // SAFETY: `new` made a window with room for `len` bytes from `own` on, and initialised
        // them. It stays as long as `self`, and MPI is not finalised, as checked above. Other ranks
        // write to them only while this rank has shared the array mutably (`Lending::lent`), which
        // takes an exclusive borrow. A rank that finalises MPI while it has the array aborts.
        unsafe { slice::from_raw_parts(self.own, self.len) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.check_that_it_is_ours();
        // SAFETY: the bytes are there, as in `bytes`. Other ranks use them only while this rank has
        // shared the array (`Lending::lent`), which takes a borrow.
        unsafe { slice::from_raw_parts_mut(self.own, self.len) }
    }

    /// Makes this rank's writes visible to those it meets next.
    pub(super) fn synchronise(&self) -> Result<(), Error> {
        let communicator = self.context.communicator();
        self.window.as_ref().map_or(Ok(()), |window| window.synchronise(communicator))
    }

    pub(super) fn belongs_to(&self, communicator: &OwnCommunicator) -> Result<bool, Error> {
        communicator.has_the_ranks_of(self.context.communicator())
    }

    /// Returns its number among the arrays of a context whose ranks are of one node, or 0.
    pub(super) fn number_in(&self, context: &Arc<Context>) -> u64 {
        let is_one = Arc::ptr_eq(&self.context, context) && context.is_one_node();
        if is_one { self.id } else { 0 }
    }

    /// # Panics
    /// If the array is not there any more, or others may be using it.
    pub(super) fn check_that_it_is_ours(&self) {
        assert!(
            !redist_mpi::is_over(),
            "a shared array lives in memory of MPI, which has been finalised"
        );
    }
}

impl Drop for SharedBytes {
    fn drop(&mut self) {
        if let Some(window) = self.window.take() {
            self.context.lasting.drop_window(self.id, window);
            self.context.lasting.arrays.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Returns the bytes of an array of `len` elements. Fails if there are not so many addresses.
fn bytes_of(element: ElementType, len: usize) -> Result<usize, Error> {
    let bytes = len.checked_mul(element.bytes());
    bytes.filter(|bytes| *bytes <= isize::MAX as usize - PAGE).ok_or_else(|| {
        let what = format!("a shared array of {len} elements of {} bytes", element.bytes());
        Error::Unavailable { what, reason: "that is more than there are addresses".into() }
    })
}
