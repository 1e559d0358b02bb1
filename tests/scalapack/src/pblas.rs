//! Sums of matrices: `pdgeadd`, and `pdtran`, which transposes. Both matrices are on one grid.

use crate::blacs::integer;
use crate::{Descriptor, Matrix, ffi};

/// C ← α A + β C, of whole matrices. Collective over their grid.
///
/// # Panics
/// If the matrices do not have the same extents, or a local array does not fit its descriptor.
pub fn geadd(alpha: f64, a: Matrix<&[f64]>, beta: f64, c: Matrix<&mut [f64]>) {
    let [m, n] = c.descriptor.extents();
    assert_eq!(a.descriptor.extents(), [m, n], "M and N of A, and of C");
    check(a.descriptor, a.local.len(), c.descriptor, c.local.len());
    let (one, desc_a, desc_c) = (integer(1), &a.descriptor.desc, &c.descriptor.desc);
    // SAFETY: both matrices have the extents of the sum, and both local arrays the lengths of their
    // descriptors. They do not overlap, because one is borrowed mutably. PDGEADD checks that they
    // are on one grid.
    unsafe {
        ffi::pdgeadd_(
            c"N".as_ptr(),
            &m,
            &n,
            &alpha,
            a.local.as_ptr(),
            &one,
            &one,
            desc_a.as_ptr(),
            &beta,
            c.local.as_mut_ptr(),
            &one,
            &one,
            desc_c.as_ptr(),
        );
    }
}

/// C ← α Aᵀ + β C, of whole matrices. Collective over their grid.
///
/// # Panics
/// The panics of [`geadd`], for the extents of Aᵀ.
pub fn tran(alpha: f64, a: Matrix<&[f64]>, beta: f64, c: Matrix<&mut [f64]>) {
    let [m, n] = c.descriptor.extents();
    assert_eq!(a.descriptor.extents(), [n, m], "M and N of A, and N and M of C");
    check(a.descriptor, a.local.len(), c.descriptor, c.local.len());
    let (one, desc_a, desc_c) = (integer(1), &a.descriptor.desc, &c.descriptor.desc);
    // SAFETY: both matrices have the extents of the sum, and both local arrays the lengths of their
    // descriptors. They do not overlap, because one is borrowed mutably.
    unsafe {
        ffi::pdtran_(
            &m,
            &n,
            &alpha,
            a.local.as_ptr(),
            &one,
            &one,
            desc_a.as_ptr(),
            &beta,
            c.local.as_mut_ptr(),
            &one,
            &one,
            desc_c.as_ptr(),
        );
    }
}

fn check(a: &Descriptor, a_len: usize, c: &Descriptor, c_len: usize) {
    assert_eq!((a_len, c_len), (a.local_len(), c.local_len()), "lengths of the local arrays");
}
