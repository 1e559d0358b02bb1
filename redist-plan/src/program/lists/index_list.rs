//! One rank's list of indices, in runs.

use crate::layout::{AnyDescriptor, Descriptor, StorageOrder};
use core::ops::Range;

/// Indices at equal distances, which lie together in the local array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexRun {
    /// The first index.
    pub first: usize,
    /// Distance from one index to the next, perhaps 0 or below 0; 1 for a single index.
    pub step: isize,
    /// Number of indices, at least 1.
    pub count: usize,
    /// Place of the first one in the local array.
    pub local: usize,
}

/// The global indices of one rank's elements, in the order of its local array.
///
/// Neighbours and indices at equal distances are found, and kept as runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexList {
    pieces: Vec<ListPiece>,
    /// Indices that are in no run, in the order of the local array.
    singles: Vec<usize>,
    /// Number of indices.
    len: usize,
}

/// Some indices of a list, in the order of the local array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListPiece {
    /// Two or more at equal distances.
    Run(IndexRun),
    /// So many of the single ones, and the place of the first in the local array.
    Singles { count: usize, local: usize },
}

impl IndexList {
    /// Finds the runs of a list.
    pub fn new(indices: &[usize]) -> Self {
        Self::from_fn(indices.len(), |place| indices[place])
    }

    /// Finds the runs of so many indices, each of which `index` tells by its place.
    pub fn from_fn(len: usize, index: impl Fn(usize) -> usize) -> Self {
        let (mut list, mut at) = (Self::default(), 0);
        while at < len {
            let (step, count) = progression(len - at, |place| index(at + place));
            match count {
                1 => list.push_single(index(at)),
                _ => list.push_run(IndexRun { first: index(at), step, count, local: at }),
            }
            at += count;
        }
        list
    }

    /// Lists what a rank has of an array by a layout; indices are those of the elements in row-major
    /// order. Takes time in proportion to the runs.
    pub fn of<const D: usize>(array: &Descriptor<D>, rank: usize) -> Self {
        let (extents, any) = (array.extents(), AnyDescriptor::from(array));
        let (Some(coordinates), true) = (array.coordinates(rank), array.local_len(rank) > 0) else {
            return Self::default();
        };
        let mut list = Self::default();
        if D == 0 {
            list.push(0, 1, 1);
            return list;
        }
        let mut steps = [1; D];
        for axis in (0..D - 1).rev() {
            steps[axis] = steps[axis + 1] * extents[axis + 1];
        }
        let fastest = if array.layout().storage == StorageOrder::C { D - 1 } else { 0 };
        let runs = blocks(&any, fastest, coordinates[fastest]);
        let slower: Vec<usize> = any.stored_order().filter(|axis| *axis != fastest).collect();
        let lens: Vec<usize> =
            slower.iter().map(|axis| array.axis(*axis).numroc(coordinates[*axis])).collect();
        for row in 0..lens.iter().product() {
            let (mut rest, mut start) = (row, 0);
            for (axis, len) in slower.iter().zip(&lens).rev() {
                let index = array.axis(*axis).global(coordinates[*axis], rest % len);
                start += index.unwrap_or(0) * steps[*axis];
                rest /= len;
            }
            for run in &runs {
                list.push(start + run.start * steps[fastest], steps[fastest] as isize, run.len());
            }
        }
        list
    }

    /// Adds indices at equal distances; goes on with the last run where they do.
    pub fn push(&mut self, first: usize, step: isize, count: usize) {
        if count == 0 {
            return;
        }
        if let Some(ListPiece::Run(last)) = self.pieces.last_mut()
            && last.step == step
            && last.first.wrapping_add_signed(step.wrapping_mul(last.count as isize)) == first
        {
            last.count += count;
            self.len += count;
            return;
        }
        match (count, self.single_before(first)) {
            (1, false) => self.push_single(first),
            (1, true) => {
                // With the index before it, it is a run.
                self.pop_single();
                self.push_run(IndexRun { first: first - 1, step: 1, count: 2, local: self.len });
            }
            _ => self.push_run(IndexRun { first, step, count, local: self.len }),
        }
    }

    fn single_before(&self, index: usize) -> bool {
        let is_single = matches!(self.pieces.last(), Some(ListPiece::Singles { .. }));
        is_single && self.singles.last().and_then(|last| last.checked_add(1)) == Some(index)
    }

    fn pop_single(&mut self) {
        self.singles.pop();
        self.len -= 1;
        if let Some(ListPiece::Singles { count, .. }) = self.pieces.last_mut() {
            *count -= 1;
            if *count == 0 {
                self.pieces.pop();
            }
        }
    }

    fn push_single(&mut self, index: usize) {
        match self.pieces.last_mut() {
            Some(ListPiece::Singles { count, .. }) => *count += 1,
            _ => self.pieces.push(ListPiece::Singles { count: 1, local: self.len }),
        }
        self.singles.push(index);
        self.len += 1;
    }

    fn push_run(&mut self, run: IndexRun) {
        self.len += run.count;
        self.pieces.push(ListPiece::Run(run));
    }

    /// Returns the list of which each index stands for `elements` neighbours.
    pub fn in_rows(&self, elements: usize) -> Self {
        let mut list = Self::default();
        for run in self.runs() {
            if run.step == 1 {
                list.push(run.first * elements, 1, run.count * elements);
                continue;
            }
            for index in run.indices() {
                list.push(index * elements, 1, elements);
            }
        }
        list
    }

    /// Returns the pieces, in the order of the local array, each with its single indices.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (ListPiece, &[usize])> {
        let mut singles = &self.singles[..];
        self.pieces.iter().map(move |piece| {
            let count = if let ListPiece::Singles { count, .. } = piece { *count } else { 0 };
            let (own, rest) = singles.split_at(count);
            singles = rest;
            (*piece, own)
        })
    }

    /// Returns the first index and the number of indices, if each follows the one before it.
    pub(super) fn as_run(&self) -> Option<(usize, usize)> {
        match &self.pieces[..] {
            [] => Some((0, 0)),
            [ListPiece::Run(run)] if run.step == 1 => Some((run.first, run.count)),
            [ListPiece::Singles { count: 1, .. }] => Some((self.singles[0], 1)),
            _ => None,
        }
    }

    /// Returns the number of single indices.
    pub(super) fn singles(&self) -> usize {
        self.singles.len()
    }

    /// Returns the runs, in the order of the local array; a single index is one.
    pub fn runs(&self) -> impl Iterator<Item = IndexRun> {
        self.pieces().flat_map(|(piece, singles)| {
            let (run, local) = match piece {
                ListPiece::Run(run) => (Some(run), 0),
                ListPiece::Singles { local, .. } => (None, local),
            };
            let single = |(first, local): (&usize, usize)| IndexRun {
                first: *first,
                step: 1,
                count: 1,
                local,
            };
            run.into_iter().chain(singles.iter().zip(local..).map(single))
        })
    }

    /// Returns the first index that is not below a number, and its place in the local array.
    pub(super) fn outside(&self, extent: usize) -> Option<(usize, usize)> {
        self.pieces().find_map(|(piece, singles)| match piece {
            ListPiece::Singles { local, .. } => {
                let place = singles.iter().position(|index| *index >= extent)?;
                Some((singles[place], local + place))
            }
            ListPiece::Run(run) => {
                let last = run.first.wrapping_add_signed(run.step * (run.count as isize - 1));
                if run.first < extent && last < extent {
                    return None;
                }
                let place = run.indices().position(|index| index >= extent)?;
                Some((run.first.wrapping_add_signed(run.step * place as isize), run.local + place))
            }
        })
    }

    /// Returns the number of indices.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there is no index.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl IndexRun {
    /// Returns the indices.
    pub fn indices(&self) -> impl Iterator<Item = usize> + use<> {
        let Self { first, step, count, .. } = *self;
        (0..count).map(move |number| first.wrapping_add_signed(step * number as isize))
    }
}

/// Returns the distance of the first of some indices, and how many have it. Two alone are a
/// progression if they are neighbours: the second may begin a longer one otherwise.
fn progression(len: usize, index: impl Fn(usize) -> usize) -> (isize, usize) {
    if len < 2 {
        return (1, 1);
    }
    let distance = |place: usize| index(place + 1).wrapping_sub(index(place)) as isize;
    let step = distance(0);
    let more = (1..len - 1).take_while(|place| distance(*place) == step).count();
    let count = 2 + more;
    if count > 2 || step == 1 { (step, count) } else { (1, 1) }
}

/// Returns the indices of a coordinate along an axis, as ranges.
fn blocks(array: &AnyDescriptor, axis: usize, coordinate: usize) -> Vec<Range<usize>> {
    let (deal, mut found) = (array.axis(axis), Vec::<Range<usize>>::new());
    let mut local = 0;
    while let Some(start) = deal.global(coordinate, local) {
        let end = deal.block_at(start).end().min(deal.extent());
        local += end - start;
        match found.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => found.push(start..end),
        }
    }
    found
}
