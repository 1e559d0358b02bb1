//! Memory of arrays that the ranks of a node share. Unsafe, because other processes use it: `lend.rs`
//! has the proof.

use super::array_memory::ArrayMemory;
use super::communicator::OwnCommunicator;
use super::context::ContextUse;
use super::preflight::all_prepared;
use crate::element::ElementType;
use crate::error::Error;
use crate::transport::slots::PAGE;
use std::slice;
use std::sync::Arc;

/// The bytes of a rank's own array, in memory that the other ranks of its node can read and write.
#[derive(Debug)]
pub struct SharedBytes {
    /// The address and the bytes of this rank's elements.
    own: *mut u8,
    /// Bytes of this rank's elements.
    len: usize,
    memory: Arc<ArrayMemory>,
    /// Its number among the arrays of the context, the same on all ranks, if these are of one node.
    number: u64,
    context: ContextUse,
}

impl SharedBytes {
    /// Makes memory for `len` elements of this rank, all bytes zero. All ranks set something up now
    /// ([`Context::set_up`](super::context::Context::set_up)). Collective; every rank passes a length
    /// of its own, or the error by which all fail.
    pub fn new(
        context: ContextUse,
        element: ElementType,
        len: Result<usize, Error>,
    ) -> Result<Self, Error> {
        let communicator = context.communicator();
        let len = all_prepared(communicator, len.and_then(|len| bytes_of(element, len)))?;
        let node = context.node();
        let memory = Arc::new(ArrayMemory::new(communicator, node, len)?);
        let (own, _) = memory.part(node.rank());
        // Ranks of a node are in the order of the communicator.
        let number = if context.is_one_node() { context.note_array(&memory) } else { 0 };
        Ok(Self { own, len, memory, number, context })
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `new` made memory for `len` bytes from `own` on, all initialised, which stays as
        // long as `self`. Other ranks write to them only while this rank has brought the array to a
        // move as a destination (`Source::Shared`, `Target::Shared`), which takes an exclusive borrow.
        unsafe { slice::from_raw_parts(self.own, self.len) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the bytes are there, as in `bytes`. Other ranks use them only while this rank has
        // brought the array to a move, which takes a borrow.
        unsafe { slice::from_raw_parts_mut(self.own, self.len) }
    }

    pub(super) fn belongs_to(&self, communicator: &OwnCommunicator) -> Result<bool, Error> {
        communicator.has_the_ranks_of(self.context.communicator())
    }

    /// Returns its number among the arrays of a context whose ranks are of one node, or 0.
    pub(super) fn number_in(&self, context: &ContextUse) -> u64 {
        if self.context.is_of(context) { self.number } else { 0 }
    }
}

impl Drop for SharedBytes {
    /// Unmaps what every rank has dropped; waits for no rank.
    fn drop(&mut self) {
        self.memory.note_drop();
        self.context.forget_arrays();
    }
}

/// Returns the bytes of an array of `len` elements. Fails if there are not so many addresses.
fn bytes_of(element: ElementType, len: usize) -> Result<usize, Error> {
    let bytes = len.checked_mul(element.bytes());
    bytes.filter(|bytes| *bytes <= isize::MAX as usize - 2 * PAGE).ok_or_else(|| {
        let what = format!("a shared array of {len} elements of {} bytes", element.bytes());
        Error::Unavailable { what, reason: "that is more than there are addresses".into() }
    })
}
