//! Interim.
use crate::compare::Pattern;
use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::{Element, Redistribution};

pub fn run<T: Pattern, R: Redistribution<2, Element = T>>(plan: &R, world: &SimpleCommunicator, from: &[T], to: &mut [T]) {
    let (rank, size) = (world.rank() as usize, world.size() as usize);
    let (packing, unpacking) = (plan.packing(rank), plan.unpacking(rank));
    let (mut sends, mut receives) = (vec![0i32; size], vec![0i32; size]);
    for e in packing.envelopes() { sends[e.rank] += e.len as i32; }
    for e in unpacking.envelopes() { receives[e.rank] += e.len as i32; }
    let displs = |counts: &[i32]| counts.iter().scan(0, |at, n| { let here = *at; *at += n; Some(here) }).collect::<Vec<i32>>();
    let (sd, rd) = (displs(&sends), displs(&receives));
    let mut messages: Vec<_> = packing.envelopes().iter().map(|e| vec![T::ZERO; e.len]).collect();
    packing.pack(from, &mut messages.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    let mut out = vec![0u64; sends.iter().sum::<i32>() as usize];
    for (e, m) in packing.envelopes().iter().zip(&messages) {
        for (i, x) in m.iter().enumerate() { out[sd[e.rank] as usize + i] = x.bits(); }
    }
    let mut inc = vec![0u64; receives.iter().sum::<i32>() as usize];
    world.all_to_all_varcount_into(&Partition::new(&out, sends, sd), &mut PartitionMut::new(&mut inc, receives, rd.clone()));
    let inc: Vec<T> = inc.into_iter().map(T::pattern).collect();
    let mut messages: Vec<&[T]> = unpacking.envelopes().iter().map(|e| &inc[rd[e.rank] as usize..][..e.len]).collect();
    unpacking.unpack(to, &mut messages);
}
