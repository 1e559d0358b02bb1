//! A descriptor of any number of dimensions, for code that is compiled once.

use super::{BlockCyclic, Descriptor, RankOrder, StorageOrder};

/// A [`Descriptor`] whose number of dimensions is a value.
#[derive(Clone, Debug)]
pub struct AnyDescriptor {
    axes: Vec<DimLayout>,
    order: StorageOrder,
    rank_order: RankOrder,
    base: usize,
    ranks: usize,
}

/// One dimension.
#[derive(Clone, Copy, Debug)]
struct DimLayout {
    deal: BlockCyclic,
    /// Distance between the ranks of neighbouring coordinates.
    rank_distance: usize,
}

impl<const D: usize> From<&Descriptor<D>> for AnyDescriptor {
    fn from(of: &Descriptor<D>) -> Self {
        let (mut axes, base) = (Vec::with_capacity(D), of.layout().ranks_from);
        for dimension in 0..D {
            let mut neighbour = [0; D];
            neighbour[dimension] = 1;
            // Where there is no neighbour, the distance is never used.
            axes.push(DimLayout {
                deal: of.axis(dimension),
                rank_distance: of.rank_at(neighbour) - base,
            });
        }
        let (order, rank_order) = (of.layout().storage, of.layout().order);
        Self { axes, order, rank_order, base, ranks: of.ranks() }
    }
}

impl AnyDescriptor {
    /// Number of dimensions, at least 1.
    pub fn dimensions(&self) -> usize {
        self.axes.len()
    }

    /// The order in which a rank stores its part.
    pub fn storage(&self) -> StorageOrder {
        self.order
    }

    /// How ranks fill the grid.
    pub fn rank_order(&self) -> RankOrder {
        self.rank_order
    }

    /// Axes from the one that is stored slowest to the fastest.
    pub fn stored_order(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let (order, axes) = (self.order, self.axes.len());
        (0..axes).map(move |step| if order == StorageOrder::C { step } else { axes - 1 - step })
    }

    /// The first rank of the grid, in the communicator.
    pub fn ranks_from(&self) -> usize {
        self.base
    }

    /// Number of ranks in the grid.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// One dimension.
    pub fn axis(&self, dimension: usize) -> BlockCyclic {
        self.axes[dimension].deal
    }

    /// How much the rank grows from one coordinate along a dimension to the next.
    pub fn rank_distance(&self, dimension: usize) -> usize {
        self.axes[dimension].rank_distance
    }

    /// Whether `rank` of the communicator is in the grid.
    pub fn holds(&self, rank: usize) -> bool {
        rank.checked_sub(self.base).is_some_and(|number| number < self.ranks)
    }

    /// The coordinate along a dimension of a rank that is in the grid.
    pub fn coordinate(&self, rank: usize, dimension: usize) -> usize {
        let DimLayout { deal, rank_distance } = self.axes[dimension];
        if deal.ranks() == 1 { 0 } else { (rank - self.base) / rank_distance % deal.ranks() }
    }

    /// As [`Descriptor::coordinates`].
    pub fn coordinates(&self, rank: usize) -> Option<Vec<usize>> {
        self.holds(rank).then(|| {
            (0..self.dimensions()).map(|dimension| self.coordinate(rank, dimension)).collect()
        })
    }

    /// As [`Descriptor::rank_at`].
    pub fn rank_at(&self, coordinates: &[usize]) -> usize {
        let distance = |(axis, coordinate): (&DimLayout, &usize)| axis.rank_distance * coordinate;
        self.base + self.axes.iter().zip(coordinates).map(distance).sum::<usize>()
    }

    /// As [`Descriptor::local_extents`].
    pub fn local_extents(&self, rank: usize) -> Option<Vec<usize>> {
        let extent = |dimension| self.axis(dimension).numroc(self.coordinate(rank, dimension));
        self.holds(rank).then(|| (0..self.dimensions()).map(extent).collect())
    }

    /// As [`Descriptor::local_len`].
    pub fn local_len(&self, rank: usize) -> usize {
        let extents = self.local_extents(rank).unwrap_or_else(|| vec![0]);
        extents.into_iter().fold(1, |len: usize, extent| extent.saturating_mul(len))
    }

    /// As [`Descriptor::strides`].
    pub fn strides(&self, local_extents: &[usize]) -> Vec<usize> {
        let (mut strides, mut stride) = (vec![0; self.dimensions()], 1usize);
        for dimension in self.stored_order().rev() {
            strides[dimension] = stride;
            stride = stride.saturating_mul(local_extents[dimension]);
        }
        strides
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;

    #[test]
    fn it_answers_as_the_descriptor_does() {
        for text in [
            "(cyclic(2), block, *) onto (2, 3) ranks 4..10",
            "(cyclic(2), block, *) onto (2, 3) order col storage fortran",
            "(gen_block([4, 0, 5]), cyclic, cyclic(3)) onto (3, 1, 2) first (1, 0, 1)",
        ] {
            let layout: Layout<3> = text.parse().unwrap();
            let known = Descriptor::new([9, 7, 5], layout).unwrap();
            let any = AnyDescriptor::from(&known);
            for rank in 0..12 {
                assert_eq!(
                    any.coordinates(rank),
                    known.coordinates(rank).map(Vec::from),
                    "{text}, rank {rank}"
                );
                assert_eq!(
                    any.local_extents(rank),
                    known.local_extents(rank).map(Vec::from),
                    "{text}, rank {rank}"
                );
                assert_eq!(any.local_len(rank), known.local_len(rank), "{text}, rank {rank}");
                if let (Some(coordinates), Some(extents)) =
                    (known.coordinates(rank), known.local_extents(rank))
                {
                    assert_eq!(any.rank_at(&coordinates), rank, "{text}");
                    assert_eq!(any.strides(&extents), known.strides(extents), "{text}");
                }
            }
        }
    }
}
