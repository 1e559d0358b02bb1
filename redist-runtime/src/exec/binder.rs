//! How a plan is bound: all that can be said of it, in one place.

use super::kernels::{Allowed, Vectors};
use super::mover::{Mover, Wishes};
use super::prepared::Facts;
use super::{Bound, Packing, Redistribution, Unpacking};
use crate::element::ElementType;
use crate::error::Error;
use crate::plan::schedule::{CostModel, Method, Strategy};
use crate::plan::{Diag, Piece, Trapezoid, Uplo};
use crate::transport::{Options, Route, Transport};
use std::ffi::c_int;

/// How a plan is to be bound: made by [`Redistribution::binder`], used by [`bind`](Binder::bind).
///
/// All ranks must say the same of the strategy, the route, and the lengths of messages and
/// fragments; binding compares, and says what differs. Instructions and stores are each rank's own
/// matter.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::exec::{Redistribution, RuntimePlan};
/// use redist::plan::schedule::Method;
/// use redist::transport::Way;
/// use redist::{Error, transport::threads};
///
/// let plan = RuntimePlan::<f64, 1>::parse([1200], "cyclic(10) onto 3", "cyclic(2) onto 3")?;
/// threads::run(3, |rank| {
///     let bound = plan.binder().method(Method::Circulant).bind(rank)?;
///     assert_eq!((bound.method(), bound.way()), (Method::Circulant, Way::Messages));
///     Ok::<_, Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a binder does nothing before `bind`"]
pub struct Binder<'a, R: ?Sized, const D: usize> {
    redistribution: &'a R,
    strategy: Strategy,
    cost_model: Option<CostModel>,
    vectors: Option<Vectors>,
    nontemporal: Option<usize>,
    options: Options,
    trapezoid: Option<Trapezoid>,
}

impl<'a, R: Redistribution<D> + ?Sized, const D: usize> Binder<'a, R, D> {
    pub(super) fn new(redistribution: &'a R) -> Self {
        Self {
            redistribution,
            strategy: Strategy::Automatic,
            cost_model: None,
            vectors: None,
            nontemporal: None,
            options: Options::default(),
            trapezoid: None,
        }
    }

    /// How messages are ordered in time: by what the cost model favours, if this is not called.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Messages are ordered in time by this method: [`Strategy::Only`].
    pub fn method(self, method: Method) -> Self {
        self.strategy(Strategy::Only(method))
    }

    /// What messages cost, if you know better than the communicator.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// # use redist::exec::{Redistribution, RuntimePlan};
    /// # use redist::{Error, transport::threads};
    /// use redist::plan::schedule::{CostModel, Method};
    ///
    /// let plan = RuntimePlan::<f64, 1>::parse([1 << 20], "cyclic(10) onto 4", "cyclic(2) onto 4")?;
    /// let crowded = CostModel { startup: 1e-6, per_byte: 1e-9, contention: 5.0 };
    /// threads::run(4, |rank| {
    ///     assert_eq!(plan.bind(rank)?.method(), Method::AllAtOnce);
    ///     assert_ne!(plan.binder().cost_model(crowded).bind(rank)?.method(), Method::AllAtOnce);
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cost_model(mut self, model: CostModel) -> Self {
        self.cost_model = Some(model);
        self
    }

    /// How elements get from rank to rank: the way that is expected to be fastest, if this is not
    /// called.
    pub fn route(mut self, route: Route) -> Self {
        self.options.route = route;
        self
    }

    /// From how many bytes on messages are sent in several pieces, over MPI: 1 MiB if this is not
    /// called. While one piece travels the next is packed, and what has arrived is unpacked. At least
    /// 1 and at most 2^31 - 1 bytes; other values are brought into that range.
    pub fn max_message_bytes(mut self, bytes: usize) -> Self {
        self.options.max_message_bytes = bytes.clamp(1, c_int::MAX as usize);
        self
    }

    /// How many plans, at least 1, share a duplicate of an MPI communicator, where the library does
    /// not set a lower limit: as many as it has tags.
    #[doc(hidden)]
    pub fn max_tags(mut self, tags: usize) -> Self {
        self.options.max_tags = tags.max(1);
        self
    }

    /// The vector instructions that kernels use at most: to compare, or to get the same
    /// instructions on different machines. What the processor has, if this is not called.
    pub fn max_vectors(mut self, most: Vectors) -> Self {
        self.vectors = Some(most);
        self
    }

    /// From how many bytes of a rank's local array on kernels store past the caches when they pack
    /// or unpack: for as much as is long gone from the caches when it is next needed. Never, if
    /// this is not called.
    ///
    /// Such stores do not read the lines that they overwrite. Whether that helps is a matter of the
    /// machine: `cargo bench --bench kernels -- --nontemporal` measures it, and docs/performance.md
    /// says what it found. Only networks, runs of a multiple of 64 bytes and runs of more than 256
    /// have such stores, on x86-64, and only for what lies on a multiple of 16 bytes in memory; all
    /// else is stored as ever. [`Packing::kernel`] tells.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::{Memory, Redistribution, RuntimePlan};
    ///
    /// let plan = RuntimePlan::<f64, 1>::parse([6400], "cyclic(160) onto 4", "cyclic(16) onto 4")?;
    /// # if cfg!(target_arch = "x86_64") {
    /// let packing = plan.binder().nontemporal_from_bytes(8 * 1600).packing(0);
    /// assert_eq!(packing.kernel().memory, Memory::Nontemporal);
    /// # }
    /// assert_ne!(plan.packing(0).kernel().memory, Memory::Nontemporal);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nontemporal_from_bytes(mut self, bytes: usize) -> Self {
        self.nontemporal = Some(bytes);
        self
    }

    /// What `rank` packs, for those who bring their own transport: see [`Redistribution::packing`].
    pub fn packing(&self, rank: usize) -> Packing<R::Element> {
        Packing::of(self.facts(rank).packing())
    }

    /// What `rank` unpacks, for those who bring their own transport: see
    /// [`Redistribution::packing`].
    pub fn unpacking(&self, rank: usize) -> Unpacking<R::Element> {
        Unpacking::of(self.facts(rank).unpacking())
    }

    /// Checks the plan with all ranks of a communicator, and prepares what moves need that all
    /// ranks run; what others need is made when it is first needed, and so is memory for messages.
    /// Collective.
    ///
    /// # Errors
    /// Too few ranks, ranks with other plans, element types or options, ranks that are gone: the
    /// same error on every rank. [`Error::Schedule`] where the method does not apply to the plan,
    /// [`Error::Unavailable`] where there is no such route.
    pub fn bind<C: Transport>(&self, communicator: &C) -> Result<Bound<R::Element, D>, Error> {
        let plan = self.redistribution.plan();
        let words = plan.in_words();
        let part = self.trapezoid.map(|part| format!(", {part}")).unwrap_or_default();
        let wishes =
            Wishes { strategy: self.strategy, cost_model: self.cost_model, options: self.options };
        let element = ElementType::of::<R::Element>();
        let mover = Mover::new(
            self.facts(communicator.rank()),
            element,
            communicator,
            &wishes,
            format_args!("{words}{part}"),
        )?;
        Ok(Bound::of(plan, mover))
    }

    pub(super) fn facts(&self, rank: usize) -> Facts {
        let windows: [&'static [Piece]; D] = self.redistribution.windows();
        Facts {
            plan: self.redistribution.plan().into(),
            rank,
            width: ElementType::of::<R::Element>().bytes(),
            windows: windows.to_vec(),
            kernels: self.redistribution.kernels(),
            allowed: Allowed::up_to(self.vectors, self.nontemporal),
            trapezoid: self.trapezoid,
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
    /// Binding is an [`Error::Unavailable`] where another route than messages is asked for, or
    /// another method than [`Method::AllAtOnce`].
    pub fn trapezoid(mut self, uplo: Uplo, diag: Diag) -> Self {
        self.trapezoid = Some(Trapezoid { uplo, diag });
        self
    }
}
