//! Collective calls of ScaLAPACK and the BLACS, which check the callers' lengths and ranges.
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
