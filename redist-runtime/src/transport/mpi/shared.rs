//! Memory of arrays that the ranks of a node share.
//!
//! Unsafe, since the memory is MPI's, and since other processes use it: `lend.rs` says until when.

use super::communicator::OwnCommunicator;
use super::context::Context;
use super::preflight::all_prepared;
use super::window::{self, Window};
use crate::element::ElementType;
use crate::error::Error;
use redist_mpi::Comparison;
use std::cell::Cell;
use std::sync::Arc;
use std::{ptr, slice};

/// The bytes of a rank's own array, in memory that the other ranks of its node can read and write.
#[derive(Debug)]
pub struct SharedBytes(Arc<SharedWindow>);

/// What there is of an array on this rank: shared with the guard of a move, as long as others use
/// it.
#[derive(Debug)]
pub(super) struct SharedWindow {
    own: *mut u8,
    /// Bytes of this rank's part.
    len: usize,
    /// What the places of all parts are multiples of.
    alignment: usize,
    /// Where the others' parts are here, by rank, and bytes there; empty where the ranks are on
    /// several nodes.
    parts: Vec<(*mut u8, usize)>,
    /// Until this is dropped.
    window: Option<Window>,
    /// No other array of this process has it.
    number: u64,
    /// The first rank's number of it, which no other array of the same ranks in the same order has.
    id: u64,
    /// Whether others may be using it after a move that failed.
    lost: Cell<bool>,
    /// Ends after the window.
    context: Arc<Context>,
}

/// Parts are multiples of this, so that no two ranks write to one page or line.
pub(super) const PAGE: usize = 4096;

/// Bytes of a cache line.
const LINE: usize = 64;

impl SharedBytes {
    /// Room for `len` elements of this rank, all bytes zero. Collective; every rank names a length
    /// of its own, or why it wants none, by which all fail.
    #[expect(
        clippy::arc_with_non_send_sync,
        reason = "a count that a guard has a share of; nothing leaves the thread"
    )]
    pub fn new(
        context: &Arc<Context>,
        element: ElementType,
        len: Result<usize, Error>,
    ) -> Result<Self, Error> {
        context.set_up()?;
        let communicator = context.communicator();
        let alignment = LINE.max(element.alignment());
        let sizes = len.and_then(|len| Ok((window_bytes(element, len)?, len * element.bytes())));
        all_prepared(communicator, sizes.as_ref().err())?;
        let (bytes, len) = sizes?;
        // A node may have no memory where another has some: all learn of it before they use what
        // they have.
        let window = context.node().and_then(|node| Window::allocate(node, bytes));
        all_prepared(communicator, window.as_ref().err())?;
        let window = window?;
        let ((own, room), window) = (part(window.own(), bytes, alignment), Some(window));
        let (parts, number, context) = (Vec::new(), window::next_number(), Arc::clone(context));
        let lost = Cell::new(false);
        let mut array =
            SharedWindow { own, len, alignment, parts, window, number, id: number, lost, context };
        let found = array.find_parts();
        all_prepared(communicator, found.as_ref().err())?;
        found?;
        // SAFETY: `part` has left `room` bytes of this rank's part of the window from `own` on; no
        // other rank looks at them before `common_number` below, which all ranks call.
        unsafe { array.own.write_bytes(0, room) };
        array.id = window::common_number(communicator, number)?;
        array.context.note_window(array.id);
        array.context.note_array();
        Ok(Self(Arc::new(array)))
    }

    /// This rank's part.
    pub fn bytes(&self) -> &[u8] {
        self.check_that_it_is_ours();
        // SAFETY: `new` made a window with room for `len` bytes from `own` on, and initialised them;
        // it stays as long as `self`, and MPI is not finalised, as checked above. Other ranks write
        // to them only while this rank has lent the array out mutably (`Lending::lent`), which
        // takes an exclusive borrow. A rank that finalises MPI while it has the array aborts.
        unsafe { slice::from_raw_parts(self.0.own, self.0.len) }
    }

    /// This rank's part, aligned for its elements.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.check_that_it_is_ours();
        // SAFETY: `new` made a window with room for `len` bytes from `own` on, and initialised them;
        // it stays as long as `self`, and MPI is not finalised, as checked above. Other ranks use
        // them only while this rank has lent the array out (`Lending::lent`), which takes a borrow.
        unsafe { slice::from_raw_parts_mut(self.0.own, self.0.len) }
    }

    /// No other array of this process has it.
    pub(super) fn number(&self) -> u64 {
        self.0.number
    }

    /// No other array of the same ranks in the same order has it.
    pub(super) fn id(&self) -> u64 {
        self.0.id
    }

    pub(super) fn window(&self) -> Arc<SharedWindow> {
        Arc::clone(&self.0)
    }

    /// Whether the array was made for the ranks of this communicator, in their order. Local.
    pub(super) fn belongs_to(&self, communicator: &OwnCommunicator) -> Result<bool, Error> {
        let own = self.0.context.communicator().live();
        let result = communicator.check(own.compare(communicator.live()))?;
        Ok(matches!(result, Comparison::Congruent | Comparison::Identical))
    }

    /// Every rank's part, by rank, at least, where all are on one node; there may be some bytes
    /// more at the end.
    pub(super) fn parts(&self) -> impl Iterator<Item = *const [u8]> {
        self.0.parts.iter().map(|&(base, len)| ptr::slice_from_raw_parts(base.cast_const(), len))
    }

    /// # Panics
    /// If it is not there any more, or others may be using it.
    pub(super) fn check_that_it_is_ours(&self) {
        assert!(
            !redist_mpi::is_over(),
            "a shared array lives in memory of MPI, which has been finalised"
        );
        assert!(
            !self.0.lost.get(),
            "other ranks may be using this shared array: MPI failed in the middle of a move"
        );
    }
}

impl SharedWindow {
    /// Asks where every rank's part is, if all are on this node.
    fn find_parts(&mut self) -> Result<(), Error> {
        // Ranks of a node are in the order of the communicator.
        let all =
            if self.context.is_one_node() { 0..self.context.communicator().size() } else { 0..0 };
        for owner in all {
            let window = self.window.as_ref().expect("it is there until this is dropped");
            let (base, bytes) = window.part(owner)?;
            self.parts.push(part(base, bytes, self.alignment));
        }
        Ok(())
    }

    /// Makes what all ranks wrote before they met visible to this one, or what this one wrote to
    /// those it meets next.
    pub fn synchronise(&self) -> Result<(), Error> {
        self.window.as_ref().map_or(Ok(()), Window::synchronise)
    }

    /// Keeps this rank from ever using its part again.
    pub fn lose(&self) {
        self.lost.set(true);
    }
}

impl Drop for SharedWindow {
    fn drop(&mut self) {
        if let Some(window) = self.window.take() {
            self.context.drop_window(self.id, window);
            self.context.drop_array();
        }
    }
}

/// Bytes of a rank's part of the window, in whole pages, with room to align it.
fn window_bytes(element: ElementType, len: usize) -> Result<usize, Error> {
    let alignment = LINE.max(element.alignment());
    let bytes = len.checked_mul(element.bytes()).and_then(|bytes| bytes.checked_add(alignment));
    let bytes = bytes.and_then(|bytes| bytes.checked_next_multiple_of(PAGE));
    bytes.filter(|bytes| isize::try_from(*bytes).is_ok()).ok_or_else(|| {
        let what = format!("a shared array of {len} elements of {} bytes", element.bytes());
        Error::Unavailable { what, reason: "that is more than there are addresses".into() }
    })
}

/// Where elements begin in a part of the window, and how many bytes there are from there on.
///
/// Libraries align windows to 8 bytes only. Every rank skips the same: the operating system maps
/// memory by pages, so addresses of one place differ by whole pages from rank to rank.
fn part(base: *mut u8, bytes: usize, alignment: usize) -> (*mut u8, usize) {
    let skipped = base.align_offset(alignment).min(bytes);
    (base.wrapping_add(skipped), bytes - skipped)
}
