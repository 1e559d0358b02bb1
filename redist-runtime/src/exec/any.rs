//! Plans whose number of dimensions and element type are values, for bindings to other languages.

use super::any_packing::AnyPacking;
use super::arrays::bytes_target;
use super::copies_mover::CopiesMover;
use super::joined_mover::JoinedMover;
use super::list_mover::ListMover;
use super::list_volume::ListVolume;
use super::mover::{AskedMethod, Mover, Wishes, cut_into_rounds};
use super::prepared::Facts;
use super::run_receiver::{EachRun, RunReceiver};
use super::transfer::UnpackTo;
use super::{DestinationArray, SourceArray};
use crate::element::AnyElement;
use crate::error::Error;
use crate::layout::Padding;
use crate::plan::schedule::Method;
use crate::plan::{AnyPlan, Diag, Plan, Side, Trapezoid, Uplo};
use crate::program::StridedCopy;
use crate::transport::{Arrays, GoesOn, Route, Target, Transport, Way};
use core::slice;
use std::ffi::c_int;

/// A [`Binder`](crate::exec::Binder) whose plan and element type are run-time values.
#[must_use = "a binder does nothing before `bind`"]
#[derive(Clone, Debug)]
pub struct AnyBinder {
    plan: AnyPlan,
    /// The plan in the notation, for the errors of ranks whose plans differ.
    words: String,
    element: AnyElement,
    wishes: Wishes,
}

impl AnyBinder {
    /// Prepares to bind this plan for elements of this type, with default options.
    pub fn new<const D: usize>(plan: &Plan<D>, element: AnyElement) -> Self {
        Self {
            plan: AnyPlan::from(plan),
            words: plan.in_words().to_string(),
            element,
            wishes: Wishes::default(),
        }
    }

    /// Sets the schedule's method: see [`Binder::method`](crate::exec::Binder::method).
    pub fn method(mut self, method: Method) -> Self {
        self.wishes.method = Some(AskedMethod::new(method));
        self
    }

    /// Sets the route of elements: see [`Binder::route`](crate::exec::Binder::route).
    pub fn route(mut self, route: Route) -> Self {
        self.wishes.options.route = route;
        self
    }

    /// Sets the bytes of a segment: see
    /// [`Binder::max_message_bytes`](crate::exec::Binder::max_message_bytes).
    pub fn max_message_bytes(mut self, bytes: usize) -> Self {
        self.wishes.options.max_message_bytes = Some(bytes.clamp(1, c_int::MAX as usize));
        self
    }

    /// Bounds the memory for messages ([`Binder::max_bytes`](crate::exec::Binder::max_bytes)).
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.wishes.options.max_bytes = bytes;
        self.wishes.rounds = Some(cut_into_rounds);
        self
    }

    /// Makes a fault of one rank an error of all
    /// ([`Binder::collectively`](crate::exec::Binder::collectively)).
    pub fn collectively(mut self) -> Self {
        self.wishes.options.collectively = true;
        self
    }

    /// Sets the memory layout of this rank's local array on one side: see
    /// [`Binder::strides`](crate::exec::Binder::strides) and the two methods after it. Panics if
    /// strides or extents are not as many as the array's dimensions.
    pub fn padding(mut self, side: Side, padding: Padding) -> Self {
        let is_whole = |list: &Vec<usize>| list.len() == self.plan.dimensions();
        assert!(
            match &padding {
                Padding::Strides(strides) => is_whole(strides),
                Padding::Leading(_) => true,
                Padding::Within(lists) => lists.iter().all(is_whole),
            },
            "{padding:?} is not of {} dimensions",
            self.plan.dimensions()
        );
        self.wishes.paddings[side as usize] = Some(padding);
        self
    }

    /// AnyMover only a trapezoid: see [`Binder::trapezoid`](crate::exec::Binder::trapezoid). Panics if
    /// the array does not have two dimensions.
    pub fn trapezoid(mut self, uplo: Uplo, diag: Diag) -> Self {
        assert_eq!(self.plan.dimensions(), 2, "trapezoids are parts of matrices");
        self.wishes.trapezoid = Some(Trapezoid { uplo, diag });
        self
    }

    /// Binds the plan to the ranks of a communicator: see
    /// [`Binder::bind`](crate::exec::Binder::bind). Collective.
    pub fn bind<C: Transport>(&self, communicator: &C) -> Result<AnyBound, Error> {
        let mover = self.bind_mover(communicator)?;
        Ok(AnyBound::new(AnyMover::Planned(Box::new(mover)), self.element))
    }

    /// As [`bind`](Self::bind), for a plan that moves with others.
    #[doc(hidden)]
    pub fn bind_mover<C: Transport>(&self, communicator: &C) -> Result<Mover, Error> {
        let (rank, element) = (communicator.rank(), self.element.element_type());
        let facts = Facts::new(self.plan.clone(), rank, element.bytes(), self.wishes.trapezoid);
        let words = format_args!("{}", self.words);
        Mover::new(facts, element, communicator, &self.wishes, words)
    }

    /// Prepares the packing and the unpacking of `rank`, with the strides that were set: see
    /// [`Binder::packing`](crate::exec::Binder::packing).
    pub fn packing(&self, rank: usize) -> Result<AnyPacking, Error> {
        let (width, trapezoid) = (self.element.bytes(), self.wishes.trapezoid);
        let mut facts = Facts::new(self.plan.clone(), rank, width, trapezoid);
        for side in [Side::Source, Side::Destination] {
            facts
                .few_partners(side)
                .map_err(|reason| Error::Unavailable { what: "packing".into(), reason })?;
        }
        facts.pad(&self.wishes.paddings)?;
        Ok(AnyPacking::of(facts))
    }

    /// Returns what is known of the plan on a rank whose arrays are dense.
    pub(super) fn facts(&self, rank: usize) -> Facts {
        Facts::new(self.plan.clone(), rank, self.element.bytes(), None)
    }

    /// Returns the memory layouts that were set, by side.
    pub(super) fn paddings(&self) -> [Option<Padding>; 2] {
        self.wishes.paddings.clone()
    }

    /// Returns the plan in the notation.
    pub(super) fn words(&self) -> &str {
        &self.words
    }

    /// Returns the type that is planned for.
    pub fn element(&self) -> AnyElement {
        self.element
    }

    /// Joins the other ranks' [`bind`](Self::bind) and makes it fail on all ranks, because this
    /// rank has no plan. Returns this rank's error. Collective.
    pub fn decline<C: Transport>(communicator: &C, reason: Error) -> Error {
        communicator.open(Err(reason.clone())).err().unwrap_or(reason)
    }
}

/// A [`Bound`](crate::exec::Bound) for arrays of bytes at any address. The bytes are elements of
/// the bound type. It stays on the thread that bound it, because peers wait for this thread.
///
/// [`start`](Self::start) and [`finish`](Self::finish) split a move in two. The caller keeps
/// nothing borrowed between them. All moves are collective; lengths are in bytes.
pub struct AnyBound {
    pub(super) moves: AnyMover,
    element: AnyElement,
    /// Bytes of the destination of the move that is under way; `None` between moves.
    started: Option<usize>,
}

/// The engine of a bound plan's moves.
pub(super) enum AnyMover {
    /// By a plan of two layouts.
    Planned(Box<Mover>),
    /// By lists of indices.
    Listed(Box<ListMover>),
    /// Between copies of an array.
    Copied(Box<CopiesMover>),
    /// Of one array in parts of several programs.
    Joined(Box<JoinedMover<Mover>>),
}

impl AnyBound {
    pub(super) fn new(moves: AnyMover, element: AnyElement) -> Self {
        Self { moves, element, started: None }
    }

    /// Moves parts of one array that several programs hold and want, of elements of this type.
    #[doc(hidden)]
    pub fn joined(parts: JoinedMover<Mover>, element: AnyElement) -> Self {
        Self::new(AnyMover::Joined(Box::new(parts)), element)
    }

    /// AnyMover the array between slices of bytes or arrays of `shared_array`: see
    /// [`Bound::run`](crate::exec::Bound::run). Panics if a move is [under
    /// way](Self::is_under_way), or an array's bytes are no whole elements.
    pub fn run<S, D>(&mut self, source: &S, destination: &mut D) -> Result<(), Error>
    where
        S: SourceArray<u8> + ?Sized,
        D: DestinationArray<u8> + ?Sized,
    {
        let (bytes, target) = bytes_target(destination);
        let ready = self.ready(source.elements().len(), bytes);
        match &mut self.moves {
            AnyMover::Planned(mover) => {
                mover.run(ready, Arrays { source: source.source(), target }, None)
            }
            AnyMover::Listed(mover) => mover.run(ready, source.elements(), target.into_bytes()),
            AnyMover::Copied(mover) => mover.run(ready, source.elements(), target.into_bytes()),
            AnyMover::Joined(mover) => {
                mover.start(ready, source.elements())?;
                mover.finish(target.into_bytes())
            }
        }
    }

    /// AnyMover through a function of runs ([`Bound::run_with`](crate::exec::Bound::run_with)): it
    /// receives the bytes of arrived elements, at any address, and the bytes of as many kept
    /// elements. The elements of the destination have `kept_width` bytes each. Of the addends of a
    /// sum, the first one is stored, and the function receives each further one. Panics as
    /// [`run`](Self::run).
    pub fn run_with<S: SourceArray<u8> + ?Sized>(
        &mut self,
        source: &S,
        destination: &mut [u8],
        kept_width: usize,
        function: impl FnMut(&[u8], &mut [u8]),
    ) -> Result<(), Error> {
        self.run_by(source, destination, kept_width, &mut EachRun(function))
    }

    /// As [`run_with`](Self::run_with), by a receiver of runs, as [`JoinedRuns`](super::JoinedRuns) is
    /// one.
    pub fn run_by<S: SourceArray<u8> + ?Sized>(
        &mut self,
        source: &S,
        destination: &mut [u8],
        kept_width: usize,
        receiver: &mut impl RunReceiver,
    ) -> Result<(), Error> {
        let width = self.element.bytes();
        assert!(
            kept_width > 0 && destination.len().is_multiple_of(kept_width),
            "{} bytes are no elements of {kept_width}",
            destination.len()
        );
        let ready = self.ready(source.elements().len(), destination.len() / kept_width * width);
        let widths = [width, kept_width];
        match &mut self.moves {
            AnyMover::Planned(mover) => {
                let arrays = Arrays { source: source.source(), target: Target::Kept };
                let mut visit = |message: &[u8], runs: StridedCopy| {
                    receiver.receive(message, destination, runs, widths);
                };
                mover.run(ready, arrays, Some(&mut visit))?;
            }
            AnyMover::Listed(mover) => {
                let to = &mut mover.arrived(ready.is_ok());
                mover.run(ready, source.elements(), to)?;
                let all = StridedCopy::run(0, 0, to.len() / width);
                receiver.receive(to, destination, all, widths);
            }
            AnyMover::Copied(mover) => {
                return mover.run_by(ready, source.elements(), destination, widths, receiver);
            }
            AnyMover::Joined(mover) => {
                mover.start(ready, source.elements())?;
                return mover.finish_by(destination, widths, receiver);
            }
        }
        receiver.end(destination);
        Ok(())
    }

    /// Begins a move to a destination of this many bytes; pass it to [`finish`](Self::finish). Has
    /// packed the source on return. Fails and panics as [`run`](Self::run); no move is under way
    /// after an error.
    pub fn start(&mut self, source: &[u8], destination_bytes: usize) -> Result<(), Error> {
        let ready = self.ready(source.len(), destination_bytes);
        match &mut self.moves {
            AnyMover::Planned(mover) => {
                let ready = ready.and_then(|()| mover.goes_at_once("a move that is started"));
                mover.start(ready, source, GoesOn::WithSenders)?;
            }
            AnyMover::Listed(mover) => mover.start(ready, source)?,
            AnyMover::Copied(mover) => mover.start(ready, source)?,
            AnyMover::Joined(mover) => mover.start(ready, source)?,
        }
        self.started = Some(destination_bytes);
        Ok(())
    }

    /// Returns `true` from [`start`](Self::start) to [`finish`](Self::finish).
    pub fn is_under_way(&self) -> bool {
        self.started.is_some()
    }

    /// Returns `true` if [`finish`](Self::finish) would not wait. Lets the transport make progress.
    /// Returns the error that `finish` would return. Panics if no move is under way.
    pub fn test(&mut self) -> Result<bool, Error> {
        assert!(self.is_under_way(), "no move is under way: `start` one before `test`");
        match &mut self.moves {
            AnyMover::Planned(mover) => mover.exchange.channel.test(),
            AnyMover::Listed(mover) => mover.test(),
            AnyMover::Copied(mover) => mover.bound.test(),
            AnyMover::Joined(mover) => mover.test(),
        }
    }

    /// Waits until the destination holds its part. Ends the move, also with an error. Returns the
    /// errors of [`run`](Self::run). Panics if no move is under way, or `destination` has a
    /// different length than
    /// `start` received.
    pub fn finish(&mut self, destination: &mut [u8]) -> Result<(), Error> {
        assert_eq!(self.started, Some(destination.len()), "bytes of the destination, as started");
        self.started = None;
        match &mut self.moves {
            AnyMover::Planned(mover) => mover.complete(|| UnpackTo::Array(destination)),
            AnyMover::Listed(mover) => mover.finish(destination),
            AnyMover::Copied(mover) => mover.finish(destination),
            AnyMover::Joined(mover) => mover.finish(destination),
        }
    }

    /// Joins the other ranks' move as a rank that cannot take part. Ranks that receive from it get
    /// its error, and so do all if the plan was bound [`collectively`](AnyBinder::collectively).
    /// Returns this rank's error. Panics if a move is [under way](Self::is_under_way).
    pub fn decline(&mut self, reason: Error) -> Error {
        assert!(!self.is_under_way(), "a move is under way: `finish` it before the next");
        let told = match &mut self.moves {
            AnyMover::Planned(mover) => mover.decline(reason.clone()),
            AnyMover::Listed(mover) => mover.run(Err(reason.clone()), &[], &mut []),
            AnyMover::Copied(mover) => return mover.bound.decline(reason),
            AnyMover::Joined(mover) => mover.start(Err(reason.clone()), &[]),
        };
        told.err().unwrap_or(reason)
    }

    /// Checks the shape and the strides, in elements, of an array that is brought whole.
    ///
    /// Compares shapes and strides with an entry for each of two or more dimensions of the plan,
    /// unless the plan was bound with [`Padding::Strides`] that leave gaps. Fails for an array of
    /// another shape.
    pub fn check_array(&self, side: Side, shape: &[usize], strides: &[isize]) -> Result<(), Error> {
        match &self.moves {
            AnyMover::Planned(mover) => mover.holds(side, shape, strides),
            // It has one dimension, of which only the length is compared.
            AnyMover::Listed(_) => Ok(()),
            AnyMover::Copied(mover) => mover.holds(side, shape, strides),
            AnyMover::Joined(mover) => mover.holds(side, shape, strides),
        }
    }

    fn ready(&self, source: usize, destination: usize) -> Result<(), Error> {
        assert!(!self.is_under_way(), "a move is under way: `finish` it before the next");
        let width = self.element.bytes();
        for bytes in [source, destination] {
            assert!(bytes.is_multiple_of(width), "{bytes} bytes are no elements of {width}");
        }
        let (source, destination) = (source / width, destination / width);
        match &self.moves {
            AnyMover::Planned(mover) => mover.lengths(source, destination),
            AnyMover::Listed(mover) => mover.lengths([source, destination]),
            AnyMover::Copied(mover) => mover.lengths([source, destination]),
            AnyMover::Joined(mover) => mover.lengths([source, destination]),
        }
    }

    /// Returns the type that the plan was bound for.
    pub fn element(&self) -> AnyElement {
        self.element
    }
}

/// Shapes, places and words, as [`Bound`](crate::exec::Bound) has them. The local array of a move by
/// lists has one dimension.
impl AnyBound {
    /// Returns this rank's number in the communicator.
    pub fn rank(&self) -> usize {
        match &self.moves {
            AnyMover::Planned(mover) => mover.rank(),
            AnyMover::Listed(mover) => mover.rank,
            AnyMover::Copied(mover) => mover.bound.rank,
            AnyMover::Joined(mover) => mover.rank(),
        }
    }

    /// Returns what goes to each rank or comes from it in a move by lists; `None` of a plan and of
    /// copies: see [`BoundIndexMove::volumes`](crate::exec::BoundIndexMove::volumes).
    pub fn list_volumes(&self, side: Side) -> Option<&[ListVolume]> {
        match &self.moves {
            AnyMover::Planned(_) | AnyMover::Copied(_) | AnyMover::Joined(_) => None,
            AnyMover::Listed(mover) => Some(mover.volumes(side)),
        }
    }

    /// Returns the way of elements in a move that all ranks run.
    pub fn way(&self) -> Way {
        match &self.moves {
            AnyMover::Planned(mover) => mover.way(),
            AnyMover::Listed(_) | AnyMover::Copied(_) | AnyMover::Joined(_) => Way::Messages,
        }
    }

    /// Returns the elements of this rank's array on one side.
    pub fn local_len(&self, side: Side) -> usize {
        match &self.moves {
            AnyMover::Planned(mover) => mover.local_len(side),
            AnyMover::Listed(mover) => mover.lens[side as usize],
            AnyMover::Copied(mover) => mover.parts[side as usize].len,
            AnyMover::Joined(mover) => mover.part(side).len,
        }
    }

    /// Returns the extents of the local array.
    pub fn local_shape(&self, side: Side) -> &[usize] {
        match &self.moves {
            AnyMover::Planned(mover) => mover.local_shape(side),
            AnyMover::Listed(mover) => slice::from_ref(&mover.lens[side as usize]),
            AnyMover::Copied(mover) => &mover.parts[side as usize].shape,
            AnyMover::Joined(mover) => &mover.part(side).shape,
        }
    }

    /// Returns the strides of the stored local array, in elements.
    pub fn local_strides(&self, side: Side) -> &[usize] {
        match &self.moves {
            AnyMover::Planned(mover) => mover.local_strides(side),
            AnyMover::Listed(_) => &[1],
            AnyMover::Copied(mover) => &mover.parts[side as usize].strides,
            AnyMover::Joined(mover) => &mover.part(side).strides,
        }
    }

    /// Describes [`run`](Self::run) on this rank.
    pub fn explain(&self) -> String {
        match &self.moves {
            AnyMover::Planned(mover) => mover.explain(),
            AnyMover::Listed(mover) => mover.explain(),
            AnyMover::Copied(mover) => mover.bound.explain(),
            AnyMover::Joined(mover) => mover.explain(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AnyBinder, AnyBound};
    use crate::element::AnyElement;
    use crate::error::Error;
    use crate::layout::Padding;
    use crate::plan::{Plan, Side};
    use crate::transport::Route;
    use crate::transport::threads::{self, Failure};
    use core::iter::repeat_n;

    fn plan() -> Plan<2> {
        Plan::parse([6, 5], "(block, *) onto 2", "(*, cyclic(2)) onto 2").unwrap()
    }

    fn bound(rank: &threads::Rank) -> Result<AnyBound, Error> {
        let binder = AnyBinder::new(&plan(), AnyElement::of_bytes(3).unwrap());
        binder.padding(Side::Destination, Padding::Leading(4)).bind(rank)
    }

    fn declined() -> Error {
        Error::Unavailable { what: "this".into(), reason: "no".into() }
    }

    fn moved(
        bound: &mut AnyBound,
        starts: bool,
        source: &[u8],
        found: &mut [u8],
    ) -> Result<(), Error> {
        if !starts {
            return bound.run(source, found);
        }
        bound.start(source, found.len())?;
        assert!(bound.is_under_way());
        bound.finish(found)
    }

    fn part(side: Side, rank: usize) -> Vec<u8> {
        let indices = plan().descriptor(side).local(rank).global_indices();
        indices.flat_map(|[row, column]| [row as u8, column as u8, 7]).collect()
    }

    /// Returns the destination of a rank: rows with room for 4 elements.
    fn destination(rank: usize) -> Vec<u8> {
        let dense = part(Side::Destination, rank);
        let rows = dense.chunks(dense.len() / 6);
        rows.flat_map(|row| row.iter().copied().chain(repeat_n(9, 12 - row.len()))).collect()
    }

    #[test]
    fn elements_of_any_size_move_in_one_call_or_two_around_padding() {
        threads::run(2, |rank| {
            let (mut bound, mine) = (bound(rank)?, rank.rank());
            assert_eq!(bound.local_shape(Side::Destination), [6, 4]);
            assert_eq!(bound.local_strides(Side::Destination), [4, 1]);
            for starts in [false, true] {
                let (source, expected) = (part(Side::Source, mine), destination(mine));
                let mut found = vec![9; expected.len()];
                moved(&mut bound, starts, &source, &mut found)?;
                assert!(!bound.is_under_way());
                assert_eq!(found, expected);
                // A wrong length of rank 1 is an error of both, and ends the move.
                found.fill(9);
                let told = moved(&mut bound, starts, &source[3 * mine..], &mut found).unwrap_err();
                assert!(!bound.is_under_way() && found.iter().all(|byte| *byte == 9));
                assert!(told.reason().contains("must hold 15 elements, found 14"), "{told}");
            }
            Ok::<_, Error>(())
        })
        .unwrap();
    }

    #[test]
    fn arrays_of_another_shape_are_refused() {
        threads::run(2, |rank| {
            let bound = bound(rank)?;
            let source = |shape: &[usize], strides: &[isize]| {
                bound.check_array(Side::Source, shape, strides)
            };
            assert_eq!(source(&[3, 5], &[5, 1]), Ok(()));
            // Compared only by their lengths.
            assert_eq!(source(&[15], &[1]).and(source(&[5, 3, 1], &[1, 5, 15])), Ok(()));
            for (shape, strides) in [([3, 5], [1, 3]), ([5, 3], [1, 5]), ([4, 5], [5, 1])] {
                let told = source(&shape, &strides).unwrap_err().to_string();
                assert!(told.contains(&format!("has shape {shape:?}")), "{told}");
            }
            // Rows with room for 4 elements, and room for more rows.
            let destination = |shape: &[usize], strides: &[isize]| {
                bound.check_array(Side::Destination, shape, strides)
            };
            assert_eq!(destination(&[6, 4], &[4, 1]).and(destination(&[9, 4], &[4, 1])), Ok(()));
            assert!(destination(&[6, 3], &[3, 1]).and(destination(&[5, 4], &[4, 1])).is_err());
            Ok::<_, Error>(())
        })
        .unwrap();
    }

    #[test]
    fn all_ranks_learn_of_a_fault_collectively() {
        let plan = Plan::parse([4], "* onto 1", "* onto 1 ranks 1..2").unwrap();
        let faults = threads::run(2, |rank| {
            let binder = AnyBinder::new(&plan, AnyElement::named("u8").unwrap());
            let mut bound = binder.collectively().bind(rank)?;
            let source = vec![7; 4 * (1 - rank.rank())];
            Ok::<_, Error>(bound.run(&source[..], &mut [0; 3][..3 * rank.rank()]).is_err())
        });
        assert_eq!(faults.unwrap(), [true, true]);
    }

    #[test]
    fn functions_receive_runs() {
        threads::run(2, |rank| {
            let binder = AnyBinder::new(&plan(), AnyElement::named("u8").unwrap());
            let mut bound = binder.bind(rank)?;
            let indices = |side: Side| plan().descriptor(side).local(rank.rank()).global_indices();
            let source: Vec<u8> =
                indices(Side::Source).map(|[row, column]| (10 * row + column) as u8).collect();
            // Sums of two moves, in elements of 4 bytes.
            let mut sums = vec![0; 4 * bound.local_len(Side::Destination)];
            for _ in 0..2 {
                bound.run_with(&source[..], &mut sums, 4, |arrived, kept| {
                    for (arrived, kept) in arrived.iter().zip(kept.chunks_exact_mut(4)) {
                        let sum =
                            u32::from(*arrived) + u32::from_ne_bytes(kept.try_into().unwrap());
                        kept.copy_from_slice(&sum.to_ne_bytes());
                    }
                })?;
            }
            let expected = indices(Side::Destination)
                .flat_map(|[row, column]| (2 * (10 * row + column) as u32).to_ne_bytes());
            assert!(expected.eq(sums));
            Ok::<_, Error>(())
        })
        .unwrap();
    }

    #[test]
    fn messages_stay_within_bounds() {
        let plan = Plan::parse([6000], "cyclic(10) onto 2", "cyclic(2) onto 2").unwrap();
        threads::run(2, |rank| {
            let binder = AnyBinder::new(&plan, AnyElement::named("u8").unwrap());
            let binder = binder.route(Route::Messages);
            let (mut whole, mut bound) =
                (binder.clone().bind(rank)?, binder.max_bytes(700).bind(rank)?);
            assert!(bound.explain().contains("rounds"), "{}", bound.explain());
            let source: Vec<u8> =
                (0..3000).map(|at| (at % 251) as u8 ^ rank.rank() as u8).collect();
            let (mut expected, mut found) = (vec![0; 3000], vec![0; 3000]);
            whole.run(&source[..], &mut expected[..])?;
            bound.run(&source[..], &mut found[..])?;
            assert!(expected == found);
            // A move that is started sends all messages at once.
            let told = bound.start(&source, 3000).unwrap_err().to_string();
            assert!(told.contains("`max_bytes`") && !bound.is_under_way(), "{told}");
            bound.run(&source[..], &mut found[..])?;
            Ok::<_, Error>(())
        })
        .unwrap();
    }

    #[test]
    fn a_rank_that_declines_fails_those_that_receive_from_it() {
        for starts in [false, true] {
            let failed = threads::run(3, |rank| {
                let mut bound = bound(rank)?;
                if rank.rank() == 1 {
                    return Err(bound.decline(declined()));
                }
                let source = vec![0; 3 * bound.local_len(Side::Source)];
                let mut found = vec![9; 3 * bound.local_len(Side::Destination)];
                let moved = moved(&mut bound, starts, &source, &mut found);
                assert!(found.iter().all(|byte| *byte == 9));
                let reason = declined().reason();
                let told = Err(Error::PeerFailed { rank: 1, reason });
                // Rank 2 is in neither grid.
                assert_eq!(moved, if rank.rank() == 0 { told } else { Ok(()) });
                Ok(())
            });
            let Err(Failure::Error { error, .. }) = failed else { panic!("{failed:?}") };
            assert_eq!(error, declined());
        }
    }

    #[test]
    fn ranks_without_a_plan_and_other_types_are_errors() {
        threads::run(2, |rank| {
            let reason = declined().reason();
            let refused = match rank.rank() {
                0 => Err(AnyBinder::decline(rank, declined())),
                _ => bound(rank).map(drop),
            };
            let told = [declined(), Error::PeerFailed { rank: 0, reason }];
            assert_eq!(refused, Err(told[rank.rank()].clone()));
            let named = AnyElement::named(["f32", "i32"][rank.rank()]).unwrap();
            let told = AnyBinder::new(&plan(), named).bind(rank).map(drop).unwrap_err();
            assert!(told.to_string().contains("f32"), "{told}");
            Ok::<_, Error>(())
        })
        .unwrap();
    }
}
