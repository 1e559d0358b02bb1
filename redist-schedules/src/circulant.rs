//! The circulant schedule for x → kx, on any numbers of ranks. Source: Park, Prasanna and
//! Raghavendra, *Efficient Algorithms for Block-Cyclic Array Redistribution Between Processor
//! Sets*, which asks for at least as many destinations as sources. With P sources, Q destinations,
//! `G = gcd(P, kQ)` and `h = gcd(k, P)`, rank `p` has a message for rank `q` exactly if `(p - qk)
//! mod G < k`. Write `p` as a residue `(p mod G) div h` modulo `H = G/h` and one of `a = hP/G`
//! indices, `q` as a residue modulo `H` and one of `b = hQ/G` indices. Step `(m, c)` joins residues
//! `m` apart, and rotates indices by `c` modulo `M = max(a, b)`. There are `min(k, G)/h` times `M`
//! steps, the most messages of any rank; over whole periods a step's messages are equal.

use super::ScheduleError;
use super::reduced::{Reduced, StepPattern};
use num_integer::gcd;
use redist_plan::arithmetic::inverse_modulo;

/// The schedule from blocks of 1 to blocks of k; every entry takes a few operations.
#[derive(Clone, Copy, Debug)]
struct Circulant {
    /// `G`, `h` and `H = G / h`.
    common: usize,
    /// `h`.
    shared: usize,
    /// `H`.
    residues: usize,
    /// Sources and destinations of one residue, and the larger of the two.
    source_indices: usize,
    /// Destinations of one residue.
    destination_indices: usize,
    /// The larger of the two: steps for each offset.
    rotations: usize,
    /// Residues that a source sends to.
    offsets: usize,
    /// `k mod G`, and the inverse of `k / h` modulo `H`.
    multiple: usize,
    /// Inverse of `k / h` modulo `H`.
    inverse: usize,
    /// Sum of the steps' longest messages over a period, in units.
    units: u128,
}

/// Returns the pattern of a dimension, and whether it is transposed: kx → x.
pub(super) fn pattern(
    reduced: &Reduced,
    dimension: usize,
) -> Result<(Box<dyn StepPattern>, bool), ScheduleError> {
    let (from, to) = (reduced.from, reduced.to);
    match (from.block, to.block) {
        (1, k) => Ok((Box::new(Circulant::new(from.ranks, k, to.ranks)), false)),
        (k, 1) => Ok((Box::new(Circulant::new(to.ranks, k, from.ranks)), true)),
        (s, t) => Err(ScheduleError::NotMultiples {
            dimension,
            from: s * reduced.unit,
            to: t * reduced.unit,
        }),
    }
}

impl Circulant {
    fn new(sources: usize, k: usize, destinations: usize) -> Self {
        let common = gcd(sources, k % sources * destinations);
        let shared = gcd(k, sources);
        let residues = common / shared;
        let (source_indices, destination_indices) = (sources / residues, destinations / residues);
        let rotations = source_indices.max(destination_indices);
        Self {
            common,
            shared,
            residues,
            source_indices,
            destination_indices,
            rotations,
            offsets: k.min(common) / shared,
            multiple: k % common,
            inverse: inverse_modulo(k / shared, residues),
            // The blocks of step (m, c), ⌈(k - m h) / G⌉, add up to k / h over all m.
            units: (k / shared) as u128 * rotations as u128,
        }
    }

    fn of_source(&self, source: usize) -> (usize, usize) {
        let index = source % self.shared + self.shared * (source / self.common);
        (source % self.common / self.shared, index)
    }

    /// Returns the residue of the sources of `destination` at offset 0, and its index.
    fn of_destination(&self, destination: usize) -> (usize, usize) {
        (
            destination % self.common * self.multiple % self.common / self.shared,
            destination / self.residues,
        )
    }

    fn difference(a: usize, b: usize, modulus: usize) -> usize {
        (a + modulus - b % modulus) % modulus
    }
}

impl StepPattern for Circulant {
    fn steps(&self) -> usize {
        self.offsets * self.rotations
    }

    fn destination(&self, step: usize, source: usize) -> Option<usize> {
        let (offset, rotation) = (step / self.rotations, step % self.rotations);
        let (residue, index) = self.of_source(source);
        let met = Self::difference(residue, offset, self.residues) * self.inverse % self.residues;
        let index = (index + rotation) % self.rotations;
        (index < self.destination_indices).then_some(met + self.residues * index)
    }

    fn source(&self, step: usize, destination: usize) -> Option<usize> {
        let (offset, rotation) = (step / self.rotations, step % self.rotations);
        let (residue, index) = self.of_destination(destination);
        let met = (residue + offset) % self.residues;
        let index = Self::difference(index, rotation, self.rotations);
        let source = || index / self.shared * self.common + met * self.shared + index % self.shared;
        (index < self.source_indices).then(source)
    }

    fn meeting(&self, source: usize, destination: usize) -> Option<usize> {
        let ((from, from_index), (to, to_index)) =
            (self.of_source(source), self.of_destination(destination));
        let offset = Self::difference(from, to, self.residues);
        let rotation = Self::difference(to_index, from_index, self.rotations);
        (offset < self.offsets).then_some(offset * self.rotations + rotation)
    }

    fn units(&self) -> u128 {
        self.units
    }
}
