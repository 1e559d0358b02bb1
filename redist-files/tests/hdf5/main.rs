//! Files of HDF5, there and back, by their own libraries, and under attack.

mod attacks;
#[path = "../common/mod.rs"]
mod common;
mod peers;
mod round_trips;

use common::{bytes, convert, python, quick, refused, refused_and_clean, with};
