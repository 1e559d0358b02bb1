//! Copies of one run, by moves of constant size: a call of `memcpy` costs more than a short run.

use core::ptr;

/// A way to copy a run.
pub(in super::super) trait Copy {
    /// Copies `len` bytes.
    ///
    /// # Safety
    /// `from` may be read and `to` written for `len` bytes, which do not overlap, and `len` is one that this way copies.
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize);
}

/// Runs of more than `(N - 1) * W` and at most `N * W` bytes, and at least `W`: `N` moves, of which the last ends with
/// the run and may overlap the one before.
pub(in super::super) struct Moves<const W: usize, const N: usize>;

/// Runs of any length, short ones by moves.
pub(in super::super) struct Any;

/// Runs of any length, by `memcpy`.
pub(in super::super) struct Library;

impl<const W: usize, const N: usize> Copy for Moves<W, N> {
    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        for step in 0..N - 1 {
            // SAFETY: `step * W + W <= (N - 1) * W < len`.
            unsafe { one::<W>(from.add(step * W), to.add(step * W)) };
        }
        // SAFETY: `W <= len`.
        unsafe { one::<W>(from.add(len - W), to.add(len - W)) };
    }
}

impl Copy for Any {
    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: each arm's range of lengths is the one that its moves copy; other lengths go to `memcpy`.
        unsafe {
            match len {
                17..=LONG => {
                    let mut at = 0;
                    while at + 16 < len {
                        one::<16>(from.add(at), to.add(at));
                        at += 16;
                    }
                    one::<16>(from.add(len - 16), to.add(len - 16));
                }
                16 => one::<16>(from, to),
                8..=15 => Moves::<8, 2>::copy(from, to, len),
                4..=7 => Moves::<4, 2>::copy(from, to, len),
                2..=3 => Moves::<2, 2>::copy(from, to, len),
                1 => one::<1>(from, to),
                _ => ptr::copy_nonoverlapping(from, to, len),
            }
        }
    }
}

impl Copy for Library {
    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: as the caller says.
        unsafe { ptr::copy_nonoverlapping(from, to, len) };
    }
}

/// Bytes up to which moves beat `memcpy`.
pub(in super::super) const LONG: usize = 256;

/// Copies `W` bytes.
///
/// # Safety
/// As [`Copy::copy`].
#[inline(always)]
unsafe fn one<const W: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: arrays of bytes may be unaligned; the rest is as the caller says.
    unsafe { to.cast::<[u8; W]>().write_unaligned(from.cast::<[u8; W]>().read_unaligned()) };
}

/// Calls a macro with the type that copies runs of a length, of these lengths only the next smaller multiples: 16-byte
/// moves from 16 bytes on, then 8, 4, 2 and 1.
macro_rules! for_length {
    ($len:expr, $kernel:ident) => {
        for_length!(@ $len, $kernel, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
    };
    (@ $len:expr, $kernel:ident, $($n:literal)*) => {{
        let len: usize = $len;
        match len {
            $(_ if len >= 16 && len.div_ceil(16) == $n => $kernel!($crate::exec::kernels::raw::moves::Moves<16, $n>),)*
            9..=15 => $kernel!($crate::exec::kernels::raw::moves::Moves<8, 2>),
            8 => $kernel!($crate::exec::kernels::raw::moves::Moves<8, 1>),
            5..=7 => $kernel!($crate::exec::kernels::raw::moves::Moves<4, 2>),
            4 => $kernel!($crate::exec::kernels::raw::moves::Moves<4, 1>),
            3 => $kernel!($crate::exec::kernels::raw::moves::Moves<2, 2>),
            2 => $kernel!($crate::exec::kernels::raw::moves::Moves<2, 1>),
            1 => $kernel!($crate::exec::kernels::raw::moves::Moves<1, 1>),
            _ => $kernel!($crate::exec::kernels::raw::moves::Library),
        }
    }};
}
pub(in super::super) use for_length;
