//! Compares the routines with ScaLAPACK's own.

use crate::case::{Case, Side};
use crate::draw::Draw;
use crate::grid::Grid;
use crate::random::Random;
use crate::routines::{Call, scalapack, shim};
use crate::testers;
use redist::layout::RankOrder;
use redist::mpi::Communicator;
use redist_mpi_tests::Outcome;
use std::ffi::c_int;

const TYPES: [(char, usize); 5] = [('s', 4), ('d', 8), ('c', 8), ('z', 16), ('i', 4)];

const SEED: u64 = 0xB1AC_5000;

/// Plays the testers' cases, there and back, whole and as trapezoids: in each type, or some in two.
pub fn testers(world: &Communicator) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let context = Grid::row(rank, size);
    let mut draw = Draw::new(size as u64);
    let mut random = Random(draw.seed(SEED));
    let cases = draw.some(10, testers::cases());
    for case in cases.iter().flat_map(|case| [case.clone(), case.reversed()]) {
        let grids = case.sides.each_ref().map(|side| {
            let [p, q] = side.grid;
            Grid::new(rank, side.grid, &(0..p * q).collect::<Vec<_>>())
        });
        compare(&case, &draw.some(2, TYPES), &grids, &context, rank, &mut random)?;
    }
    Ok(())
}

/// Random grids, in contexts of any shape and order.
pub fn random(world: &Communicator) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let mut draw = Draw::new(100 + size as u64);
    let mut random = Random(draw.seed(SEED + size as u64));
    for _ in 0..draw.count(15, 40) {
        let case = case(&mut random, size);
        let grids = case.sides.each_ref().map(|side| {
            let mut ranks = shuffled(&mut random, size);
            ranks.truncate(side.grid[0] * side.grid[1]);
            Grid::new(rank, side.grid, &ranks)
        });
        let rows = (1..=size).filter(|rows| size.is_multiple_of(*rows)).collect::<Vec<_>>();
        let rows = rows[random.between(0, rows.len() - 1)];
        let context = Grid::new(rank, [rows, size / rows], &shuffled(&mut random, size));
        compare(&case, &draw.some(2, TYPES), &grids, &context, rank, &mut random)?;
    }
    Ok(())
}

fn shuffled(random: &mut Random, size: usize) -> Vec<usize> {
    let mut ranks: Vec<usize> = (0..size).collect();
    for last in (1..size).rev() {
        ranks.swap(last, random.between(0, last));
    }
    ranks
}

fn case(random: &mut Random, size: usize) -> Case {
    let moved = [random.between(1, 60), random.between(1, 60)];
    let mut side = || {
        let p = random.between(1, size);
        let grid = [p, random.between(1, size / p)];
        let at = moved.map(|_| random.between(0, 3) * random.between(0, 10));
        Side {
            extents: [0, 1]
                .map(|d| at[d] + moved[d] + random.between(0, 1) * random.between(0, 30)),
            blocks: moved.map(|_| random.between(1, 70).min(random.between(1, 70))),
            grid,
            order: RankOrder::Row,
            source: grid.map(|ranks| random.between(0, ranks - 1)),
            at,
            padding: random.between(0, 1) * random.between(1, 9),
        }
    };
    Case { moved, sides: [side(), side()], literal: None }
}

/// Compares each type by a routine of either language, whole and part, with ICTXT or without.
fn compare(
    case: &Case,
    types: &[(char, usize)],
    grids: &[Grid; 2],
    context: &Grid,
    rank: usize,
    random: &mut Random,
) -> Outcome {
    for &(letter, width) in types {
        let parts = [b"UN", b"un", b"UU", b"Lu", b"lN", b"LL"];
        let part = *parts[random.between(0, parts.len() - 1)];
        for part in [None, Some(part)] {
            let (from_c, is_old) = (random.between(0, 1) == 0, random.between(0, 3) == 0);
            let locals = [0, 1].map(|side| Local::new(&case.sides[side], &grids[side], rank));
            let call = Call {
                letter,
                from_c,
                is_old,
                part,
                extents: case.moved.map(|extent| extent as c_int),
                first: case.sides.each_ref().map(|side| side.at.map(|at| at as c_int + 1)),
                desc: locals.each_ref().map(|local| local.desc),
                context: context.context,
            };
            let len = |side: usize| locals[side].len * width;
            // Different on all processes.
            let mut bytes = Random(random.0 ^ ((rank as u64) << 48));
            let mut fill = |len: usize| -> Vec<u8> {
                let mut filled = vec![0; len];
                for word in filled.chunks_mut(8) {
                    word.copy_from_slice(&bytes.bits().to_ne_bytes()[..word.len()]);
                }
                filled
            };
            let (a, before) = (fill(len(0)), fill(len(1)));
            let (mut ours, mut theirs) = (before.clone(), before);
            let untouched = a.clone();
            // SAFETY: the arrays have LLD rows for each local column.
            unsafe {
                call.run(scalapack(), a.as_ptr(), theirs.as_mut_ptr());
                call.run(shim(), a.as_ptr(), ours.as_mut_ptr());
                // Again, by the kept plan, of the same elements.
                call.run(shim(), a.as_ptr(), ours.as_mut_ptr());
            }
            let what = format!("{}, {part:?}, {case}", call.name());
            if ours != theirs || a != untouched {
                let at = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
                return Err(format!("{what}: byte {at:?} on rank {rank}").into());
            }
        }
    }
    Ok(())
}

pub struct Local {
    pub desc: [c_int; 9],
    pub len: usize,
}

impl Local {
    /// Outside of the grid, numbers that no descriptor has.
    pub fn new(side: &Side, grid: &Grid, rank: usize) -> Self {
        let Some(at) = grid.at else {
            return Self { desc: [7, -1, -3, -4, 0, -5, 99, 98, -6], len: 0 };
        };
        let local = |d: usize| {
            let (block, ranks) = (side.blocks[d], grid.shape[d]);
            let owner = |index: usize| (index / block + side.source[d]) % ranks;
            (0..side.extents[d]).filter(|&index| owner(index) == at[d]).count()
        };
        let (rows, columns) = (local(0), local(1));
        let lld = rows.max(1) + side.padding * (1 + rank % 2);
        let ([m, n], [mb, nb], [rsrc, csrc]) = (side.extents, side.blocks, side.source);
        // DTYPE is not read.
        let [m, n, mb, nb, rsrc, csrc, lld] =
            [m, n, mb, nb, rsrc, csrc, lld].map(|number| number as c_int);
        let desc = [-77, grid.context, m, n, mb, nb, rsrc, csrc, lld];
        Self { desc, len: lld as usize * columns }
    }
}
