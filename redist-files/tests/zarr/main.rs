//! Arrays of Zarr, there and back, by their own library, and under attack.

mod attacks;
#[path = "../common/mod.rs"]
mod common;
mod field;
mod killed;
mod peers;
mod round_trips;

use common::{bytes, compare, convert, python, quick, refused, refused_and_clean, tree, with};
