//! Steps and runs of elements as the loops of items see them: safe functions, a module a width.
//!
//! They have few parameters that are types or constants: compilers check each such argument.

use super::written::Bytes;
use crate::cache;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::slice;

/// Bytes that one store writes from two places.
const JOINED_BYTES: usize = 8;

macro_rules! elements {
    ($($(#[$docs:meta])* $module:ident $width:literal)*) => {$(
        $(#[$docs])*
        pub mod $module {
            use super::*;

            /// The bytes of an element.
            pub type Element = [u8; $width];

            /// Returns `count` steps of `LEN` elements each. Panics if there are fewer.
            #[inline(always)]
            pub fn steps<const LEN: usize>(bytes: &Bytes, count: usize) -> &[[Element; LEN]] {
                assert!(count <= bytes.len() / ($width * LEN));
                // SAFETY: the slice has as many bytes, and arrays of bytes lie at any address.
                unsafe { slice::from_raw_parts(bytes.as_ptr().cast(), count) }
            }

            /// Returns `count` steps to write, as [`steps`] to read.
            #[inline(always)]
            pub fn steps_mut<const LEN: usize>(
                bytes: &mut Bytes,
                count: usize,
            ) -> &mut [[Element; LEN]] {
                assert!(count <= bytes.len() / ($width * LEN));
                // SAFETY: the slice has as many bytes, and is borrowed exclusively. Arrays of bytes
                // lie at any address.
                unsafe { slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), count) }
            }

            /// Returns whole elements.
            #[inline(always)]
            pub fn elements(bytes: &Bytes) -> &[Element] {
                bytes.as_chunks().0
            }

            /// Returns whole elements to write.
            #[inline(always)]
            pub fn elements_mut(bytes: &mut Bytes) -> &mut [Element] {
                bytes.as_chunks_mut().0
            }

            /// Copies `len` elements from place `at` on to place `there` on. Panics beyond either
            /// end. No check is left of numbers that are constants of a loop's text.
            #[inline(always)]
            pub fn copy(from: &[Element], at: usize, to: &mut [Element], there: usize, len: usize) {
                assert!(is_within(at, len, from.len()) && is_within(there, len, to.len()));
                // SAFETY: both ends are within their slices, of which one is borrowed exclusively.
                unsafe {
                    let (from, to) = (from.as_ptr().add(at), to.as_mut_ptr().add(there));
                    cache::copy(from.cast(), to.cast(), len * $width);
                }
            }

            /// Copies `len` elements from each of two places to neighbouring ones. Of 8 bytes each,
            /// one store writes both. Fewer stores then took .75 to 1.0 of the time (AMD EPYC,
            /// 27 November 2026).
            #[inline(always)]
            pub fn copy_two(
                (first, at): (&[Element], usize),
                (second, then): (&[Element], usize),
                to: &mut [Element],
                there: usize,
                len: usize,
            ) {
                #[cfg(target_arch = "x86_64")]
                if len * $width == JOINED_BYTES {
                    assert!(is_within(at, len, first.len()) && is_within(then, len, second.len()));
                    assert!(is_within(there, 2 * len, to.len()));
                    // SAFETY: 8 bytes at either place are read, and 16 written, within the slices.
                    unsafe {
                        let low = _mm_loadl_epi64(first.as_ptr().add(at).cast());
                        let next = second.as_ptr().add(then).cast();
                        let both = _mm_loadh_pd(_mm_castsi128_pd(low), next);
                        _mm_storeu_pd(to.as_mut_ptr().add(there).cast(), both);
                    }
                    return;
                }
                copy(first, at, to, there, len);
                copy(second, then, to, there + len, len);
            }
        }
    )*};
}

elements! {
    /// Elements of one byte.
    of_1 1
    /// Elements of 2 bytes.
    of_2 2
    /// Elements of 4 bytes.
    of_4 4
    /// Elements of 8 bytes.
    of_8 8
    /// Elements of 16 bytes.
    of_16 16
}

#[inline(always)]
const fn is_within(at: usize, len: usize, all: usize) -> bool {
    at <= all && len <= all - at
}
