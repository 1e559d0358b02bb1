//! A program's side of a coupling, and arrays of distinct elements.

use redist::layout::{Descriptor, Ranks};
use redist::mpi::{Communicator, Coupling};
use redist::{Error, Layout, Side};
use redist_mpi_tests::programs;

/// Program 0 is the producer, program 1 the consumer.
pub fn couple(world: &Communicator) -> Result<Coupling, Error> {
    let programs = programs(world)?;
    let role = if programs.program() == 0 { Side::Source } else { Side::Destination };
    programs.couple(role, 1 - programs.program())
}

pub fn own_ranks(coupling: &Coupling) -> usize {
    match coupling.role() {
        Side::Source => coupling.producers(),
        Side::Destination => coupling.consumers(),
    }
}

/// Returns the elements of a rank of a coupling at a time step, by the descriptor, not by a plan.
pub fn held<const D: usize>(array: &Descriptor<D>, rank: usize, step: usize) -> Vec<u64> {
    let mut local = vec![u64::MAX; array.local_len(rank)];
    let extents = array.extents();
    for number in 0..extents.iter().product() {
        let global = index(number, extents);
        if array.owner(global) == rank {
            local[array.local_offset(global)] = (step * 1_000_000 + number) as u64;
        }
    }
    local
}

fn index<const D: usize>(mut number: usize, extents: [usize; D]) -> [usize; D] {
    let mut index = [0; D];
    for dimension in (0..D).rev() {
        index[dimension] = number % extents[dimension];
        number /= extents[dimension];
    }
    index
}

pub fn layout<const D: usize>(text: &str, first: usize) -> Layout<D> {
    let layout: Layout<D> = text.parse().expect("the test's layouts are right");
    layout.ranks(Ranks::From(first))
}
