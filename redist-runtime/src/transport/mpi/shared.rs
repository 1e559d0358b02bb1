//! Memory of arrays that the ranks of a node share. Unsafe, because the memory is MPI's, and
//! because other processes use it: `lend.rs` has the proof.

use super::communicator::OwnCommunicator;
use super::context::Context;
use super::preflight::all_prepared;
use super::window::{self, Window};
use crate::element::ElementType;
use crate::error::Error;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The bytes of a rank's own array, in memory that the other ranks of its node can read and write.
#[derive(Debug)]
pub struct SharedBytes(Arc<SharedWindow>);

#[derive(Debug)]
pub(super) struct SharedWindow {
    own: *mut u8,
    len: usize,
    /// Address and length of each rank's part; empty if the ranks are on several nodes.
    parts: Arc<[(*mut u8, usize)]>,
    window: Option<Window>,
    /// The first rank's number of it, unique among arrays of the same ranks in the same order.
    id: u64,
    /// Dropped after the window.
    context: Arc<Context>,
}

/// Granularity of parts, so that no two ranks write to one page or line.
pub(super) const PAGE: usize = 4096;

const LINE: usize = 64;

impl SharedBytes {
    /// Makes memory for `len` elements of this rank, all bytes zero. Collective; every rank passes
    /// a length of its own, or the error by which all fail.
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
        let (bytes, len) = all_prepared(communicator, sizes)?;
        // Ranks agree on it to free the window when MPI ends, even without a plan.
        context.make_pages()?;
        let window = Window::on_each_node(communicator, context.node(), bytes)?;
        let parts = all_prepared(communicator, parts(context, &window, alignment))?;
        let (own, room) = part(window.own(), bytes, alignment);
        // SAFETY: `part` has left `room` bytes of this rank's part of the window from `own` on. No
        // other rank reads them before `common_number` below, which all ranks call.
        unsafe { own.write_bytes(0, room) };
        let id = window::common_number(communicator, window::next_number())?;
        context.lasting.note_window(id, Arc::clone(&parts));
        context.lasting.arrays.fetch_add(1, Ordering::Relaxed);
        let (window, context) = (Some(window), Arc::clone(context));
        Ok(Self(Arc::new(SharedWindow { own, len, parts, window, id, context })))
    }

    pub fn bytes(&self) -> &[u8] {
        self.check_that_it_is_ours();
        // SAFETY: `new` made a window with room for `len` bytes from `own` on, and initialised
        // them. It stays as long as `self`, and MPI is not finalised, as checked above. Other ranks
        // write to them only while this rank has shared the array mutably (`Lending::lent`), which
        // takes an exclusive borrow. A rank that finalises MPI while it has the array aborts.
        unsafe { slice::from_raw_parts(self.0.own, self.0.len) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.check_that_it_is_ours();
        // SAFETY: `new` made a window with room for `len` bytes from `own` on, and initialised
        // them. It stays as long as `self`, and MPI is not finalised, as checked above. Other ranks
        // use them only while this rank has shared the array (`Lending::lent`), which takes a
        // borrow.
        unsafe { slice::from_raw_parts_mut(self.0.own, self.0.len) }
    }

    pub(super) fn id(&self) -> u64 {
        self.0.id
    }

    pub(super) fn window(&self) -> Arc<SharedWindow> {
        Arc::clone(&self.0)
    }

    pub(super) fn belongs_to(&self, communicator: &OwnCommunicator) -> Result<bool, Error> {
        let own = self.0.context.communicator().live();
        communicator.check(own.has_the_ranks_of(communicator.live()))
    }

    /// Returns `true` if it was made by the context of these ranks, all of one node.
    pub(super) fn is_shared_by(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(&self.0.context, context) && !self.0.parts.is_empty()
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

impl SharedWindow {
    pub fn synchronise(&self) -> Result<(), Error> {
        self.window.as_ref().map_or(Ok(()), Window::synchronise)
    }
}

impl Drop for SharedWindow {
    fn drop(&mut self) {
        if let Some(window) = self.window.take() {
            self.context.lasting.drop_window(self.id, window);
            self.context.lasting.arrays.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Returns the address and the length of each rank's part; none if the ranks are on several nodes.
fn parts(
    context: &Context,
    window: &Window,
    alignment: usize,
) -> Result<Arc<[(*mut u8, usize)]>, Error> {
    // Ranks of a node are in the order of the communicator.
    let all = if context.is_one_node() { 0..context.communicator().size() } else { 0..0 };
    let of = |owner| window.part(owner).map(|(base, bytes)| part(base, bytes, alignment));
    all.map(of).collect()
}

/// Returns the bytes of a rank's part of the window, in whole pages, with room to align it.
fn window_bytes(element: ElementType, len: usize) -> Result<usize, Error> {
    let alignment = LINE.max(element.alignment());
    let bytes = len.checked_mul(element.bytes()).and_then(|bytes| bytes.checked_add(alignment));
    let bytes = bytes.and_then(|bytes| bytes.checked_next_multiple_of(PAGE));
    bytes.filter(|bytes| isize::try_from(*bytes).is_ok()).ok_or_else(|| {
        let what = format!("a shared array of {len} elements of {} bytes", element.bytes());
        Error::Unavailable { what, reason: "that is more than there are addresses".into() }
    })
}

/// Returns the beginning of the elements in a part of the window, and the bytes from there on.
///
/// Libraries align windows to 8 bytes only. Every rank skips the same: the operating system maps
/// memory by pages, so addresses of one place differ by whole pages from rank to rank.
fn part(base: *mut u8, bytes: usize, alignment: usize) -> (*mut u8, usize) {
    let skipped = base.align_offset(alignment).min(bytes);
    (base.wrapping_add(skipped), bytes - skipped)
}
