use super::pattern::FilePattern;
use redist::layout::{Descriptor, Dist, Layout, StorageOrder};
use redist::{Plan, Side};
use std::path::PathBuf;

/// One side; ranks count in its grid.
#[derive(Clone, Debug)]
pub struct StoredSide<const D: usize> {
    pub side: Side,
    pub descriptor: Descriptor<D>,
    pub pattern: FilePattern,
}

impl<const D: usize> StoredSide<D> {
    pub fn new(plan: &Plan<D>, side: Side, pattern: FilePattern) -> Self {
        Self { side, descriptor: *plan.descriptor(side), pattern }
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
        self.pattern.path(self.descriptor.nth_rank(number))
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
