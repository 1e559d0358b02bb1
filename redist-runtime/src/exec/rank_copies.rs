use super::direct::{CopyOptions, DirectCopies};
use super::kernels::Vectors;
use crate::plan::Plan;

/// Copies from all local arrays to one rank's, ready to run as often as wanted.
#[derive(Clone, Debug)]
pub struct RankCopies(DirectCopies);

impl RankCopies {
    /// Prepares the copies to `rank` of the communicator; none outside the destination's grid.
    /// Elements have `element_bytes` bytes, at least 1.
    pub fn new<const D: usize>(plan: &Plan<D>, rank: usize, element_bytes: usize) -> Self {
        let vectors = Vectors::detected();
        let options = CopyOptions::new(element_bytes.max(1), vectors, None);
        Self(DirectCopies::to_own((&plan.into(), None), rank, options))
    }

    /// Copies from `sources`, the local arrays of the communicator's ranks. Elements of
    /// `destination` outside the moved section keep their values. Panics if an array is too short,
    /// or a needed one is missing.
    pub fn copy(&mut self, sources: &[&[u8]], destination: &mut [u8]) {
        self.0.copy(sources, destination);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_any_length_arrive() {
        let plan = Plan::<2>::parse([2, 3], "(block, *) onto 2", "(*, cyclic) onto 2 transposed");
        let plan = plan.expect("a plan");
        for bytes in [1, 3, 8] {
            let row = |row: u8| (0..3).flat_map(|i| vec![3 * row + i; bytes]).collect::<Vec<u8>>();
            let mut found = vec![0; 2 * bytes * 3 / 2];
            let rows = [row(0), row(1)];
            // Columns of 2 elements, dealt in turn along the other dimension.
            RankCopies::new(&plan, 1, bytes).copy(&[&rows[0], &rows[1]], &mut found);
            let wanted: Vec<u8> = [3, 4, 5].into_iter().flat_map(|i| vec![i; bytes]).collect();
            assert_eq!(found, wanted, "{bytes}");
        }
    }
}
