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
