//! ScaLAPACK's solver of linear systems.

use crate::blacs::integer;
use crate::{Descriptor, ffi};

/// Solves A X = B by LU with partial pivoting. A becomes its factors, B becomes X. Collective over
/// the grid of both.
///
/// # Errors
/// The row, from 1, in which U has an exact zero on its diagonal: A is singular.
///
/// # Panics
/// If A is not square, A and B differ in rows, or a local array does not fit its descriptor.
pub fn gesv(
    a: &mut [f64],
    desc_a: &Descriptor,
    b: &mut [f64],
    desc_b: &Descriptor,
) -> Result<(), i32> {
    assert_eq!(
        (a.len(), b.len()),
        (desc_a.local_len(), desc_b.local_len()),
        "lengths of the local arrays"
    );
    let ([rows, columns], [n, nrhs]) = (desc_a.extents(), desc_b.extents());
    assert!(rows == columns && rows == n, "A is {rows} x {columns}, B is {n} x {nrhs}");
    // IPIV has LOCr(M_A) + MB_A elements.
    let mut pivots =
        vec![0; desc_a.local_extents()[0] + usize::try_from(desc_a.desc[4]).expect("a block size")];
    let (one, mut info) = (integer(1), 0);
    let (desc_a, desc_b) = (desc_a.desc.as_ptr(), desc_b.desc.as_ptr());
    // SAFETY: the local arrays and IPIV are as long as PDGESV demands. It checks the descriptors'
    // blocks and grids.
    unsafe {
        ffi::pdgesv_(
            &n,
            &nrhs,
            a.as_mut_ptr(),
            &one,
            &one,
            desc_a,
            pivots.as_mut_ptr(),
            b.as_mut_ptr(),
            &one,
            &one,
            desc_b,
            &mut info,
        );
    }
    assert!(info >= 0, "PDGESV does not take argument {}", -info);
    if info == 0 { Ok(()) } else { Err(info) }
}
