//! One derived datatype a pair of ranks, and `MPI_Alltoallw`.

use super::Context;
use mpi::ffi::{self, MPI_Aint, MPI_Comm, MPI_Datatype};
use mpi::traits::*;
use redist::Redistribution;
use redist_moves::arrays::Scalar;
use redist_moves::peer::{Geometry, Interval, Peer};
use std::ffi::c_int;
use std::marker::PhantomData;

/// The way by derived datatypes.
struct Alltoallw<T> {
    world: MPI_Comm,
    send: Types,
    receive: Types,
    displacements: Vec<c_int>,
    element: PhantomData<T>,
}

/// Datatypes of one direction, by rank.
struct Types {
    types: Vec<MPI_Datatype>,
    counts: Vec<c_int>,
}

impl<T: Scalar> Peer<T> for Alltoallw<T> {
    fn run(&mut self, source: &[T], destination: &mut [T]) {
        let (from, to) = (source.as_ptr().cast(), destination.as_mut_ptr().cast());
        let (send, receive, at) = (&self.send, &self.receive, self.displacements.as_ptr());
        // SAFETY: the types were made for local arrays of these layouts, which the bench allocates
        // from the same plan; all lists have an entry for each rank.
        let code = unsafe {
            ffi::MPI_Alltoallw(
                from,
                send.counts.as_ptr(),
                at,
                send.types.as_ptr(),
                to,
                receive.counts.as_ptr(),
                at,
                receive.types.as_ptr(),
                self.world,
            )
        };
        assert_eq!(code, ffi::MPI_SUCCESS as c_int, "MPI_Alltoallw");
    }
}

pub fn prepare<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let geometry = context.geometry.ok_or("not a layout of ScaLAPACK's")?;
    let ranks = Communicator::size(context.world) as usize;
    let [send, receive] =
        [false, true].map(|receiving| Types::new::<T>(geometry, receiving, context.rank, ranks));
    let displacements = vec![0; ranks];
    Ok(Box::new(Alltoallw::<T> {
        world: context.world.as_raw(),
        send,
        receive,
        displacements,
        element: PhantomData,
    }))
}

impl Types {
    fn new<T: Scalar>(geometry: &Geometry, receiving: bool, rank: usize, ranks: usize) -> Self {
        let Geometry { extents, from, to } = geometry;
        let (own, other) = if receiving { (to, from) } else { (from, to) };
        let element = T::equivalent_datatype().as_raw();
        let mut made = Self { types: vec![element; ranks], counts: vec![0; ranks] };
        let Some(at) = own.coordinates(rank) else { return made };
        let leading = own.local(*extents, rank)[0];
        for (peer, coordinates) in
            (0..ranks).filter_map(|peer| Some((peer, other.coordinates(peer)?)))
        {
            let [rows, columns] =
                [0, 1].map(|d| own.intervals(other, extents[d], d, at[d], coordinates[d]));
            if !rows.is_empty() && !columns.is_empty() {
                made.types[peer] = matrix_type(&rows, &columns, leading * size_of::<T>(), element);
                made.counts[peer] = 1;
            }
        }
        made
    }
}

/// Makes the rows of one column, resized to a column's length, for all columns.
fn matrix_type(
    rows: &[Interval],
    columns: &[Interval],
    column_bytes: usize,
    element: MPI_Datatype,
) -> MPI_Datatype {
    let column = indexed(rows, element);
    let (mut resized, mut matrix) = (column, column);
    // SAFETY: the types are alive, and freed once each; the pointers are to live handles.
    unsafe {
        ffi::MPI_Type_create_resized(column, 0, column_bytes as MPI_Aint, &mut resized);
        matrix = indexed_of(columns, resized, matrix);
        ffi::MPI_Type_commit(&mut matrix);
        ffi::MPI_Type_free(&mut { column });
        ffi::MPI_Type_free(&mut resized);
    }
    matrix
}

fn indexed(intervals: &[Interval], of: MPI_Datatype) -> MPI_Datatype {
    indexed_of(intervals, of, of)
}

fn indexed_of(intervals: &[Interval], of: MPI_Datatype, mut made: MPI_Datatype) -> MPI_Datatype {
    let lengths: Vec<c_int> = intervals.iter().map(|interval| interval.len as c_int).collect();
    let starts: Vec<c_int> = intervals.iter().map(|interval| interval.start as c_int).collect();
    // SAFETY: both lists have as many entries as is said, and `of` is a live type.
    let code = unsafe {
        ffi::MPI_Type_indexed(
            lengths.len() as c_int,
            lengths.as_ptr(),
            starts.as_ptr(),
            of,
            &mut made,
        )
    };
    assert_eq!(code, ffi::MPI_SUCCESS as c_int, "MPI_Type_indexed");
    made
}

impl Drop for Types {
    fn drop(&mut self) {
        for (made, _) in self.types.iter_mut().zip(&self.counts).filter(|(_, count)| **count > 0) {
            // SAFETY: it was made by `matrix_type`, and MPI is not yet finalised: the bench ends
            // its cases before.
            unsafe { ffi::MPI_Type_free(made) };
        }
    }
}
