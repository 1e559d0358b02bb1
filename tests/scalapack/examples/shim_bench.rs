//! The library that replaces ScaLAPACK's routines, beside ScaLAPACK; see `docs/scalapack.md`.

#[path = "../tests/shim/grid.rs"]
mod grid;
#[path = "../tests/shim/routines.rs"]
mod routines;

use grid::Grid;
use libloading::Library;
use mpi::traits::Communicator;
// It links the program with ScaLAPACK.
use redist_scalapack as _;
use routines::{Call, scalapack, shim};
use std::ffi::c_int;
use std::hint::black_box;
use std::time::Instant;

/// The least of so many means is printed.
const ROUNDS: usize = 7;

struct Size {
    order: usize,
    blocks: [usize; 2],
    calls: usize,
}

const SIZES: [Size; 4] = [
    Size { order: 16, blocks: [4, 2], calls: 2000 },
    Size { order: 256, blocks: [32, 16], calls: 100 },
    Size { order: 1024, blocks: [64, 32], calls: 6 },
    Size { order: 4096, blocks: [64, 32], calls: 1 },
];

fn main() {
    let universe = mpi::initialize().expect("MPI was not initialised before");
    let world = universe.world();
    let (rank, size) = (world.rank() as usize, world.size() as usize);
    let all: Vec<usize> = (0..size).collect();
    let rows = (1..=size).rev().find(|p| p * p <= size && size.is_multiple_of(*p)).unwrap_or(1);
    let grids = [Grid::new(rank, [size, 1], &all), Grid::new(rank, [rows, size / rows], &all)];
    let context = Grid::row(rank, size);
    if rank == 0 {
        println!("{size} processes, {size} x 1 to {rows} x {}, f64", size / rows);
    }
    for Size { order, blocks, calls } in SIZES {
        let locals = [0, 1].map(|side| local(order, blocks[side], &grids[side]));
        let [mut a, mut b] = locals.map(|(_, len)| vec![rank as f64; len]);
        let call = Call {
            letter: 'd',
            from_c: false,
            is_old: false,
            part: None,
            extents: [order as c_int; 2],
            first: [[1; 2]; 2],
            desc: locals.map(|(desc, _)| desc),
            context: context.context,
        };
        let mut least = [f64::INFINITY; 3];
        for round in 0..=ROUNDS {
            for (library, least) in [scalapack(), shim()].into_iter().zip(&mut least) {
                let elapsed = measured(&call, library, (&mut a, &mut b), calls, &world);
                // The first one warms up.
                *least = if round == 0 { *least } else { least.min(elapsed) };
            }
            let copy = timed(calls, &world, || {
                let len = a.len().min(b.len());
                black_box(&mut b[..len]).copy_from_slice(black_box(&a[..len]));
            });
            least[2] = least[2].min(copy);
        }
        if rank == 0 {
            let [theirs, ours, copy] = least.map(|seconds| 1e6 * seconds);
            let blocks = format!("{}² → {}²", blocks[0], blocks[1]);
            println!(
                "{order:>5}² in {blocks:<11} ScaLAPACK {theirs:10.1} µs, redist {ours:10.1} µs: {:5.2} times; \
                 a copy of the local array by all {copy:8.1} µs: {:.2} and {:.2} of it",
                theirs / ours,
                theirs / copy,
                ours / copy
            );
        }
    }
}

/// All processes begin together.
fn measured(
    call: &Call,
    library: &Library,
    (a, b): (&mut [f64], &mut [f64]),
    calls: usize,
    world: &impl Communicator,
) -> f64 {
    // SAFETY: the arrays are as long as the descriptors say.
    timed(calls, world, || unsafe { call.run(library, a.as_ptr().cast(), b.as_mut_ptr().cast()) })
}

fn timed(calls: usize, world: &impl Communicator, mut call: impl FnMut()) -> f64 {
    use mpi::traits::CommunicatorCollectives;
    world.barrier();
    let begun = Instant::now();
    (0..calls).for_each(|_| call());
    world.barrier();
    begun.elapsed().as_secs_f64() / calls as f64
}

fn local(order: usize, block: usize, grid: &Grid) -> ([c_int; 9], usize) {
    let [row, column] = grid.at.expect("all are in both grids");
    let count = |at: usize, ranks: usize| (0..order).filter(|i| i / block % ranks == at).count();
    let (rows, columns) = (count(row, grid.shape[0]), count(column, grid.shape[1]));
    let (lld, order, block) = (rows.max(1) as c_int, order as c_int, block as c_int);
    ([1, grid.context, order, order, block, block, 0, 0, lld], rows * columns)
}
