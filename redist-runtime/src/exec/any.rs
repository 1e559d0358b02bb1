//! Plans whose number of dimensions and element type are values, for bindings to other languages.

use super::arrays::bytes_target;
use super::mover::{AskedMethod, Mover, Wishes};
use super::prepared::Facts;
use super::transfer::UnpackTo;
use super::{DestinationArray, SourceArray};
use crate::element::AnyElement;
use crate::error::Error;
use crate::layout::Padding;
use crate::plan::schedule::Method;
use crate::plan::{AnyPlan, Diag, Plan, Side, Trapezoid, Uplo};
use crate::transport::{Arrays, GoesOn, Route, Transport};
use core::ops::Deref;
use std::ffi::c_int;

/// A [`Binder`](crate::exec::Binder) whose plan and element type are run-time values.
#[must_use = "a binder does nothing before `bind`"]
#[derive(Clone, Debug)]
pub struct AnyBinder {
    plan: AnyPlan,
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

    /// As [`Binder::method`](crate::exec::Binder::method).
    pub fn method(mut self, method: Method) -> Self {
        self.wishes.method = Some(AskedMethod::new(method));
        self
    }

    /// As [`Binder::route`](crate::exec::Binder::route).
    pub fn route(mut self, route: Route) -> Self {
        self.wishes.options.route = route;
        self
    }

    /// As [`Binder::max_message_bytes`](crate::exec::Binder::max_message_bytes).
    pub fn max_message_bytes(mut self, bytes: usize) -> Self {
        self.wishes.options.max_message_bytes = Some(bytes.clamp(1, c_int::MAX as usize));
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

    /// As [`Binder::trapezoid`](crate::exec::Binder::trapezoid). Panics if the array does not have
    /// two dimensions.
    pub fn trapezoid(mut self, uplo: Uplo, diag: Diag) -> Self {
        assert_eq!(self.plan.dimensions(), 2, "trapezoids are parts of matrices");
        self.wishes.trapezoid = Some(Trapezoid { uplo, diag });
        self
    }

    /// As [`Binder::bind`](crate::exec::Binder::bind). Collective.
    pub fn bind<C: Transport>(&self, communicator: &C) -> Result<AnyBound, Error> {
        let (rank, element) = (communicator.rank(), self.element.element_type());
        let facts = Facts::new(self.plan.clone(), rank, element.bytes(), self.wishes.trapezoid);
        let words = format_args!("{}", self.words);
        let mover = Mover::new(facts, element, communicator, &self.wishes, words)?;
        Ok(AnyBound { mover, element: self.element, started: None })
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
    pub(super) mover: Mover,
    element: AnyElement,
    started: Option<usize>,
}

impl AnyBound {
    /// As [`Bound::run`](crate::exec::Bound::run), between slices of bytes or arrays of
    /// `shared_array`. Panics if a move is [under way](Self::is_under_way), or an array's bytes are
    /// no whole elements.
    pub fn run<S, D>(&mut self, source: &S, destination: &mut D) -> Result<(), Error>
    where
        S: SourceArray<u8> + ?Sized,
        D: DestinationArray<u8> + ?Sized,
    {
        let (bytes, target) = bytes_target(destination);
        let ready = self.ready(source.elements().len(), bytes);
        self.mover.run(ready, Arrays { source: source.source(), target }, None)
    }

    /// Begins a move to a destination of this many bytes; pass it to [`finish`](Self::finish). Has
    /// packed the source on return. Fails and panics as [`run`](Self::run); no move is under way
    /// after an error.
    pub fn start(&mut self, source: &[u8], destination_bytes: usize) -> Result<(), Error> {
        let ready = self.ready(source.len(), destination_bytes);
        self.mover.start(ready, source, GoesOn::WithSenders)?;
        self.started = Some(destination_bytes);
        Ok(())
    }

    /// Returns `true` from [`start`](Self::start) to [`finish`](Self::finish).
    pub fn is_under_way(&self) -> bool {
        self.started.is_some()
    }

    /// Returns `true` if [`finish`](Self::finish) would not wait. Lets the transport make progress.
    /// Fails as `finish`. Panics if no move is under way.
    pub fn test(&mut self) -> Result<bool, Error> {
        assert!(self.is_under_way(), "no move is under way: `start` one before `test`");
        self.mover.exchange.channel.test()
    }

    /// Waits until the destination holds its part. Ends the move, also with an error. Fails as
    /// [`run`](Self::run). Panics if no move is under way, or `destination` has another length than
    /// `start` received.
    pub fn finish(&mut self, destination: &mut [u8]) -> Result<(), Error> {
        assert_eq!(self.started, Some(destination.len()), "bytes of the destination, as started");
        self.started = None;
        self.mover.complete(|| UnpackTo::Array(destination))
    }

    /// Joins the other ranks' move as a rank that cannot take part: nothing moves on ranks that
    /// receive from it, and over several nodes on any. Returns this rank's error. Panics if a move
    /// is [under way](Self::is_under_way).
    pub fn decline(&mut self, reason: Error) -> Error {
        assert!(!self.is_under_way(), "a move is under way: `finish` it before the next");
        self.mover.decline(reason.clone()).err().unwrap_or(reason)
    }

    fn ready(&self, source: usize, destination: usize) -> Result<(), Error> {
        assert!(!self.is_under_way(), "a move is under way: `finish` it before the next");
        let width = self.element.bytes();
        for bytes in [source, destination] {
            assert!(bytes.is_multiple_of(width), "{bytes} bytes are no elements of {width}");
        }
        self.mover.lengths(source / width, destination / width)
    }

    /// Returns the type that the plan was bound for.
    pub fn element(&self) -> AnyElement {
        self.element
    }
}

/// Shapes, places and words of the bound plan, as [`Bound`](crate::exec::Bound) has them.
impl Deref for AnyBound {
    type Target = Mover;

    fn deref(&self) -> &Mover {
        &self.mover
    }
}

#[cfg(test)]
mod tests {
    use super::{AnyBinder, AnyBound};
    use crate::element::AnyElement;
    use crate::error::Error;
    use crate::layout::Padding;
    use crate::plan::{Plan, Side};
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
