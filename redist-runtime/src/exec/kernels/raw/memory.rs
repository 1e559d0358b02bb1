//! How a kernel reaches memory: which lines it prefetches, and which it stores past the caches.

use super::moves::CopyRun;
use crate::cache::{LINE_BYTES, fetch_to_read, fetch_to_write, stream};
use crate::exec::kernels::CopyDirection;
use core::ptr;

/// Prefetch distance in the local array. Those in messages are shorter: a kernel moves through
/// several messages in the time in which it moves through one array.
const LOCAL_AHEAD_BYTES: usize = 2048;
const MESSAGE_AHEAD_BYTES: usize = 512;

/// A way to reach memory: see [`Memory`](super::super::Memory).
pub(in super::super) trait Access {
    /// True if lines that will be read are prefetched.
    const READS: bool = false;
    /// True if lines that will be written are prefetched.
    const WRITES: bool = false;
    /// True if whole lines are stored past the caches.
    const NONTEMPORAL: bool = false;
}

/// Loads and stores alone.
pub(in super::super) struct Cached;

/// Both ends are prefetched.
pub(in super::super) struct Prefetched;

/// Lines that are read are prefetched; lines that are written go past the caches.
pub(in super::super) struct Nontemporal;

impl Access for Cached {}

impl Access for Prefetched {
    const READS: bool = true;
    const WRITES: bool = true;
}

impl Access for Nontemporal {
    const READS: bool = true;
    const NONTEMPORAL: bool = true;
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
        if written && A::WRITES {
            fetch_to_write(first.wrapping_add(at));
        } else if !written && A::READS {
            fetch_to_read(first.wrapping_add(at));
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

/// Runs of any length, past the caches except for the destination's bytes before its first and
/// after its last aligned 16. The portable twin is [`AnyLength`](super::moves::AnyLength).
pub(super) struct StreamingCopy;

impl CopyRun for StreamingCopy {
    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        let head = to.align_offset(16).min(len);
        let tail = head + (len - head) / 16 * 16;
        // SAFETY: the caller vouches for `len` bytes, of which head, body and tail are parts; the
        // body, if there is one, begins on a multiple of 16, as `head` is the way there.
        unsafe {
            ptr::copy_nonoverlapping(from, to, head);
            for at in (head..tail).step_by(16) {
                stream::<16>(from.add(at), to.add(at));
            }
            ptr::copy_nonoverlapping(from.add(tail), to.add(tail), len - tail);
        }
    }
}
