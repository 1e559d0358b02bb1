//! Moves between parts of one array that several programs hold and want.

use crate::parts::{self, Claim, MetPart, ProgramPart};
use crate::programs::{Pair, Programs};
use redist_plan::layout::Descriptor;
use redist_plan::plan::{PlanError, Side};
use redist_runtime::exec::{
    Bound, DestinationArray, PartsError, Redistribution, SourceArray, TypedPlan,
};
use redist_runtime::transport::mpi::groups::Readiness;
use redist_runtime::{Element, ElementType, Error};

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
    readiness: Readiness,
    lines: Vec<Bound<T, D>>,
    /// Elements of this rank's source array and of its destination array.
    lens: [usize; 2],
}

type Line<T, const D: usize> = (Pair, TypedPlan<T, D>);

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
        let claims = self.claims::<T, D>(own)?;
        let met = parts::settled(&claims)?;
        let made = planned(&met, self.program());
        let lens = own.map_or(Ok([0; 2]), |own| lens(&own, self.rank()));
        let (rounds, lens) = self.agree(made.and_then(|rounds| Ok((rounds, lens?))))?;
        let mut lines = Vec::new();
        for line in rounds {
            let (pair, plan) = line.unzip();
            let coupling = self.couple_pair(pair)?;
            lines.extend(plan.zip(coupling).map(|(plan, coupling)| plan.bind(&coupling)));
        }
        let lines = self.agree(lines.into_iter().collect())?;
        Ok(JoinedParts { readiness: Readiness::on(self.world.again()?), lines, lens })
    }

    fn claims<T: Element, const D: usize>(
        &self,
        own: Option<ProgramPart<D>>,
    ) -> Result<Vec<Option<Claim<D>>>, Error> {
        let element = ElementType::of::<T>();
        let (name, bytes, alignment) = (element.identity(), element.bytes(), element.alignment());
        let element = format!("{name} ({bytes} bytes, aligned to {alignment})");
        let ranks = self.size();
        let ours = own.map(|part| parts::written(&Claim { part, ranks, element }));
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
        self.agree(claims.map_err(Error::from).and_then(|claims| {
            let reason = "it says another part of the array than rank 0 of its program".into();
            let differs = Error::Coupling { rank: self.world.rank(), reason };
            is_told.then_some(claims).ok_or(differs)
        }))
    }
}

/// Returns the pair of program `program` in each round.
fn planned<T: Element, const D: usize>(
    met: &[MetPart<D>],
    program: usize,
) -> Result<Vec<Option<Line<T, D>>>, Error> {
    let rounds = parts::rounds(met);
    let own = |round: &Vec<usize>| {
        round.iter().copied().find(|&n| [met[n].producer, met[n].consumer].contains(&program))
    };
    let line = |number: usize| {
        let MetPart { producer, producers, part, from, to, .. } = met[number];
        let role = if producer == program { Side::Source } else { Side::Destination };
        let plan = TypedPlan::new(part.extents, from, to)?;
        Ok((Pair { number, role, producers }, plan))
    };
    rounds.iter().map(|round| own(round).map(line).transpose()).collect()
}

/// Returns the lengths of a rank's source and destination array, in elements.
fn lens<const D: usize>(own: &ProgramPart<D>, rank: usize) -> Result<[usize; 2], Error> {
    if own.part.extents.contains(&0) {
        return Ok([0; 2]);
    }
    let array = Descriptor::new(own.part.extents, own.layout);
    let array = array.map_err(|error| PlanError::Layout { side: own.role, error })?;
    let mut lens = [0; 2];
    lens[own.role as usize] = array.local_len(rank);
    Ok(lens)
}

impl<T: Element, const D: usize> JoinedParts<T, D> {
    /// Returns the length of this rank's array on a side, in elements; 0 without a part there.
    pub fn local_len(&self, side: Side) -> usize {
        self.lens[side as usize]
    }

    /// Returns the plans of this rank's program, each on the ranks of its pair.
    pub fn bound(&self) -> &[Bound<T, D>] {
        &self.lines
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
        let ready = self.lengths([source.len(), destination.len()]);
        self.readiness.begin(ready.is_ok())?;
        for line in &mut self.lines {
            line.begin(ready.clone(), source)?;
        }
        match ready {
            Ok(()) => Ok(StartedParts { joined: self, destination }),
            // The other ranks learn of it when they finish; this rank has nothing to overlap.
            Err(error) => {
                Err(self.complete(Err(error.clone()), destination).err().unwrap_or(error))
            }
        }
    }

    fn lengths(&self, found: [usize; 2]) -> Result<(), Error> {
        let rank = self.readiness.rank();
        let lens = [Side::Source, Side::Destination].map(|side| self.local_len(side));
        let exchanged = lens == [found[1], found[0]];
        let check = |side: Side| match (lens[side as usize], found[side as usize]) {
            (expected, found) if expected == found => Ok(()),
            (expected, found) => Err(Error::LocalLength { rank, side, expected, found, exchanged }),
        };
        check(Side::Source).and(check(Side::Destination))
    }

    /// Ends a move on all ranks; `mine` is this rank's result of its beginning.
    fn complete(&mut self, mine: Result<(), Error>, destination: &mut [T]) -> Result<(), Error> {
        let mut outcome = self.readiness.finish(mine);
        // Pairs with all ranks ready have sent their messages; a copy takes them, and is dropped.
        let mut nowhere = outcome.is_err().then(|| destination.to_vec());
        let destination = nowhere.as_deref_mut().unwrap_or(destination);
        for line in &mut self.lines {
            let here = &mut *destination;
            outcome = outcome.and(line.complete(move || here));
        }
        outcome
    }
}

/// A move that [`JoinedParts::start`] began. Dropping it waits for no rank, and leaves the destination
/// as it is; the next move receives what this rank was sent, and loses errors.
#[must_use = "the destination holds its part after `finish`, which says how the move went"]
pub struct StartedParts<'a, T: Element, const D: usize> {
    joined: &'a mut JoinedParts<T, D>,
    destination: &'a mut [T],
}

impl<T: Element, const D: usize> StartedParts<'_, T, D> {
    /// Returns `true` if [`finish`](Self::finish) would not wait. Lets the library make progress.
    ///
    /// # Errors
    /// The errors of [`finish`](StartedParts::finish).
    pub fn test(&mut self) -> Result<bool, Error> {
        let mut is_over = self.joined.readiness.test()?;
        for line in &mut self.joined.lines {
            is_over &= line.test()?;
        }
        Ok(is_over)
    }

    /// Waits until the destination holds its part, from all programs.
    ///
    /// # Errors
    /// The errors of [`JoinedParts::run`].
    pub fn finish(self) -> Result<(), Error> {
        self.joined.complete(Ok(()), self.destination)
    }
}
