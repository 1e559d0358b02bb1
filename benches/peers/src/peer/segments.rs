//! As in most codes: a segment table for each pair, made once; pack, `MPI_Alltoallv`, unpack.

use super::Context;
use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::Redistribution;
use redist_moves::arrays::Scalar;
use redist_moves::peer::{Geometry, Interval, Peer};
use std::ffi::c_int;

/// The way by segment tables.
struct Alltoallv<T> {
    world: SimpleCommunicator,
    send: Buffer<T>,
    receive: Buffer<T>,
    /// This rank's number.
    own: usize,
}

/// Messages of one direction.
struct Buffer<T> {
    tables: Vec<Table>,
    elements: Vec<T>,
    counts: Vec<c_int>,
    displacements: Vec<c_int>,
    /// Leading dimension of the local matrix, in elements.
    leading: usize,
}

/// The elements of one pair: the same rows of each of these columns.
struct Table {
    rows: Vec<Interval>,
    columns: Vec<Interval>,
}

impl<T: Scalar> Peer<T> for Alltoallv<T> {
    fn run(&mut self, source: &[T], destination: &mut [T]) {
        let own = self.own;
        self.send.for_each_segment(|elements, local| elements.copy_from_slice(&source[local]));
        // A rank's message to itself does not travel.
        let kept = (
            std::mem::take(&mut self.send.counts[own]),
            std::mem::take(&mut self.receive.counts[own]),
        );
        {
            let (send, receive) = (&self.send, &mut self.receive);
            let send =
                Partition::new(&send.elements[..], &send.counts[..], &send.displacements[..]);
            let mut receive = PartitionMut::new(
                &mut receive.elements[..],
                &receive.counts[..],
                &receive.displacements[..],
            );
            self.world.all_to_all_varcount_into(&send, &mut receive);
        }
        (self.send.counts[own], self.receive.counts[own]) = kept;
        let message = |buffer: &Buffer<T>| buffer.displacements[own] as usize;
        let (from, to, len) =
            (message(&self.send), message(&self.receive), self.receive.counts[own] as usize);
        self.receive.elements[to..to + len].copy_from_slice(&self.send.elements[from..from + len]);
        self.receive
            .for_each_segment(|elements, local| destination[local].copy_from_slice(elements));
    }
}

pub fn prepare<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let geometry = context.geometry.ok_or("not a layout of ScaLAPACK's")?;
    let world = Communicator::duplicate(context.world);
    let ranks = Communicator::size(&world) as usize;
    let [send, receive] =
        [false, true].map(|receiving| Buffer::new(geometry, receiving, context.rank, ranks));
    Ok(Box::new(Alltoallv::<T> { world, send, receive, own: context.rank }))
}

impl<T: Scalar> Buffer<T> {
    fn new(geometry: &Geometry, receiving: bool, rank: usize, ranks: usize) -> Self {
        let Geometry { extents, from, to } = geometry;
        let (own, other) = if receiving { (to, from) } else { (from, to) };
        let table = |peer| {
            let (at, theirs) = own.coordinates(rank).zip(other.coordinates(peer))?;
            let [rows, columns] =
                [0, 1].map(|d| own.intervals(other, extents[d], d, at[d], theirs[d]));
            Some(Table { rows, columns })
        };
        let none = || Table { rows: Vec::new(), columns: Vec::new() };
        let tables: Vec<Table> = (0..ranks).map(|peer| table(peer).unwrap_or_else(none)).collect();
        let counts: Vec<c_int> = tables.iter().map(|table| table.len() as c_int).collect();
        let displacements: Vec<c_int> = counts
            .iter()
            .scan(0, |next, count| Some(std::mem::replace(next, *next + count)))
            .collect();
        let elements = vec![T::ZERO; counts.iter().sum::<c_int>() as usize];
        Self { tables, elements, counts, displacements, leading: own.local(*extents, rank)[0] }
    }

    fn for_each_segment(&mut self, mut copy: impl FnMut(&mut [T], std::ops::Range<usize>)) {
        let mut rest = self.elements.as_mut_slice();
        for table in &self.tables {
            for column in
                table.columns.iter().flat_map(|columns| columns.start..columns.start + columns.len)
            {
                for row in &table.rows {
                    let (segment, after) = std::mem::take(&mut rest).split_at_mut(row.len);
                    let start = column * self.leading + row.start;
                    copy(segment, start..start + row.len);
                    rest = after;
                }
            }
        }
    }
}

impl Table {
    fn len(&self) -> usize {
        let total =
            |intervals: &[Interval]| intervals.iter().map(|interval| interval.len).sum::<usize>();
        total(&self.rows) * total(&self.columns)
    }
}
