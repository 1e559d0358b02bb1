//! The part of an array on a page: arrays reach 2^63 - 1 elements, pages do not.

use crate::error::DrawError;
use crate::pair::Pair;
use crate::region::{DrawnRegion, Span, blocks};
use crate::sides::{self, SIDES};
use crate::view::View;
use redist_plan::plan::{Plan, Side};
use std::collections::BTreeSet;

/// The most blocks of a side along one of two dimensions, or a row of a line.
const MAX_BLOCKS: usize = 32;

/// Most rows that a line is divided into.
const MAX_ROWS: usize = 16;

/// Most blocks of a dimension that is shown in part.
const MAX_CUT_BLOCKS: usize = 8;

/// Most pairs of ranks that the shown part may have.
const MAX_PAIRS: usize = 1 << 14;

/// Scripts know whole numbers below 2^53.
const MAX_INDEX: usize = 1 << 48;

/// The part of an array that a page shows.
pub struct ShownPart<const D: usize> {
    /// Dimensions that go down and to the right, in the source's axes.
    pub axes: [usize; 2],
    pub regions: [DrawnRegion; D],
    /// Index of the slice in each dimension.
    pub index: [usize; D],
    /// Elements of a row, if a line is divided into rows.
    pub row: Option<usize>,
}

impl<const D: usize> ShownPart<D> {
    pub fn new(
        plan: &Plan<D>,
        view: &View<D>,
        slices: &[(usize, usize)],
    ) -> Result<Self, DrawError> {
        if let Some((dimension, at)) = slices.iter().find(|(_, at)| *at > MAX_INDEX) {
            let reason = format!("{dimension}={at}: a page shows indices up to {MAX_INDEX}");
            return Err(DrawError::of("slice", reason));
        }
        let moves = view.cut().next();
        let mut most = MAX_CUT_BLOCKS;
        loop {
            let regions = regions(plan, view.axes, (moves, most), slices);
            let part = Self::of(plan, view, regions);
            if most == 1 || part.pairs(plan) <= MAX_PAIRS {
                return Ok(part);
            }
            most /= 2;
        }
    }

    fn of(plan: &Plan<D>, view: &View<D>, regions: [DrawnRegion; D]) -> Self {
        let index = std::array::from_fn(|dimension| {
            let range = &regions[dimension].range;
            let asked = view.index[dimension];
            if range.contains(&asked) && !view.axes.contains(&dimension) {
                asked
            } else {
                range.start
            }
        });
        let row = (D == 1).then(|| bounded(plan, 0, 0, MAX_BLOCKS).range.len());
        Self { axes: view.axes, regions, index, row }
    }

    pub fn meetings(&self, plan: &Plan<D>, dimension: usize) -> BTreeSet<[usize; 2]> {
        self.pieces(plan, dimension).into_iter().map(|[_, _, from, to]| [from, to]).collect()
    }

    pub fn shows(&self, plan: &Plan<D>, pair: &Pair<D>) -> bool {
        (0..D).all(|dimension| {
            let (from, to) = pair.along(dimension);
            self.meetings(plan, dimension).contains(&[from, to])
        })
    }

    pub fn owners(&self, plan: &Plan<D>) -> [usize; 2] {
        SIDES.map(|side| {
            let owner = |at| sides::section(plan, side, at).owner(self.index[at]);
            sides::rank_at(plan, side, std::array::from_fn(owner))
        })
    }

    fn pairs(&self, plan: &Plan<D>) -> usize {
        let along = |dimension| self.meetings(plan, dimension).len();
        (0..D).map(along).fold(1, usize::saturating_mul)
    }

    pub fn blocks(&self, plan: &Plan<D>, side: Side, dimension: usize) -> Vec<[usize; 4]> {
        let section = sides::section(plan, side, dimension);
        let spans = blocks(&section, self.regions[dimension].range.clone()).into_iter();
        let block = |span: Span| {
            let start = span.range.start;
            [start, span.range.end, span.coordinate, section.local(start)]
        };
        spans.map(block).collect()
    }

    pub fn pieces(&self, plan: &Plan<D>, dimension: usize) -> Vec<[usize; 4]> {
        let pieces = plan.axis(dimension).owned_pieces(self.regions[dimension].range.clone());
        pieces.map(|(piece, [from, to])| [piece.start, piece.end, from, to]).collect()
    }

    /// Names the shown part of each dimension, unless it is all.
    pub fn note(&self) -> Option<String> {
        let cut = self.regions.iter().enumerate().filter(|(_, region)| region.is_cut());
        let notes: Vec<String> = match D {
            1 => cut.map(|(_, region)| region.note()).collect(),
            _ => cut.map(|(at, region)| format!("dimension {at}: {}", region.note())).collect(),
        };
        (!notes.is_empty()).then(|| format!("The page shows a part: {}.", notes.join("; ")))
    }
}

/// Bounds each dimension; `moves` is the slider's, with its most blocks.
fn regions<const D: usize>(
    plan: &Plan<D>,
    axes: [usize; 2],
    moves: (Option<usize>, usize),
    slices: &[(usize, usize)],
) -> [DrawnRegion; D] {
    std::array::from_fn(|dimension| {
        let slice = slices.iter().find(|(of, _)| *of == dimension).map(|(_, at)| *at);
        let (drawn, at) = (axes.contains(&dimension), slice.unwrap_or(0));
        match (drawn, moves == (Some(dimension), moves.1)) {
            (true, _) if D == 1 => bounded(plan, dimension, 0, MAX_BLOCKS * MAX_ROWS),
            (true, _) => bounded(plan, dimension, 0, MAX_BLOCKS),
            (false, true) => bounded(plan, dimension, at, moves.1),
            (false, false) => DrawnRegion { range: at..at + 1, of: plan.axis(dimension).len() },
        }
    })
}

fn bounded<const D: usize>(
    plan: &Plan<D>,
    dimension: usize,
    start: usize,
    most: usize,
) -> DrawnRegion {
    let mut region = DrawnRegion::of_axis(&plan.axis(dimension), start, most);
    region.range.end = region.range.end.min(start + MAX_INDEX);
    region
}
