//! All ranks' copies, divided among threads.
//!
//! Unsafe, since it writes to arrays that other threads write to at the same time, to other elements.

use super::copy::copy_to_lent;
use super::tile;
use crate::element::Element;
use crate::plan::Plan;
use crate::program::{DirectProgram, Walk};
use crate::transport::Lent;

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
    /// The ranks copied to, with what is copied to each.
    programs: Vec<(usize, DirectProgram)>,
    /// Which part of the tiles this rank takes, of how many.
    part: (usize, usize),
    walk: Walk,
}

impl Share {
    /// The share of `rank`.
    pub fn new<T: Element, const D: usize>(plan: &Plan<D>, rank: usize) -> Self {
        Self::in_tiles(plan, rank, tile::<T>())
    }

    /// The share of `rank`, in tiles of about `tile` elements.
    pub(super) fn in_tiles<const D: usize>(plan: &Plan<D>, rank: usize, tile: usize) -> Self {
        let ranks = plan.ranks();
        let program = |to| (to, DirectProgram::new(plan, to, tile));
        let tiles = DirectProgram::tiles_of(plan, tile);
        let divided = rank < ranks && ranks <= RANKS && tiles >= TILES.saturating_mul(ranks);
        let (receivers, part) = if divided { (0..ranks, (rank, ranks)) } else { (rank..rank + 1, (0, 1)) };
        let programs: Vec<_> = receivers.map(program).filter(|(_, program)| program.tiles() > 0).collect();
        let walk = programs.first().map_or_else(Walk::default, |(_, program)| program.walk());
        Self { programs, part, walk }
    }

    /// Copies this rank's share. All ranks of the plan have to. Allocates nothing.
    ///
    /// # Panics
    /// If an array is shorter than the plan says.
    pub fn copy<T: Element>(&mut self, lent: &Lent<'_, '_, T>) {
        let Self { programs, part, walk } = self;
        let tiles = programs.first().map_or(0, |(_, program)| program.tiles());
        let start = |part: usize, of: usize| (tiles as u128 * part as u128 / of as u128) as usize;
        for tile in start(part.0, part.1)..start(part.0 + 1, part.1) {
            for (to, program) in &*programs {
                program.for_each_of_tile(walk, tile, &mut |from, lattice| {
                    // SAFETY: the arrays belong to ranks that agreed on this plan when the channel was opened, and which are
                    // all here, so that nobody writes to a source. All divide the array alike: this rank's tiles, or its
                    // own destination, are nobody else's, and every element of a destination is in one tile, and is copied
                    // once.
                    unsafe { copy_to_lent(lent.sources[from], lent.destinations[*to], lattice) };
                });
            }
        }
    }
}
