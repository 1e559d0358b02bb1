//! What is in the binary for an item besides its plan, and is taken from there when it is asked
//! for.

use super::Constants;
use super::unrolled::{PackRow, UnpackRow};
use crate::element::Element;
use crate::exec::{Inverse, Kernels, Redistribution};
use crate::plan::{Piece, Plan};
use core::marker::PhantomData;

/// An item, as its crate's compiler has it. Loops that are not written out are not called.
#[doc(hidden)] // In the docs of every item it would be noise.
pub trait Compiled<const D: usize>: Redistribution<D> {
    /// Whether [`pack`](Compiled::pack) is written out.
    const PACKS: bool = false;

    /// Whether [`unpack`](Compiled::unpack) is written out.
    const UNPACKS: bool = false;

    /// Whether [`pack_back`](Compiled::pack_back) is written out.
    const PACKS_BACK: bool = false;

    /// Whether [`unpack_back`](Compiled::unpack_back) is written out.
    const UNPACKS_BACK: bool = false;

    /// Packs the whole blocks of a row.
    fn pack<T: Element>(_row: PackRow<'_, '_>) {}

    /// Unpacks the whole blocks of a row.
    fn unpack<T: Element>(_row: UnpackRow<'_, '_>) {}

    /// As `pack`, for the inverse.
    fn pack_back<T: Element>(_row: PackRow<'_, '_>) {}

    /// As `unpack`, for the inverse.
    fn unpack_back<T: Element>(_row: UnpackRow<'_, '_>) {}

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

/// The loops for the elements of an item. That these can be moved is what the item's trait asks
/// for, and nothing else has to: an element that cannot is one error.
pub fn kernels<R: Compiled<D>, const D: usize>() -> Kernels {
    Kernels {
        pack: if R::PACKS { Some(R::pack::<R::Element>) } else { None },
        unpack: if R::UNPACKS { Some(R::unpack::<R::Element>) } else { None },
    }
}

/// The inverse of an item. Not inlined, or its constants would be evaluated where the item is and
/// not where it is used.
#[inline(never)]
pub fn inverse<R: Compiled<D>, const D: usize>(item: &R) -> Inverse<R::Element, D> {
    let Inverted { plan, windows } = R::inverted::<D>();
    let kernels = Kernels {
        pack: if R::PACKS_BACK { Some(R::pack_back::<R::Element>) } else { None },
        unpack: if R::UNPACKS_BACK { Some(R::unpack_back::<R::Element>) } else { None },
    };
    Inverse::new(item, plan.unwrap_or_else(|| item.plan().inverse()), windows, kernels)
}

/// The inverse of an item whose sizes depend on its generics.
pub struct Back<P>(PhantomData<P>);

impl<P: Constants<D>, const D: usize> Constants<D> for Back<P> {
    const PLAN: Plan<D> = P::PLAN.inverse();
    const TABLES: usize = P::TABLES;
}
