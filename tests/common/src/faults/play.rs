//! Plays cells of the fault matrix.

use super::{After, Call, Cell, Expected, FAULTY, Fault, Way, When};
use redist::exec::{Binder, Calls, DestinationArray, SourceArray};
use redist::plan::schedule::Method;
use redist::transport::Route;
use redist::{Bound, Error, Redistribution, Side, Transport, TypedPlan};
use std::ops::DerefMut;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub trait Sight {
    type Ranks: Transport;
    type Source: SourceArray<u64> + DerefMut<Target = [u64]>;
    type Destination: DestinationArray<u64> + DerefMut<Target = [u64]>;

    fn ranks(&self) -> &Self::Ranks;

    /// Makes arrays for a plan. Collective.
    fn arrays(&self, bound: &Line) -> Result<Arrays<Self>, Error>;

    fn rank(&self) -> usize;

    /// Ends this process as the operating system would.
    fn kill(&self) {
        self.killer()();
    }

    fn killer(&self) -> Box<dyn Fn()>;

    fn fail(&self, call: &'static str);

    /// Returns the number of calls that all ranks make between the fault and the next move.
    fn calls_between(&self) -> usize {
        0
    }
}

/// More chunks on every rank than slots, also of the longest chunks: 256 KiB.
const LEN: usize = 800_011;

pub type Line = Bound<u64, 1>;

pub type Arrays<S> = (<S as Sight>::Source, <S as Sight>::Destination);

type Ready<S> = (Line, Arrays<S>);

type Moves = TypedPlan<u64, 1>;

fn plan() -> Moves {
    Moves::parse([LEN], "block onto 3", "cyclic(7) onto 3").expect("the notation is right")
}

/// Plays this rank's part.
pub fn play<S: Sight>(cell: Cell, sight: &S) -> Result<(), String> {
    let part = Part { cell, plan: plan(), sight, is_faulty: sight.rank() == FAULTY };
    let mut between = part.between().map_err(|error| error.to_string())?;
    let Some(Expected::Told { faulty, others, after }) = cell.expected() else {
        // The other ranks notice the end of a call in the next one.
        let (got, left) = part.first_call().map_err(|error| error.to_string())?;
        let next = part.next_move(left, After::Works);
        return Err(format!("the job should have ended, got {got}, then {next:?}"));
    };
    let (got, left) = part.first_call().map_err(|error| error.to_string())?;
    let wanted = if part.is_faulty { faulty } else { others };
    if got != wanted {
        return Err(format!("got {got}, should be {wanted}"));
    }
    if got == "gone" {
        return Ok(());
    }
    for _ in 0..sight.calls_between() {
        let Some(line) = &mut between else { break };
        let [source, mut destination] =
            [Side::Source, Side::Destination].map(|side| vec![3; line.local_len(side)]);
        line.run(&source, &mut destination).map_err(|error| format!("between: {error}"))?;
    }
    part.next_move(left, after)
}

struct Left<S: Sight> {
    ready: Option<Ready<S>>,
    /// An unused plan, if the call is not a move.
    other: Option<Line>,
}

struct Part<'s, S> {
    cell: Cell,
    plan: Moves,
    sight: &'s S,
    is_faulty: bool,
}

impl<S: Sight> Part<'_, S> {
    fn does(&self, fault: Fault) -> bool {
        self.is_faulty && self.cell.fault == fault
    }

    fn goes_wrong(&self, now: When) {
        let panics = [Fault::PanicsAndGoesOn(now), Fault::Panics(now)];
        assert!(!panics.iter().any(|fault| self.does(*fault)), "the faulty rank panics");
        if self.does(Fault::Killed(now)) {
            self.sight.kill();
        }
    }

    fn binder(&self) -> Binder<'_, Moves, 1> {
        let binder = self.plan.binder().route(self.cell.route());
        if self.cell.way == Way::Steps { binder.method(Method::Caterpillar) } else { binder }
    }

    fn is_shared(&self) -> bool {
        matches!(self.cell.way, Way::Shared | Way::SharedSource)
    }

    /// Binds the plan of the calls between the fault and the next move, if there are any. It moves
    /// elements within a rank.
    fn between(&self) -> Result<Option<Line>, Error> {
        let plan = || Moves::parse([3], "* onto 1", "* onto 1").expect("the notation is right");
        let is_wanted = self.sight.calls_between() > 0;
        is_wanted.then(|| plan().bind(self.sight.ranks())).transpose()
    }

    fn bind(&self) -> Result<Line, Error> {
        self.binder().bind(self.sight.ranks())
    }

    fn ready(&self) -> Result<Ready<S>, Error> {
        let bound = self.bind()?;
        let arrays = self.sight.arrays(&bound)?;
        Ok((bound, arrays))
    }

    fn first_call(&self) -> Result<(&'static str, Left<S>), Error> {
        let goes_on = matches!(self.cell.fault, Fault::PanicsAndGoesOn(_));
        if self.cell.call == Call::Bind {
            // Ranks that have bound nothing together know nothing of each other. So the faulty rank
            // uses this plan for its replacement of the call.
            let other = self.plan.binder().route(Route::Messages).bind(self.sight.ranks())?;
            let bound = if self.is_shared() { Some(self.bind()?) } else { None };
            if self.does(Fault::ReturnsEarly) {
                return Ok(("gone", Left { ready: None, other: None }));
            }
            let mut set_up = None;
            let call = || {
                self.goes_wrong(When::Before);
                let made = self.set_up(bound);
                let got = name(&made);
                set_up = made.ok();
                self.goes_wrong(When::After);
                got
            };
            let got = caught(goes_on, call);
            return Ok((got, Left { ready: set_up, other: Some(other) }));
        }
        let (mut bound, mut arrays) = self.ready()?;
        let mut other =
            if self.cell.fault == Fault::OtherOrder { Some(self.bind()?) } else { None };
        self.watch(&mut bound);
        self.fill(&bound, &mut arrays, 1);
        // All other ranks are about to move: MPICH does not notify late ranks.
        if self.does(Fault::ReturnsEarly) {
            return Ok(("gone", Left { ready: None, other: None }));
        }
        let got = caught(goes_on, || {
            self.goes_wrong(When::Before);
            let got = self.moves(&mut bound, other.as_mut(), &mut arrays);
            self.goes_wrong(When::After);
            got
        });
        bound.watch(|_| ());
        Ok((got, Left { ready: Some((bound, arrays)), other: None }))
    }

    fn watch(&self, bound: &mut Line) {
        let (panics, kills) = (
            [Fault::PanicsAndGoesOn(When::Amid), Fault::Panics(When::Amid)]
                .iter()
                .any(|fault| self.does(*fault)),
            self.does(Fault::Killed(When::Amid)),
        );
        let kill = self.sight.killer();
        bound.watch(move |_: Calls| {
            assert!(!panics, "the faulty rank panics");
            if kills {
                kill();
            }
        });
    }

    fn set_up(&self, bound: Option<Line>) -> Result<Ready<S>, Error> {
        if self.is_faulty
            && let Fault::LibraryFails(call) = self.cell.fault
        {
            self.sight.fail(call);
        }
        let ranks = self.sight.ranks();
        let bound = match (bound, self.cell.fault) {
            (Some(bound), _) => bound,
            (None, Fault::OtherPlan) if self.is_faulty => {
                let other = Moves::parse([LEN], "block onto 3", "cyclic(8) onto 3");
                other.expect("the notation is right").bind(ranks)?
            }
            (None, Fault::OtherElement) if self.is_faulty => {
                let other = TypedPlan::<f64, 1>::from(plan().plan());
                other.binder().route(self.cell.route()).bind(ranks)?;
                return self.ready();
            }
            (None, Fault::OtherOptions) if self.is_faulty => {
                self.binder().max_message_bytes(1 << 21).bind(ranks)?
            }
            (None, Fault::OtherMethod) if self.is_faulty => {
                let method =
                    if self.cell.way == Way::Steps { Method::Koenig } else { Method::Caterpillar };
                self.binder().method(method).bind(ranks)?
            }
            (None, _) => self.bind()?,
        };
        let arrays = self.sight.arrays(&bound)?;
        Ok((bound, arrays))
    }

    /// Fills the source: each element is its global index, different in each round.
    fn fill(&self, bound: &Line, (source, destination): &mut Arrays<S>, round: u64) {
        for (element, [global]) in source.iter_mut().zip(bound.global_indices(Side::Source)) {
            *element = global as u64 + (round << 32);
        }
        destination.fill(u64::MAX);
    }

    fn has_moved(&self, bound: &Line, destination: &[u64], round: u64) -> bool {
        let global = bound.global_indices(Side::Destination);
        destination.iter().zip(global).all(|(found, [at])| *found == at as u64 + (round << 32))
    }

    /// Moves; returns the result, after it checks the array of an `ok` move.
    fn moves(
        &self,
        bound: &mut Line,
        other: Option<&mut Line>,
        arrays: &mut Arrays<S>,
    ) -> &'static str {
        if self.does(Fault::OtherCall) {
            return name(&self.bind());
        }
        if self.is_faulty
            && let Fault::LibraryFails(call) = self.cell.fault
        {
            self.sight.fail(call);
        }
        let bound = if self.is_faulty { other.unwrap_or(bound) } else { bound };
        let (source, destination) = arrays;
        let less = |fault| usize::from(self.does(fault));
        let (from, to) = (
            source.len() - less(Fault::ShortSource),
            destination.len() - less(Fault::ShortDestination),
        );
        let is_whole = from == source.len() && to == destination.len();
        let moved = match (self.cell.call, is_whole) {
            (Call::Run, true) => bound.run(source, destination),
            (Call::Run, false) => bound.run(&source[..from], &mut destination[..to]),
            _ => bound.start(&source[..from], &mut destination[..to]).and_then(|started| {
                match self.cell.fault {
                    Fault::DropsStarted if self.is_faulty => {}
                    _ => return started.finish(),
                }
                Ok(())
            }),
        };
        let forgets = self.does(Fault::DropsStarted);
        match &moved {
            Ok(()) if forgets && destination.iter().any(|element| *element != u64::MAX) => {
                "a destination that is written to"
            }
            Ok(()) if !forgets && !self.has_moved(bound, destination, 1) => "wrong data",
            moved => name(moved),
        }
    }

    fn next_move(&self, left: Left<S>, after: After) -> Result<(), String> {
        let in_words = |error: Error| format!("afterwards: {error}");
        let wanted = match after {
            After::Works => "ok",
            After::Fails(error) => error,
        };
        if self.does(Fault::PanicsAndGoesOn(When::Before)) {
            // In place of the call that it has left out.
            let got = match left.other {
                Some(mut other) => {
                    let [source, mut destination] = [Side::Source, Side::Destination]
                        .map(|side| vec![0; other.local_len(side)]);
                    name(&other.run(&source, &mut destination))
                }
                None => name(&self.bind()),
            };
            let is_told = got == "DifferentMoves";
            return if is_told { Ok(()) } else { Err(format!("afterwards: {got}")) };
        }
        let (mut bound, mut arrays) = match left.ready {
            Some(ready) => ready,
            None => match self.ready() {
                Err(error) if name::<()>(&Err(error.clone())) == wanted => return Ok(()),
                other => other.map_err(in_words)?,
            },
        };
        self.fill(&bound, &mut arrays, 2);
        let (source, destination) = &mut arrays;
        let got = name(&bound.run(source, destination));
        if got != wanted {
            return Err(format!("afterwards: {got}, should be {wanted}"));
        }
        if got == "ok" && !self.has_moved(&bound, destination, 2) {
            return Err("afterwards: wrong data".into());
        }
        Ok(())
    }
}

fn caught(goes_on: bool, call: impl FnOnce() -> &'static str) -> &'static str {
    if goes_on { catch_unwind(AssertUnwindSafe(call)).unwrap_or("panic") } else { call() }
}

pub(crate) fn name<T>(result: &Result<T, Error>) -> &'static str {
    match result {
        Ok(_) => "ok",
        Err(Error::PeerFailed { .. }) => "PeerFailed",
        Err(Error::RankEnded { .. }) => "RankEnded",
        Err(Error::DifferentMoves { .. }) => "DifferentMoves",
        Err(Error::DifferentPlan { .. }) => "DifferentPlan",
        Err(Error::DifferentElement { .. }) => "DifferentElement",
        Err(Error::DifferentOptions { .. }) => "DifferentOptions",
        Err(Error::DifferentSchedule { .. }) => "DifferentSchedule",
        Err(Error::LocalLength { .. }) => "LocalLength",
        Err(Error::Unavailable { .. }) => "Unavailable",
        Err(Error::Library { .. }) => "Library",
        Err(_) => "another error",
    }
}
