//! The one interface of all plans, whoever made them and when.

use super::generated::unrolled::{PackRow, UnpackRow};
use super::mover::Mover;
use super::rank::{RankPacking, RankUnpacking};
use super::{Bound, Inverse, Packing, Unpacking};
use crate::element::{Element, ElementType};
use crate::error::Error;
use crate::layout::vocabulary::counted;
use crate::plan::schedule::{CostModel, Strategy};
use crate::plan::{Class, Piece, Plan, Side};
use crate::transport::Transport;
use core::fmt;

/// A plan with an element type: what the macro's items and [`RuntimePlan`](super::RuntimePlan) are.
pub trait Redistribution<const D: usize> {
    // The first lines of the docs below stand in those of every item, too, where links to this crate lead nowhere if its
    // docs are not beside them: they do without.

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

    /// When each dimension was planned, and what it owes to run time.
    fn tiers(&self) -> [(Tier, &'static str); D];

    /// When the last dimension was planned.
    fn tier(&self) -> Tier {
        self.tiers().iter().map(|(tier, _)| *tier).max().unwrap_or(Tier::Literal)
    }

    /// What was decided for each dimension.
    fn report(&self) -> [Report; D] {
        let (plan, tiers, windows) = (self.plan(), self.tiers(), self.windows());
        core::array::from_fn(|dimension| {
            let (axis, (tier, reason)) = (plan.axis(dimension), tiers[dimension]);
            let table = windows[dimension].len();
            Report { tier, reason, class: axis.class(), window: axis.window(), pieces: axis.window_pieces(), table }
        })
    }

    /// Loops written out for this plan, along the fastest dimension of its messages.
    fn kernels(&self) -> Kernels {
        Kernels::default()
    }

    /// The way back: from where this leaves the array to where it was, in the storage order that it had. Dimensions are
    /// counted in the axes of what was the destination. It is planned when this was: what is in the binary of an item's
    /// inverse is there for programs that ask for it. The inverse of the inverse is this plan again.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// use redist::{Error, plan::Side, transport::threads};
    ///
    /// let there = RuntimePlan::<f64, 2>::parse([90, 70], "(block, *) onto 3", "(*, block) onto 3").unwrap();
    /// threads::run(3, |rank| {
    ///     let (mut to_columns, mut to_rows) = (there.bind(rank)?, there.inverse().bind(rank)?);
    ///     let rows: Vec<f64> = (0..to_columns.local_len(Side::Source)).map(|element| element as f64).collect();
    ///     let mut columns = vec![0.0; to_columns.local_len(Side::Destination)];
    ///     let mut again = vec![0.0; rows.len()];
    ///     to_columns.run(&rows, &mut columns)?;
    ///     to_rows.run(&columns, &mut again)?;
    ///     assert_eq!(again, rows);
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), threads::Failure<Error>>(())
    /// ```
    fn inverse(&self) -> Inverse<Self::Element, D> {
        Inverse::new(self, self.plan().inverse(), [&[]; D], Kernels::default())
    }

    /// What was decided, and when, in words; at last which schedule is favoured between machines.
    ///
    /// That is by [`CostModel::NETWORK`]; the communicator's own model has the word when the plan is bound.
    fn explain(&self) -> String {
        let kernels = self.kernels();
        let mut text = format!("{}: {}", self.name(), self.plan());
        for (dimension, report) in self.report().iter().enumerate() {
            text += &format!("\n  dimension {dimension}: {report}");
        }
        for (kernel, work) in [(kernels.pack.is_some(), "packing"), (kernels.unpack.is_some(), "unpacking")] {
            text += if kernel { "\n  in the binary: a loop for these blocks, for " } else { "" };
            text += if kernel { work } else { "" };
        }
        text += &explained(self);
        let choice = self.plan().choose(&CostModel::NETWORK, size_of::<Self::Element>());
        text + "\n  schedule: " + &choice.reason
    }

    /// What `rank` packs, for those who bring their own transport.
    fn packing(&self, rank: usize) -> Packing<Self::Element> {
        let width = ElementType::of::<Self::Element>().bytes();
        Packing::of(RankPacking::new(&self.plan().into(), &self.windows(), self.kernels().pack, width, rank))
    }

    /// What `rank` unpacks, for those who bring their own transport.
    fn unpacking(&self, rank: usize) -> Unpacking<Self::Element> {
        let width = ElementType::of::<Self::Element>().bytes();
        Unpacking::of(RankUnpacking::new(&self.plan().into(), &self.windows(), self.kernels().unpack, width, rank))
    }

    /// Checks the plan with all ranks of a communicator and prepares all that its execution needs, but for the memory of
    /// messages and what copies them. Collective.
    ///
    /// As [`bind_with`](Redistribution::bind_with) the schedule that the communicator's cost model favours.
    ///
    /// # Errors
    /// Too few ranks, ranks with other plans or element types, ranks that are gone: the same error on every rank.
    fn bind<C: Transport>(&self, communicator: &C) -> Result<Bound<Self::Element, C, D>, Error> {
        self.bind_with(communicator, Strategy::Automatic)
    }

    /// As `bind`, with a word in how messages are ordered in time. All ranks bring the same.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// use redist::plan::schedule::{Method, Strategy};
    /// use redist::{Error, transport::threads};
    ///
    /// let plan = RuntimePlan::<f64, 1>::parse([1200], "cyclic(10) onto 3", "cyclic(2) onto 2").unwrap();
    /// threads::run(3, |rank| {
    ///     let bound = plan.bind_with(rank, Strategy::Only(Method::AllAtOnce))?;
    ///     assert_eq!((bound.method(), bound.steps()), (Method::AllAtOnce, None));
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), threads::Failure<Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`bind`](Redistribution::bind); [`Error::Schedule`] where the method does not apply to the plan, and
    /// [`Error::DifferentSchedule`] where ranks bring different ones. Nothing has been sent then.
    fn bind_with<C: Transport>(
        &self,
        communicator: &C,
        strategy: Strategy,
    ) -> Result<Bound<Self::Element, C, D>, Error> {
        let (plan, element) = (self.plan(), ElementType::of::<Self::Element>());
        let (windows, kernels, words) = (self.windows(), self.kernels(), plan.in_words());
        let described = format_args!("{words}");
        let mover = Mover::new(plan.into(), &windows, kernels, element, communicator, strategy, described)?;
        Ok(Bound::of(plan, mover))
    }
}

/// Which kernels the first rank of each side uses, unless finding out would take long.
fn explained<const D: usize>(redistribution: &(impl Redistribution<D> + ?Sized)) -> String {
    let plan = redistribution.plan();
    let few = |dimension: usize| {
        let axis = plan.axis(dimension);
        axis.pieces_below(axis.period()) <= 1 << 16
    };
    if plan.ranks() > 1 << 10 || !(0..D).all(few) {
        return String::new();
    }
    let first = |side| plan.descriptor(side).layout().ranks_from;
    let (source, destination) = (first(Side::Source), first(Side::Destination));
    let packing = redistribution.packing(source).kernel();
    let unpacking = redistribution.unpacking(destination).kernel();
    format!("\n  rank {source} packs by {packing}\n  rank {destination} unpacks by {unpacking}")
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

/// What was decided for one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Who planned it.
    pub tier: Tier,
    /// What it owes to run time, and why; empty if nothing.
    pub reason: &'static str,
    /// The kind of redistribution.
    pub class: Class,
    /// The window, in elements.
    pub window: usize,
    /// Pieces in the window.
    pub pieces: usize,
    /// Pieces of the window table that is in the binary; 0 if there is none.
    pub table: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { tier, reason, table, .. } = self;
        write!(f, "{tier}")?;
        if !reason.is_empty() {
            write!(f, ": {reason}")?;
        }
        if *table > 0 { write!(f, "; a table of {} is in the binary", counted(*table, "piece")) } else { Ok(()) }
    }
}

/// Packs the whole blocks of a row of the local array.
pub type PackKernel = fn(PackRow<'_, '_>);

/// Unpacks the whole blocks of a row of the local array.
pub type UnpackKernel = fn(UnpackRow<'_, '_>);

/// Loops written out for one plan; `None` where the library's own are as good.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kernels {
    /// Written for the source's blocks.
    pub pack: Option<PackKernel>,
    /// Written for the destination's blocks.
    pub unpack: Option<UnpackKernel>,
}
