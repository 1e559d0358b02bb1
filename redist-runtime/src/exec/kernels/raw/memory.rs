//! Prefetches of kernels.

use super::moves::CopyRun;
use crate::cache::{LINE_BYTES, fetch_to_read, fetch_to_write};
use crate::exec::kernels::CopyDirection;
use core::ptr;

/// Prefetch distances; shorter in messages, because a kernel passes several messages per array.
const LOCAL_AHEAD_BYTES: usize = 2048;
const MESSAGE_AHEAD_BYTES: usize = 512;

pub(in super::super) trait Access {
    const FETCHES: bool;
}

pub(in super::super) struct Cached;

pub(in super::super) struct Prefetched;

impl Access for Cached {
    const FETCHES: bool = false;
}

impl Access for Prefetched {
    const FETCHES: bool = true;
}

/// Prefetches ahead of a run at both places. Of several runs in one line, the first prefetches.
#[inline(always)]
pub(super) fn ahead<D: CopyDirection, A: Access>(local: *mut u8, message: *mut u8, bytes: usize) {
    if bytes > LOCAL_AHEAD_BYTES {
        // `PrefetchingMemcpy` prefetches inside such runs.
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

#[inline(always)]
pub(super) fn ahead_of_local<D: CopyDirection, A: Access>(local: *mut u8, bytes: usize) {
    fetch::<A>(!D::PACKS, local.wrapping_add(LOCAL_AHEAD_BYTES), bytes);
}

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

/// Copies runs of any length by `memcpy`, with prefetches inside long runs.
pub(super) struct PrefetchingMemcpy;

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
            // SAFETY: the caller vouches for `len` bytes; `at` is inside them, and only their rest
            // is copied.
            unsafe { ptr::copy_nonoverlapping(from.add(at), to.add(at), step.min(len - at)) };
        }
    }
}
