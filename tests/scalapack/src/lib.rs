//! Calls of ScaLAPACK and the BLACS: `p?gemr2d` and `p?trmr2d` redistribute, `pdgeadd` and `pdtran`
//! add, `pdgesv` solves. All are collective, and check the callers' lengths and ranges.
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
