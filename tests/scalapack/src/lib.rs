//! As much of ScaLAPACK and the BLACS as it takes to redistribute a matrix with `p?gemr2d`, or a
//! trapezoid of it with `p?trmr2d`, to add with `pdgeadd` and `pdtran`, and to solve with `pdgesv`.
//!
//! The functions are collective and check what the routines behind them leave to the caller:
//! lengths and ranges.
#![cfg(feature = "scalapack")]

mod blacs;
mod descriptor;
mod ffi;
mod gemr2d;
mod gesv;
mod pblas;

pub use blacs::Grid;
pub use descriptor::Descriptor;
pub use gemr2d::{Matrix, Scalar, gemr2d, trmr2d};
pub use gesv::gesv;
pub use pblas::{geadd, tran};
