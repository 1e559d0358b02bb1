//! The one interface of all plans, made by the macro or at run time.

use super::kernels::{WrittenExchange, WrittenStep};
use super::{Binder, Bound, Inverse, Packing, Unpacking};
use crate::element::Element;
use crate::error::Error;
use crate::layout::vocabulary::counted;
use crate::plan::schedule::MessageGraph;
use crate::plan::{Class, Piece, Plan};
use crate::transport::Transport;
use core::fmt;

/// A plan with an element type: what the macro's items and [`RuntimePlan`](super::RuntimePlan) are.
pub trait Redistribution<const D: usize> {
    // The first lines of the docs below stand in those of every item, too, where links to this
    // crate lead nowhere if its docs are not beside them: they do without.

    /// What the array holds.
    type Element: Element;

    /// The name to call it by in messages.
    fn name(&self) -> &str;

    /// Who sends what to whom.
    fn plan(&self) -> Plan<D>;

    /// The window tables that are in the binary, by dimension; empty where closed forms or the walk
    /// do without.
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
            Report {
                tier,
                reason,
                class: axis.class(),
                window: axis.window(),
                pieces: axis.window_pieces(),
                table,
            }
        })
    }

    /// Loops written out for this plan, along the fastest dimension of its messages.
    #[doc(hidden)]
    fn kernels(&self) -> Kernels {
        Kernels::default()
    }

    /// The way back: from where this leaves the array to where it was, in the storage order that it
    /// had. Dimensions are counted in the axes of what was the destination. It is planned when this
    /// was: what is in the binary of an item's inverse is there for programs that ask for it. The
    /// inverse of the inverse is this plan again.
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

    /// What was planned, and when, in words: layouts, classes, windows and tables, what is in the
    /// binary, how much moves, and in how many steps at least. What runs depends on the ranks:
    /// [`Bound::explain`] says.
    fn explain(&self) -> String {
        let kernels = self.kernels();
        let ([packs, unpacks], copies) = (kernels.written(), kernels.exchanges());
        let mut text = format!("{}: {}", self.name(), self.plan());
        for (dimension, report) in self.report().iter().enumerate() {
            text += &format!("\n  dimension {dimension}: {report}");
        }
        let works =
            [(packs, "packing"), (unpacks, "unpacking"), (copies, "copies between ranks' arrays")];
        for (_, work) in works.iter().filter(|(is_written, _)| *is_written) {
            text += &format!("\n  in the binary: code for these blocks, for {work}");
        }
        text + &volumes(&self.plan())
    }

    /// What `rank` packs, for those who bring their own transport: all that is needed beside is
    /// something that takes each message to the rank that its envelope names.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    ///
    /// let plan = RuntimePlan::<u32, 1>::parse([12], "block onto 2", "cyclic onto 3")?;
    /// // The transport: a queue for each rank, of what was sent to it, with the sender.
    /// let mut queues: Vec<Vec<(usize, Vec<u32>)>> = vec![Vec::new(); 3];
    /// for rank in 0..2 {
    ///     let packing = plan.packing(rank);
    ///     let local: Vec<u32> = (0..6).map(|offset| 6 * rank as u32 + offset).collect();
    ///     let mut messages: Vec<Vec<u32>> = packing.envelopes().iter().map(|to| vec![0; to.len]).collect();
    ///     let mut slices: Vec<&mut [u32]> = messages.iter_mut().map(Vec::as_mut_slice).collect();
    ///     packing.pack(&local, &mut slices);
    ///     for (to, message) in packing.envelopes().iter().zip(messages) {
    ///         queues[to.rank].push((rank, message));
    ///     }
    /// }
    /// for rank in 0..3 {
    ///     let unpacking = plan.unpacking(rank);
    ///     let mut local = vec![0; unpacking.local_len()];
    ///     // In any order, one by one as they arrive, or all together by `unpack`.
    ///     for (from, message) in queues[rank].drain(..).rev() {
    ///         let number = unpacking.envelopes().iter().position(|envelope| envelope.rank == from);
    ///         unpacking.unpack_message(&mut local, number.expect("a message that was planned"), &message);
    ///     }
    ///     let cyclic: Vec<u32> = (rank as u32..12).step_by(3).collect();
    ///     assert_eq!(local, cyclic);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn packing(&self, rank: usize) -> Packing<Self::Element> {
        self.binder().packing(rank)
    }

    /// What `rank` unpacks, for those who bring their own transport: see
    /// [`packing`](Redistribution::packing).
    fn unpacking(&self, rank: usize) -> Unpacking<Self::Element> {
        self.binder().unpacking(rank)
    }

    /// Binds the plan to the ranks of a communicator, with nothing said of how: see
    /// [`Binder::bind`]. Collective.
    ///
    /// # Errors
    /// As [`Binder::bind`].
    fn bind<C: Transport>(&self, communicator: &C) -> Result<Bound<Self::Element, D>, Error> {
        self.binder().bind(communicator)
    }

    /// Says how the plan is to be bound: how local arrays lie in memory (halos, padding, strides),
    /// the schedule, the route of messages, lengths, instructions.
    fn binder(&self) -> Binder<'_, Self, D> {
        Binder::new(self)
    }
}

/// How much moves, and in how many steps at least, unless finding out would take long.
fn volumes<const D: usize>(plan: &Plan<D>) -> String {
    let Ok(graph) = MessageGraph::of(plan) else { return String::new() };
    let stay: usize = (0..plan.ranks()).map(|rank| plan.volume(rank, rank)).sum();
    let all: usize = graph.edges().iter().map(|edge| edge.elements).sum();
    format!(
        "\n  {} of {all} stay on their rank; {}, at most {} of one rank, so at least {}",
        counted(stay, "element"),
        counted(graph.edges().len(), "message"),
        graph.least_steps(),
        counted(graph.least_steps(), "step"),
    )
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
        if *table > 0 {
            write!(f, "; a table of {} is in the binary", counted(*table, "piece"))
        } else {
            Ok(())
        }
    }
}

/// Code that is written out for one plan: what copies the steps along the fastest dimension of its
/// messages. There is none where the library's own is as good.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kernels {
    /// Of the source's blocks.
    pub(super) pack: &'static [WrittenStep],
    /// Of the destination's blocks.
    pub(super) unpack: &'static [WrittenStep],
    /// Between the local arrays of all ranks.
    pub(super) exchange: Option<&'static WrittenExchange>,
}

impl Kernels {
    /// Whether there is code for packing, and for unpacking.
    pub fn written(&self) -> [bool; 2] {
        let is_written = |step: &WrittenStep| step.kernels.iter().any(Option::is_some);
        [self.pack, self.unpack].map(|cycles| cycles.iter().any(is_written))
    }

    /// Whether there is code for copies between the arrays of all ranks.
    fn exchanges(&self) -> bool {
        self.exchange.is_some_and(|written| written.kernels.iter().any(Option::is_some))
    }
}
