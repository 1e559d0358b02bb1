//! A loop over elements that finds each one's rank, packs it, and `MPI_Alltoallv`.

use super::Context;
use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::Redistribution;
use redist_moves::arrays::Scalar;
use redist_moves::peer::{Geometry, Grid, Peer};
use std::ffi::c_int;

/// The way element by element.
struct Naive<T> {
    world: SimpleCommunicator,
    geometry: Geometry,
    /// This rank's number.
    rank: usize,
    buffers: [Vec<T>; 2],
}

impl<T: Scalar> Peer<T> for Naive<T> {
    fn run(&mut self, source: &[T], destination: &mut [T]) {
        let Geometry { extents, from, to } = self.geometry;
        let ranks = Communicator::size(&self.world) as usize;
        let [out, inbox] = &mut self.buffers;
        let sent = counts(extents, &from, &to, self.rank, ranks);
        let mut next = displacements(&sent);
        for_each_element(extents, &from, &to, self.rank, |local, peer| {
            out[next[peer] as usize] = source[local];
            next[peer] += 1;
        });
        let received = counts(extents, &to, &from, self.rank, ranks);
        let mut next = displacements(&received);
        let send = Partition::new(&out[..], &sent[..], displacements(&sent));
        self.world.all_to_all_varcount_into(
            &send,
            &mut PartitionMut::new(&mut inbox[..], &received[..], next.clone()),
        );
        for_each_element(extents, &to, &from, self.rank, |local, peer| {
            destination[local] = inbox[next[peer] as usize];
            next[peer] += 1;
        });
    }
}

pub fn prepare<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let geometry = *context.geometry.ok_or("not a layout of ScaLAPACK's")?;
    let len = |side: &Grid| side.local(geometry.extents, context.rank).iter().product();
    let buffers = [vec![T::ZERO; len(&geometry.from)], vec![T::ZERO; len(&geometry.to)]];
    Ok(Box::new(Naive {
        world: Communicator::duplicate(context.world),
        geometry,
        rank: context.rank,
        buffers,
    }))
}

fn counts(extents: [usize; 2], own: &Grid, other: &Grid, rank: usize, ranks: usize) -> Vec<c_int> {
    let mut counts = vec![0; ranks];
    for_each_element(extents, own, other, rank, |_, peer| counts[peer] += 1);
    counts
}

fn displacements(counts: &[c_int]) -> Vec<c_int> {
    counts.iter().scan(0, |next, count| Some(std::mem::replace(next, *next + count))).collect()
}

fn for_each_element(
    extents: [usize; 2],
    own: &Grid,
    other: &Grid,
    rank: usize,
    mut visit: impl FnMut(usize, usize),
) {
    let Some(at) = own.coordinates(rank) else { return };
    let [rows, columns] = own.local(extents, rank);
    let global = |local: usize, d: usize| {
        (local / own.blocks[d] * own.shape[d] + at[d]) * own.blocks[d] + local % own.blocks[d]
    };
    let owner = |index: usize, d: usize| index / other.blocks[d] % other.shape[d];
    for column in 0..columns {
        let across = owner(global(column, 1), 1);
        for row in 0..rows {
            visit(column * rows + row, owner(global(row, 0), 0) * other.shape[1] + across);
        }
    }
}
