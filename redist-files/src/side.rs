//! Shapes of one side's files.

use super::format::{Format, Placing, RawFormat};
use super::pattern::{FilePattern, Place};
use redist_plan::layout::{Descriptor, Dist, Layout, StorageOrder};
use redist_plan::plan::{Plan, Side};
use std::path::PathBuf;
use std::sync::Arc;

/// Names and format of one side's files.
#[derive(Clone, Debug)]
pub struct SideFiles {
    pub pattern: FilePattern,
    pub format: Arc<dyn Format>,
    /// Name of the array in files that hold several.
    pub array: String,
    /// The index that says which file has the array.
    pub index: Option<PathBuf>,
    /// By rank: the file, and the format with the place of the elements; `None` where the pattern says
    /// the names.
    pub listed: Option<Arc<[(PathBuf, RawFormat)]>>,
}

impl SideFiles {
    /// Makes the files of a list: each has a rank's elements, of the same placing, behind some bytes.
    pub fn listed(array: &str, parts: &[(PathBuf, u64)], placing: Placing) -> Self {
        let format =
            |skip| RawFormat { placing: Placing { skip: Some(skip), ..placing }, element_bytes: 0 };
        let listed = parts.iter().map(|(path, skip)| (path.clone(), format(*skip))).collect();
        Self {
            pattern: FilePattern::of_ranks(),
            format: Arc::new(format(0)),
            array: array.into(),
            index: None,
            listed: Some(listed),
        }
    }
}

/// One side; ranks count in its grid.
#[derive(Clone, Debug)]
pub struct StoredSide<const D: usize> {
    pub side: Side,
    pub descriptor: Descriptor<D>,
    pub files: SideFiles,
}

impl<const D: usize> StoredSide<D> {
    pub fn new(plan: &Plan<D>, side: Side, files: SideFiles) -> Self {
        Self { side, descriptor: *plan.descriptor(side), files }
    }

    pub fn cells(&self) -> usize {
        self.descriptor.ranks()
    }

    /// Returns the first rank whose file has elements; a folder is the first one's.
    pub fn first_with_elements(&self) -> Option<usize> {
        if self.files.format.folder().is_some() {
            return Some(0);
        }
        (0..self.cells()).find(|number| !self.local_extents(*number).contains(&0))
    }

    pub fn number(&self, coordinates: [usize; D]) -> usize {
        let coordinates = coordinates.into_iter().enumerate();
        coordinates.map(|(axis, at)| at * self.descriptor.number_distance(axis)).sum()
    }

    pub fn local_extents(&self, number: usize) -> [usize; D] {
        let coordinates = self.descriptor.coordinates_of(number);
        core::array::from_fn(|axis| self.descriptor.axis(axis).numroc(coordinates[axis]))
    }

    /// Returns the format of a rank's file.
    pub fn format(&self, number: usize) -> &dyn Format {
        match self.part(number) {
            Some((_, format)) => format,
            None => self.files.format.as_ref(),
        }
    }

    fn part(&self, number: usize) -> Option<&(PathBuf, RawFormat)> {
        self.files.listed.as_ref()?.get(self.descriptor.nth_rank(number))
    }

    /// Fails if a list of files has fewer or more than the layout has ranks.
    pub fn has_all_parts(&self) -> Result<(), String> {
        let Some(listed) = &self.files.listed else { return Ok(()) };
        let ranks = (0..self.cells()).map(|number| self.descriptor.nth_rank(number) + 1);
        match ranks.max() {
            Some(ranks) if ranks != listed.len() => Err(format!(
                "the {} layout has {ranks} ranks, and `parts` has {} files",
                self.side,
                listed.len()
            )),
            _ => Ok(()),
        }
    }

    pub fn path(&self, number: usize) -> PathBuf {
        if let Some((path, _)) = self.part(number) {
            return path.clone();
        }
        let coordinates = self.descriptor.coordinates_of(number);
        let rank = self.descriptor.nth_rank(number);
        self.files.pattern.path(&Place { rank, coordinates: &coordinates })
    }

    pub fn is_fortran(&self) -> bool {
        self.descriptor.layout().storage == StorageOrder::Fortran
    }

    /// Returns the extents of chunks, for a format of folders: blocks of the layout.
    pub fn chunk(&self) -> Option<Vec<usize>> {
        self.files.format.folder()?;
        let block = |axis| self.descriptor.axis(axis).block_at(0).len;
        let extents = self.descriptor.extents();
        Some((0..D).map(|axis| block(axis).clamp(1, extents[axis].max(1))).collect())
    }

    pub fn stored_order(&self) -> [usize; D] {
        core::array::from_fn(|step| if self.is_fortran() { D - 1 - step } else { step })
    }
}

pub fn in_one_piece<const D: usize>(of: &Descriptor<D>, storage: StorageOrder) -> Layout<D> {
    let layout = of.layout();
    Layout::new([Dist::Collapsed; D], [1; D])
        .storage(storage)
        .of(of.extents())
        .at(layout.at)
        .axes(layout.axes)
}

/// Returns the layout whose ranks are the chunks of an array, in their order.
pub fn in_chunks<const D: usize>(of: &Descriptor<D>, chunks: &[usize]) -> Layout<D> {
    let (layout, extents) = (of.layout(), of.extents());
    let chunk = |axis: usize| chunks.get(axis).map_or(1, |chunk| (*chunk).max(1));
    let dists = core::array::from_fn(|axis| Dist::Cyclic(chunk(axis)));
    let grid = core::array::from_fn(|axis| extents[axis].div_ceil(chunk(axis)).max(1));
    Layout::new(dists, grid).of(extents).at(layout.at).axes(layout.axes)
}
