//! Joins short rows to long ones, which kernels copy faster.

use super::{LoopDim, Program};
use crate::arithmetic::{gcd, max, min};

/// The most elements of a joined row: longer ones leave no packing to overlap with sending.
const MAX_ELEMENTS: usize = 8192;

impl Program {
    /// Joins rows of several peers that fill the local array, end with a whole period, and are
    /// neighbours in one run of the next slower dimension. Dimensions are no longer the plan's.
    #[doc(hidden)]
    pub fn in_long_rows(mut self) -> Self {
        while self.join_rows() {}
        self
    }

    /// Returns `true` if the next slower dimension is used up.
    fn join_rows(&mut self) -> bool {
        let [.., slower, row] = &mut self.dims[..] else { return false };
        let len: usize = row.counts.iter().sum();
        let is_whole = row.start == 0 && row.rest.is_empty() && row.counts.len() > 1;
        if !is_whole || (row.stride, slower.stride) != (1, len) {
            return false;
        }
        let all = slower.all_lens().fold(slower.start, gcd);
        let most = min(all, MAX_ELEMENTS / max(len, 1));
        let together = (1..=most).rev().find(|some| all.is_multiple_of(*some)).unwrap_or(1);
        if together < 2 {
            return false;
        }
        slower.divide(together);
        row.repeat(together);
        let is_used_up = slower.all_lens().eq([1]) && slower.repeats == 1 && slower.counts == [1];
        if is_used_up {
            self.first += slower.start * slower.stride;
            self.dims.remove(self.dims.len() - 2);
        }
        is_used_up
    }
}

impl LoopDim {
    fn all_lens(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().chain(&self.rest).map(|group| group.len)
    }

    /// Joins `times` neighbours, of which all groups and the start are multiples.
    fn divide(&mut self, times: usize) {
        for group in self.groups.iter_mut().chain(&mut self.rest) {
            group.len /= times;
        }
        self.counts.iter_mut().for_each(|count| *count /= times);
        self.start /= times;
        self.stride *= times;
        self.find_period();
    }

    fn repeat(&mut self, times: usize) {
        self.repeats *= times;
        self.counts.iter_mut().for_each(|count| *count *= times);
        self.join_repetitions(self.peers.len());
        self.find_period();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{AnyPlan, Plan, Side};

    fn program<const D: usize>(extents: [usize; D], from: &str, to: &str) -> Program {
        let plan = AnyPlan::from(Plan::parse(extents, from, to).unwrap());
        Program::new(&plan, &[], Side::Source, 0)
    }

    fn shape(program: &Program) -> (Vec<usize>, usize, Vec<usize>) {
        let strides = program.dims.iter().map(|dim| dim.stride).collect();
        let row = program.dims.last().unwrap();
        (strides, row.repeats, row.counts.clone())
    }

    #[test]
    fn rows_that_go_to_the_same_messages_are_one() {
        let tiles = program(
            [256, 256],
            "(cyclic(8), cyclic(8)) onto (2, 2) storage fortran",
            "(cyclic(4), cyclic(4)) onto (2, 2) storage fortran",
        );
        assert_eq!(shape(&tiles), (vec![128, 1], 1, vec![64, 64]));
        assert_eq!(shape(&tiles.in_long_rows()), (vec![512, 1], 1, vec![256, 256]));
    }

    #[test]
    fn dimensions_that_are_whole_are_used_up() {
        let slabs = program([6, 5, 60], "(*, *, cyclic(3)) onto 2", "(*, *, cyclic(5)) onto 2");
        let all = slabs.clone().in_long_rows();
        assert_eq!(all.dims.len(), 1);
        assert_eq!(shape(&all).2.iter().sum::<usize>(), slabs.local_len());
        assert_eq!(all.envelopes(), slabs.envelopes());
    }

    #[test]
    fn rows_are_not_too_long() {
        let columns =
            program([3000, 1000], "(block, *) onto 4", "(*, block) onto 4").in_long_rows();
        assert_eq!(shape(&columns).2.iter().sum::<usize>(), 6 * 1000);
    }

    #[test]
    fn rows_with_a_rest_or_a_gap_stay() {
        for (extents, from, to) in [
            ([6, 61], "(*, cyclic(3)) onto 2", "(*, cyclic(5)) onto 2"),
            ([6, 60], "(*, cyclic(3)) onto 2 of [6, 70] at [0, 1]", "(*, cyclic(5)) onto 2"),
            ([6, 60], "(*, cyclic(3)) onto 2", "(*, block) onto 1"),
        ] {
            let plain = program(extents, from, to);
            assert_eq!(shape(&plain.clone().in_long_rows()), shape(&plain), "{from} -> {to}");
        }
    }
}
