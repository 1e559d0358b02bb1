//! Copies by vectors: the bound of kernels.

use std::sync::atomic::{Ordering, compiler_fence};

/// Copies by vector loads and stores, the bound of their kernels. `memcpy` is faster beyond the
/// second cache, because it stores without reading the old bytes.
pub fn copy<T: Copy>(from: &[T], to: &mut [T]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has the instructions.
        return unsafe { wide(from, to) };
    }
    chunks(from, to);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn wide<T: Copy>(from: &[T], to: &mut [T]) {
    use std::arch::x86_64::{_mm512_loadu_si512, _mm512_storeu_si512};
    let lanes = 64 / size_of::<T>();
    for (from, to) in from.chunks_exact(lanes).zip(to.chunks_exact_mut(lanes)) {
        // SAFETY: both chunks are as long as a vector.
        unsafe {
            _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_loadu_si512(from.as_ptr().cast()))
        };
        // Or the compiler makes one call of `memcpy` of all of them.
        compiler_fence(Ordering::SeqCst);
    }
}

fn chunks<T: Copy>(from: &[T], to: &mut [T]) {
    for (from, to) in from.as_chunks::<8>().0.iter().zip(to.as_chunks_mut::<8>().0) {
        *to = *from;
        compiler_fence(Ordering::SeqCst);
    }
}
