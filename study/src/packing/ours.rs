//! Packing and unpacking by this crate: planned at run time, by the macro, or before the call.

use super::{KrCase, PackingMethod, RANKS, Unpacker};
use redist::exec::{Packing, Unpacking};
use redist::{Bound, Error, Redistribution, Side, Transport, TypedPlan, redistribute};
use std::hint::black_box;

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

/// Makes a module whose functions plan with the item for a case, on one number of ranks.
macro_rules! items {
    ($name:ident, $ranks:tt) => {
        mod $name {
            use super::*;

            redistribute! {
                struct Scatter5(n: usize): [f32; n] { from: cyclic(10) onto $ranks, to: cyclic(2) onto $ranks }
                struct Scatter25(n: usize): [f32; n] { from: cyclic(50) onto $ranks, to: cyclic(2) onto $ranks }
                struct Scatter50(n: usize): [f32; n] { from: cyclic(100) onto $ranks, to: cyclic(2) onto $ranks }
                struct Scatter100(n: usize): [f32; n] { from: cyclic(200) onto $ranks, to: cyclic(2) onto $ranks }
                struct ScatterBlock(n: usize): [f32; n] { from: block onto $ranks, to: cyclic onto $ranks }
                struct Gather5(n: usize): [f32; n] { from: cyclic(2) onto $ranks, to: cyclic(10) onto $ranks }
                struct Gather25(n: usize): [f32; n] { from: cyclic(2) onto $ranks, to: cyclic(50) onto $ranks }
                struct Gather50(n: usize): [f32; n] { from: cyclic(2) onto $ranks, to: cyclic(100) onto $ranks }
                struct Gather100(n: usize): [f32; n] { from: cyclic(2) onto $ranks, to: cyclic(200) onto $ranks }
                struct GatherBlock(n: usize): [f32; n] { from: cyclic onto $ranks, to: block onto $ranks }
            }

            pub fn packing(case: &KrCase, rank: usize) -> Packing<f32> {
                with_item_of!(case, plan => plan.binder().packing(rank))
            }

            pub fn unpacking(case: &KrCase, rank: usize) -> Unpacking<f32> {
                with_item_of!(case, plan => plan.binder().unpacking(rank))
            }

            pub fn bind<C: Transport>(case: &KrCase, world: &C) -> Result<Bound<f32, 1>, Error> {
                with_item_of!(case, plan => plan.bind(world))
            }
        }
    };
}

items!(on_4, 4);
items!(on_8, 8);
items!(on_16, 16);
items!(on_64, 64);

macro_rules! on_ranks {
    ($case:expr, $function:ident($($argument:expr),*)) => {
        match $case.ranks {
            4 => on_4::$function($($argument),*),
            8 => on_8::$function($($argument),*),
            16 => on_16::$function($($argument),*),
            RANKS => on_64::$function($($argument),*),
            ranks => panic!("there are items for 4, 8, 16 and 64 ranks, none for {ranks}"),
        }
    };
}

/// Plans of the library, which are made in each call.
trait Plans {
    const NAME: &'static str;

    fn packing(case: &KrCase, rank: usize) -> Packing<f32>;

    fn unpacking(case: &KrCase, rank: usize) -> Unpacking<f32>;
}

/// Plans in each call.
pub struct RunTime;

impl Plans for RunTime {
    const NAME: &'static str = "redist, run time";

    fn packing(case: &KrCase, rank: usize) -> Packing<f32> {
        TypedPlan::<f32, 1>::from(case.plan()).binder().packing(rank)
    }

    fn unpacking(case: &KrCase, rank: usize) -> Unpacking<f32> {
        TypedPlan::<f32, 1>::from(case.plan()).binder().unpacking(rank)
    }
}

/// Items of the macro for the paper's blocks on 4, 8, 16 and 64 ranks, whose extent is given later.
pub struct Macro;

impl Plans for Macro {
    const NAME: &'static str = "redist, macro";

    fn packing(case: &KrCase, rank: usize) -> Packing<f32> {
        on_ranks!(case, packing(case, rank))
    }

    fn unpacking(case: &KrCase, rank: usize) -> Unpacking<f32> {
        on_ranks!(case, unpacking(case, rank))
    }
}

impl<P: Plans> PackingMethod for P {
    fn name(&self) -> &'static str {
        P::NAME
    }

    fn pack(&self, case: &KrCase, rank: usize, local: &[f32], messages: &mut [&mut [f32]]) {
        pack(&P::packing(case, rank), local, messages);
    }

    fn unpack(&self, case: &KrCase, rank: usize, messages: &[&[f32]], local: &mut [f32]) {
        unpack(&P::unpacking(case, rank), messages, local);
    }

    fn unpacker(&self, case: &KrCase, rank: usize) -> Option<Unpacker> {
        let unpacking = P::unpacking(case, rank);
        Some(Box::new(move |source, message, local| {
            let mut envelopes = unpacking.envelopes().iter();
            let number = envelopes.position(|envelope| envelope.rank == source);
            let number = number.expect("a message that arrives has an envelope");
            unpacking.unpack_message(local, number, message);
        }))
    }

    fn indices(&self, case: &KrCase, rank: usize, side: Side, _: usize) {
        match side {
            Side::Source => drop(black_box(P::packing(case, rank))),
            Side::Destination => drop(black_box(P::unpacking(case, rank))),
        }
    }
}

/// Planned for one case before the call: only our kernels' copying.
pub struct Planned(Vec<(Packing<f32>, Unpacking<f32>)>);

impl Planned {
    pub fn new(case: &KrCase) -> Self {
        let both = |rank| (RunTime::packing(case, rank), RunTime::unpacking(case, rank));
        Self((0..case.ranks).map(both).collect())
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

impl Macro {
    /// Binds the item for a case, with a plan that is made before. Collective.
    ///
    /// # Panics
    /// If there are other than 4, 8, 16 or 64 ranks.
    pub fn bind<C: Transport>(case: &KrCase, world: &C) -> Result<Bound<f32, 1>, Error> {
        on_ranks!(case, bind(case, world))
    }
}

fn unplanned<T>(error: Error) -> T {
    panic!("the paper's layouts are right: {error}")
}

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
