//! Cache lines that are asked for ahead of a copy, and stores past the caches.

use super::moves::Copy;
use crate::exec::kernels::Direction;
use core::ptr;

/// Bytes of a cache line.
pub(in super::super) const LINE: usize = 64;

/// Bytes between what is copied and what is asked for, in the local array and in a message. Messages take turns, so that
/// less of each is as far ahead.
const LOCAL: usize = 2048;
const MESSAGE: usize = 512;

/// A way to reach memory: see [`Memory`](super::super::Memory).
pub(in super::super) trait Access {
    /// True if lines that will be read are asked for.
    const READS: bool;
    /// True if lines that will be written are asked for.
    const WRITES: bool;
    /// True if whole lines are stored past the caches.
    const NONTEMPORAL: bool;
}

/// Loads and stores alone.
pub(in super::super) struct Cached;

/// Both ends' lines are asked for.
pub(in super::super) struct Prefetched;

/// Lines that are read are asked for; those that are written are not, and stored past the caches.
pub(in super::super) struct Nontemporal;

impl Access for Cached {
    const READS: bool = false;
    const WRITES: bool = false;
    const NONTEMPORAL: bool = false;
}

impl Access for Prefetched {
    const READS: bool = true;
    const WRITES: bool = true;
    const NONTEMPORAL: bool = false;
}

impl Access for Nontemporal {
    const READS: bool = true;
    const WRITES: bool = false;
    const NONTEMPORAL: bool = true;
}

/// Asks for the lines that lie ahead of a run at these places of the local array and of a message, as far as there are any:
/// of several runs in a line, the one that begins it asks.
#[inline(always)]
pub(super) fn ahead<D: Direction, A: Access>(local: *mut u8, message: *mut u8, bytes: usize) {
    if bytes > LOCAL {
        // Those ask for themselves: see `Chunks`.
        return;
    }
    let begins = |at: *mut u8| bytes >= LINE || at.addr() % LINE < bytes;
    if begins(local) {
        ahead_of_local::<D, A>(local, bytes);
    }
    if begins(message) {
        ahead_of_message::<D, A>(message, bytes);
    }
}

/// Asks for the lines that lie ahead of `bytes` of the local array.
#[inline(always)]
pub(super) fn ahead_of_local<D: Direction, A: Access>(local: *mut u8, bytes: usize) {
    fetch::<A>(!D::PACKS, local.wrapping_add(LOCAL), bytes);
}

/// Asks for the lines that lie ahead of `bytes` of a message.
#[inline(always)]
pub(super) fn ahead_of_message<D: Direction, A: Access>(message: *mut u8, bytes: usize) {
    fetch::<A>(D::PACKS, message.wrapping_add(MESSAGE), bytes);
}

#[inline(always)]
fn fetch<A: Access>(written: bool, first: *mut u8, bytes: usize) {
    for at in (0..bytes).step_by(LINE) {
        if written && A::WRITES {
            fetch_to_write(first.wrapping_add(at));
        } else if !written && A::READS {
            fetch_to_read(first.wrapping_add(at));
        }
    }
}

/// Asks for a line, which need not exist.
#[inline(always)]
pub(in crate::exec) fn fetch_to_read(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint, which reads nothing and never faults; every x86-64 processor knows it.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Asks for a line that will be written, which need not exist: stores that are strides apart wait for their lines one by
/// one otherwise.
#[inline(always)]
pub(super) fn fetch_to_write(at: *mut u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as far as a program can tell, this neither reads nor writes, at any address; a processor that does not know
    // the instruction does nothing.
    unsafe {
        core::arch::asm!("prefetchw [{}]", in(reg) at, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Orders stores past the caches before all later ones: whoever learns that a copy is complete must see it.
#[inline]
pub(in crate::exec) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}

/// Runs of any length by `memcpy`, of which long ones ask for their own lines on the way.
pub(super) struct Chunks;

/// Bytes that are copied by one call.
const CHUNK: usize = 1024;

impl Copy for Chunks {
    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        let step = if len > LOCAL { CHUNK } else { len.max(1) };
        for at in (0..len).step_by(step) {
            if len > LOCAL {
                fetch::<Prefetched>(false, from.cast_mut().wrapping_add(at + CHUNK), CHUNK);
                fetch::<Prefetched>(true, to.wrapping_add(at + CHUNK), CHUNK);
            }
            // SAFETY: `at` is inside the run, and no more is copied than is left of it.
            unsafe { ptr::copy_nonoverlapping(from.add(at), to.add(at), step.min(len - at)) };
        }
    }
}

/// Runs of any length, past the caches except for what is before the first and after the last 16 bytes of the
/// destination that lie on a multiple of 16. The portable twin is [`Any`](super::moves::Any).
pub(super) struct Streamed;

impl Copy for Streamed {
    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        let head = to.align_offset(16).min(len);
        let body = (len - head) / 16 * 16;
        // SAFETY: head, body and tail are the run; the body begins on a multiple of 16.
        unsafe {
            ptr::copy_nonoverlapping(from, to, head);
            for at in (head..head + body).step_by(16) {
                stream(from.add(at), to.add(at));
            }
            let tail = head + body;
            ptr::copy_nonoverlapping(from.add(tail), to.add(tail), len - tail);
        }
    }
}

/// Copies 16 bytes past the caches.
///
/// # Safety
/// They may be read and written, and `to` is a multiple of 16.
#[inline(always)]
unsafe fn stream(from: *const u8, to: *mut u8) {
    // SAFETY: as the caller says; every x86-64 processor has the instructions.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        use core::arch::x86_64::{_mm_loadu_si128, _mm_stream_si128};
        _mm_stream_si128(to.cast(), _mm_loadu_si128(from.cast()));
    }
    // SAFETY: as the caller says.
    #[cfg(not(target_arch = "x86_64"))]
    unsafe {
        ptr::copy_nonoverlapping(from, to, 16);
    }
}
