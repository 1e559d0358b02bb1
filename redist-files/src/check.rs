//! Compares every element of both sides' files. Deals the blocks out again to find owners, without
//! the planner and the copying code.

use super::dealt::Dealt;
use super::files::FileSet;
use super::region::{Region, RegionAxis, sized};
use super::side::StoredSide;
use redist_plan::plan::{Plan, Side};
use std::ops::Range;
use std::path::PathBuf;

/// Files of both sides that are compared.
pub struct Comparison<'a, const D: usize> {
    sides: [ComparedSide<'a, D>; 2],
    /// Extents of the moved part, in the source's axes.
    extents: [usize; D],
    /// Longest box along each dimension, in indices.
    tile: [usize; D],
    /// Bytes of an element.
    element_bytes: usize,
}

/// One side of a comparison.
struct ComparedSide<'a, const D: usize> {
    stored: &'a StoredSide<D>,
    files: FileSet<'a>,
    dealt: Dealt<D>,
}

/// Parts of a box that ranks of one side hold, in memory.
#[derive(Default)]
pub struct Held {
    /// Bytes of all parts, one after the other.
    bytes: Vec<u8>,
    /// By number of the rank among those of the box: its first byte, and the distances of neighbours by
    /// axis.
    arrays: Vec<(usize, Vec<usize>)>,
}

/// For each index of a box along a dimension: the part of the owner's number among the ranks of the
/// box, and its index there.
type Owners = Vec<(usize, usize)>;

/// By axis: the coordinates that hold some of a box, increasing.
type Holders<const D: usize> = [Vec<usize>; D];

impl<'a, const D: usize> Comparison<'a, D> {
    pub fn new(
        plan: &Plan<D>,
        sides: [&'a StoredSide<D>; 2],
        files: [FileSet<'a>; 2],
        (tile, element_bytes): ([usize; D], usize),
    ) -> Self {
        let sides = [Side::Source, Side::Destination].map(|side| {
            let (stored, files) = (sides[side as usize], files[side as usize]);
            ComparedSide { stored, files, dealt: Dealt::of(plan, side) }
        });
        Self { sides, extents: plan.extents(), tile, element_bytes }
    }

    pub fn count(&self) -> usize {
        (0..D).map(|dimension| self.extents[dimension].div_ceil(self.tile[dimension])).product()
    }

    fn ranges(&self, mut number: usize) -> [Range<usize>; D] {
        let mut ranges = core::array::from_fn(|_| 0..0);
        for dimension in (0..D).rev() {
            let (extent, tile) = (self.extents[dimension], self.tile[dimension]);
            let start = number % extent.div_ceil(tile) * tile;
            ranges[dimension] = start..extent.min(start.saturating_add(tile));
            number /= extent.div_ceil(tile);
        }
        ranges
    }

    pub fn compare(&self, held: &mut [Held; 2], number: usize) -> Result<u64, String> {
        let ranges = self.ranges(number);
        let holders = [0, 1].map(|side| self.sides[side].holders(&ranges));
        for side in [0, 1] {
            self.sides[side].read(
                (&ranges, &holders[side]),
                &mut held[side],
                self.element_bytes,
            )?;
        }
        let owners = [0, 1].map(|side| self.sides[side].owners(&ranges, &holders[side]));
        let runs = runs([&owners[0][D - 1], &owners[1][D - 1]]);
        let mut index: [usize; D] = core::array::from_fn(|dimension| ranges[dimension].start);
        let mut compared = 0u64;
        loop {
            self.compare_row((held, &runs), (&owners, &holders, &ranges), &mut index)?;
            compared += (ranges[D - 1].len() * self.element_bytes) as u64;
            // The next row: a number with a digit for each slower dimension.
            let Some(dimension) = (0..D - 1).rev().find(|&d| index[d] + 1 < ranges[d].end) else {
                return Ok(compared);
            };
            index[dimension] += 1;
            for faster in dimension + 1..D {
                index[faster] = ranges[faster].start;
            }
        }
    }

    /// Compares the elements of a row, run by run.
    fn compare_row(
        &self,
        (held, runs): (&[Held; 2], &[Range<usize>]),
        (owners, holders, ranges): (&[[Owners; D]; 2], &[Holders<D>; 2], &[Range<usize>; D]),
        index: &mut [usize; D],
    ) -> Result<(), String> {
        let width = self.element_bytes;
        for run in runs {
            index[D - 1] = ranges[D - 1].start + run.start;
            // By side: the part, and the run's first byte and the distance of its elements there.
            let places = [0, 1].map(|side| {
                let place = |d: usize| owners[side][d][index[d] - ranges[d].start];
                let number: usize = (0..D).map(|d| place(d).0).sum();
                let (start, strides) = &held[side].arrays[number];
                let stride = |d: usize| strides[self.sides[side].dealt.axes[d]];
                let at: usize = (0..D).map(|d| place(d).1 * stride(d)).sum();
                (number, start + at * width, stride(D - 1) * width)
            });
            let Some(other) = first_other(
                [0, 1].map(|side| {
                    let (_, at, step) = places[side];
                    (&held[side].bytes[at..], step)
                }),
                (run.len(), width),
            ) else {
                continue;
            };
            index[D - 1] += other;
            let [from, to] = [0, 1].map(|side| {
                let (number, at, step) = places[side];
                let bytes = &held[side].bytes[at + other * step..][..width];
                (hexadecimal(bytes), self.sides[side].path(number, &holders[side]))
            });
            return Err(format!(
                "element {index:?} is {} in {}, but {} in {}",
                from.0,
                from.1.display(),
                to.0,
                to.1.display()
            ));
        }
        Ok(())
    }
}

/// Cuts the indices of a dimension where either side's owner changes, or does not hold the next one.
fn runs([from, to]: [&Owners; 2]) -> Vec<Range<usize>> {
    let follows = |owners: &Owners, at: usize| {
        let (before, own) = (owners[at - 1], owners[at]);
        before.0 == own.0 && before.1 + 1 == own.1
    };
    let (mut runs, mut start) = (Vec::new(), 0);
    for at in 1..=from.len() {
        if at == from.len() || !follows(from, at) || !follows(to, at) {
            runs.push(start..at);
            start = at;
        }
    }
    runs
}

/// Returns the first of `count` elements that differs between both sides. Each side has its bytes from
/// the first element on, and the distance from an element to the next.
fn first_other(
    [(from, from_step), (to, to_step)]: [(&[u8], usize); 2],
    (count, width): (usize, usize),
) -> Option<usize> {
    // All at once, where they lie together.
    let len = count * width;
    if (from_step, to_step) == (width, width) && from[..len] == to[..len] {
        return None;
    }
    (0..count).find(|at| {
        from[at * from_step..at * from_step + width] != to[at * to_step..at * to_step + width]
    })
}

impl<const D: usize> ComparedSide<'_, D> {
    /// Returns the box as indices of the stored array, in this side's axes.
    fn stored_ranges(&self, ranges: &[Range<usize>; D]) -> [Range<usize>; D] {
        let mut stored = core::array::from_fn(|_| 0..0);
        for (range, axis) in ranges.iter().zip(self.dealt.axes) {
            let start = self.dealt.at[axis];
            stored[axis] = range.start + start..range.end + start;
        }
        stored
    }

    /// Lists the coordinates that hold some of a box.
    fn holders(&self, ranges: &[Range<usize>; D]) -> Holders<D> {
        let stored = self.stored_ranges(ranges);
        core::array::from_fn(|axis| {
            let place = |index| self.dealt.place(axis, index).0;
            let mut coordinates: Vec<usize> = stored[axis].clone().map(place).collect();
            coordinates.sort_unstable();
            coordinates.dedup();
            coordinates
        })
    }

    /// Returns the coordinates of the rank of a number among those of a box.
    fn coordinates(&self, mut number: usize, holders: &Holders<D>) -> [usize; D] {
        let mut coordinates = [0; D];
        for axis in (0..D).rev() {
            coordinates[axis] = holders[axis][number % holders[axis].len()];
            number /= holders[axis].len();
        }
        coordinates
    }

    fn number(&self, coordinates: &[usize; D]) -> usize {
        coordinates.iter().zip(self.dealt.grid_strides).map(|(at, stride)| at * stride).sum()
    }

    fn path(&self, number: usize, holders: &Holders<D>) -> PathBuf {
        self.stored.path(self.number(&self.coordinates(number, holders)))
    }

    fn read(
        &self,
        (ranges, holders): (&[Range<usize>; D], &Holders<D>),
        held: &mut Held,
        element_bytes: usize,
    ) -> Result<(), String> {
        let ranges = self.stored_ranges(ranges);
        held.arrays.clear();
        let elements: usize = ranges.iter().map(ExactSizeIterator::len).product();
        let (bytes, mut start) = (sized(&mut held.bytes, elements * element_bytes), 0);
        for number in 0..holders.iter().map(Vec::len).product() {
            let coordinates = self.coordinates(number, holders);
            let region = Region(self.dealt.storage.map(|axis| {
                let below = |index| self.dealt.held_below(axis, coordinates[axis], index);
                let (first, end) = (below(ranges[axis].start), below(ranges[axis].end));
                let all = below(self.dealt.stored[axis]);
                let count = end - first;
                RegionAxis { stored: (all, first), buffer: (count, 0), count }
            }));
            let (mut strides, mut stride) = (vec![0; D], 1);
            for (step, &axis) in self.dealt.storage.iter().enumerate().rev() {
                strides[axis] = stride;
                stride *= region.0[step].count;
            }
            held.arrays.push((start, strides));
            let array = &mut bytes[start..start + region.len() * element_bytes];
            self.files.read(self.number(&coordinates), &region, array)?;
            start += array.len();
        }
        Ok(())
    }

    fn owners(&self, ranges: &[Range<usize>; D], holders: &Holders<D>) -> [Owners; D] {
        let stored = self.stored_ranges(ranges);
        core::array::from_fn(|dimension| {
            let axis = self.dealt.axes[dimension];
            let stride: usize = holders[axis + 1..].iter().map(Vec::len).product();
            let owner = |index: usize| {
                let (coordinate, local) = self.dealt.place(axis, index);
                let before = self.dealt.held_below(axis, coordinate, stored[axis].start);
                let at = holders[axis].partition_point(|holder| *holder < coordinate);
                (at * stride, local - before)
            };
            stored[axis].clone().map(owner).collect()
        })
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    if bytes.len() > 16 { digits + "…" } else { digits }
}
