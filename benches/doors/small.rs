//! Small moves from Rust, for `benches/doors/run`: rows to columns, `run` after `run`. Prints nanoseconds a move, batch by batch.

use redist::mpi::{abort_on_panic, initialize};
use redist::{Redistribution, Side, TypedPlan};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    abort_on_panic();
    let mpi = initialize()?;
    let world = mpi.world()?;
    let given: Vec<usize> =
        std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let [extent, batches, moves] = given[..] else { return Err("EXTENT BATCHES MOVES".into()) };
    let ranks = world.size();
    let (from, to) = (format!("(block, *) onto {ranks}"), format!("(*, block) onto {ranks}"));
    let mut bound = TypedPlan::<f64, 2>::parse([extent, extent], &from, &to)?.bind(&world)?;
    let source = vec![1.0; bound.local_len(Side::Source)];
    let mut destination = vec![0.0; bound.local_len(Side::Destination)];
    for batch in 0..=batches {
        let began = Instant::now();
        for _ in 0..moves {
            bound.run(&source, &mut destination)?;
        }
        // The first batch is not counted.
        if world.rank() == 0 && batch > 0 {
            println!("{}", began.elapsed().as_nanos() as f64 / moves as f64);
        }
    }
    assert!(destination.iter().all(|element| *element == 1.0));
    Ok(())
}
