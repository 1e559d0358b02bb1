//! Prefetches, stores past the caches, the fence that orders them, and copies that pass a slow
//! instruction by. Unsafe, because all of these are instructions on pointers. The hardware recognises strided runs late or not at all, and reads
//! a line before it is written to. Prefetching both ends takes a strided copy down to four fifths
//! of `memcpy`. Nontemporal stores read no line: they save up to a third where a transposition
//! writes lines of many pages in turn, or where several cores copy long runs at once.

pub(crate) const LINE_BYTES: usize = 64;

/// The way to store long runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stores {
    /// Through the caches.
    #[default]
    Cached,
    /// Past the caches.
    Streamed,
}

/// Prefetches the line at an address, which need not exist.
#[inline(always)]
pub(crate) fn fetch_to_read(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint, which reads nothing and never faults; every x86-64 processor
    // has the instruction.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Prefetches a line, which need not exist. Strided stores wait line by line otherwise.
#[inline(always)]
pub(crate) fn fetch_to_write(at: *mut u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: architecturally, `prefetchw` neither reads nor writes and faults at no address;
    // processors without it execute a no-op.
    unsafe {
        core::arch::asm!("prefetchw [{}]", in(reg) at, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Orders nontemporal stores before later stores, before another thread learns of a complete copy.
#[inline]
pub(crate) fn fence() {
    #[cfg(test)]
    unfenced::end();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction, which only orders stores.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}

/// Copies an element: past the caches if it has 4, 8 or 16 bytes.
///
/// # Safety
/// `BYTES` bytes may be read and written. The two places do not overlap. The address `to` is a
/// multiple of `BYTES`.
#[inline(always)]
pub(crate) unsafe fn stream<const BYTES: usize>(from: *const u8, to: *mut u8) {
    #[cfg(target_arch = "x86_64")]
    use core::arch::x86_64::{_mm_loadu_si128, _mm_stream_si32, _mm_stream_si64, _mm_stream_si128};
    #[cfg(test)]
    unfenced::note();
    // SAFETY: the caller vouches for `BYTES` bytes at both ends and for the alignment of `to`; loads
    // need none. SSE2 is part of x86-64.
    unsafe {
        match BYTES {
            #[cfg(target_arch = "x86_64")]
            4 => _mm_stream_si32(to.cast(), from.cast::<i32>().read_unaligned()),
            #[cfg(target_arch = "x86_64")]
            8 => _mm_stream_si64(to.cast(), from.cast::<i64>().read_unaligned()),
            #[cfg(target_arch = "x86_64")]
            16 => _mm_stream_si128(to.cast(), _mm_loadu_si128(from.cast())),
            _ => core::ptr::copy_nonoverlapping(from, to, BYTES),
        }
    }
}

/// Copies bytes so that whole lines of the destination go past the caches; calls `fetch_ahead` before
/// each, with the bytes up to there. To be followed by a [`fence`].
///
/// # Safety
/// `bytes` bytes may be read and written, and the two places do not overlap.
#[inline(always)]
pub(crate) unsafe fn stream_lines(
    from: *const u8,
    to: *mut u8,
    bytes: usize,
    fetch_ahead: impl Fn(usize),
) {
    let head = to.align_offset(LINE_BYTES).min(bytes);
    let tail = head + (bytes - head) / LINE_BYTES * LINE_BYTES;
    // SAFETY: the caller vouches for `bytes` bytes; head, lines and tail are parts of these, and
    // lines begin at multiples of a line's length, as `head` is the way there.
    unsafe {
        core::ptr::copy_nonoverlapping(from, to, head);
        for line in (head..tail).step_by(LINE_BYTES) {
            fetch_ahead(line);
            for at in (line..line + LINE_BYTES).step_by(16) {
                stream::<16>(from.add(at), to.add(at));
            }
        }
        core::ptr::copy_nonoverlapping(from.add(tail), to.add(tail), bytes - tail);
    }
}

/// Bytes from which a C library may copy by one instruction, `rep movsb`.
const MIN_BY_INSTRUCTION_BYTES: usize = 2 << 10;

/// Bytes within a page: memory further apart by whole pages is the same to a processor's hints.
const PAGE_BYTES: usize = 4 << 10;

/// Copies bytes as `memcpy` does, but for [one case](is_slow_by_instruction).
///
/// # Safety
/// `bytes` bytes may be read and written, and the two places do not overlap.
#[inline(always)]
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller vouches for `bytes` bytes, which do not overlap.
    unsafe {
        match bytes >= MIN_BY_INSTRUCTION_BYTES && is_slow_by_instruction(from, to) {
            true => copy_by_registers(from, to, bytes),
            false => core::ptr::copy_nonoverlapping(from, to, bytes),
        }
    }
}

/// Copies slices of one length as [`copy`]. Panics if their lengths differ.
#[inline(always)]
pub(crate) fn copy_slice(from: &[u8], to: &mut [u8]) {
    assert_eq!(from.len(), to.len(), "slices of one length");
    // SAFETY: both slices have that many bytes. One is borrowed exclusively, so they do not overlap.
    unsafe { copy(from.as_ptr(), to.as_mut_ptr(), to.len()) }
}

/// Returns `true` if, in their pages, the destination is 1 to 31 bytes behind the source, on an AMD
/// processor. `rep movsb` copies 2.9 GB a second then, in place of 45 (EPYC of family 25 with glibc 2.36,
/// 1 December 2026). Shared memory begins with a page, and a long array of `malloc` 16 bytes behind.
#[inline(always)]
fn is_slow_by_instruction(from: *const u8, to: *mut u8) -> bool {
    let behind = to.addr().wrapping_sub(from.addr()) % PAGE_BYTES;
    #[cfg(target_arch = "x86_64")]
    return (1..32).contains(&behind) && std::arch::is_x86_feature_detected!("sse4a");
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = behind;
        false
    }
}

/// Copies lines by registers. A function of its own: its pointers may alias, so no compiler makes it a
/// call of `memcpy`.
///
/// # Safety
/// As for [`copy_lines`].
#[inline(never)]
unsafe fn copy_by_registers(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller vouches for the same.
    unsafe { copy_lines(from, to, bytes, |_| ()) }
}

/// Copies at least a line's bytes; the last two lines may overlap. Calls `fetch_ahead` before each but
/// the last, with the bytes up to there.
///
/// # Safety
/// `bytes` bytes, at least [`LINE_BYTES`], may be read and written. The places do not overlap.
#[inline(always)]
pub(crate) unsafe fn copy_lines(
    from: *const u8,
    to: *mut u8,
    bytes: usize,
    fetch_ahead: impl Fn(usize),
) {
    let last = bytes - LINE_BYTES;
    // SAFETY: the calls below pass lines that begin at most at `last`, so they end before `bytes`.
    let copy = |at: usize| unsafe {
        core::ptr::copy_nonoverlapping(from.add(at), to.add(at), LINE_BYTES);
    };
    for done in (0..last).step_by(LINE_BYTES) {
        fetch_ahead(done);
        copy(done);
    }
    copy(last);
}

/// Counts each thread's stores past the caches that no fence has ordered yet. Hardware shows a
/// missing fence only by chance.
#[cfg(test)]
pub(crate) mod unfenced {
    use std::cell::Cell;

    thread_local! {
        static STORES: Cell<usize> = const { Cell::new(0) };
        static FENCED: Cell<usize> = const { Cell::new(0) };
    }

    pub(crate) fn note() {
        STORES.set(STORES.get() + 1);
    }

    pub(crate) fn end() {
        FENCED.set(FENCED.get() + STORES.take());
    }

    /// Returns this thread's stores since its last call: with a fence, and without.
    pub fn take() -> (usize, usize) {
        (FENCED.take(), STORES.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slow or not: any length, at any distance within pages, with nothing written beside.
    #[test]
    fn copies_are_whole_at_any_distance() {
        let from: Vec<u8> = (0..4 * PAGE_BYTES).map(|at| (at % 251) as u8).collect();
        for behind in [0, 1, 8, 16, 31, 32, 33, 4095] {
            for bytes in [0, 1, 2047, 2048, 2049, 2111, 8192, 8200] {
                let mut to = vec![255; from.len()];
                let start = to.as_ptr().align_offset(PAGE_BYTES);
                let first = from.as_ptr().align_offset(PAGE_BYTES);
                let (first, start) = (first.min(PAGE_BYTES), start.min(PAGE_BYTES) + behind);
                copy_slice(&from[first..first + bytes], &mut to[start..start + bytes]);
                assert!(to[start..start + bytes] == from[first..first + bytes]);
                let beside = [&to[..start], &to[start + bytes..]].concat();
                assert!(beside.iter().all(|byte| *byte == 255), "{behind} behind, {bytes} bytes");
                if bytes < LINE_BYTES {
                    continue;
                }
                let mut by_registers = vec![255; bytes + 1];
                // SAFETY: both have `bytes` bytes, a line's at least, and are vectors of their own.
                unsafe {
                    copy_by_registers(from[first..].as_ptr(), by_registers.as_mut_ptr(), bytes);
                }
                assert!(by_registers[..bytes] == from[first..first + bytes]);
                assert!(by_registers[bytes] == 255);
            }
        }
    }
}
