//! Copies one run by moves of constant size, because calling `memcpy` costs more than a short run.

use crate::cache::copy;
use core::ptr;

/// A way to copy one run.
pub(in crate::exec) trait CopyRun {
    /// Most bytes that this way copies, and the bytes above which all its runs are.
    const MOST: usize = usize::MAX;
    /// Bytes that every run of this way exceeds.
    const ABOVE: usize = 0;

    /// Copies `len` bytes.
    ///
    /// # Safety
    /// `from` may be read and `to` written for `len` bytes, which do not overlap, and this way
    /// copies such a `len`.
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize);
}

/// Copies at least `W`, more than `(N - 1) * W` and at most `N * W` bytes by `N` moves. The last
/// move ends with the run and may overlap the one before.
pub(in super::super) struct Moves<const W: usize, const N: usize>;

/// Copies runs of any length, short ones by moves.
pub(in crate::exec) struct AnyLength;

/// Copies runs of any length by `memcpy`.
pub(in super::super) struct Memcpy;

impl<const W: usize, const N: usize> CopyRun for Moves<W, N> {
    const MOST: usize = N * W;
    const ABOVE: usize = (N - 1) * W;

    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        for step in 0..N - 1 {
            // SAFETY: the caller vouches for `len` bytes: more than `(N - 1) * W`, so at least
            // `step * W + W`.
            unsafe { one::<W>(from.add(step * W), to.add(step * W)) };
        }
        // SAFETY: the caller says that `len` bytes may be copied, which are at least `W`.
        unsafe { one::<W>(from.add(len - W), to.add(len - W)) };
    }
}

impl CopyRun for AnyLength {
    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: the caller says that `len` bytes may be copied. Each arm's lengths are the
        // lengths of its moves, none past the end; other lengths go to `memcpy`.
        unsafe {
            match len {
                17..=MAX_MOVES_BYTES => {
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
                _ => copy(from, to, len),
            }
        }
    }
}

impl CopyRun for Memcpy {
    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: the caller says that `len` bytes may be read and written, which do not overlap.
        unsafe { copy(from, to, len) };
    }
}

/// Longest run for which moves beat `memcpy`.
pub(in super::super) const MAX_MOVES_BYTES: usize = 256;

/// Copies `W` bytes by one load and one store. An array read by value would also go to the stack.
///
/// # Safety
/// `from` may be read and `to` written for `W` bytes, which do not overlap.
#[inline(always)]
unsafe fn one<const W: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: the caller says that `W` bytes may be read and written, which do not overlap.
    unsafe { ptr::copy_nonoverlapping(from, to, W) };
}

/// Calls a macro with the best type for a run length: moves of at most 16 bytes.
macro_rules! for_length {
    ($len:expr, $kernel:ident) => {{
        use $crate::exec::kernels::raw::moves::{Memcpy, Moves};
        let len: usize = $len;
        match len {
            16.. => $crate::exec::with_const::with_const!(
                len.div_ceil(16),
                N in [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16] => $kernel!(Moves<16, N>),
                else $kernel!(Memcpy)
            ),
            9.. => $kernel!(Moves<8, 2>),
            8 => $kernel!(Moves<8, 1>),
            5.. => $kernel!(Moves<4, 2>),
            4 => $kernel!(Moves<4, 1>),
            3 => $kernel!(Moves<2, 2>),
            2 => $kernel!(Moves<2, 1>),
            1 => $kernel!(Moves<1, 1>),
            0 => $kernel!(Memcpy),
        }
    }};
}
pub(in super::super) use for_length;
