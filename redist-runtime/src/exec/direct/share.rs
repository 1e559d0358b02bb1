//! All ranks' copies, divided among threads.
//!
//! Unsafe, since it writes to arrays that other threads write to at the same time, to other elements.

use super::copy::copy_to_lent;
use super::grain;
use super::rows::{With, copy_row};
use crate::exec::kernels::Vectors;
use crate::plan::AnyPlan;
use crate::program::{DirectProgram, Grain, RowProgram, RowWalk, Walk};
use crate::transport::Lent;
use core::ops::Range;

/// Tiles a rank, from which on the array is divided: with fewer, some ranks would do much more than others.
const TILES: usize = 8;

/// Ranks up to which each of them keeps the programs of all.
const RANKS: usize = 64;

/// One rank's share of the copies to all ranks: some tiles of the array, whoever holds them.
///
/// A cache line of a source whose elements are wanted by several ranks is so read by one thread, once. Where the array is
/// small, or there are many ranks, every rank copies what goes to itself.
#[derive(Clone, Debug)]
pub(in crate::exec) struct Share {
    ways: Ways,
    /// Which part of the tiles this rank takes, of how many.
    part: (usize, usize),
    with: With,
}

#[derive(Clone, Debug)]
enum Ways {
    /// Rows of all ranks.
    Rows(Box<RowProgram>, RowWalk),
    /// The ranks copied to, with what is copied to each.
    Messages(Vec<(usize, DirectProgram)>, Walk),
}

impl Share {
    /// The share of `rank`.
    pub fn new(plan: &AnyPlan, rank: usize, width: usize) -> Self {
        Self::in_tiles(plan, rank, grain(width), With { width, vectors: Vectors::allowed() })
    }

    /// The share of `rank`, in tiles of this size.
    pub(super) fn in_tiles(plan: &AnyPlan, rank: usize, grain: Grain, with: With) -> Self {
        let ranks = plan.ranks();
        let may_divide = rank < ranks && ranks <= RANKS;
        let rows = if may_divide { RowProgram::new(plan, None, grain) } else { None };
        let tiles = rows.as_ref().map_or_else(|| DirectProgram::tiles_of(plan, grain.tile), RowProgram::tiles);
        let divided = may_divide && tiles >= TILES.saturating_mul(ranks);
        let rows = if divided { rows } else { RowProgram::new(plan, Some(rank), grain) };
        let (receivers, part) = if divided { (0..ranks, (rank, ranks)) } else { (rank..rank + 1, (0, 1)) };
        let ways = match rows {
            Some(rows) => Ways::rows(rows),
            None => Ways::messages(plan, receivers, grain.tile),
        };
        Self { ways, part, with }
    }

    /// Copies this rank's share. All ranks of the plan have to. Allocates nothing.
    ///
    /// # Panics
    /// If an array is shorter than the plan says.
    pub fn copy(&mut self, lent: &Lent<'_, '_>) {
        let tiles = self.ways.tiles();
        let start = |part: usize, of: usize| (tiles as u128 * part as u128 / of as u128) as usize;
        for tile in start(self.part.0, self.part.1)..start(self.part.0 + 1, self.part.1) {
            // SAFETY: the arrays belong to ranks that agreed on this plan when the channel was opened, and which are all
            // here, so that nobody writes to a source. All divide the array alike: this rank's tiles, or its own
            // destination, are nobody else's, and every element of a destination is in one tile, and is copied once.
            unsafe { self.ways.copy_tile(tile, lent, self.with) };
        }
    }
}

impl Ways {
    fn rows(program: RowProgram) -> Self {
        let walk = program.walk();
        Self::Rows(Box::new(program), walk)
    }

    fn messages(plan: &AnyPlan, receivers: Range<usize>, tile: usize) -> Self {
        let program = |to| (to, DirectProgram::new(plan, to, tile));
        let programs: Vec<_> = receivers.map(program).filter(|(_, program)| program.tiles() > 0).collect();
        let walk = programs.first().map_or_else(Walk::default, |(_, program)| program.walk());
        Self::Messages(programs, walk)
    }

    fn tiles(&self) -> usize {
        match self {
            Self::Rows(program, _) => program.tiles(),
            Self::Messages(programs, _) => programs.first().map_or(0, |(_, program)| program.tiles()),
        }
    }

    /// # Safety
    /// While this runs, no other thread uses what is moved to in this tile, and none writes to a source.
    unsafe fn copy_tile(&mut self, tile: usize, lent: &Lent<'_, '_>, with: With) {
        match self {
            Self::Rows(program, walk) => program.for_each_of_tile(walk, tile, &mut |row| {
                // SAFETY: as the caller says.
                unsafe { copy_row(lent.sources, |rank| lent.destinations[rank], row, with) };
            }),
            Self::Messages(programs, walk) => {
                for (to, program) in &*programs {
                    program.for_each_of_tile(walk, tile, &mut |from, lattice| {
                        // SAFETY: as the caller says.
                        unsafe { copy_to_lent(lent.sources[from], lent.destinations[*to], lattice, with.width) };
                    });
                }
            }
        }
    }
}
