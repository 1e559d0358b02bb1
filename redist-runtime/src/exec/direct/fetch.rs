//! Cache lines that are asked for before they are needed, or stored past the caches.
//!
//! Unsafe, since stores are instructions on pointers. A core waits for memory more than it moves: the hardware sees strided
//! runs late or not at all, and a line that is written to is read first. Asking for both ends' lines in time takes a copy
//! down to four fifths of `memcpy`; stores past the caches, which read no line, take it no further than `memcpy`, except where
//! lines of many pages are written in turn, as in a transposition: a third less time.

pub(super) use crate::exec::kernels::{fence, fetch_to_read as fetch};
use crate::program::Spacing;

/// Bytes of a cache line.
pub(super) const LINE: usize = 64;

/// Bytes between what is copied and what is asked for.
pub(super) const AHEAD: usize = 1024;

/// How far ahead lines are asked for at both ends, in bytes.
#[derive(Clone, Copy)]
pub(super) struct Ahead {
    source: usize,
    destination: usize,
}

impl Ahead {
    /// From run to run, spaced in bytes, where there are enough of them.
    #[inline(always)]
    pub fn of(runs: Spacing, bytes: usize) -> Option<Self> {
        let ahead = AHEAD / bytes;
        (runs.count >= ahead + 4).then_some(Self { source: ahead * runs.source, destination: ahead * runs.destination })
    }

    /// Whether a run is long enough to ask for its own lines.
    #[inline(always)]
    pub fn is_within(bytes: usize) -> bool {
        bytes >= 2 * AHEAD
    }

    /// Asks for as many bytes as are copied from and to these places now.
    #[inline(always)]
    pub fn fetch(self, from: *const u8, to: *const u8, bytes: usize) {
        for line in (0..bytes).step_by(LINE) {
            fetch(from.wrapping_add(self.source + line));
            fetch(to.wrapping_add(self.destination + line));
        }
    }
}

/// Stores an element past the caches if it has 4, 8 or 16 bytes, and where there is a way to: lines are put together on the
/// way.
///
/// # Safety
/// So many bytes may be read and written, and `to` is a multiple of so many.
#[inline(always)]
pub(super) unsafe fn stream<const BYTES: usize>(from: *const u8, to: *mut u8) {
    #[cfg(target_arch = "x86_64")]
    use core::arch::x86_64::{_mm_loadu_si128, _mm_stream_si32, _mm_stream_si64, _mm_stream_si128};
    // SAFETY: as the caller says; every x86-64 processor has the instructions.
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
