//! Shapes of one side's files.

use super::format::Format;
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

    pub fn number(&self, coordinates: [usize; D]) -> usize {
        let coordinates = coordinates.into_iter().enumerate();
        coordinates.map(|(axis, at)| at * self.descriptor.number_distance(axis)).sum()
    }

    pub fn local_extents(&self, number: usize) -> [usize; D] {
        let coordinates = self.descriptor.coordinates_of(number);
        core::array::from_fn(|axis| self.descriptor.axis(axis).numroc(coordinates[axis]))
    }

    pub fn path(&self, number: usize) -> PathBuf {
        let coordinates = self.descriptor.coordinates_of(number);
        let rank = self.descriptor.nth_rank(number);
        self.files.pattern.path(&Place { rank, coordinates: &coordinates })
    }

    pub fn is_fortran(&self) -> bool {
        self.descriptor.layout().storage == StorageOrder::Fortran
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
