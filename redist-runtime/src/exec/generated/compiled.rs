//! Compiled parts of an item besides its plan, in the binary only if the program uses them.

use crate::exec::kernels::{CompiledStep, ExchangeCode, Loops, StepCode, step_kernels};
use crate::exec::{Inverse, Kernels, Redistribution};
use crate::plan::{Axis, Side};
use crate::program::{BlocksAndRanks, RunStep, StepMoves};
use core::marker::PhantomData;

/// The code that an item has for its blocks.
#[doc(hidden)] // In the docs of every item it would be noise.
pub trait Compiled<const D: usize>: Redistribution<D> {
    /// Blocks along the fastest dimension of the messages, from the source's side; `None` if they
    /// do not repeat or need no code.
    const BLOCKS: Option<BlocksAndRanks> = None;

    /// The same for the inverse, whose messages may have another fastest dimension.
    const BLOCKS_BACK: Option<BlocksAndRanks> = Self::BLOCKS;

    /// `true` if the dimension is the fastest one of both local arrays.
    const ON_BOTH_SIDES: bool = true;

    /// `true` for packing, unpacking, and copies between arrays, that [`loops`](Self::loops) does.
    const TEXT: [bool; 3] = [false; 3];

    /// The loops of the item's text, if it has any.
    fn loops() -> Option<&'static Loops> {
        None
    }

    /// `true` to write and use code that gains nothing, as benches do.
    const ALWAYS: bool = false;
}

/// Returns the blocks of a dimension, from the source's side; `None` if they do not repeat.
pub const fn blocks(axis: Axis) -> Option<BlocksAndRanks> {
    let (source, destination) = (axis.side(Side::Source), axis.side(Side::Destination));
    match axis.regular_blocks() {
        // A section may begin inside a block.
        Some((from, to)) if source.at() == 0 && destination.at() == 0 => {
            Some(BlocksAndRanks::new((from, source.ranks()), (to, destination.ranks())))
        }
        _ => None,
    }
}

const fn own_blocks<R: Compiled<D>, const D: usize>(
    packs: bool,
    back: bool,
) -> Option<BlocksAndRanks> {
    let blocks = if back { R::BLOCKS_BACK } else { R::BLOCKS };
    match blocks {
        // The inverse packs on the item's destination.
        Some(blocks) if packs == back => Some(blocks.turned()),
        blocks => blocks,
    }
}

/// A step of an item as a type: of its packing or its unpacking, there or back, of one cycle.
struct ItemStep<R, const D: usize, const PACKS: bool, const BACK: bool, const CYCLE: usize>(
    PhantomData<R>,
);

impl<R: Compiled<D>, const D: usize, const PACKS: bool, const BACK: bool, const CYCLE: usize>
    ItemStep<R, D, PACKS, BACK, CYCLE>
{
    const STEP: Option<RunStep> = match own_blocks::<R, D>(PACKS, BACK) {
        Some(own) if PACKS || R::ON_BOTH_SIDES => own.new_step(CYCLE),
        _ => None,
    };

    const CODE: StepCode = StepCode::of::<Self>(const { &Self::STEP });

    /// Returns the code of the cycle, if there is one.
    const fn code() -> StepCode {
        match own_blocks::<R, D>(PACKS, BACK) {
            Some(own) if CYCLE < own.cycles() => Self::compiled(),
            _ => StepCode::NONE,
        }
    }

    /// A function of its own: constants of cycles that are not there would cost compile time.
    const fn compiled() -> StepCode {
        Self::CODE
    }
}

impl<R: Compiled<D>, const D: usize, const PACKS: bool, const BACK: bool, const CYCLE: usize>
    CompiledStep for ItemStep<R, D, PACKS, BACK, CYCLE>
{
    const MOVES: &'static Option<StepMoves> = &match &Self::STEP {
        Some(step) => {
            let networks = cfg!(target_arch = "x86_64");
            match step.is_copied_as_fast(Self::WIDTH, networks) {
                true if !R::ALWAYS => None,
                _ => Some(step.moves(PACKS)),
            }
        }
        None => None,
    };
    const WIDTH: usize = size_of::<R::Element>();
    const ALWAYS: bool = R::ALWAYS;
}

/// A step of an item between the local arrays of all ranks as a type, there or back.
struct Exchange<R, const D: usize, const BACK: bool>(PhantomData<R>);

impl<R: Compiled<D>, const D: usize, const BACK: bool> Exchange<R, D, BACK> {
    const BLOCKS: Option<BlocksAndRanks> = match own_blocks::<R, D>(true, BACK) {
        Some(blocks) if R::ON_BOTH_SIDES => Some(blocks),
        _ => None,
    };

    const CODE: Option<ExchangeCode> = match Self::BLOCKS {
        Some(blocks) => Some(ExchangeCode {
            blocks,
            kernels: step_kernels::<Self>(),
            width: size_of::<R::Element>(),
        }),
        None => None,
    };
}

impl<R: Compiled<D>, const D: usize, const BACK: bool> CompiledStep for Exchange<R, D, BACK> {
    const MOVES: &'static Option<StepMoves> = &match Self::BLOCKS {
        Some(blocks) => blocks.exchange(),
        None => None,
    };
    const WIDTH: usize = size_of::<R::Element>();
}

pub(super) const fn are_written<R: Compiled<D>, const D: usize>() -> bool {
    packs_or_unpacks::<R, D, 0>()
        || packs_or_unpacks::<R, D, 1>()
        || packs_or_unpacks::<R, D, 2>()
        || packs_or_unpacks::<R, D, 3>()
}

const fn packs_or_unpacks<R: Compiled<D>, const D: usize, const CYCLE: usize>() -> bool {
    ItemStep::<R, D, true, false, CYCLE>::MOVES.is_some()
        || ItemStep::<R, D, false, false, CYCLE>::MOVES.is_some()
}

pub(super) const fn first_step<R: Compiled<D>, const D: usize>() -> Option<RunStep> {
    match ItemStep::<R, D, true, false, 0>::STEP {
        Some(step) => Some(step),
        None => ItemStep::<R, D, false, false, 0>::STEP,
    }
}

const fn cycles<R: Compiled<D>, const D: usize, const PACKS: bool, const BACK: bool>()
-> &'static [StepCode] {
    const {
        &[
            ItemStep::<R, D, PACKS, BACK, 0>::code(),
            ItemStep::<R, D, PACKS, BACK, 1>::code(),
            ItemStep::<R, D, PACKS, BACK, 2>::code(),
            ItemStep::<R, D, PACKS, BACK, 3>::code(),
        ]
    }
}

/// Returns the code of an item but that of its text.
const fn code<R: Compiled<D>, const D: usize, const BACK: bool>() -> Kernels {
    let [packs, unpacks, exchanges] = if BACK { [false; 3] } else { R::TEXT };
    Kernels {
        pack: if packs { &[] } else { cycles::<R, D, true, BACK>() },
        unpack: if unpacks { &[] } else { cycles::<R, D, false, BACK>() },
        exchange: if exchanges { None } else { exchange::<R, D, BACK>() },
        were_looked_for: R::BLOCKS.is_some(),
    }
}

const fn exchange<R: Compiled<D>, const D: usize, const BACK: bool>()
-> Option<&'static ExchangeCode> {
    match const { &Exchange::<R, D, BACK>::CODE } {
        Some(written) => Some(written),
        None => None,
    }
}

pub fn kernels<R: Compiled<D>, const D: usize>() -> Kernels {
    let written = const { code::<R, D, false>() };
    match R::loops() {
        Some(loops) => loops.beside(written),
        None => written,
    }
}

/// Returns the inverse of an item. Not inlined: rustc would evaluate its constants, too.
#[inline(never)]
pub fn inverse<R: Compiled<D>, const D: usize>(item: &R) -> Inverse<R::Element, D> {
    Inverse::new(item, const { code::<R, D, true>() })
}
