//! Checks that fuzz targets share.

pub mod case;
pub mod copies;
pub mod kernels;
pub mod notation;
pub mod plan;
#[cfg(fuzzing)]
pub mod wire;
