//! The interface of all plans: `Redistribution`, its `Binder`, run-time plans and inverses.

use super::kernels::{Kernels, Vectors};
use super::mover::{AskedMethod, Mover, Wishes, cut_into_rounds};
use super::prepared::Facts;
use super::{Bound, Packing, Unpacking};
use crate::element::{Element, ElementType};
use crate::error::Error;
use crate::layout::vocabulary::counted;
use crate::layout::{Layout, Padding};
use crate::plan::schedule::Method;
use crate::plan::{
    AnyPlan, Class, Diag, ParsePlanError, Plan, PlanError, Side, Trapezoid, Uplo, WindowTable,
};
use crate::transport::{Route, Transport};
use core::fmt;
use core::marker::PhantomData;
use std::ffi::c_int;
use std::sync::OnceLock;

/// A plan with an element type: an item of the macro, or a [`TypedPlan`].
/// Functions take any of them, with ranks that are a [`Transport`]:
///
/// ```
/// # use redist_runtime as redist;
/// use redist::{Error, Redistribution, TypedPlan, Side, Transport, threads};
///
/// fn moved<const D: usize>(
///     plan: &impl Redistribution<D, Element = f64>,
///     ranks: &impl Transport,
///     source: &[f64],
/// ) -> Result<Vec<f64>, Error> {
///     let mut bound = plan.bind(ranks)?;
///     let mut destination = vec![0.0; bound.local_len(Side::Destination)];
///     bound.run(source, &mut destination)?;
///     Ok(destination)
/// }
///
/// let plan = TypedPlan::<f64, 1>::parse([6], "block onto 3", "cyclic onto 3")?;
/// let moved = threads::run(3, |rank| moved(&plan, rank, &[rank.rank() as f64; 2]))?;
/// assert_eq!(moved, [[0.0, 1.0], [0.0, 2.0], [1.0, 2.0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Redistribution<const D: usize> {
    // Items repeat the first lines of the docs below, far from this crate's docs; so no links
    // there.

    /// Type of the array's elements.
    type Element: Element;

    /// Returns the name for messages.
    #[doc(hidden)]
    fn name(&self) -> &str;

    /// Returns the plan.
    fn plan(&self) -> Plan<D>;

    /// Returns the compiled window tables, by dimension; empty if closed forms or the walk serve.
    #[doc(hidden)]
    fn windows(&self) -> [WindowTable<'static>; D] {
        [WindowTable::NONE; D]
    }

    /// Returns each dimension's tier, with its reason for planning at run time: literals by default.
    #[doc(hidden)]
    fn tiers(&self) -> [(Tier, &'static str); D] {
        [(Tier::Literal, ""); D]
    }

    /// Returns the latest tier of all dimensions.
    #[doc(hidden)]
    fn tier(&self) -> Tier {
        self.tiers().iter().map(|(tier, _)| *tier).max().unwrap_or(Tier::Literal)
    }

    #[doc(hidden)]
    fn report(&self) -> [Report; D] {
        let (plan, tiers, windows) = (self.plan(), self.tiers(), self.windows());
        core::array::from_fn(|dimension| {
            let (class, (tier, reason)) = (plan.axis(dimension).class(), tiers[dimension]);
            Report { tier, reason, class, table: windows[dimension].pieces().len() }
        })
    }

    #[doc(hidden)]
    fn kernels(&self) -> Kernels {
        Kernels::default()
    }

    /// Returns the plan back: from this plan's destination to its source, in the source's storage
    /// order. It counts dimensions in the axes of this destination. Binaries contain loops for an
    /// item's inverse only if they use it.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::{Redistribution, TypedPlan};
    ///
    /// let there = TypedPlan::<f64, 2>::parse([9, 7], "(block, *) onto 3", "(*, block) onto 3")?;
    /// let back = there.inverse();
    /// assert_eq!(back.inverse().plan(), there.plan());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn inverse(&self) -> Inverse<Self::Element, D> {
        Inverse::new(self, Kernels::default())
    }

    /// Describes the plan: layouts, classes, windows and tables, compiled code, volumes, least
    /// number of steps. Ranks decide the rest: see [`Bound::explain`].
    fn explain(&self) -> String {
        let kernels = self.kernels();
        let ([packs, unpacks], copies) = (kernels.exist(), kernels.exchanges());
        let mut text = format!("{}: {}", self.name(), self.plan().explain());
        for (dimension, report) in self.report().iter().enumerate() {
            text += &format!("\n  dimension {dimension}: {report}");
        }
        let works =
            [(packs, "packing"), (unpacks, "unpacking"), (copies, "copies between ranks' arrays")];
        for (_, work) in works.iter().filter(|(is_written, _)| *is_written) {
            text += &format!("\n  in the binary: code for these blocks, for {work}");
        }
        let missing: Vec<_> =
            works.iter().filter(|(is_written, _)| !*is_written).map(|(_, work)| *work).collect();
        if kernels.were_looked_for && !missing.is_empty() {
            let missing = missing.join(", ");
            text += &format!("\n  by the library's own copies, as no code would gain: {missing}");
        }
        text
    }

    /// Binds the plan to the ranks of a communicator with default options: see [`Binder::bind`].
    /// Collective.
    ///
    /// # Errors
    /// The errors of [`Binder::bind`].
    fn bind<C: Transport>(&self, communicator: &C) -> Result<Bound<Self::Element, D>, Error> {
        self.binder().bind(communicator)
    }

    /// Returns a binder for options: memory layout of local arrays (halos, padding, strides),
    /// schedule, route, message lengths, instructions.
    fn binder(&self) -> Binder<'_, Self, D> {
        Binder::new(self)
    }
}

/// Planner of a dimension; it decides the content of the binary.
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

/// Decisions for one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Planner of the dimension.
    pub tier: Tier,
    /// Reason for planning at run time; empty if there is none.
    pub reason: &'static str,
    /// Kind of redistribution.
    pub class: Class,
    /// Pieces of the compiled window table; 0 if there is none.
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
            write!(f, "; a table of {} is in the binary", counted(*table, "piece"))?;
        }
        Ok(())
    }
}

/// Options of a binding: made by [`Redistribution::binder`], used by [`bind`](Binder::bind).
///
/// All ranks must pass the same method, route, length of messages and memory bound; binding compares
/// them and names differences. Instructions and the memory layout of local arrays may differ by rank.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::exec::Route;
/// use redist::{Redistribution, TypedPlan, threads};
///
/// let plan = TypedPlan::<f64, 1>::parse([1200], "cyclic(10) onto 3", "cyclic(2) onto 3")?;
/// threads::run(3, |rank| {
///     let bound = plan.binder().route(Route::Messages).max_bytes(1 << 20).bind(rank)?;
///     assert_eq!(bound.rounds(), 1);
///     Ok::<_, redist::Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a binder does nothing before `bind`"]
pub struct Binder<'a, R: ?Sized, const D: usize> {
    redistribution: &'a R,
    /// Made once, for all ranks that one binder is asked for.
    plan: OnceLock<AnyPlan>,
    vectors: Vectors,
    wishes: Wishes,
}

impl<'a, R: Redistribution<D> + ?Sized, const D: usize> Binder<'a, R, D> {
    pub(super) fn new(redistribution: &'a R) -> Self {
        let (plan, vectors) = (OnceLock::new(), Vectors::detected());
        Self { redistribution, plan, vectors, wishes: Wishes::default() }
    }

    /// Sends messages in the order of this method's schedule. The default is all at once.
    ///
    /// An MPI rank that runs the move sends at most one message at a time, to keep messages from
    /// colliding; ranks do not synchronize between steps. A rank that [starts](Bound::start) the
    /// move sends all at once, in the same order. Threads send nothing; they compare the method.
    pub fn method(mut self, method: Method) -> Self {
        self.wishes.method = Some(AskedMethod::new(method));
        self
    }

    /// Sets the route of elements between ranks. The default is the way expected to be fastest.
    pub fn route(mut self, route: Route) -> Self {
        self.wishes.options.route = route;
        self
    }

    /// Sets the message bytes from which MPI messages travel in several segments, packed and
    /// unpacked while others travel. The default to another node is the MPI library's eager limit
    /// (60 KiB for Open MPI, else 16 KiB), within a node 1 MiB.
    #[doc(hidden)]
    pub fn max_message_bytes(mut self, bytes: usize) -> Self {
        self.wishes.options.max_message_bytes = Some(bytes.clamp(1, c_int::MAX as usize));
        self
    }

    /// Bounds the bytes of message buffers on a rank: those sent and, over MPI, received. The
    /// default has no bound.
    ///
    /// A larger move by [`run`](Bound::run) or [`run_with`](Bound::run_with) goes in rounds, each of
    /// a box of the moved section whose messages fit on every rank. A round costs an agreement of
    /// all ranks and new copy tables, which are not counted, and may leave ranks idle. So allow as
    /// much as you can. The window of chunks over MPI counts: beyond half of the bound, packed
    /// messages replace chunks. A rank whose array is wrong is told to all ranks before the first
    /// round.
    ///
    /// [`start`](Bound::start) and [`run_in_place`](Bound::run_in_place) return
    /// [`Error::Unavailable`] on all ranks if the messages need several rounds.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::Route;
    /// use redist::{Redistribution, TypedPlan, threads};
    ///
    /// let plan = TypedPlan::<f64, 1>::parse([60_000], "cyclic(10) onto 3", "cyclic(2) onto 3")?;
    /// threads::run(3, |rank| {
    ///     // Threads need no memory for messages where they lend each other their arrays.
    ///     assert_eq!(plan.binder().max_bytes(20_000).bind(rank)?.scratch_bytes(), 0);
    ///     let bound = plan.binder().route(Route::Messages).max_bytes(20_000).bind(rank)?;
    ///     assert_eq!((bound.rounds(), bound.scratch_bytes()), (8, 20_000));
    ///     Ok::<_, redist::Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Binding returns [`Error::Scratch`], with the bytes needed, if not even one element fits. It
    /// returns [`Error::Unavailable`] if the move would go in more than 2^20 rounds, or with
    /// [`Route::Chunks`] if the window exceeds half of the bound. A [trapezoid](Binder::trapezoid) needs room for messages of the whole matrix.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.wishes.options.max_bytes = bytes;
        self.wishes.rounds = Some(cut_into_rounds);
        self
    }

    /// Makes all ranks of the communicator learn of a fault on any rank, before anything is
    /// written; they exchange a word in each move. Without it, only ranks that receive elements from
    /// a rank at fault get its error.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::{Redistribution, TypedPlan, threads};
    ///
    /// // Rank 0 sends to rank 1 only, so a fault of rank 1 does not reach it otherwise.
    /// let plan = TypedPlan::<u32, 1>::parse([4], "* onto 1", "* onto 1 ranks 1..2")?;
    /// let faults = threads::run(2, |rank| {
    ///     let mut bound = plan.binder().collectively().bind(rank)?;
    ///     let source = if rank.rank() == 0 { vec![7; 4] } else { Vec::new() };
    ///     Ok::<_, redist::Error>(bound.run(&source, &mut [0; 3][..3 * rank.rank()]).is_err())
    /// })?;
    /// assert_eq!(faults, [true, true]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn collectively(mut self) -> Self {
        self.wishes.options.collectively = true;
        self
    }

    /// Sets the number of plans, at least 1, that share a duplicate of an MPI communicator. The
    /// default, and the limit, is the library's number of tags.
    #[doc(hidden)]
    pub fn max_tags(mut self, tags: usize) -> Self {
        self.wishes.options.max_tags = tags.max(1);
        self
    }

    /// Limits the vector instructions of kernels, for comparisons or for the same instructions on
    /// all machines. The default is the processor's.
    #[doc(hidden)]
    pub fn max_vectors(mut self, most: Vectors) -> Self {
        self.vectors = most.runnable_at_most();
        self
    }

    /// Sets the strides of this rank's local array on one side, in elements, by that side's
    /// dimensions. The array begins at its first element. Elements between its own keep their
    /// values. Each rank may pass other strides, or none.
    ///
    /// Strides may be in any order, whatever the layout's storage. Each must reach over the span of
    /// all shorter ones. A dimension with at most one index ignores its stride. Moves take arrays
    /// that end with the last element or later.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::{Error, Redistribution, TypedPlan, Side, threads};
    ///
    /// let plan = TypedPlan::<u8, 1>::parse([4], "block onto 2", "block onto 1")?;
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

    /// Sets the leading dimension of this rank's local array on one side, in elements: ScaLAPACK's
    /// LLD. It is the stride of the second fastest dimension of the layout's storage: from column
    /// to column of a Fortran matrix with LLD allocated rows. At least 1, and at least the local
    /// extent of the fastest dimension. Otherwise as [`strides`](Binder::strides), which it
    /// replaces.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::{Error, Redistribution, TypedPlan, Side, threads};
    ///
    /// let plan = TypedPlan::<f64, 2>::parse([5, 4], "(block, *) onto 2", "scalapack(2, 2, 1, 2)")?;
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

    /// Places this rank's local array on one side as a box, at index `origin`, in a larger array of
    /// extents `allocated`. The larger array is dense in the layout's storage order, and moves take
    /// all of it. Elements around the box, such as halos, keep their values. Otherwise as
    /// [`strides`](Binder::strides), which it replaces.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::{Error, Redistribution, TypedPlan, Side, threads};
    ///
    /// let plan = TypedPlan::<u8, 2>::parse([4, 3], "(*, *)", "(block, *) onto 2")?;
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

    /// Returns the packing of `rank`, for a transport of your own, which carries each message to the
    /// rank of its envelope. Packs by the kernels of moves, and needs no ranks that run. The local
    /// array has the strides that were set; the rank of a communicator plays no part.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::{Redistribution, TypedPlan};
    ///
    /// let plan = TypedPlan::<f64, 2>::parse([4, 6], "(block, *) onto 2", "(*, block) onto 3")?;
    /// let packing = plan.binder().packing(1);
    /// let rows: Vec<f64> = (12..24).map(f64::from).collect();
    /// let mut buffers: Vec<_> = packing.envelopes().iter().map(|one| vec![0.0; one.len]).collect();
    /// let mut messages: Vec<&mut [f64]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
    /// packing.pack(&rows, &mut messages);
    /// assert_eq!((packing.envelopes()[2].rank, &*buffers[2]), (2, &[16.0, 17.0, 22.0, 23.0][..]));
    ///
    /// // The buffer travels from rank 1 to rank 2.
    /// let unpacking = plan.binder().unpacking(2);
    /// let number = unpacking.envelopes().iter().position(|one| one.rank == 1).expect("a message");
    /// let mut columns = [0.0; 8];
    /// unpacking.unpack_message(&mut columns, number, &buffers[2]);
    /// assert_eq!(columns, [0.0, 0.0, 0.0, 0.0, 16.0, 17.0, 22.0, 23.0]);
    /// # Ok::<(), redist::plan::ParsePlanError>(())
    /// ```
    ///
    /// # Panics
    /// If the rank has no local array with its memory layout, or too many partners for tables.
    pub fn packing(&self, rank: usize) -> Packing<R::Element> {
        Packing::of(self.padded_facts(Side::Source, rank))
    }

    /// Returns the unpacking of `rank`, of the messages that come from the ranks of their envelopes:
    /// see [`packing`](Self::packing).
    ///
    /// # Panics
    /// As [`packing`](Self::packing).
    pub fn unpacking(&self, rank: usize) -> Unpacking<R::Element> {
        Unpacking::of(self.padded_facts(Side::Destination, rank))
    }

    /// Checks the plan with all ranks of a communicator, and prepares moves that all ranks run.
    /// Other moves prepare themselves on first need, as do message buffers. Collective.
    ///
    /// # Errors
    /// The same on every rank: too few or lost ranks; ranks with other plans, element types or
    /// options; a method that does not apply to the plan. Also a rank that has no local array with
    /// its memory layout. [`Error::Unavailable`] if there is no such route.
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

    fn padded_facts(&self, side: Side, rank: usize) -> Facts {
        let mut facts = self.facts(rank);
        facts.few_partners(side).unwrap_or_else(|reason| panic!("{reason}"));
        facts.pad(&self.wishes.paddings).unwrap_or_else(|error| panic!("{error}"));
        facts
    }

    pub(super) fn facts(&self, rank: usize) -> Facts {
        let plan = self.plan.get_or_init(|| AnyPlan::from(self.redistribution.plan())).clone();
        let width = ElementType::of::<R::Element>().bytes();
        Facts {
            windows: self.redistribution.windows().to_vec(),
            kernels: self.redistribution.kernels(),
            vectors: self.vectors,
            ..Facts::new(plan, rank, width, self.wishes.trapezoid)
        }
    }
}

impl<R: Redistribution<2> + ?Sized> Binder<'_, R, 2> {
    /// Moves only a trapezoid of the matrix (a triangle of a square one), as ScaLAPACK's `p?trmr2d`
    /// with its `UPLO` and `DIAG`. The matrix is the moved section; its rows are the first of the
    /// source's axes. Elements outside are neither sent nor written. All ranks must pass the same.
    ///
    /// Of `m` rows and `n` columns, the upper trapezoid has the elements `(i, j)` with `i <= j +
    /// max(m - n, 0)`, the lower trapezoid has `j <= i + max(n - m, 0)`.
    ///
    /// Packed messages go all at once: the trapezoid's part of two ranks' common elements.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::plan::{Diag, Uplo};
    /// use redist::{Error, Redistribution, TypedPlan, Side, threads};
    ///
    /// let plan = TypedPlan::<f64, 2>::parse([6, 6], "(block, *) onto 3", "(*, cyclic(2)) onto 3")?;
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
    /// Binding returns [`Error::Unavailable`] for every route but messages, and for every method
    /// but [`Method::AllAtOnce`].
    pub fn trapezoid(mut self, uplo: Uplo, diag: Diag) -> Self {
        self.wishes.trapezoid = Some(Trapezoid { uplo, diag });
        self
    }
}

/// A [`Plan`] made at run time, with an element type. It moves the same elements in the same
/// messages as the macro's item for the same layouts; ranks of one run may mix the two.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::{Redistribution, TypedPlan, Side, ok, threads};
///
/// let plan = TypedPlan::<f64, 2>::parse([8, 12], "(block, *) onto 4", "(*, block) onto 4")?;
/// let columns = threads::run(4, |rank| {
///     let mut bound = plan.bind(rank)?;
///     let rows = vec![rank.rank() as f64; bound.local_len(Side::Source)];
///     let mut columns = vec![0.0; bound.local_len(Side::Destination)];
///     bound.run(&rows, &mut columns)?;
///     ok(columns)
/// })?;
/// assert_eq!(columns[0][..9], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TypedPlan<T, const D: usize> {
    plan: Plan<D>,
    element: PhantomData<fn() -> T>,
}

impl<T: Element, const D: usize> TypedPlan<T, D> {
    /// Plans the move of an array of `extents` elements. A [`Plan`] that is made already becomes a
    /// `TypedPlan` by `from`:
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::{Plan, Redistribution, TypedPlan};
    ///
    /// let plan = Plan::<1>::parse([12], "block onto 3", "cyclic onto 3")?;
    /// let of_numbers = TypedPlan::<f64, 1>::from(plan);
    /// assert_eq!(of_numbers.plan(), plan);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Plan::new`].
    pub const fn new(
        extents: [usize; D],
        from: Layout<D>,
        to: Layout<D>,
    ) -> Result<Self, PlanError> {
        match Plan::new(extents, from, to) {
            Ok(plan) => Ok(Self { plan, element: PhantomData }),
            Err(error) => Err(error),
        }
    }

    /// Plans as [`TypedPlan::new`], with both layouts in the macro's notation.
    ///
    /// # Errors
    /// The errors of [`Plan::parse`].
    pub fn parse(extents: [usize; D], from: &str, to: &str) -> Result<Self, ParsePlanError> {
        Plan::parse(extents, from, to).map(Self::from)
    }
}

impl<T, const D: usize> From<Plan<D>> for TypedPlan<T, D> {
    fn from(plan: Plan<D>) -> Self {
        Self { plan: plan.indexed(), element: PhantomData }
    }
}

impl<T: Element, const D: usize> Redistribution<D> for TypedPlan<T, D> {
    type Element = T;

    fn name(&self) -> &str {
        "run-time plan"
    }

    fn tiers(&self) -> [(Tier, &'static str); D] {
        [(Tier::RunTime, "the layouts are values"); D]
    }

    fn plan(&self) -> Plan<D> {
        self.plan
    }
}

/// A plan back, planned when the forward plan was: see [`Redistribution::inverse`].
#[derive(Clone, Debug)]
pub struct Inverse<T, const D: usize> {
    back: PlanParts<D>,
    there: PlanParts<D>,
    element: PhantomData<fn() -> T>,
}

/// A plan with everything that an item knows of it.
#[derive(Clone, Debug)]
struct PlanParts<const D: usize> {
    name: String,
    plan: Plan<D>,
    tiers: [(Tier, &'static str); D],
    windows: [WindowTable<'static>; D],
    kernels: Kernels,
}

impl<T, const D: usize> Inverse<T, D> {
    /// Makes the inverse of `there`, with its compiled loops.
    pub(super) fn new(
        there: &(impl Redistribution<D, Element = T> + ?Sized),
        kernels: Kernels,
    ) -> Self {
        let there = PlanParts {
            name: there.name().into(),
            plan: there.plan(),
            tiers: there.tiers(),
            windows: there.windows(),
            kernels: there.kernels(),
        };
        // The inverse counts dimensions in the axes of the forward destination.
        let plan = there.plan.inverse();
        let tiers = core::array::from_fn(|axis| there.tiers[plan.destination_axis(axis)]);
        let windows =
            core::array::from_fn(|axis| there.windows[plan.destination_axis(axis)].turned());
        let name = format!("inverse of {}", there.name);
        Self {
            back: PlanParts { name, plan, tiers, windows, kernels },
            there,
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

    fn windows(&self) -> [WindowTable<'static>; D] {
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
