//! The one interface of all plans, whoever made them and when.

use super::unrolled::{PackRow, UnpackRow};
use super::{Bound, Packing, Unpacking};
use crate::element::Element;
use crate::error::Error;
use crate::plan::{Piece, Plan};
use crate::transport::Transport;
use core::fmt;

/// A plan with an element type: what the macro's items and [`RuntimePlan`](super::RuntimePlan) are.
pub trait Redistribution<const D: usize> {
    /// What the array holds.
    type Element: Element;

    /// The name to call it by in messages.
    fn name(&self) -> &str;

    /// Who sends what to whom.
    fn plan(&self) -> Plan<D>;

    /// The window tables that are in the binary, by dimension; empty where closed forms or the walk do without.
    fn windows(&self) -> [&'static [Piece]; D] {
        [&[]; D]
    }

    /// Who planned.
    fn tier(&self) -> Tier;

    /// Loops written out for this plan, along the fastest dimension of its messages.
    fn kernels(&self) -> Kernels<Self::Element> {
        Kernels::default()
    }

    /// What was decided, and when, in words.
    fn explain(&self) -> String {
        let (kernels, windows) = (self.kernels(), self.windows());
        let mut text = format!("{}, {}: {}", self.name(), self.tier(), self.plan());
        for (dimension, table) in windows.iter().enumerate().filter(|(_, table)| !table.is_empty()) {
            text += &format!("\n  in the binary: a table of {} pieces for dimension {dimension}", table.len());
        }
        for (kernel, work) in [(kernels.pack.is_some(), "packing"), (kernels.unpack.is_some(), "unpacking")] {
            text += if kernel { "\n  in the binary: an unrolled loop for " } else { "" };
            text += if kernel { work } else { "" };
        }
        text
    }

    /// What `rank` packs, for those who bring their own transport.
    fn packing(&self, rank: usize) -> Packing<Self::Element> {
        Packing::new(&self.plan(), &self.windows(), self.kernels().pack, rank)
    }

    /// What `rank` unpacks, for those who bring their own transport.
    fn unpacking(&self, rank: usize) -> Unpacking<Self::Element> {
        Unpacking::new(&self.plan(), &self.windows(), self.kernels().unpack, rank)
    }

    /// Checks the plan with all ranks of a communicator and allocates all that its execution needs. Collective.
    ///
    /// # Errors
    /// Too few ranks, ranks with other plans or element types, ranks that are gone: the same error on every rank.
    fn bind<C: Transport>(&self, communicator: &C) -> Result<Bound<Self::Element, C>, Error> {
        Bound::new(self.plan(), self.windows(), self.kernels(), communicator)
    }
}

/// Who planned, and so what is in the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// The macro, from literals.
    Literal,
    /// rustc's const evaluator, from constants.
    Constant,
    /// The program, from values.
    RunTime,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tier::Literal => "planned by the macro",
            Tier::Constant => "planned by rustc",
            Tier::RunTime => "planned at run time",
        })
    }
}

/// Packs the whole blocks of a row of the local array.
pub type PackKernel<T> = fn(PackRow<'_, '_, T>);

/// Unpacks the whole blocks of a row of the local array.
pub type UnpackKernel<T> = fn(UnpackRow<'_, '_, T>);

/// Loops written out for one plan; `None` where the library's own are as good.
pub struct Kernels<T> {
    /// Written for the source's blocks.
    pub pack: Option<PackKernel<T>>,
    /// Written for the destination's blocks.
    pub unpack: Option<UnpackKernel<T>>,
}

impl<T> Default for Kernels<T> {
    fn default() -> Self {
        Self { pack: None, unpack: None }
    }
}
