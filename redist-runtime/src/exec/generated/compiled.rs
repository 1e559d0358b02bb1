//! What is in the binary for an item besides its plan, and is taken from there when it is asked
//! for.

use super::Constants;
use crate::exec::kernels::{CompiledStep, WrittenExchange, WrittenStep, gaining, step_kernels};
use crate::exec::{Inverse, Kernels, Redistribution};
use crate::plan::{Axis, Piece, Plan, Side};
use crate::program::{BlocksAndRanks, RunStep, StepMoves};
use core::marker::PhantomData;

/// An item, as its crate's compiler has it.
#[doc(hidden)] // In the docs of every item it would be noise.
pub trait Compiled<const D: usize>: Redistribution<D> {
    /// The blocks along the fastest dimension of the messages, from the source's side; `None` where
    /// they do not repeat, or nothing is to be written out.
    const BLOCKS: Option<BlocksAndRanks> = None;

    /// The same for the inverse, from the same side.
    const BLOCKS_BACK: Option<BlocksAndRanks> = None;

    /// Whether both sides store that dimension as their fastest.
    const ON_BOTH_SIDES: bool = false;

    /// Whether code is written and taken also where it gains nothing: for benches, which show where
    /// that is.
    const ALWAYS: bool = false;

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
pub const fn blocks(axis: Axis) -> Option<BlocksAndRanks> {
    let (source, destination) = (axis.side(Side::Source), axis.side(Side::Destination));
    match axis.regular_blocks() {
        // A section may begin inside of a block.
        Some((from, to)) if source.at() == 0 && destination.at() == 0 => {
            Some(BlocksAndRanks::new((from, source.ranks()), (to, destination.ranks())))
        }
        _ => None,
    }
}

/// The blocks of an item from the side that packs or unpacks, there or back.
const fn own_blocks<R: Compiled<D>, const D: usize>(
    packs: bool,
    back: bool,
) -> Option<BlocksAndRanks> {
    let blocks = if back { R::BLOCKS_BACK } else { R::BLOCKS };
    match blocks {
        // The destination packs the way back.
        Some(blocks) if packs == back => Some(blocks.turned()),
        blocks => blocks,
    }
}

/// A step of an item: of its packing or its unpacking, there or back.
struct Of<R, const D: usize, const PACKS: bool, const BACK: bool, const CYCLE: usize>(
    PhantomData<R>,
);

impl<R: Compiled<D>, const D: usize, const PACKS: bool, const BACK: bool, const CYCLE: usize>
    Of<R, D, PACKS, BACK, CYCLE>
{
    const STEP: Option<RunStep> = match own_blocks::<R, D>(PACKS, BACK) {
        Some(own) if PACKS || R::ON_BOTH_SIDES => own.new_step(CYCLE),
        _ => None,
    };

    const WRITTEN: WrittenStep = WrittenStep::of::<Self>(const { &Self::STEP });
}

impl<R: Compiled<D>, const D: usize, const PACKS: bool, const BACK: bool, const CYCLE: usize>
    CompiledStep for Of<R, D, PACKS, BACK, CYCLE>
{
    const MOVES: Option<StepMoves> = match &Self::STEP {
        Some(step) if R::ALWAYS => Some(step.moves(PACKS)),
        Some(step) => gaining(step, Self::WIDTH, PACKS),
        None => None,
    };
    const WIDTH: usize = size_of::<R::Element>();
    const ALWAYS: bool = R::ALWAYS;
}

/// A step of an item between the local arrays of all ranks, there or back.
struct Exchange<R, const D: usize, const BACK: bool>(PhantomData<R>);

impl<R: Compiled<D>, const D: usize, const BACK: bool> Exchange<R, D, BACK> {
    const BLOCKS: Option<BlocksAndRanks> = match own_blocks::<R, D>(true, BACK) {
        Some(blocks) if R::ON_BOTH_SIDES => Some(blocks),
        _ => None,
    };

    const WRITTEN: Option<WrittenExchange> = match Self::BLOCKS {
        Some(blocks) => Some(WrittenExchange {
            blocks,
            kernels: step_kernels::<Self>(),
            width: size_of::<R::Element>(),
            always: R::ALWAYS,
        }),
        None => None,
    };
}

impl<R: Compiled<D>, const D: usize, const BACK: bool> CompiledStep for Exchange<R, D, BACK> {
    const MOVES: Option<StepMoves> = match Self::BLOCKS {
        Some(blocks) => blocks.exchange(),
        None => None,
    };
    const WIDTH: usize = size_of::<R::Element>();
}

/// Whether code is written that packs an item's messages, or that unpacks them.
pub(super) const fn are_written<R: Compiled<D>, const D: usize>() -> bool {
    packs_or_unpacks::<R, D, 0>()
        || packs_or_unpacks::<R, D, 1>()
        || packs_or_unpacks::<R, D, 2>()
        || packs_or_unpacks::<R, D, 3>()
}

const fn packs_or_unpacks<R: Compiled<D>, const D: usize, const CYCLE: usize>() -> bool {
    Of::<R, D, true, false, CYCLE>::MOVES.is_some()
        || Of::<R, D, false, false, CYCLE>::MOVES.is_some()
}

/// The step that an item's messages are packed by, or else the one that they are unpacked by.
pub(super) const fn first_step<R: Compiled<D>, const D: usize>() -> Option<RunStep> {
    match Of::<R, D, true, false, 0>::STEP {
        Some(step) => Some(step),
        None => Of::<R, D, false, false, 0>::STEP,
    }
}

/// The code for the first cycles, there or back: more take longer to compile than they gain.
const fn code<R: Compiled<D>, const D: usize, const BACK: bool>() -> Kernels {
    Kernels {
        pack: const {
            &[
                Of::<R, D, true, BACK, 0>::WRITTEN,
                Of::<R, D, true, BACK, 1>::WRITTEN,
                Of::<R, D, true, BACK, 2>::WRITTEN,
                Of::<R, D, true, BACK, 3>::WRITTEN,
            ]
        },
        unpack: const {
            &[
                Of::<R, D, false, BACK, 0>::WRITTEN,
                Of::<R, D, false, BACK, 1>::WRITTEN,
                Of::<R, D, false, BACK, 2>::WRITTEN,
                Of::<R, D, false, BACK, 3>::WRITTEN,
            ]
        },
        exchange: match const { &Exchange::<R, D, BACK>::WRITTEN } {
            Some(written) => Some(written),
            None => None,
        },
    }
}

/// What copies the steps of an item.
pub fn kernels<R: Compiled<D>, const D: usize>() -> Kernels {
    const { code::<R, D, false>() }
}

/// The inverse of an item. Not inlined, or its constants would be evaluated where the item is and
/// not where it is used.
#[inline(never)]
pub fn inverse<R: Compiled<D>, const D: usize>(item: &R) -> Inverse<R::Element, D> {
    let Inverted { plan, windows } = R::inverted::<D>();
    let kernels = const { code::<R, D, true>() };
    Inverse::new(item, plan.unwrap_or_else(|| item.plan().inverse()), windows, kernels)
}

/// The inverse of an item whose sizes depend on its generics.
pub struct Back<P>(PhantomData<P>);

impl<P: Constants<D>, const D: usize> Constants<D> for Back<P> {
    const PLAN: Plan<D> = P::PLAN.inverse();
    const TABLES: usize = P::TABLES;
}
