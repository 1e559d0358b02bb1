//! Plays cells of the feature matrix.

use super::elements::{Particle, Sample};
use super::planned::{Planned, inverse_of, plan_of};
use super::sides::{Shape, Sides};
use super::{Cell, Expected, Feature, Way, World};
use crate::faults::name;
use crate::written::Numbered;
use half::f16;
use num_complex::Complex;
use redist::exec::{Binder, DestinationArray, Inverse, SourceArray, converted, scale_add};
use redist::plan::schedule::Method;
use redist::plan::{Diag, Uplo};
use redist::transport::{Route, Way as BoundWay};
use redist::{Bound, Element, Error, Plain, Redistribution, Side, Transport};
use std::ops::DerefMut;

pub trait Actor {
    type Ranks: Transport;
    type Shared<T: Element>: SourceArray<T> + DestinationArray<T> + DerefMut<Target = [T]>;

    fn ranks(&self) -> &Self::Ranks;

    fn rank(&self) -> usize;

    fn shared<T: Element>(&self, bound: &Bound<T, 2>, side: Side)
    -> Result<Self::Shared<T>, Error>;
}

pub(super) enum Trouble {
    Told(Error),
    Wrong(String),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Told(error)
    }
}

pub(super) type Played = Result<(), Trouble>;

/// Plays this rank's part in a cell.
pub fn play<A: Actor>(cell: Cell, actor: &A) -> Result<(), String> {
    let play = Play { cell, actor };
    match (cell.expected(), play.all()) {
        (Expected::Tested, Ok(())) => Ok(()),
        (Expected::Error(wanted), Err(Trouble::Told(error)))
            if name::<()>(&Err(error.clone())) == wanted =>
        {
            Ok(())
        }
        (wanted, Ok(())) => Err(format!("it moves, should be {wanted:?}")),
        (wanted, Err(Trouble::Told(error))) => Err(format!("{error}; should be {wanted:?}")),
        (_, Err(Trouble::Wrong(text))) => Err(text),
    }
}

pub(super) fn same<T: PartialEq + std::fmt::Debug>(found: &[T], expected: &[T]) -> Played {
    if found.len() != expected.len() {
        let lens = (found.len(), expected.len());
        return Err(Trouble::Wrong(format!("{} elements, should be {}", lens.0, lens.1)));
    }
    let differs = |at: &usize| found[*at] != expected[*at];
    (0..found.len()).find(differs).map_or(Ok(()), |at| {
        let text = format!("element {at} is {:?}, should be {:?}", found[at], expected[at]);
        Err(Trouble::Wrong(text))
    })
}

pub(super) struct Play<'a, A> {
    pub cell: Cell,
    pub actor: &'a A,
}

/// Returns the element at an index of the stored source; no number is above 1000.
pub(super) fn value<T: Numbered>([row, column]: [usize; 2]) -> T {
    T::numbered(row * 30 + column + 1)
}

/// Returns the element of gaps, and of destinations before a move.
pub(super) fn gap<T: Numbered>() -> T {
    T::numbered(1999)
}

pub(super) fn kept<T: Numbered>() -> T {
    T::numbered(1998)
}

impl<A: Actor> Play<'_, A> {
    fn all(&self) -> Played {
        match self.cell.feature {
            Feature::Inverse => self.moves(inverse_of::<u64>(self.cell)),
            Feature::Derived => self.moves(plan_of::<Particle>(self.cell)),
            Feature::Half => self.moves(plan_of::<f16>(self.cell)),
            Feature::Complex => self.moves(plan_of::<Complex<f64>>(self.cell)),
            Feature::Bytemuck => self.moves(plan_of::<Plain<Sample>>(self.cell)),
            Feature::OddSize => self.moves(plan_of::<[u8; 5]>(self.cell)),
            Feature::LongElement => self.moves(plan_of::<[u64; 9]>(self.cell)),
            Feature::RunWith | Feature::ScaleAdd => self.with_function(plan_of::<u64>(self.cell)),
            Feature::Converted => self.with_function(plan_of::<u32>(self.cell)),
            Feature::Ndarray => self.ndarrays(),
            Feature::InPlace => self.in_place(),
            Feature::Batch => self.batch(),
            Feature::WithCopies => self.with_copies(),
            Feature::Packing => self.packs(),
            _ => self.moves(plan_of::<u64>(self.cell)),
        }
    }

    pub fn rank(&self) -> usize {
        self.actor.rank()
    }

    fn shape(&self, sides: &Sides, side: Side) -> Shape {
        let [rows, columns] = sides.local_extents(side, self.rank());
        match self.cell.feature {
            Feature::LeadingDimension => Shape::Leading(rows.max(columns) + 3),
            Feature::Strides => Shape::Strides([2 * columns + 1, 2]),
            Feature::Within => Shape::Within([rows + 2, columns + 3], [1, 2]),
            _ => Shape::Dense,
        }
    }

    pub fn bind<T: Element>(
        &self,
        plan: &Inverse<T, 2>,
        sides: &Sides,
    ) -> Result<Bound<T, 2>, Trouble> {
        let sides = [Side::Source, Side::Destination].map(|side| (side, self.shape(sides, side)));
        let binder = sides.into_iter().fold(plan.binder(), padded);
        let binder = match self.cell.feature {
            Feature::Trapezoid => binder.trapezoid(Uplo::Lower, Diag::NonUnit),
            _ => binder,
        };
        let binder = match self.cell.way {
            Way::Lent | Way::SharedSource | Way::Shared => binder,
            Way::Messages => binder.route(Route::Messages).method(Method::AllAtOnce),
            Way::Steps => binder.method(Method::Koenig),
            Way::Chunks => binder.route(Route::Chunks),
        };
        let bound = binder.bind(self.actor.ranks())?;
        let (way, method) = (bound.way(), bound.method());
        let is_right = match self.cell.way {
            Way::Lent => way == BoundWay::Lent,
            Way::Messages => (way, method) == (BoundWay::Messages, Method::AllAtOnce),
            Way::Steps => (way, method) == (BoundWay::Messages, Method::Koenig),
            Way::Chunks => way == BoundWay::Chunks,
            // Moves check the ways of shared arrays themselves.
            Way::SharedSource | Way::Shared => true,
        };
        match is_right {
            true => Ok(bound),
            false => Err(Trouble::Wrong(format!("it is bound to {way:?}, {method}"))),
        }
    }

    fn moves<T: Numbered>(&self, Planned { plan, case }: Planned<T>) -> Played {
        let sides = Sides::of(&case);
        let mut bound = self.bind(&plan, &sides)?;
        let [from, to] = [Side::Source, Side::Destination].map(|side| self.shape(&sides, side));
        let (from, to) = ((self.rank(), from), (self.rank(), to));
        let before = sides.before(from, gap(), value::<T>);
        let untouched = sides.untouched(to, gap(), kept::<T>());
        let moves = |[row, column]: [usize; 2]| {
            // Of 24 rows and 20 columns, the lower trapezoid begins with the first row's first.
            self.cell.feature != Feature::Trapezoid || column <= row
        };
        let after = sides.after(to, untouched.clone(), moves, |at, _| value(at));
        match self.cell.way {
            Way::Shared => {
                let mut source = self.actor.shared(&bound, Side::Source)?;
                let mut destination = self.actor.shared(&bound, Side::Destination)?;
                fill(&mut source, &before)?;
                fill(&mut destination, &untouched)?;
                self.moved(&mut bound, &source, &mut destination)?;
                self.is_copied(&bound)?;
                same(&destination, &after)
            }
            Way::SharedSource => {
                let mut source = self.actor.shared(&bound, Side::Source)?;
                fill(&mut source, &before)?;
                let mut destination = untouched;
                self.moved(&mut bound, &source, &mut destination)?;
                self.is_copied(&bound)?;
                same(&destination, &after)
            }
            _ => {
                let mut destination = untouched;
                self.moved(&mut bound, &before, &mut destination)?;
                same(&destination, &after)
            }
        }
    }

    /// Checks that shared memory was copied from directly. Messages go if ranks do not know each
    /// other's gaps, or share no memory.
    fn is_copied<T: Element>(&self, bound: &Bound<T, 2>) -> Played {
        let Cell { feature, world, .. } = self.cell;
        let by_messages = feature.is_padded()
            || matches!(feature, Feature::Trapezoid | Feature::StartFinish)
            || world == World::SeveralNodes;
        let calls = bound.calls();
        match (calls.copied + calls.shares, by_messages) {
            (1, false) | (0, true) => Ok(()),
            _ => Err(Trouble::Wrong(format!("by messages: {by_messages}, but {calls:?}"))),
        }
    }

    fn moved<T, S, D>(&self, bound: &mut Bound<T, 2>, source: &S, destination: &mut D) -> Played
    where
        T: Element,
        S: SourceArray<T> + DerefMut<Target = [T]>,
        D: DestinationArray<T> + DerefMut<Target = [T]>,
    {
        match self.cell.feature {
            Feature::StartFinish => bound.start(&source[..], &mut destination[..])?.finish()?,
            _ => bound.run(source, destination)?,
        }
        Ok(())
    }

    fn with_function<T: Numbered + Into<u64>>(&self, Planned { plan, case }: Planned<T>) -> Played {
        let sides = Sides::of(&case);
        let mut bound = self.bind(&plan, &sides)?;
        let dense = (self.rank(), Shape::Dense);
        let before = sides.before(dense, gap(), value::<T>);
        let mut destination = sides.untouched(dense, 0, kept::<u64>());
        let becomes = |at, kept: &u64| match self.cell.feature {
            Feature::RunWith => kept * 7 + value::<u64>(at),
            Feature::ScaleAdd => 3 * value::<u64>(at) + 5 * kept,
            _ => value(at),
        };
        let after = sides.after(dense, destination.clone(), |_| true, becomes);
        let mut shared = match self.cell.way {
            Way::SharedSource => Some(self.actor.shared(&bound, Side::Source)?),
            _ => None,
        };
        shared.as_mut().map_or(Ok(()), |shared| fill(shared, &before))?;
        let source = shared.as_deref().unwrap_or(&before);
        match self.cell.feature {
            Feature::RunWith => {
                let add = |moved: T, kept: &mut u64| *kept = *kept * 7 + moved.into();
                bound.run_with(source, &mut destination, add)?;
            }
            Feature::ScaleAdd => bound.run_with(source, &mut destination, scale_add(3, 5))?,
            _ => bound.run_with(source, &mut destination, converted())?,
        }
        same(&destination, &after)
    }
}

fn padded<'a, T: Element>(
    binder: Binder<'a, Inverse<T, 2>, 2>,
    (side, shape): (Side, Shape),
) -> Binder<'a, Inverse<T, 2>, 2> {
    match shape {
        Shape::Dense => binder,
        Shape::Leading(leading) => binder.leading_dimension(side, leading),
        Shape::Strides(strides) => binder.strides(side, strides),
        Shape::Within(allocated, origin) => binder.within(side, allocated, origin),
    }
}

fn fill<T: Clone>(array: &mut [T], values: &[T]) -> Played {
    if array.len() != values.len() {
        let text = format!("an array of {} elements for {}", array.len(), values.len());
        return Err(Trouble::Wrong(text));
    }
    array.clone_from_slice(values);
    Ok(())
}
