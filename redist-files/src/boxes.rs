//! Cuts an array into boxes that are copied one by one.

use redist_plan::layout::StorageOrder;
use redist_plan::plan::Section;
use redist_plan::plan::{Plan, Side};
use std::ops::Range;

/// Both sides, in the order of lists by side.
const SIDES: [Side; 2] = [Side::Source, Side::Destination];

/// Longer stretches of files gain nothing.
const LONG_BYTES: usize = 16 << 10;

/// Larger boxes gain nothing: these stay in a cache, and the system takes their writes in large parts.
const LARGE_BYTES: usize = 2 << 20;

/// Most cuts along a dimension.
const MAX_CUTS: usize = 1 << 24;

/// The cuts of the array along each dimension, in the source's axes, from 0 to the extent.
pub struct Boxes<const D: usize> {
    /// Indices at which each dimension is cut.
    cuts: [Vec<usize>; D],
    /// Slowest first: boxes follow the source's files.
    order: [usize; D],
}

impl<const D: usize> Boxes<D> {
    /// Cuts into boxes of at most `tile`. Long blocks, and blocks of a `gen_block`, share no box.
    pub fn new(plan: &Plan<D>, tile: [usize; D]) -> Result<Self, String> {
        let empty = plan.extents().contains(&0);
        for (extent, tile) in plan.extents().into_iter().zip(tile).filter(|_| !empty) {
            if extent / tile > MAX_CUTS {
                return Err(format!(
                    "the array is too long: it has more than {MAX_CUTS} boxes of {tile} elements \
                     along a dimension; give more --memory"
                ));
            }
        }
        let cut = |dimension: usize| {
            let axis = plan.axis(dimension);
            let sections = SIDES.map(|side| axis.side(side));
            let (extent, mut cuts) = (plan.extents()[dimension], vec![0]);
            let mut start = 0;
            while start < extent && !empty {
                start = next_cut(&sections, (start, extent), tile[dimension]);
                cuts.push(start);
            }
            cuts
        };
        Ok(Self { cuts: core::array::from_fn(cut), order: stored_order(plan, Side::Source) })
    }

    pub fn count(&self) -> usize {
        self.cuts.iter().map(|cuts| cuts.len() - 1).fold(1, usize::saturating_mul)
    }

    pub fn ranges(&self, mut number: usize) -> [Range<usize>; D] {
        let mut ranges = core::array::from_fn(|_| 0..0);
        for dimension in self.order.into_iter().rev() {
            let cuts = &self.cuts[dimension];
            let at = number % (cuts.len() - 1);
            ranges[dimension] = cuts[at]..cuts[at + 1];
            number /= cuts.len() - 1;
        }
        ranges
    }
}

fn next_cut(sections: &[Section; 2], (start, extent): (usize, usize), tile: usize) -> usize {
    let mut end = start.saturating_add(tile).min(extent);
    for section in sections.iter().filter(|section| !is_dealt(section, tile)) {
        if section.ranks() > 1 {
            end = end.min(section.block_end(start));
        }
    }
    if end == extent {
        return end;
    }
    // A box that begins with a block of the side with the larger blocks holds no more than it
    // needs of that side.
    let dealt = sections.iter().filter(|section| is_dealt(section, tile));
    if let Some(section) = dealt.max_by_key(|section| section.block()) {
        let aligned = end.saturating_sub((section.at() + end) % section.block());
        if aligned > start && end == start.saturating_add(tile) {
            return aligned;
        }
    }
    end
}

fn is_dealt(section: &Section, tile: usize) -> bool {
    section.ranks() > 1 && section.regular_block().is_some_and(|block| block < tile)
}

/// Orders dimensions, in the source's axes, as one side stores them: slowest first.
fn stored_order<const D: usize>(plan: &Plan<D>, side: Side) -> [usize; D] {
    let fortran = plan.descriptor(side).layout().storage == StorageOrder::Fortran;
    let axes: [usize; D] = core::array::from_fn(|dimension| plan.axis_on(side, dimension));
    core::array::from_fn(|step| {
        let axis = if fortran { D - 1 - step } else { step };
        axes.iter().position(|own| *own == axis).unwrap_or(axis)
    })
}

/// Chooses boxes that need at most `most` bytes on all source ranks and one destination rank, of
/// multiples of the extents `unit` or whole dimensions.
pub fn tile<const D: usize>(
    plan: &Plan<D>,
    (element_bytes, unit): (usize, [usize; D]),
    most: usize,
) -> Result<[usize; D], usize> {
    let extents = plan.extents().map(|extent| extent.max(1));
    let mut tile = core::array::from_fn(|d| unit[d].clamp(1, extents[d]));
    let fits = |tile: &[usize; D]| needed(plan, tile).saturating_mul(element_bytes) <= most;
    if !fits(&tile) {
        return Err(needed(plan, &tile).saturating_mul(element_bytes));
    }
    let runs = |tile: &[usize; D]| SIDES.map(|side| run(plan, side, tile) * element_bytes);
    // By a factor of two, then by less, until nothing fits.
    for (times, of) in [(2, 1), (3, 2), (5, 4), (9, 8)] {
        loop {
            let found = runs(&tile);
            let bytes = needed(plan, &tile).saturating_mul(element_bytes);
            if found.iter().all(|run| *run >= LONG_BYTES) && bytes >= LARGE_BYTES {
                return Ok(tile);
            }
            let shorter = if found[0] <= found[1] { SIDES } else { [SIDES[1], SIDES[0]] };
            let grown = shorter.iter().find_map(|side| {
                let order = stored_order(plan, *side).into_iter().rev();
                let dimension = order.into_iter().find(|&d| tile[d] < extents[d])?;
                let mut next = tile;
                let (unit, more) = (unit[dimension].max(1), tile[dimension].saturating_mul(times));
                next[dimension] = (more / of / unit * unit).min(extents[dimension]);
                (next != tile && fits(&next)).then_some(next)
            });
            match grown {
                Some(next) => tile = next,
                None => break,
            }
        }
    }
    Ok(tile)
}

/// Counts elements of boxes on all source ranks and on one destination rank, at most.
pub fn needed<const D: usize>(plan: &Plan<D>, tile: &[usize; D]) -> usize {
    let of = |side: Side, count: fn(usize, &Section) -> usize| {
        (0..D).fold(1usize, |needed, dimension| {
            let (tile, section) = (tile[dimension], plan.axis(dimension).side(side));
            let whole = tile.min(plan.extents()[dimension].max(1));
            let held = if is_dealt(&section, tile) { count(whole, &section) } else { whole };
            needed.saturating_mul(held)
        })
    };
    // A box that does not begin with a block has the place of the whole block.
    let all = of(Side::Source, |tile, section| tile.saturating_add(section.block() - 1));
    let one = of(Side::Destination, |tile, section| {
        let all = tile.saturating_add(section.block() - 1);
        let round = section.block().saturating_mul(section.ranks());
        all.min(all.div_ceil(round).saturating_mul(section.block()))
    });
    all.saturating_add(one)
}

fn run<const D: usize>(plan: &Plan<D>, side: Side, tile: &[usize; D]) -> usize {
    let mut run = 1usize;
    for dimension in stored_order(plan, side).into_iter().rev() {
        let (tile, section) = (tile[dimension], plan.axis(dimension).side(side));
        let ranks = if is_dealt(&section, tile) { section.ranks() } else { 1 };
        run = run.saturating_mul((tile / ranks).max(1));
        if tile < plan.extents()[dimension] {
            break;
        }
    }
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLANS: [([usize; 2], &str, &str); 7] = [
        ([50, 70], "(block, *) onto 4", "(cyclic(8), cyclic(8)) onto (2, 3)"),
        ([50, 70], "(cyclic(3), cyclic) onto (2, 2)", "(*, block) onto 6 storage fortran"),
        ([50, 70], "(gen_block([0, 40, 10]), *) onto 3", "(cyclic(7), *) onto 2 transposed"),
        ([50, 70], "(cyclic(16), block) onto (2, 2) of [90, 90] at [13, 20]", "(*, *)"),
        ([50, 70], "(cyclic(9), *) onto 3 of [90, 70] at [7, 0]", "(gen_block([3, 47]), *) onto 2"),
        ([1, 1], "(*, *)", "(*, *)"),
        ([5, 0], "(block, *) onto 2", "(*, *)"),
    ];

    #[test]
    fn boxes_cover_the_array_and_keep_to_the_shape() {
        for (extents, from, to) in PLANS {
            let plan = Plan::parse(extents, from, to).expect("a plan");
            for most in [16, 100, 1000, 5000, 1 << 20] {
                let tile = tile(&plan, (8, [1; 2]), most).expect("room for an element");
                assert!(needed(&plan, &tile) * 8 <= most);
                let boxes = Boxes::new(&plan, tile).expect("few boxes");
                let mut elements = 0;
                for number in 0..boxes.count() {
                    let ranges = boxes.ranges(number);
                    assert!((0..2).all(|d| ranges[d].len() <= tile[d] && !ranges[d].is_empty()));
                    elements += ranges.iter().map(Range::len).product::<usize>();
                }
                assert_eq!(elements, extents[0] * extents[1], "{from} {to} {most}");
            }
        }
        assert_eq!(tile(&Plan::parse([9], "*", "*").expect("a plan"), (8, [1]), 15), Err(16));
    }

    #[test]
    fn boxes_have_multiples_of_chunks() {
        let plan = Plan::parse([50, 70], "(cyclic(8), cyclic(16)) onto (7, 5)", "(*, *)");
        let plan = plan.expect("a plan");
        for most in [5000, 10_000, 20_000, 1 << 20] {
            let tile = tile(&plan, (8, [8, 16]), most).expect("room for a chunk");
            assert!((tile[0] % 8 == 0 || tile[0] == 50) && (tile[1] % 16 == 0 || tile[1] == 70));
            let boxes = Boxes::new(&plan, tile).expect("few boxes");
            let starts = (0..boxes.count()).map(|number| boxes.ranges(number));
            assert!(
                starts.into_iter().all(|box_| box_[0].start % 8 == 0 && box_[1].start % 16 == 0)
            );
        }
        assert!(tile(&plan, (8, [8, 16]), 1500).is_err());
    }

    /// Chunks that end beyond the array: a box to its end has all of the last ones.
    #[test]
    fn whole_dimensions_are_not_cut() {
        let tiles = "(cyclic(16), cyclic(16)) onto (4, 5)";
        let plan = Plan::parse([50, 70], tiles, "(cyclic(8), *) onto 7").expect("a plan");
        let boxes = Boxes::new(&plan, [16, 70]).expect("few boxes");
        let ranges: Vec<_> = (0..boxes.count()).map(|number| boxes.ranges(number)).collect();
        assert_eq!(ranges, [0..16, 16..32, 32..48, 48..50].map(|rows| [rows, 0..70]));
    }

    #[test]
    fn stretches_are_long_on_both_sides() {
        let plan = |to: &str| Plan::parse([8192, 8192], "(block, *) onto 4", to).expect("a plan");
        // Whole rows, at most as many as a cache holds.
        let [rows, columns] =
            tile(&plan("(cyclic(64), cyclic(64)) onto (2, 3)"), (8, [1; 2]), 64 << 20)
                .expect("room");
        assert!(columns == 8192 && (8..=64).contains(&rows), "{rows} {columns}");
        // Squares, where columns are stored.
        let [rows, columns] =
            tile(&plan("(*, block) onto 4 storage fortran"), (8, [1; 2]), 4 << 20).expect("room");
        assert!(rows >= 256 && columns >= 256, "{rows} {columns}");
    }
}
