//! Packing and unpacking of one rank as fractions of `memcpy` of the same bytes, in the same process.
//!
//! Packs kr→r and unpacks r→kr (all messages together), general pairs of blocks, and two
//! dimensions. Each is planned by the macro, at run time, and by hand: a segment table with one
//! `memcpy` a run. A plain loop of vector loads and stores over the same bytes is the bound that no
//! kernel made of them can beat.
//!
//! `cargo bench -p redist-moves --bench kernels -- [--quick] [--vectors LEVEL] [WORDS]`
//!
//! With `--thresholds`, instead of all that: code for blocks against the library's own copies, on both
//! sides of each threshold by which it is taken.

mod asked;
mod case;
mod items;
mod lent;
mod segments;
mod sweep;
mod table;
mod thresholds;
mod timing;
mod vectors;

use pico_args::Arguments;
use redist_measuring::bench;
use std::error::Error;
use table::Sweep;
use thresholds::Thresholds;

fn main() -> Result<(), Box<dyn Error>> {
    match Arguments::from_env().contains("--thresholds") {
        true => bench::main(Thresholds::default()),
        false => bench::main(Sweep::default()),
    }
}
