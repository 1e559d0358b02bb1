//! Classic files of NetCDF, there and back, by their own library, and under attack.

mod attacks;
#[path = "../common/mod.rs"]
mod common;
mod peers;
mod round_trips;

use common::{bytes, convert, python, quick, refused, refused_and_clean, with};
