//! Copies of one rank between whole local arrays. Unsafe, because several ranks write to one
//! destination at a time, to different elements.

use super::copy::{cells, copy_to_lent};
use super::pairs::{Between, Pairs, stores_in_words, ways_to_store};
use super::rows::{CopyOptions, RowCopies, TILE_BYTES, copy_rows};
use crate::cache::Stores;
use crate::exec::calls::CopiedBytes;
use crate::exec::kernels::Vectors;
use crate::exec::ways::Learnt;
use crate::layout::vocabulary::counted;
use crate::learnt::LearntSegments;
use crate::plan::Plan;
use crate::program::{DirectProgram, Grain, RowProgram};
use crate::transport::Lent;
use core::cell::UnsafeCell;
use core::ops::Range;

/// Tiles per rank from which ranks divide the array; with fewer, their shares differ too much.
const MIN_TILES_PER_RANK: usize = 8;

/// Least bytes of a finer tile for each rank, whose lines are mostly its own then.
const MIN_DEALT_BYTES: usize = 1 << 10;

/// Most ranks of a plan whose ranks divide the copies, because each keeps the runs of all.
const MAX_PROGRAMS: usize = 64;

/// Copies of one rank: to its own destination, or its share of the tiles of the whole array. With
/// shares, one thread reads a source cache line for several destinations. In a small array, or with
/// many ranks, a rank's share is its own destination.
#[derive(Clone, Debug)]
pub(in crate::exec) struct DirectCopies {
    programs: CopyPrograms,
    /// Numbers of the tiles that this rank copies.
    tiles: Range<usize>,
    /// `true` if the tiles span all ranks' destinations.
    divided: bool,
    /// Made by [`divided`](Self::divided): no other rank copies these tiles.
    is_share: bool,
}

/// The runs that copies follow.
#[derive(Clone, Debug)]
enum CopyPrograms {
    /// Rows of all senders together, in array order.
    Rows(Box<RowCopies>),
    /// Each receiver's rank with the runs of its senders, pair of ranks by pair of ranks, and the ways
    /// to store them.
    Messages(Vec<(usize, Pairs)>, Learnt<Stores>),
}

impl DirectCopies {
    /// Prepares the messages to `rank`; none outside the destination's grid.
    pub fn to_own((plan, arrays): Between<'_>, rank: usize, options: CopyOptions) -> Self {
        let rows = || RowProgram::new(plan, Some(rank), options.grain);
        let rows = arrays.is_none().then(rows).flatten();
        Self::new((plan, arrays), rows, (rank, rank + 1), (0, 1), options)
    }

    pub fn divided(between: Between<'_>, rank: usize, options: CopyOptions) -> Self {
        let ranks = between.0.ranks();
        let is_known = rank < ranks && ranks <= MAX_PROGRAMS;
        let rows = is_known.then(|| rows_of_all(between, options)).flatten();
        let copies = match rows {
            Some(rows) => Self::new(between, rows, (0, ranks), (rank, ranks), options),
            None => Self::to_own(between, rank, options),
        };
        Self { is_share: true, ..copies }
    }

    /// Prepares part `part` of `of` of the copies to the ranks `receivers.0..receivers.1`.
    fn new(
        (plan, arrays): Between<'_>,
        rows: Option<RowProgram>,
        receivers: (usize, usize),
        (part, of): (usize, usize),
        options: CopyOptions,
    ) -> Self {
        let (programs, tiles) = match rows {
            Some(rows) => {
                let rows = RowCopies::new(rows, options);
                let tiles = rows.program.tiles();
                (CopyPrograms::Rows(Box::new(rows)), tiles)
            }
            None => {
                let pairs = |to| (to, Pairs::new((plan, arrays), to, options));
                let all = (receivers.0..receivers.1).map(pairs);
                let all: Vec<_> = all.filter(|(_, pairs)| pairs.program.tiles() > 0).collect();
                let tiles = all.first().map_or(0, |(_, pairs)| pairs.program.tiles());
                (CopyPrograms::Messages(all, ways_to_store(&options)), tiles)
            }
        };
        let start = |part: usize| (tiles as u128 * part as u128 / of as u128) as usize;
        Self { programs, tiles: start(part)..start(part + 1), divided: of > 1, is_share: false }
    }

    /// Copies this rank's messages from `sources`, by rank. Returns the bytes copied by kind of
    /// code. Allocates nothing. Elements of `destination` outside the moved section keep their
    /// values. Panics if an array is shorter than the plan needs.
    pub fn copy(&mut self, sources: &[&[u8]], destination: &mut [u8]) -> CopiedBytes {
        let destination = cells(destination);
        // SAFETY: this call borrows `destination` exclusively and borrows `sources`. So nothing
        // else uses `destination`, they do not overlap, and nothing writes to a source.
        unsafe { self.copy_tiles(sources, |_| destination) }
    }

    pub fn in_words(&self) -> String {
        let how = match &self.programs {
            CopyPrograms::Rows(rows) => &rows
                .in_words("the runs of all pairs of ranks together, in the order of the arrays"),
            CopyPrograms::Messages(_, ways) => {
                &format!("one pair of ranks after the other{}", stores_in_words(ways))
            }
        };
        if !self.divided {
            return format!("copied by this rank, from every source array: {how}, tile by tile");
        }
        let tiles = counted(self.tiles.len(), "tile");
        format!("copied by all ranks, which divide the array: {tiles} here, {how}")
    }

    /// Copies this rank's share; all ranks of the plan must do so. Returns as [`copy`](Self::copy).
    /// Allocates nothing. Panics if this is no share, or an array is shorter than the plan needs.
    pub fn copy_lent(&mut self, lent: &Lent<'_>) -> CopiedBytes {
        assert!(self.is_share, "arrays are lent to ranks that divide the copies");
        // SAFETY: only `LentArrays::lent` makes a `Lent` with arrays. Their owners, as its caller
        // says, keep the sources borrowed and the destinations borrowed exclusively. They use
        // neither until all ranks have reported that they are done, which this rank does by
        // dropping `lent`. So nothing writes to a source, and destinations overlap no source. The
        // ranks agreed on the plan when they opened the channel (preflight, or the threads'
        // proposal). All of them decided `divided` alike, as `is_share` shows: from the plan, and
        // from the arrays that all know (`Channel::arrays`). So this rank's tiles, or its own
        // destination, are no other rank's. Each element of a destination is in one tile, at a
        // place of its own (`Padding::places`).
        unsafe { self.copy_tiles(lent.sources, |rank| lent.destinations[rank]) }
    }

    /// # Safety
    /// While this runs, nothing else reads or writes the elements of this rank's tiles in the
    /// destinations, nothing writes to a source, and destinations do not overlap sources.
    unsafe fn copy_tiles<'a>(
        &mut self,
        sources: &[&[u8]],
        destination_of: impl Fn(usize) -> &'a [UnsafeCell<u8>] + Copy,
    ) -> CopiedBytes {
        let mut copied = CopiedBytes::default();
        match &mut self.programs {
            CopyPrograms::Rows(rows) => {
                let RowCopies { program, walk, options, ways } = &mut **rows;
                in_segments(self.tiles.clone(), ways, |tile, exchange| {
                    program.for_each_of_tile(walk, tile, &mut |rows| {
                        // SAFETY: the rows are in one of this rank's tiles. The caller keeps all
                        // others from the tile's elements in the destinations and from writing to
                        // the sources; they do not overlap.
                        unsafe {
                            let source_of = |rank: usize| sources[rank];
                            let options = (*options, exchange.as_ref());
                            copy_rows(source_of, destination_of, rows, options, &mut copied);
                        };
                    });
                });
            }
            CopyPrograms::Messages(all, ways) => {
                in_segments(self.tiles.clone(), ways, |tile, stores| {
                    for (to, Pairs { program, walk, width }) in &mut *all {
                        program.for_each_of_tile(walk, tile, &mut |from, strided| {
                            let to = destination_of(*to);
                            // SAFETY: the runs are in one of this rank's tiles. The caller keeps
                            // all others from the tile's elements in the destinations and from
                            // writing to the sources; they do not overlap.
                            unsafe { copy_to_lent(sources[from], to, strided, (*width, *stores)) };
                            copied.own += strided.elements() * *width;
                        });
                    }
                });
            }
        }
        copied
    }
}

/// Copies tiles by the fastest way so far, in segments.
fn in_segments<W>(mut tiles: Range<usize>, ways: &Learnt<W>, mut copy: impl FnMut(usize, &W)) {
    let (mut segments, mut taken) = (LearntSegments::of(tiles.len(), TILE_BYTES), ways.take());
    while !tiles.is_empty() {
        let (rounds, way) = (segments.alike(tiles.len()), ways.way(taken));
        let mut copy = || tiles.by_ref().take(rounds).for_each(|tile| copy(tile, way));
        if segments.is_timed() {
            taken.copy(copy)
        } else {
            copy()
        }
        if segments.note_rounds(rounds) {
            ways.note(taken);
            taken = ways.take();
        }
    }
    if segments.is_whole() {
        ways.note(taken);
    }
}

/// Returns the rows of all ranks together, if there are any; `None` if tiles are too few to divide.
/// Rounds dealt to all ranks go through a network, and so are divided into finer tiles, too.
fn rows_of_all((plan, arrays): Between<'_>, options: CopyOptions) -> Option<Option<RowProgram>> {
    let CopyOptions { width, grain, .. } = options;
    // Rows of all ranks together need dense arrays.
    let rows = |tile| {
        let made = || RowProgram::new(plan, None, Grain { tile, ..grain });
        arrays.is_none().then(made).flatten()
    };
    let tiles_of = |rows: &Option<RowProgram>| {
        let tiles = rows.as_ref().map(RowProgram::tiles);
        tiles.unwrap_or_else(|| DirectProgram::tiles_of(plan, grain.tile))
    };
    let (all, wanted) = (rows(grain.tile), MIN_TILES_PER_RANK.saturating_mul(plan.ranks()));
    let tiles = tiles_of(&all);
    if tiles >= wanted {
        return Some(all);
    }
    let tile = grain.tile / wanted * tiles;
    let is_dealt =
        all?.along().1.are_dealt() && tile.saturating_mul(width) >= MIN_DEALT_BYTES * plan.ranks();
    is_dealt.then(|| rows(tile)).filter(|rows| tiles_of(rows) > wanted / 2)
}

/// Copies from all local arrays to one rank's, ready to run as often as wanted.
#[derive(Clone, Debug)]
pub struct RankCopies(DirectCopies);

impl RankCopies {
    /// Prepares the copies to `rank` of the communicator; none outside the destination's grid.
    /// Elements have `element_bytes` bytes, at least 1.
    pub fn new<const D: usize>(plan: &Plan<D>, rank: usize, element_bytes: usize) -> Self {
        let vectors = Vectors::detected();
        let options = CopyOptions::new(element_bytes.max(1), vectors, None);
        Self(DirectCopies::to_own((&plan.into(), None), rank, options))
    }

    /// Copies from `sources`, the local arrays of the communicator's ranks. Elements of
    /// `destination` outside the moved section keep their values. Panics if an array is too short,
    /// or a needed one is missing.
    pub fn copy(&mut self, sources: &[&[u8]], destination: &mut [u8]) {
        self.0.copy(sources, destination);
    }
}
