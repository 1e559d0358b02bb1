//! This crate: plan, then pack or unpack.

use super::{KrCase, PackingMethod};
use redist::exec::{Packing, Unpacking};
use redist::{Error, Redistribution, RuntimePlan, Side, redistribute};
use std::hint::black_box;

redistribute! {
    struct Scatter5(n: usize): [f32; n] { from: cyclic(10) onto 64, to: cyclic(2) onto 64 }
    struct Scatter25(n: usize): [f32; n] { from: cyclic(50) onto 64, to: cyclic(2) onto 64 }
    struct Scatter50(n: usize): [f32; n] { from: cyclic(100) onto 64, to: cyclic(2) onto 64 }
    struct Scatter100(n: usize): [f32; n] { from: cyclic(200) onto 64, to: cyclic(2) onto 64 }
    struct ScatterBlock(n: usize): [f32; n] { from: block onto 64, to: cyclic onto 64 }
    struct Gather5(n: usize): [f32; n] { from: cyclic(2) onto 64, to: cyclic(10) onto 64 }
    struct Gather25(n: usize): [f32; n] { from: cyclic(2) onto 64, to: cyclic(50) onto 64 }
    struct Gather50(n: usize): [f32; n] { from: cyclic(2) onto 64, to: cyclic(100) onto 64 }
    struct Gather100(n: usize): [f32; n] { from: cyclic(2) onto 64, to: cyclic(200) onto 64 }
    struct GatherBlock(n: usize): [f32; n] { from: cyclic onto 64, to: block onto 64 }
}

/// Planned when it is called.
pub struct RunTime;

/// Planned for one case before it is called: our kernels' copying alone.
pub struct Planned(Vec<(Packing<f32>, Unpacking<f32>)>);

impl Planned {
    /// Plans for all ranks.
    pub fn new(case: &KrCase) -> Self {
        let plan = RuntimePlan::<f32, 1>::from(case.plan());
        Self((0..case.ranks).map(|rank| (plan.packing(rank), plan.unpacking(rank))).collect())
    }
}

impl PackingMethod for Planned {
    fn name(&self) -> &'static str {
        "redist, planned before"
    }

    fn pack(&self, _: &KrCase, rank: usize, local: &[f32], messages: &mut [&mut [f32]]) {
        pack(&self.0[rank].0, local, messages);
    }

    fn unpack(&self, _: &KrCase, rank: usize, messages: &[&[f32]], local: &mut [f32]) {
        unpack(&self.0[rank].1, messages, local);
    }

    fn indices(&self, _: &KrCase, _: usize, _: Side, _: usize) {}
}

/// Items of the macro for the paper's blocks and ranks, whose extent is given when they are called.
pub struct Macro;

impl PackingMethod for RunTime {
    fn name(&self) -> &'static str {
        "redist, run time"
    }

    fn pack(&self, case: &KrCase, rank: usize, local: &[f32], messages: &mut [&mut [f32]]) {
        pack(&RuntimePlan::<f32, 1>::from(case.plan()).packing(rank), local, messages);
    }

    fn unpack(&self, case: &KrCase, rank: usize, messages: &[&[f32]], local: &mut [f32]) {
        unpack(&RuntimePlan::<f32, 1>::from(case.plan()).unpacking(rank), messages, local);
    }

    fn indices(&self, case: &KrCase, rank: usize, side: Side, _: usize) {
        let plan = RuntimePlan::<f32, 1>::from(case.plan());
        match side {
            Side::Source => drop(black_box(plan.packing(rank))),
            Side::Destination => drop(black_box(plan.unpacking(rank))),
        }
    }
}

/// Does `$work` with the item for a case, which it plans.
macro_rules! with_item {
    ($case:expr, $plan:ident => $work:expr, $($scatters:literal $k:pat => $item:ident),+) => {
        match ($case.scatters, $case.k) {
            $(($scatters, $k) => {
                let $plan = $item::new($case.elements).unwrap_or_else(unplanned);
                $work
            })+
        }
    };
}

macro_rules! with_item_of {
    ($case:expr, $plan:ident => $work:expr) => {
        with_item!($case, $plan => $work,
            true 5 => Scatter5, true 25 => Scatter25, true 50 => Scatter50, true 100 => Scatter100, true _ => ScatterBlock,
            false 5 => Gather5, false 25 => Gather25, false 50 => Gather50, false 100 => Gather100, false _ => GatherBlock
        )
    };
}

impl PackingMethod for Macro {
    fn name(&self) -> &'static str {
        "redist, macro"
    }

    fn pack(&self, case: &KrCase, rank: usize, local: &[f32], messages: &mut [&mut [f32]]) {
        with_item_of!(case, plan => pack(&plan.packing(rank), local, messages));
    }

    fn unpack(&self, case: &KrCase, rank: usize, messages: &[&[f32]], local: &mut [f32]) {
        with_item_of!(case, plan => unpack(&plan.unpacking(rank), messages, local));
    }

    fn indices(&self, case: &KrCase, rank: usize, side: Side, _: usize) {
        match side {
            Side::Source => with_item_of!(case, plan => drop(black_box(plan.packing(rank)))),
            Side::Destination => with_item_of!(case, plan => drop(black_box(plan.unpacking(rank)))),
        }
    }
}

fn unplanned<T>(error: Error) -> T {
    panic!("the paper's layouts are right: {error}")
}

/// Hands over the messages that there are, in the order of the envelopes.
fn pack(packing: &Packing<f32>, local: &[f32], messages: &mut [&mut [f32]]) {
    let mut by_rank: Vec<Option<&mut [f32]>> =
        messages.iter_mut().map(|message| Some(&mut **message)).collect();
    let in_order = packing.envelopes().iter().filter_map(|envelope| by_rank[envelope.rank].take());
    packing.pack(local, &mut in_order.collect::<Vec<_>>());
}

fn unpack(unpacking: &Unpacking<f32>, messages: &[&[f32]], local: &mut [f32]) {
    let in_order: Vec<&[f32]> =
        unpacking.envelopes().iter().map(|envelope| messages[envelope.rank]).collect();
    unpacking.unpack(local, &in_order);
}
