//! The redistribution: `p?gemr2d`, and of trapezoids `p?trmr2d`, for `d`, `s` and `i`.

use crate::blacs::{Grid, integer};
use crate::{Descriptor, ffi};
use redist::Element;
use redist::plan::{Diag, Uplo};
use std::ffi::{c_char, c_int};

/// An element type of `p?gemr2d`.
pub trait Scalar: Element {
    /// The routines of this type.
    #[doc(hidden)]
    const GEMR2D: Routine<Self>;
    #[doc(hidden)]
    const TRMR2D: TrapezoidRoutine<Self>;
}

type TrapezoidRoutine<T> = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const c_int,
    *const c_int,
    *const T,
    *const c_int,
    *const c_int,
    *const c_int,
    *mut T,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_int,
);

type Routine<T> = unsafe extern "C" fn(
    *const c_int,
    *const c_int,
    *const T,
    *const c_int,
    *const c_int,
    *const c_int,
    *mut T,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_int,
);

impl Scalar for f64 {
    const GEMR2D: Routine<f64> = ffi::pdgemr2d_;
    const TRMR2D: TrapezoidRoutine<f64> = ffi::pdtrmr2d_;
}

impl Scalar for f32 {
    const GEMR2D: Routine<f32> = ffi::psgemr2d_;
    const TRMR2D: TrapezoidRoutine<f32> = ffi::pstrmr2d_;
}

impl Scalar for i32 {
    const GEMR2D: Routine<i32> = ffi::pigemr2d_;
    const TRMR2D: TrapezoidRoutine<i32> = ffi::pitrmr2d_;
}

/// One side of a move: a section of a distributed matrix, and this rank's part of the matrix.
#[derive(Debug)]
pub struct Matrix<'a, L> {
    /// The whole matrix's descriptor.
    pub descriptor: &'a Descriptor,
    /// Start of the section, from 0: one less than IA and JA.
    pub at: [usize; 2],
    /// The local array, column by column.
    pub local: L,
}

impl<L> Matrix<'_, L> {
    /// Returns IA and JA. Checks the section's place in the matrix, and the local array's length.
    fn first(&self, moved: [usize; 2], len: usize) -> [c_int; 2] {
        let inside = |d: usize| integer(self.at[d] + moved[d]) <= self.descriptor.extents()[d];
        assert!(
            inside(0) && inside(1),
            "the section {moved:?} at {:?} is outside the matrix",
            self.at
        );
        assert_eq!(len, self.descriptor.local_len(), "length of the local array");
        self.at.map(|at| integer(at + 1))
    }
}

/// Copies an M × N section of one matrix to a section of another. Collective over `all`, which
/// holds both grids.
///
/// # Panics
/// A section or a local array does not fit its descriptor.
pub fn gemr2d<T: Scalar>(moved: [usize; 2], from: Matrix<&[T]>, to: Matrix<&mut [T]>, all: &Grid) {
    let ([ia, ja], [ib, jb]) =
        (from.first(moved, from.local.len()), to.first(moved, to.local.len()));
    let [m, n] = moved.map(integer);
    let (a, b) = (from.local.as_ptr(), to.local.as_mut_ptr());
    let (desc_a, desc_b) = (&from.descriptor.desc, &to.descriptor.desc);
    // SAFETY: `first` checked both sides: sections lie in their matrices, and local arrays have as
    // many elements as the descriptors say. These do not overlap, because one is borrowed mutably.
    unsafe {
        T::GEMR2D(
            &m,
            &n,
            a,
            &ia,
            &ja,
            desc_a.as_ptr(),
            b,
            &ib,
            &jb,
            desc_b.as_ptr(),
            &all.context(),
        );
    }
}

/// Moves the trapezoid of a section: see [`gemr2d`].
///
/// # Panics
/// As there.
pub fn trmr2d<T: Scalar>(
    (uplo, diag): (Uplo, Diag),
    moved: [usize; 2],
    from: Matrix<&[T]>,
    to: Matrix<&mut [T]>,
    all: &Grid,
) {
    let ([ia, ja], [ib, jb]) =
        (from.first(moved, from.local.len()), to.first(moved, to.local.len()));
    let [m, n] = moved.map(integer);
    let (a, b) = (from.local.as_ptr(), to.local.as_mut_ptr());
    let (desc_a, desc_b) = (&from.descriptor.desc, &to.descriptor.desc);
    let uplo = if uplo == Uplo::Upper { c"U" } else { c"L" };
    let diag = if diag == Diag::Unit { c"U" } else { c"N" };
    // SAFETY: `first` checked both sides: sections lie in their matrices, and local arrays have as
    // many elements as the descriptors say. These do not overlap, because one is borrowed mutably.
    // Both characters live as long as the call.
    unsafe {
        T::TRMR2D(
            uplo.as_ptr(),
            diag.as_ptr(),
            &m,
            &n,
            a,
            &ia,
            &ja,
            desc_a.as_ptr(),
            b,
            &ib,
            &jb,
            desc_b.as_ptr(),
            &all.context(),
        );
    }
}
