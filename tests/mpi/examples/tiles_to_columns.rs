//! ScaLAPACK's tiles on six ranks become whole columns: `mpirun -n 6 tiles_to_columns`.

use redist::mpi::{abort_on_panic, initialize};
use redist::{Redistribution, Side, redistribute};

redistribute! {
    /// Tiles of 64 by 64, to whole columns.
    pub struct TilesToColumns: [f64; 1000, 600] {
        from: scalapack(64, 64, 2, 3),
        to: (*, block) onto 6 storage fortran,
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    abort_on_panic();
    let mpi = initialize()?;
    // A `redist::mpi::CommunicatorRef<'static>`; functions take `&impl redist::Transport`.
    let world = mpi.world()?;
    // All ranks compare plans, once. Ranks beyond the sixth hold nothing, and call all the same.
    let mut bound = TilesToColumns::new().bind(&world)?;
    let mut tiles = vec![0.0; bound.local_len(Side::Source)];
    let mut columns = vec![0.0; bound.local_len(Side::Destination)];
    for step in 0..100 {
        tiles.fill((world.rank() + step) as f64);
        // The tiles have been packed when this returns: while they travel, compute what needs
        // neither.
        let moving = bound.start(&tiles, &mut columns)?;
        moving.finish()?;
        // 64 rows from each rank of the grid's first column in turn.
        if world.rank() == 0 {
            let step = step as f64;
            assert_eq!((columns[0], columns[64], columns[128]), (step, step + 3.0, step));
        }
    }
    if world.rank() == 0 {
        println!("moved 100 times over {} ranks", world.size());
    }
    Ok(())
}
