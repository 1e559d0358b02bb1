//! The loops of an item's text are what runs.

use super::Loops;
use crate::exec::generated::of_8::{copy, steps, steps_mut};
use crate::exec::generated::{Bytes, Compiled, inverse, kernels};
use crate::exec::{Inverse, Kernels, Redistribution, TypedPlan};
use crate::plan::Plan;
use crate::program::BlocksAndRanks;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const BLOCKS: BlocksAndRanks = BlocksAndRanks::new((10, 3), (2, 3));

/// Calls of loops so far: those that pack, and those that unpack.
static CALLS: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

fn pack(local: &Bytes, messages: &mut [&mut Bytes]) {
    CALLS[0].fetch_add(1, Relaxed);
    let [message_0, message_1, message_2] = messages else { unreachable!() };
    let count = local.len() / 80;
    let local = steps::<10>(local, count);
    let message_0 = steps_mut::<4>(message_0, count);
    let message_1 = steps_mut::<4>(message_1, count);
    let message_2 = steps_mut::<2>(message_2, count);
    for step in 0..count {
        copy(&local[step], 0, &mut message_0[step], 0, 2);
        copy(&local[step], 6, &mut message_0[step], 2, 2);
        copy(&local[step], 2, &mut message_1[step], 0, 2);
        copy(&local[step], 8, &mut message_1[step], 2, 2);
        copy(&local[step], 4, &mut message_2[step], 0, 2);
    }
}

/// Ends before it has read anything, as no item's text does.
fn unpack(_: &[&Bytes], local: &mut Bytes) {
    CALLS[1].fetch_add(1, Relaxed);
    local.fill(0);
}

struct Item;

impl Compiled<1> for Item {
    const BLOCKS: Option<BlocksAndRanks> = Some(BLOCKS);
    const TEXT: [bool; 3] = [true; 3];

    fn loops() -> Option<&'static Loops> {
        static LOOPS: Loops = Loops::new(BLOCKS, 8, &[Some(pack)], &[Some(unpack)], None);
        Some(&LOOPS)
    }
}

impl Redistribution<1> for Item {
    type Element = f64;

    fn name(&self) -> &str {
        "Item"
    }

    fn plan(&self) -> Plan<1> {
        Plan::parse([903], "cyclic(10) onto 3", "cyclic(2) onto 3").unwrap()
    }

    fn kernels(&self) -> Kernels {
        kernels::<Self, 1>()
    }

    fn inverse(&self) -> Inverse<f64, 1> {
        inverse(self)
    }
}

fn packed(item: &impl Redistribution<1, Element = f64>, rank: usize) -> Vec<Vec<f64>> {
    let packing = item.binder().packing(rank);
    let local: Vec<f64> = (0..packing.local_len()).map(|at| at as f64).collect();
    let mut messages: Vec<_> = packing.envelopes().iter().map(|to| vec![0.0; to.len]).collect();
    packing.pack(&local, &mut messages.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    messages
}

#[test]
fn the_loops_of_a_text_are_what_runs() {
    let at_run_time = TypedPlan::<f64, 1>::from(Item.plan());
    assert_eq!(Item.kernels().exist(), [true, true]);
    for rank in 0..3 {
        let before = CALLS[0].load(Relaxed);
        assert!(packed(&Item, rank) == packed(&at_run_time, rank), "rank {rank}");
        assert!(CALLS[0].load(Relaxed) > before, "rank {rank}: the loop is not called");
    }
    // No loop can write beyond its slices: the ends of the row are the library's.
    let unpacking = Item.binder().unpacking(0);
    let mut local = vec![1.0; unpacking.local_len()];
    let messages: Vec<_> = unpacking.envelopes().iter().map(|from| vec![1.0; from.len]).collect();
    unpacking.unpack(&mut local, &messages.iter().map(Vec::as_slice).collect::<Vec<_>>());
    assert!(CALLS[1].load(Relaxed) > 0 && local.contains(&0.0));
}
