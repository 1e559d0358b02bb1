//! Moves between parts of one array that several programs hold and want.

use crate::coupling::Coupling;
use crate::parts::{self, Claim, MetPart, ProgramPart};
use crate::programs::{Pair, Programs};
use redist_plan::layout::{AnyDescriptor, Descriptor};
use redist_plan::plan::{Plan, PlanError, Side};
use redist_plan::program::StridedArray;
use redist_runtime::exec::{
    AnyBinder, AnyBound, Bound, DestinationArray, JoinedMover, PartsError, Redistribution,
    SourceArray, TypedPlan,
};
use redist_runtime::transport::mpi::groups::Readiness;
use redist_runtime::{AnyElement, Element, ElementType, Error};

/// Parts of one array that programs hold and want: see [`Programs::join_parts`].
///
/// ```no_run
/// # mod redist {
/// # pub use {redist_coupling as exec, redist_runtime::*};
/// # pub mod mpi { pub use {redist_coupling::*, redist_runtime::transport::mpi::*}; }
/// # }
/// use redist::exec::{ArrayPart, ProgramPart};
/// use redist::mpi::{Programs, initialize};
/// use redist::Side;
///
/// // The first program holds the upper half of an array, the second the lower, a third wants all.
/// let mpi = initialize()?;
/// let programs = Programs::of(&mpi.world()?)?;
/// let (role, at, rows) = match programs.program() {
///     2 => (Side::Destination, 0, 1000),
///     half => (Side::Source, 500 * half, 500),
/// };
/// let part = ArrayPart { at: [at, 0], extents: [rows, 800] };
/// let layout = format!("(block, *) onto {}", programs.size()).parse()?;
/// let own = ProgramPart { role, whole: [1000, 800], part, layout };
/// let mut joined = programs.join_parts::<f64, 2>(Some(own))?;
/// let source = vec![1.0; joined.local_len(Side::Source)];
/// let mut destination = vec![0.0; joined.local_len(Side::Destination)];
/// joined.run(&source, &mut destination)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct JoinedParts<T: Element, const D: usize> {
    parts: JoinedMover<Bound<T, D>>,
}

type Line<const D: usize> = (Pair, Plan<D>);

impl Programs {
    /// Joins programs that hold or want parts of one array. Collective over all ranks of all
    /// programs.
    ///
    /// Each program names its part and the layout of that part on its ranks, or `None`. Pairs of
    /// programs with a common part get a communicator and a plan. Producers' parts must not
    /// overlap, and must cover all that consumers want; other elements stay.
    ///
    /// # Errors
    /// [`Error::Parts`], with the programs, the dimension and the range, on all ranks of all
    /// programs, if the parts do not make one array. Else, on every rank: ranks of one program name
    /// different parts, a layout does not fit its part, or [`bind`](Redistribution::bind) fails.
    pub fn join_parts<T: Element, const D: usize>(
        &self,
        own: Option<ProgramPart<D>>,
    ) -> Result<JoinedParts<T, D>, Error> {
        let bind = |plan, coupling: &Coupling| TypedPlan::<T, D>::from(plan).bind(coupling);
        let parts = self.joined(Ok(own), ElementType::of::<T>(), bind)?;
        Ok(JoinedParts { parts })
    }

    /// As [`join_parts`](Self::join_parts), with the element type as a value. A rank that cannot take
    /// part brings its error, which every rank then returns.
    ///
    /// # Errors
    /// The errors of `join_parts`.
    #[doc(hidden)]
    pub fn join_any_parts<const D: usize>(
        &self,
        own: Result<Option<ProgramPart<D>>, Error>,
        element: AnyElement,
    ) -> Result<AnyBound, Error> {
        let bind = |plan, coupling: &Coupling| AnyBinder::new(&plan, element).bind_mover(coupling);
        Ok(AnyBound::joined(self.joined(own, element.element_type(), bind)?, element))
    }

    /// Joins parts by a function that binds the plan of two programs.
    fn joined<L, const D: usize>(
        &self,
        own: Result<Option<ProgramPart<D>>, Error>,
        element: ElementType,
        bind: impl Fn(Plan<D>, &Coupling) -> Result<L, Error>,
    ) -> Result<JoinedMover<L>, Error> {
        let claims = self.claims(&own, element)?;
        let met = parts::settled(&claims)?;
        let made = planned(&met, self.program());
        let arrays = own.and_then(|own| arrays(own.as_ref(), self.rank()));
        let (rounds, arrays) = self.agree(made.and_then(|rounds| Ok((rounds, arrays?))))?;
        let mut lines = Vec::new();
        for line in rounds {
            let (pair, plan) = line.unzip();
            let coupling = self.couple_pair(pair)?;
            lines.extend(plan.zip(coupling).map(|(plan, coupling)| bind(plan, &coupling)));
        }
        let lines = self.agree(lines.into_iter().collect())?;
        Ok(JoinedMover::new(Readiness::on(self.world.again()?), lines, arrays))
    }

    fn claims<const D: usize>(
        &self,
        own: &Result<Option<ProgramPart<D>>, Error>,
        element: ElementType,
    ) -> Result<Vec<Option<Claim<D>>>, Error> {
        let (name, bytes, alignment) = (element.identity(), element.bytes(), element.alignment());
        let element = format!("{name} ({bytes} bytes, aligned to {alignment})");
        let ranks = self.size();
        let part = own.as_ref().ok().copied().flatten();
        let ours = part.map(|part| parts::written(&Claim { part, ranks, element }));
        let ours = ours.unwrap_or_default();
        let told = self.exchange(ours.as_bytes())?;
        let is_told = told[self.program()] == ours.as_bytes();
        let claims = told.iter().enumerate().map(|(program, bytes)| match bytes.is_empty() {
            true => Ok(None),
            false => parts::read(bytes).map(Some).map_err(|error| PartsError::Unreadable {
                program,
                dimensions: D,
                reason: error.to_string(),
            }),
        });
        let claims: Result<Vec<_>, PartsError> = claims.collect();
        let claims = own.as_ref().map_err(Error::clone).and(claims.map_err(Error::from));
        self.agree(claims.and_then(|claims| {
            let reason = "it says another part of the array than rank 0 of its program".into();
            let differs = Error::Coupling { rank: self.world.rank(), reason };
            is_told.then_some(claims).ok_or(differs)
        }))
    }
}

/// Returns the pair of program `program` in each round.
fn planned<const D: usize>(
    met: &[MetPart<D>],
    program: usize,
) -> Result<Vec<Option<Line<D>>>, Error> {
    let rounds = parts::rounds(met);
    let own = |round: &Vec<usize>| {
        round.iter().copied().find(|&n| [met[n].producer, met[n].consumer].contains(&program))
    };
    let line = |number: usize| {
        let MetPart { producer, producers, part, from, to, .. } = met[number];
        let role = if producer == program { Side::Source } else { Side::Destination };
        let plan = Plan::new(part.extents, from, to)?;
        Ok((Pair { number, role, producers }, plan))
    };
    rounds.iter().map(|round| own(round).map(line).transpose()).collect()
}

/// Returns a rank's source and destination array, which are dense.
fn arrays<const D: usize>(
    own: Option<&ProgramPart<D>>,
    rank: usize,
) -> Result<[StridedArray; 2], Error> {
    let nothing =
        || StridedArray { shape: vec![0; D], strides: vec![1; D], ..StridedArray::default() };
    let mut arrays = [nothing(), nothing()];
    if let Some(own) = own.filter(|own| !own.part.extents.contains(&0)) {
        let array = Descriptor::new(own.part.extents, own.layout);
        let array = array.map_err(|error| PlanError::Layout { side: own.role, error })?;
        arrays[own.role as usize] = StridedArray::dense(&AnyDescriptor::from(&array), rank);
    }
    Ok(arrays)
}

impl<T: Element, const D: usize> JoinedParts<T, D> {
    /// Returns the length of this rank's array on a side, in elements; 0 without a part there.
    pub fn local_len(&self, side: Side) -> usize {
        self.parts.part(side).len
    }

    /// Returns the plans of this rank's program, each on the ranks of its pair.
    pub fn bound(&self) -> &[Bound<T, D>] {
        self.parts.lines()
    }

    /// Moves all parts. Collective over all ranks of all programs.
    ///
    /// `source` is this rank's share of its program's part, `destination` its share of the wanted
    /// part; empty without such a role.
    ///
    /// # Errors
    /// The errors of [`Bound::run`], on any rank of any program. Every rank then returns an error,
    /// and no destination has changed.
    pub fn run(
        &mut self,
        source: &(impl SourceArray<T> + ?Sized),
        destination: &mut (impl DestinationArray<T> + ?Sized),
    ) -> Result<(), Error> {
        self.start(source, destination)?.finish()
    }

    /// Begins a move, which [`StartedParts::finish`] ends. Collective over all programs' ranks. The
    /// source is packed on return, and may be written to. All messages of all pairs are under way:
    /// no cycle of pairs can deadlock.
    ///
    /// # Errors
    /// The errors of [`run`](JoinedParts::run).
    pub fn start<'a>(
        &'a mut self,
        source: &(impl SourceArray<T> + ?Sized),
        destination: &'a mut (impl DestinationArray<T> + ?Sized),
    ) -> Result<StartedParts<'a, T, D>, Error> {
        let (source, destination) = (source.elements(), destination.elements_mut());
        let ready = self.parts.lengths([source.len(), destination.len()]);
        self.parts.start(ready, source)?;
        Ok(StartedParts { parts: &mut self.parts, destination })
    }
}

/// A move that [`JoinedParts::start`] began. Dropping it waits for no rank, and leaves the destination
/// as it is; the next move receives what this rank was sent, and loses errors.
#[must_use = "the destination holds its part after `finish`, which says how the move went"]
pub struct StartedParts<'a, T: Element, const D: usize> {
    parts: &'a mut JoinedMover<Bound<T, D>>,
    destination: &'a mut [T],
}

impl<T: Element, const D: usize> StartedParts<'_, T, D> {
    /// Returns `true` if [`finish`](Self::finish) would not wait. Lets the library make progress.
    ///
    /// # Errors
    /// The errors of [`finish`](StartedParts::finish).
    pub fn test(&mut self) -> Result<bool, Error> {
        self.parts.test()
    }

    /// Waits until the destination holds its part, from all programs.
    ///
    /// # Errors
    /// The errors of [`JoinedParts::run`].
    pub fn finish(self) -> Result<(), Error> {
        self.parts.finish(self.destination)
    }
}
