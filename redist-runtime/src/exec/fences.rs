//! What is stored past the caches has a fence after it, also where a panic ends the copy: other
//! threads are told then that it is over, and may look.

use super::kernels::{Allowed, Memory};
use super::rank::{RankPacking, RankUnpacking};
use crate::cache::unfenced;
use crate::plan::{AnyPlan, Plan, Side};
use crate::program::{Envelope, Program};
use std::panic::{AssertUnwindSafe, catch_unwind};

const WIDTH: usize = 8;

/// Fifty rows, of runs of several lines.
fn plan(from: &str, to: &str) -> AnyPlan {
    AnyPlan::from(Plan::parse([50, 6000], from, to).unwrap())
}

fn allowed() -> Allowed {
    Allowed::up_to(None, Some(0))
}

/// Messages of zeros, the last one too short for the last row by `missing` elements.
fn messages(envelopes: &[Envelope], missing: usize) -> Vec<Vec<u8>> {
    let mut messages: Vec<Vec<u8>> =
        envelopes.iter().map(|envelope| vec![0; envelope.len * WIDTH]).collect();
    let last = messages.last_mut().expect("there are three");
    last.truncate(last.len() - missing * WIDTH);
    messages
}

/// Whether the copy panics, after stores past the caches of which none is without a fence.
fn check(panics: bool, copy: impl FnOnce()) {
    unfenced::take();
    let went = catch_unwind(AssertUnwindSafe(copy));
    assert_eq!(went.is_err(), panics);
    let (fenced, without) = unfenced::take();
    assert!(fenced > 0 && without == 0, "{fenced} stores before a fence, {without} without one");
}

#[test]
fn a_panic_while_packing_leaves_no_store_unfenced() {
    let plan = plan("(*, cyclic(512)) onto 2", "(*, cyclic(64)) onto 3");
    let program = Program::new(&plan, &[], Side::Source, 0);
    let packing = RankPacking::new(program, &[], (WIDTH, allowed()));
    assert_eq!(packing.kernel().memory, Memory::Nontemporal, "{}", packing.kernel());
    let local = vec![1; packing.local_len() * WIDTH];
    for missing in [0, 1] {
        let mut messages = messages(packing.envelopes(), missing);
        let mut slices: Vec<&mut [u8]> = messages.iter_mut().map(Vec::as_mut_slice).collect();
        check(missing > 0, || _ = packing.pack(&local, &mut slices));
    }
}

#[test]
fn a_panic_while_unpacking_leaves_no_store_unfenced() {
    let plan = plan("(*, cyclic(64)) onto 3", "(*, cyclic(512)) onto 2");
    let program = Program::new(&plan, &[], Side::Destination, 0);
    let unpacking = RankUnpacking::new(program, &[], (WIDTH, allowed()));
    assert_eq!(unpacking.kernel().memory, Memory::Nontemporal, "{}", unpacking.kernel());
    let mut local = vec![0; unpacking.local_len() * WIDTH];
    for missing in [0, 1] {
        let messages = messages(unpacking.envelopes(), missing);
        let mut slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        check(missing > 0, || _ = unpacking.unpack(&mut local, &mut slices));
    }
}
