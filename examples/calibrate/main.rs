//! Measures what messages cost between the ranks of a launch, and prints it; with an argument, saves
//! it in that file as well, for programs that then need not measure.
//!
//! ```text
//! cargo build --release --package redist-examples --features mpi --example calibrate
//! mpiexec --host node1,node2,node3,node4 -n 4 target/release/examples/calibrate network.txt
//! ```
//!
//! A program reads it as `let measured: Calibration = fs::read_to_string("network.txt")?.trim().parse()?`,
//! and calls `measured.keep(&world)?` before it binds plans.

use redist::mpi::Calibration;
use redist::mpi::rsmpi::traits::Communicator;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    redist::mpi::abort_on_panic();
    let universe = redist::mpi::rsmpi::initialize().ok_or("MPI is initialised already")?;
    let world = universe.world();
    let begun = Instant::now();
    let measured = Calibration::measure(&world)?;
    if world.rank() > 0 {
        return Ok(());
    }
    let model = measured.model;
    println!("{} ranks, in {:.2?}:", world.size(), begun.elapsed());
    println!("  a message takes {:.1} µs to begin", model.startup * 1e6);
    println!("  a rank sends {:.0} MB/s, one message after the other", 1e-6 / model.per_byte);
    println!("  all messages at once take {:.2} times as long", 1.0 + model.contention);
    println!("  several to one rank at once take {:.2} times as long", 1.0 + measured.incast);
    println!("{measured}");
    if let Some(path) = std::env::args_os().nth(1) {
        std::fs::write(path, format!("{measured}\n"))?;
    }
    Ok(())
}
