//! Packing and unpacking of one rank as fractions of `memcpy` of the same bytes, in one process.
//!
//! Packs kr→r and unpacks r→kr (all messages together), general pairs of blocks, and two
//! dimensions. Each is planned by the macro, at run time, and by hand: a segment table with one
//! `memcpy` a run. A loop of vector loads and stores is the bound of all kernels.
//!
//! `cargo bench -p redist-moves --bench kernels -- [--quick] [--vectors LEVEL] [WORDS]`.
//! `--thresholds` compares code for blocks with the library's copies on both sides of thresholds.

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
