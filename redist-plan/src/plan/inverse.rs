//! The plan back.

use super::{Plan, Side};

impl<const D: usize> Plan<D> {
    /// Plans the move back, in the storage order that the array had, and in the destination's axes.
    ///
    /// ```
    /// # use redist_plan as redist;
    /// use redist::Plan;
    /// let plan = Plan::parse([90, 70], "(block, *) onto 4", "(block, *) onto 4 transposed")?;
    /// let back = plan.inverse();
    /// assert_eq!((back.extents(), back.volume(3, 0)), ([70, 90], plan.volume(0, 3)));
    /// assert_eq!(back.inverse(), plan);
    /// # Ok::<(), redist::plan::ParsePlanError>(())
    /// ```
    pub const fn inverse(&self) -> Self {
        let (mut extents, mut back, mut unpermuted) = ([0; D], [0; D], [0; D]);
        let mut axis = 0;
        while axis < D {
            let there = self.destination_axis(axis);
            extents[there] = self.axis(axis).len();
            back[there] = axis;
            unpermuted[axis] = axis;
            axis += 1;
        }
        let from = self.descriptor(Side::Destination).layout().axes(unpermuted);
        let to = self.descriptor(Side::Source).layout().axes(back);
        match Self::new(extents, from, to) {
            Ok(plan) => plan,
            // Every rule is about one side, and both have been checked.
            Err(_) => unreachable!(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Piece, WindowTable};

    fn plan(from: &str, to: &str) -> Plan<3> {
        Plan::parse([20, 30, 12], from, to).unwrap()
    }

    fn examples() -> [Plan<3>; 4] {
        [
            plan(
                "(cyclic(4), *, block) onto (2, 3)",
                "(cyclic(6), block, *) onto (3, 2) order col ranks 1..7",
            ),
            plan(
                "(block, cyclic, *) onto (2, 2)",
                "(*, cyclic(5), block(15)) onto (3, 2) axes (1, 2, 0)",
            ),
            plan(
                "(*, *, gen_block([5, 0, 7])) onto 3 storage fortran",
                "(block, *, *) onto 4 axes (2, 1, 0)",
            ),
            plan(
                "(*, *, *) of (40, 30, 20) at (7, 0, 3)",
                "(cyclic(3), *, *) onto 2 of (21, 30, 12) at (1, 0, 0)",
            ),
        ]
    }

    #[test]
    fn the_inverse_has_the_same_pieces_and_the_plan_as_its_inverse() {
        for plan in examples() {
            let back = plan.inverse();
            assert_eq!((back.inverse(), back.inverse().digest()), (plan, plan.digest()));
            assert_ne!(back.digest(), plan.digest());
            for dimension in 0..3 {
                let (axis, there) = (plan.axis(dimension), plan.destination_axis(dimension));
                let (found, pieces) = (back.axis(there), axis.window_walk().collect::<Vec<_>>());
                assert_eq!((found.len(), back.destination_axis(there)), (axis.len(), dimension));
                for side in [Side::Source, Side::Destination] {
                    assert_eq!(found.side(side), axis.side(side.other()));
                }
                if axis.regular_blocks().is_some() && axis.side(Side::Source).at() == 0 {
                    let pieces: &'static [Piece] = pieces.leak();
                    let table = WindowTable::of(&axis, pieces).turned();
                    assert_eq!(table, WindowTable::of(&found, table.pieces()));
                }
            }
        }
    }

    #[test]
    fn a_constant_has_a_constant_inverse() {
        use crate::layout::{Dist, Layout};
        const THERE: Plan<1> = Plan::constant(
            [100],
            Layout::new([Dist::Cyclic(4)], [2]),
            Layout::new([Dist::Block], [3]),
        );
        const BACK: Plan<1> = THERE.inverse();
        assert_eq!(BACK, Plan::parse([100], "block onto 3", "cyclic(4) onto 2").unwrap());
    }
}
