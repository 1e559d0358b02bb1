//! Each rank's elements before and after a move, by the simulator.

use crate::array::{Stored, permuted, store};
use crate::strategies::Case;
use redist::Side;
use redist::layout::{Layout, StorageOrder};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Dense,
    Leading(usize),
    Strides([usize; 2]),
    Within([usize; 2], [usize; 2]),
}

pub struct Sides {
    case: Case<2>,
    stored: [Stored<2>; 2],
}

impl Sides {
    pub fn of(case: &Case<2>) -> Self {
        let to = store(permuted(case.extents, case.to.axes), &case.to);
        Self { case: *case, stored: [store(case.extents, &case.from), to] }
    }

    fn layout(&self, side: Side) -> &Layout<2> {
        if side == Side::Source { &self.case.from } else { &self.case.to }
    }

    pub fn local_extents(&self, side: Side, rank: usize) -> [usize; 2] {
        let Stored { places, dealt, .. } = &self.stored[side as usize];
        let held = places.iter().filter(|(_, (owner, _))| *owner == rank);
        held.fold([0; 2], |most, (index, _)| {
            [0, 1].map(|axis| most[axis].max(dealt[axis].local[index[axis]] + 1))
        })
    }

    fn place(&self, side: Side, shape: Shape, index: [usize; 2]) -> (usize, usize) {
        let Stored { places, dealt, .. } = &self.stored[side as usize];
        let (owner, dense) = places.get(index);
        let [row, column] = [0, 1].map(|axis| dealt[axis].local[index[axis]]);
        let is_c = self.layout(side).storage == StorageOrder::C;
        let along = |leading| if is_c { [leading, 1] } else { [1, leading] };
        let (strides, [first_row, first_column]) = match shape {
            Shape::Dense => return (owner, dense),
            Shape::Leading(leading) => (along(leading), [0; 2]),
            Shape::Strides(strides) => (strides, [0; 2]),
            Shape::Within(allocated, origin) => (along(allocated[usize::from(is_c)]), origin),
        };
        (owner, (first_row + row) * strides[0] + (first_column + column) * strides[1])
    }

    fn array<T: Clone>(
        &self,
        side: Side,
        (rank, shape): (usize, Shape),
        gap: T,
        value: impl Fn([usize; 2]) -> T,
    ) -> Vec<T> {
        let all = self.stored[side as usize].places.iter().map(|(index, _)| index);
        let here = all.map(|index| (index, self.place(side, shape, index)));
        let here: Vec<_> = here.filter(|(_, (owner, _))| *owner == rank).collect();
        let ends = here.iter().map(|(_, (_, offset))| offset + 1).max().unwrap_or(0);
        let len = match shape {
            Shape::Within([rows, columns], _) => rows * columns,
            _ => ends,
        };
        let mut array = vec![gap; len];
        here.into_iter().for_each(|(index, (_, offset))| array[offset] = value(index));
        array
    }

    /// Returns a rank's source: `value` of the element's index in the source's array.
    pub fn before<T: Clone>(
        &self,
        rank: (usize, Shape),
        gap: T,
        value: impl Fn([usize; 2]) -> T,
    ) -> Vec<T> {
        self.array(Side::Source, rank, gap, value)
    }

    pub fn untouched<U: Clone>(&self, rank: (usize, Shape), gap: U, kept: U) -> Vec<U> {
        self.array(Side::Destination, rank, gap, |_| kept.clone())
    }

    /// Returns a rank's destination afterwards: moved elements are `value` of their index in the
    /// source's array and of the old element.
    pub fn after<U: Clone>(
        &self,
        (rank, shape): (usize, Shape),
        mut array: Vec<U>,
        moves: impl Fn([usize; 2]) -> bool,
        value: impl Fn([usize; 2], &U) -> U,
    ) -> Vec<U> {
        let Case { extents: [rows, columns], from, to } = &self.case;
        let all = (0..*rows).flat_map(|row| (0..*columns).map(move |column| [row, column]));
        for index in all.filter(|index| moves(*index)) {
            let here = [0, 1].map(|axis| index[axis] + from.at[axis]);
            let turned = permuted(index, to.axes);
            let there = [0, 1].map(|axis| turned[axis] + to.at[axis]);
            let (owner, offset) = self.place(Side::Destination, shape, there);
            if owner == rank {
                array[offset] = value(here, &array[offset]);
            }
        }
        array
    }
}
