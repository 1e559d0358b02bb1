//! Copies of constant length in AVX2 registers, twice as wide as the portable twin [`uniform`].

use super::memory::Access;
use super::moves::Moves;
use super::{Uniform, UniformKernel, uniform};
use crate::exec::kernels::CopyDirection;
use crate::exec::with_const::with_const;

/// Returns the kernel for runs that fill 1 to 8 registers; calling it needs AVX2.
pub(in super::super) fn kernel<D: CopyDirection, A: Access>(len: usize) -> Option<UniformKernel> {
    if len < 32 {
        return None;
    }
    with_const!(
        len.div_ceil(32),
        N in [1 2 3 4 5 6 7 8] => Some(UniformKernel {
            all: all::<D, A, N>,
            is_network: false,
        }),
        else None
    )
}

/// # Safety
/// As [`Work::all`](super::Work::all), and the processor has AVX2; runs are `N` registers.
#[target_feature(enable = "avx2")]
unsafe fn all<D: CopyDirection, A: Access, const N: usize>(
    uniform: &Uniform,
    local: *mut u8,
    cursors: &mut [*mut u8],
) {
    // SAFETY: the caller vouches for the bytes of `uniform`, and for runs of `N` registers, as
    // these moves copy.
    unsafe { uniform::all::<D, Moves<32, N>, A>(uniform, local, cursors) };
}
