//! How a kernel reaches memory: which lines it prefetches.

use super::moves::CopyRun;
use crate::cache::{LINE_BYTES, fetch_to_read, fetch_to_write};
use crate::exec::kernels::CopyDirection;
use core::ptr;

/// Prefetch distance in the local array. Those in messages are shorter: a kernel moves through
/// several messages in the time in which it moves through one array.
const LOCAL_AHEAD_BYTES: usize = 2048;
const MESSAGE_AHEAD_BYTES: usize = 512;

/// A way to reach memory: see [`Memory`](super::super::Memory).
pub(in super::super) trait Access {
    /// True if lines that will be read or written are prefetched.
    const FETCHES: bool;
}

/// Loads and stores alone.
pub(in super::super) struct Cached;

/// Both ends are prefetched.
pub(in super::super) struct Prefetched;

impl Access for Cached {
    const FETCHES: bool = false;
}

impl Access for Prefetched {
    const FETCHES: bool = true;
}

/// Prefetches ahead of a run at these places of the local array and of a message. Of several runs
/// in one line, the first prefetches.
#[inline(always)]
pub(super) fn ahead<D: CopyDirection, A: Access>(local: *mut u8, message: *mut u8, bytes: usize) {
    if bytes > LOCAL_AHEAD_BYTES {
        // `PrefetchingMemcpy` does so for such runs.
        return;
    }
    let begins = |at: *mut u8| bytes >= LINE_BYTES || at.addr() % LINE_BYTES < bytes;
    if begins(local) {
        ahead_of_local::<D, A>(local, bytes);
    }
    if begins(message) {
        ahead_of_message::<D, A>(message, bytes);
    }
}

/// Prefetches ahead of `bytes` of the local array.
#[inline(always)]
pub(super) fn ahead_of_local<D: CopyDirection, A: Access>(local: *mut u8, bytes: usize) {
    fetch::<A>(!D::PACKS, local.wrapping_add(LOCAL_AHEAD_BYTES), bytes);
}

/// Prefetches ahead of `bytes` of a message.
#[inline(always)]
pub(super) fn ahead_of_message<D: CopyDirection, A: Access>(message: *mut u8, bytes: usize) {
    fetch::<A>(D::PACKS, message.wrapping_add(MESSAGE_AHEAD_BYTES), bytes);
}

#[inline(always)]
fn fetch<A: Access>(written: bool, first: *mut u8, bytes: usize) {
    for at in (0..bytes).step_by(LINE_BYTES) {
        match written {
            _ if !A::FETCHES => {}
            true => fetch_to_write(first.wrapping_add(at)),
            false => fetch_to_read(first.wrapping_add(at)),
        }
    }
}

/// Runs of any length by `memcpy`, with prefetches inside long runs.
pub(super) struct PrefetchingMemcpy;

/// Bytes that one call of `memcpy` copies of a long run.
const MEMCPY_BYTES: usize = 1024;

impl CopyRun for PrefetchingMemcpy {
    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        let step = if len > LOCAL_AHEAD_BYTES { MEMCPY_BYTES } else { len.max(1) };
        for at in (0..len).step_by(step) {
            if len > LOCAL_AHEAD_BYTES {
                let next = at + MEMCPY_BYTES;
                fetch::<Prefetched>(false, from.cast_mut().wrapping_add(next), MEMCPY_BYTES);
                fetch::<Prefetched>(true, to.wrapping_add(next), MEMCPY_BYTES);
            }
            // SAFETY: the caller vouches for `len` bytes; `at` is inside of these, and no more is
            // copied than is left of them.
            unsafe { ptr::copy_nonoverlapping(from.add(at), to.add(at), step.min(len - at)) };
        }
    }
}
