//! Descriptors of any number of dimensions.

use super::{BlockCyclic, Descriptor, Layout, Ranks, StorageOrder};
use crate::arithmetic::saturating_product;
use std::sync::Arc;

/// A [`Descriptor`] whose number of dimensions is a value, for code that is compiled once.
#[derive(Clone, Debug)]
pub struct AnyDescriptor {
    axes: Vec<DimLayout>,
    order: StorageOrder,
    map: Ranks,
    /// The ranks of a map with their numbers in the grid, sorted by rank; empty for a range.
    numbers: Arc<[(usize, usize)]>,
    /// Ranks in the grid.
    ranks: usize,
    /// One past the highest rank of the grid.
    ranks_end: usize,
}

/// One dimension of the array and of its grid.
#[derive(Clone, Copy, Debug)]
struct DimLayout {
    deal: BlockCyclic,
    /// Difference between the numbers of neighbouring cells along the dimension.
    number_distance: usize,
}

impl<const D: usize> From<&Descriptor<D>> for AnyDescriptor {
    fn from(of: &Descriptor<D>) -> Self {
        let axis = |dimension| DimLayout {
            deal: of.axis(dimension).indexed(),
            number_distance: of.number_distance(dimension),
        };
        let Layout { storage, ranks: map, .. } = *of.layout();
        Self {
            axes: (0..D).map(axis).collect(),
            order: storage,
            map,
            numbers: numbers(map),
            ranks: of.ranks(),
            ranks_end: of.ranks_end(),
        }
    }
}

fn numbers(map: Ranks) -> Arc<[(usize, usize)]> {
    let Ranks::Map(list) = map else { return Arc::new([]) };
    let mut numbers: Vec<_> = list.iter().copied().zip(0..).collect();
    numbers.sort_unstable();
    numbers.into()
}

#[allow(missing_docs)] // [`Descriptor`] documents the methods.
impl AnyDescriptor {
    pub fn dimensions(&self) -> usize {
        self.axes.len()
    }

    /// Axes in storage order, the slowest first.
    pub fn stored_order(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let (order, axes) = (self.order, self.axes.len());
        (0..axes).map(move |step| if order == StorageOrder::C { step } else { axes - 1 - step })
    }

    pub fn map(&self) -> Ranks {
        self.map
    }

    pub fn ranks_end(&self) -> usize {
        self.ranks_end
    }

    pub fn nth_rank(&self, number: usize) -> usize {
        self.map.nth(number)
    }

    pub fn number_of(&self, rank: usize) -> Option<usize> {
        match self.map {
            Ranks::From(_) => self.map.number_of(rank, self.ranks),
            Ranks::Map(_) => {
                let found = self.numbers.binary_search_by_key(&rank, |(rank, _)| *rank).ok()?;
                Some(self.numbers[found].1)
            }
        }
    }

    pub fn ranks(&self) -> usize {
        self.ranks
    }

    pub fn axis(&self, dimension: usize) -> BlockCyclic {
        self.axes[dimension].deal
    }

    pub fn number_distance(&self, dimension: usize) -> usize {
        self.axes[dimension].number_distance
    }

    pub fn coordinate_of(&self, number: usize, dimension: usize) -> usize {
        let DimLayout { deal, number_distance } = self.axes[dimension];
        if deal.ranks() == 1 { 0 } else { number / number_distance % deal.ranks() }
    }

    pub fn coordinates(&self, rank: usize) -> Option<Vec<usize>> {
        let number = self.number_of(rank)?;
        let coordinate = |dimension| self.coordinate_of(number, dimension);
        Some((0..self.dimensions()).map(coordinate).collect())
    }

    pub fn rank_at(&self, coordinates: &[usize]) -> usize {
        let distance = |(axis, coordinate): (&DimLayout, &usize)| axis.number_distance * coordinate;
        self.map.nth(self.axes.iter().zip(coordinates).map(distance).sum())
    }

    pub fn local_extents(&self, rank: usize) -> Option<Vec<usize>> {
        let number = self.number_of(rank)?;
        let extent = |dimension| self.axis(dimension).numroc(self.coordinate_of(number, dimension));
        Some((0..self.dimensions()).map(extent).collect())
    }

    pub fn local_len(&self, rank: usize) -> usize {
        self.local_extents(rank).map_or(0, |extents| saturating_product(&extents))
    }

    /// Lists the global indices of a rank's elements, in the order of storage.
    pub fn global_indices(&self, rank: usize) -> impl ExactSizeIterator<Item = Vec<usize>> + use<> {
        let coordinates = self.coordinates(rank).unwrap_or_else(|| vec![0; self.dimensions()]);
        let (len, axes) = (self.local_len(rank), self.axes.clone());
        let extents = self.local_extents(rank).unwrap_or_default();
        let fastest: Vec<usize> = self.stored_order().rev().collect();
        (0..len).map(move |mut place| {
            let mut index = vec![0; axes.len()];
            for &axis in &fastest {
                let local = place % extents[axis];
                place /= extents[axis];
                index[axis] = axes[axis].deal.global(coordinates[axis], local).unwrap_or(0);
            }
            index
        })
    }

    pub fn strides(&self, local_extents: &[usize]) -> Vec<usize> {
        let (mut strides, mut stride) = (vec![0; self.dimensions()], 1usize);
        for dimension in self.stored_order().rev() {
            strides[dimension] = stride;
            stride = stride.saturating_mul(local_extents[dimension]);
        }
        strides
    }
}
