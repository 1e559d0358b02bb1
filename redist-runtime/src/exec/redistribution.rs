//! The one interface of all plans, made by the macro or at run time, and how they are bound.

use super::kernels::{Kernels, Vectors};
use super::mover::{Mover, Wishes};
use super::prepared::Facts;
use super::{Bound, Packing, Unpacking};
use crate::element::{Element, ElementType};
use crate::error::Error;
use crate::layout::Padding;
use crate::layout::vocabulary::counted;
use crate::plan::schedule::{MessageGraph, Method};
use crate::plan::{AnyPlan, Class, Diag, Piece, Plan, Side, Trapezoid, Uplo};
use crate::transport::{Route, Transport};
use core::fmt;
use core::marker::PhantomData;
use std::ffi::c_int;

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

/// How a plan is to be bound: made by [`Redistribution::binder`], used by [`bind`](Binder::bind).
///
/// All ranks must say the same of the method, the route, the lengths of messages and
/// fragments, and the memory for them; binding compares, and says what differs. Instructions, stores, and how local arrays
/// lie in memory are each rank's own matter.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::exec::{Redistribution, RuntimePlan};
/// use redist::transport::{Route, Way, threads};
///
/// let plan = RuntimePlan::<f64, 1>::parse([1200], "cyclic(10) onto 3", "cyclic(2) onto 3")?;
/// threads::run(3, |rank| {
///     let bound = plan.binder().route(Route::Messages).max_bytes(1 << 20).bind(rank)?;
///     assert_eq!((bound.way(), bound.rounds()), (Way::Messages, 1));
///     Ok::<_, redist::Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a binder does nothing before `bind`"]
pub struct Binder<'a, R: ?Sized, const D: usize> {
    redistribution: &'a R,
    vectors: Vectors,
    wishes: Wishes,
}

impl<'a, R: Redistribution<D> + ?Sized, const D: usize> Binder<'a, R, D> {
    pub(super) fn new(redistribution: &'a R) -> Self {
        Self { redistribution, vectors: Vectors::detected(), wishes: Wishes::default() }
    }

    /// Messages are sent in the order of this method's schedule, and none is joined with others. If
    /// this is not called, all are sent at once.
    ///
    /// A rank over MPI that runs the move sends at most one message at a time, so that messages do
    /// not meet; ranks do not wait for each other between the steps. A rank that only
    /// [starts](Bound::start) the move sends all at once, in the same order. Threads send nothing:
    /// they compare the method, and move as they would without it.
    pub fn method(mut self, method: Method) -> Self {
        self.wishes.method = Some(method);
        self
    }

    /// How elements get from rank to rank: the way that is expected to be fastest, if this is not
    /// called.
    pub fn route(mut self, route: Route) -> Self {
        self.wishes.options.route = route;
        self
    }

    /// From how many bytes on messages are sent in several pieces, over MPI: if this is not called,
    /// what the library sends to another node without asking the receiver (60 KiB by Open MPI, else
    /// 16 KiB), and 1 MiB within one. While one piece travels the next is packed, and
    /// what has arrived is unpacked. At least 1 and at most 2^31 - 1 bytes; other values are brought
    /// into that range.
    pub fn max_message_bytes(mut self, bytes: usize) -> Self {
        self.wishes.options.max_message_bytes = Some(bytes.clamp(1, c_int::MAX as usize));
        self
    }

    /// The most bytes that messages may take on a rank, what leaves and, over MPI, what comes
    /// together: no bound, if this is not called. All ranks must say the same.
    ///
    /// Where the whole move takes more, [`run`](Bound::run) and [`run_with`](Bound::run_with) move the
    /// array in rounds: its moved section is cut into boxes, from the plan alone, such that each
    /// round's messages fit on every rank; each is packed, sent and unpacked before the next, in the
    /// order of the schedule where there is one. [`Bound::rounds`] says how many there are,
    /// [`Bound::scratch_bytes`] how much this rank takes. A round costs a vote of all ranks and the
    /// tables that it copies by, which are made anew in each and are not counted; boxes of block
    /// distributions may leave ranks with nothing to send or receive in a round. So allow as much as
    /// you can. Where ranks lend each other their arrays, `run` needs no memory, and nothing changes.
    /// Chunks over MPI are shown in a window that is counted: it may take half of the bound, or else
    /// packed messages go.
    ///
    /// [`start`](Bound::start) and [`run_in_place`](Bound::run_in_place) send everything at once, and
    /// are an [`Error::Unavailable`] where that takes several rounds, on all ranks.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// use redist::plan::Side;
    /// use redist::transport::{Route, threads};
    ///
    /// let plan = RuntimePlan::<f64, 1>::parse([60_000], "cyclic(10) onto 3", "cyclic(2) onto 3")?;
    /// threads::run(3, |rank| {
    ///     // Threads need no memory for messages where they lend each other their arrays.
    ///     assert_eq!(plan.binder().max_bytes(20_000).bind(rank)?.scratch_bytes(), 0);
    ///     let mut bound = plan.binder().route(Route::Messages).max_bytes(20_000).bind(rank)?;
    ///     assert_eq!((bound.rounds(), bound.scratch_bytes()), (8, 20_000));
    ///     let before = vec![rank.rank() as f64; 20_000];
    ///     let mut after = vec![0.0; bound.local_len(Side::Destination)];
    ///     bound.run(&before, &mut after)?;
    ///     if rank.rank() == 0 {
    ///         assert_eq!(after[..10], [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0]);
    ///     }
    ///     Ok::<_, redist::Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Binding is an [`Error::Scratch`] where not even one element fits, with the bytes that would
    /// do. It is an [`Error::Unavailable`] together with the route [`Route::Joined`], whose memory
    /// cannot be bounded; with [`Route::Staged`] where the window is longer than half of this; and
    /// with a [trapezoid](Binder::trapezoid), which moves at once, unless messages of the whole
    /// matrix fit.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.wishes.options.max_bytes = bytes;
        self
    }

    /// How many plans, at least 1, share a duplicate of an MPI communicator, where the library does
    /// not set a lower limit: as many as it has tags.
    #[doc(hidden)]
    pub fn max_tags(mut self, tags: usize) -> Self {
        self.wishes.options.max_tags = tags.max(1);
        self
    }

    /// The vector instructions that kernels use at most: to compare, or to get the same
    /// instructions on different machines. What the processor has, if this is not called.
    pub fn max_vectors(mut self, most: Vectors) -> Self {
        self.vectors = most.runnable_at_most();
        self
    }

    /// Of this rank's local array on one side: the distance, in elements, from neighbour to neighbour
    /// along each dimension, as that side counts dimensions. The array begins at its first element.
    /// What lies between its elements is left as it is. Each rank may say something else, or
    /// nothing; [`packing`](Binder::packing) and [`unpacking`](Binder::unpacking) take it to be the
    /// rank's that they are asked for.
    ///
    /// Strides may be in any order, whatever the layout's storage; each is at least as long as what
    /// lies nearer together takes, from its first to its last element. Where a dimension has one
    /// index or none, its stride does not matter. Moves take arrays that end with the last element,
    /// or later.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// use redist::{Error, plan::Side, transport::threads};
    ///
    /// let plan = RuntimePlan::<u8, 1>::parse([4], "block onto 2", "block onto 1")?;
    /// threads::run(2, |rank| {
    ///     // Real parts of complex numbers.
    ///     let mut bound = plan.binder().strides(Side::Destination, [2]).bind(rank)?;
    ///     let mine = [10 + rank.rank() as u8; 2];
    ///     let mut parts = if rank.rank() == 0 { vec![7; 8] } else { Vec::new() };
    ///     bound.run(&mine, &mut parts)?;
    ///     if rank.rank() == 0 {
    ///         assert_eq!(parts, [10, 7, 10, 7, 11, 7, 11, 7]);
    ///         assert_eq!(bound.local_len(Side::Destination), 7);
    ///     }
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn strides(mut self, side: Side, strides: [usize; D]) -> Self {
        self.wishes.paddings[side as usize] = Some(Padding::Strides(strides.into()));
        self
    }

    /// Of this rank's local array on one side: its leading dimension, in elements, ScaLAPACK's LLD.
    /// That is the distance between neighbours along the second fastest dimension of the layout's
    /// storage: from column to column of a matrix in Fortran storage, of which LLD rows are
    /// allocated. At least 1, and at least the local extent of the fastest dimension. Otherwise as
    /// [`strides`](Binder::strides), instead of which it is said.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// use redist::{Error, plan::Side, transport::threads};
    ///
    /// let plan = RuntimePlan::<f64, 2>::parse([5, 4], "(block, *) onto 2", "scalapack(2, 2, 1, 2)")?;
    /// threads::run(2, |rank| {
    ///     let mut bound = plan.binder().leading_dimension(Side::Destination, 8).bind(rank)?;
    ///     let rows: Vec<f64> =
    ///         bound.global_indices(Side::Source).map(|[row, _]| row as f64).collect();
    ///     // Room for 8 rows, of which the matrix has 5.
    ///     let mut tiles = vec![-1.0; 8 * 2];
    ///     bound.run(&rows, &mut tiles)?;
    ///     assert_eq!(tiles[8..], [0.0, 1.0, 2.0, 3.0, 4.0, -1.0, -1.0, -1.0]);
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn leading_dimension(mut self, side: Side, elements: usize) -> Self {
        self.wishes.paddings[side as usize] = Some(Padding::Leading(elements));
        self
    }

    /// Of this rank's local array on one side: that it is a box in a larger array of extents
    /// `allocated`, dense in the layout's storage order, which moves take all of. The box begins at
    /// index `origin` there; what is around it, halos for instance, is left as it is. Otherwise as
    /// [`strides`](Binder::strides), instead of which it is said.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// use redist::{Error, plan::Side, transport::threads};
    ///
    /// let plan = RuntimePlan::<u8, 2>::parse([4, 3], "(*, *)", "(block, *) onto 2")?;
    /// threads::run(2, |rank| {
    ///     // Two rows of three, with a halo of one on all sides.
    ///     let mut bound = plan.binder().within(Side::Destination, [4, 5], [1, 1]).bind(rank)?;
    ///     let all = if rank.rank() == 0 { (1..13).collect() } else { Vec::new() };
    ///     let mut part = vec![0; bound.local_len(Side::Destination)];
    ///     bound.run(&all, &mut part)?;
    ///     if rank.rank() == 1 {
    ///         assert_eq!(part[..10], [0, 0, 0, 0, 0, /**/ 0, 7, 8, 9, 0]);
    ///         assert_eq!(part[10..], [0, 10, 11, 12, 0, /**/ 0, 0, 0, 0, 0]);
    ///     }
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn within(mut self, side: Side, allocated: [usize; D], origin: [usize; D]) -> Self {
        self.wishes.paddings[side as usize] =
            Some(Padding::Within([allocated.into(), origin.into()]));
        self
    }

    /// What `rank` packs, for those who bring their own transport: see [`Redistribution::packing`].
    ///
    /// # Panics
    /// If the rank has no local array as was said of it, in the words of [`Error::Padding`].
    pub fn packing(&self, rank: usize) -> Packing<R::Element> {
        Packing::of(self.padded_facts(rank).copier())
    }

    /// What `rank` unpacks, for those who bring their own transport: see
    /// [`Redistribution::packing`].
    ///
    /// # Panics
    /// As [`packing`](Binder::packing).
    pub fn unpacking(&self, rank: usize) -> Unpacking<R::Element> {
        Unpacking::of(self.padded_facts(rank).copier())
    }

    /// Checks the plan with all ranks of a communicator, and prepares what moves need that all
    /// ranks run; what others need is made when it is first needed, and so is memory for messages.
    /// Collective.
    ///
    /// # Errors
    /// Too few ranks, ranks with other plans, element types or options, ranks that are gone: the
    /// same error on every rank. [`Error::Schedule`] where the method does not apply to the plan,
    /// [`Error::Unavailable`] where there is no such route; [`Error::Padding`] where a rank has no
    /// local array as it has said.
    pub fn bind<C: Transport>(&self, communicator: &C) -> Result<Bound<R::Element, D>, Error> {
        let plan = self.redistribution.plan();
        let words = plan.in_words();
        let mover = Mover::new(
            self.facts(communicator.rank()),
            ElementType::of::<R::Element>(),
            communicator,
            &self.wishes,
            format_args!("{words}"),
        )?;
        Ok(Bound::of(plan, mover))
    }

    fn padded_facts(&self, rank: usize) -> Facts {
        let mut facts = self.facts(rank);
        facts.pad(&self.wishes.paddings).unwrap_or_else(|error| panic!("{error}"));
        facts
    }

    pub(super) fn facts(&self, rank: usize) -> Facts {
        let windows: [&'static [Piece]; D] = self.redistribution.windows();
        let plan = AnyPlan::from(self.redistribution.plan());
        let width = ElementType::of::<R::Element>().bytes();
        Facts {
            windows: windows.to_vec(),
            kernels: self.redistribution.kernels(),
            vectors: self.vectors,
            ..Facts::new(plan, rank, width, self.wishes.trapezoid)
        }
    }
}

impl<R: Redistribution<2> + ?Sized> Binder<'_, R, 2> {
    /// Only a trapezoid of the matrix moves, a triangle where it is square: ScaLAPACK's `p?trmr2d`,
    /// whose `UPLO` and `DIAG` these are. The matrix is what moves otherwise, a section included;
    /// its rows are the first of the source's axes. [`Trapezoid`] has the definition. Elements
    /// outside of it are neither sent nor written to. All ranks must say the same.
    ///
    /// Packed messages go, all at once, as long as the trapezoid's part of what two ranks share.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// use redist::plan::{Diag, Side, Uplo};
    /// use redist::{Error, transport::threads};
    ///
    /// let plan = RuntimePlan::<f64, 2>::parse([6, 6], "(block, *) onto 3", "(*, cyclic(2)) onto 3")?;
    /// threads::run(3, |rank| {
    ///     let mut bound = plan.binder().trapezoid(Uplo::Lower, Diag::NonUnit).bind(rank)?;
    ///     let rows = vec![1.0; bound.local_len(Side::Source)];
    ///     let mut columns = vec![0.0; bound.local_len(Side::Destination)];
    ///     bound.run(&rows, &mut columns)?;
    ///     for ([row, column], found) in bound.global_indices(Side::Destination).zip(columns) {
    ///         assert_eq!(found, if column <= row { 1.0 } else { 0.0 });
    ///     }
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Binding is an [`Error::Unavailable`] where another route than messages is asked for, or another
    /// method than [`Method::AllAtOnce`].
    pub fn trapezoid(mut self, uplo: Uplo, diag: Diag) -> Self {
        self.wishes.trapezoid = Some(Trapezoid { uplo, diag });
        self
    }
}

/// The way back: what [`Redistribution::inverse`] returns. A redistribution like the one that it is
/// the inverse of, and planned when that was.
#[derive(Clone, Debug)]
pub struct Inverse<T, const D: usize> {
    back: PlanParts<D>,
    there: PlanParts<D>,
    element: PhantomData<fn() -> T>,
}

/// All that is known of a plan.
#[derive(Clone, Debug)]
struct PlanParts<const D: usize> {
    name: String,
    plan: Plan<D>,
    tiers: [(Tier, &'static str); D],
    windows: [&'static [Piece]; D],
    kernels: Kernels,
}

impl<T, const D: usize> Inverse<T, D> {
    /// The inverse of `there`, given its plan, the window tables that are in the binary for it, and
    /// its loops.
    pub(super) fn new(
        there: &(impl Redistribution<D, Element = T> + ?Sized),
        plan: Plan<D>,
        windows: [&'static [Piece]; D],
        kernels: Kernels,
    ) -> Self {
        let (name, tiers) = (there.name(), there.tiers());
        let back = PlanParts {
            name: format!("inverse of {name}"),
            plan,
            // The inverse counts dimensions in the axes of what was the destination.
            tiers: core::array::from_fn(|dimension| tiers[plan.destination_axis(dimension)]),
            windows,
            kernels,
        };
        let (name, plan, windows, kernels) =
            (name.into(), there.plan(), there.windows(), there.kernels());
        Self {
            back,
            there: PlanParts { name, plan, tiers, windows, kernels },
            element: PhantomData,
        }
    }
}

impl<T: Element, const D: usize> Redistribution<D> for Inverse<T, D> {
    type Element = T;

    fn name(&self) -> &str {
        &self.back.name
    }

    fn plan(&self) -> Plan<D> {
        self.back.plan
    }

    fn windows(&self) -> [&'static [Piece]; D] {
        self.back.windows
    }

    fn tiers(&self) -> [(Tier, &'static str); D] {
        self.back.tiers
    }

    fn kernels(&self) -> Kernels {
        self.back.kernels
    }

    fn inverse(&self) -> Inverse<T, D> {
        let Self { back, there, element } = self.clone();
        Inverse { back: there, there: back, element }
    }
}
