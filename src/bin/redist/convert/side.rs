use super::pattern::FilePattern;
use redist::layout::{Descriptor, Dist, Layout, RankOrder, StorageOrder};
use redist::{Plan, Side};
use std::path::PathBuf;

/// One side; ranks count in its grid.
#[derive(Clone, Debug)]
pub struct StoredSide<const D: usize> {
    pub side: Side,
    pub descriptor: Descriptor<D>,
    pub pattern: FilePattern,
    /// The distance, in numbers, between neighbours along each axis of the grid.
    grid_strides: [usize; D],
}

impl<const D: usize> StoredSide<D> {
    pub fn new(plan: &Plan<D>, side: Side, pattern: FilePattern) -> Self {
        let descriptor = *plan.descriptor(side);
        let layout = descriptor.layout();
        let (mut grid_strides, mut stride) = ([0; D], 1);
        for step in 0..D {
            let axis = if layout.order == RankOrder::Col { step } else { D - 1 - step };
            grid_strides[axis] = stride;
            stride *= layout.grid[axis];
        }
        Self { side, descriptor, pattern, grid_strides }
    }

    pub fn cells(&self) -> usize {
        self.descriptor.ranks()
    }

    pub fn number(&self, coordinates: [usize; D]) -> usize {
        coordinates.iter().zip(self.grid_strides).map(|(at, stride)| at * stride).sum()
    }

    pub fn local_extents(&self, number: usize) -> [usize; D] {
        let grid = self.descriptor.layout().grid;
        core::array::from_fn(|axis| {
            let coordinate = number / self.grid_strides[axis] % grid[axis];
            self.descriptor.axis(axis).numroc(coordinate)
        })
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
