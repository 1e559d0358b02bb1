//! What is in the binary for an item besides its plan, and is taken from there when it is asked
//! for.

use super::Constants;
use crate::exec::kernels::{CompiledStep, StepKernels, step_kernels};
use crate::exec::{Inverse, Kernels, Redistribution};
use crate::plan::{Axis, Piece, Plan, Side};
use crate::program::{Blocks, RunStep};
use core::marker::PhantomData;

/// An item, as its crate's compiler has it.
#[doc(hidden)] // In the docs of every item it would be noise.
pub trait Compiled<const D: usize>: Redistribution<D> {
    /// The blocks along the fastest dimension of the messages, from the source's side; `None` where
    /// they do not repeat, or nothing is to be written out.
    const BLOCKS: Option<Blocks> = None;

    /// The same for the inverse, from the same side.
    const BLOCKS_BACK: Option<Blocks> = None;

    /// Whether both sides store that dimension as their fastest.
    const ON_BOTH_SIDES: bool = false;

    /// What is there for the inverse. `USED` is any number: see [`only_when_used`].
    fn inverted<const USED: usize>() -> Inverted<D> {
        Inverted::AT_RUN_TIME
    }
}

/// What a constant calls first in a function with the constant parameter `used`. The compiler knows
/// its value once a program calls the function, and cannot evaluate the constant before, so one
/// that is not used costs nothing.
pub const fn only_when_used(_used: usize) {}

/// What is in the binary for the inverse of an item.
pub struct Inverted<const D: usize> {
    /// Its plan; `None` where that is made at run time, as the item's is.
    pub plan: Option<Plan<D>>,
    /// Its window tables, by its dimensions.
    pub windows: [&'static [Piece]; D],
}

impl<const D: usize> Inverted<D> {
    /// Nothing.
    pub const AT_RUN_TIME: Self = Self { plan: None, windows: [&[]; D] };
}

/// The blocks of a dimension, from the source's side; `None` where they do not repeat.
pub const fn blocks(axis: Axis) -> Option<Blocks> {
    let (source, destination) = (axis.side(Side::Source), axis.side(Side::Destination));
    match axis.regular_blocks() {
        Some((from, to)) => Some(Blocks::new((from, source.ranks()), (to, destination.ranks()))),
        None => None,
    }
}

/// A step of an item: of its packing or its unpacking, there or back.
struct Of<R, const D: usize, const PACKS: bool, const BACK: bool, const CYCLE: usize>(
    PhantomData<R>,
);

impl<R: Compiled<D>, const D: usize, const PACKS: bool, const BACK: bool, const CYCLE: usize>
    CompiledStep for Of<R, D, PACKS, BACK, CYCLE>
{
    const PACKS: bool = PACKS;
    const STEP: Option<RunStep> = {
        let blocks = if BACK { R::BLOCKS_BACK } else { R::BLOCKS };
        match blocks {
            Some(blocks) if PACKS || R::ON_BOTH_SIDES => {
                // The destination packs the way back.
                let own = if PACKS == BACK { blocks.turned() } else { blocks };
                if CYCLE < own.cycles() { own.step(CYCLE) } else { None }
            }
            _ => None,
        }
    };
    const WIDTH: usize = size_of::<R::Element>();
}

/// The kernels of the first cycles: more take longer to compile than they gain.
const fn of_cycles<R: Compiled<D>, const D: usize, const PACKS: bool, const BACK: bool>()
-> [StepKernels; 4] {
    [
        step_kernels::<Of<R, D, PACKS, BACK, 0>>(),
        step_kernels::<Of<R, D, PACKS, BACK, 1>>(),
        step_kernels::<Of<R, D, PACKS, BACK, 2>>(),
        step_kernels::<Of<R, D, PACKS, BACK, 3>>(),
    ]
}

/// What copies the steps of an item.
pub fn kernels<R: Compiled<D>, const D: usize>() -> Kernels {
    Kernels {
        pack: const { &of_cycles::<R, D, true, false>() },
        unpack: const { &of_cycles::<R, D, false, false>() },
    }
}

/// The inverse of an item. Not inlined, or its constants would be evaluated where the item is and
/// not where it is used.
#[inline(never)]
pub fn inverse<R: Compiled<D>, const D: usize>(item: &R) -> Inverse<R::Element, D> {
    let Inverted { plan, windows } = R::inverted::<D>();
    let kernels = Kernels {
        pack: const { &of_cycles::<R, D, true, true>() },
        unpack: const { &of_cycles::<R, D, false, true>() },
    };
    Inverse::new(item, plan.unwrap_or_else(|| item.plan().inverse()), windows, kernels)
}

/// The inverse of an item whose sizes depend on its generics.
pub struct Back<P>(PhantomData<P>);

impl<P: Constants<D>, const D: usize> Constants<D> for Back<P> {
    const PLAN: Plan<D> = P::PLAN.inverse();
    const TABLES: usize = P::TABLES;
}
