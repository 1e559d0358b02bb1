//! One act of the soak: a binding and a few moves.

use super::elements::Numbered;
use super::faults::{Ending, Fault};
use super::pool::Known;
use super::scene::Scene;
use super::{Counted, Setting, Wrong};
use core::fmt::Debug;
use fastrand::Rng;
use redist::exec::Binder;
use redist::plan::schedule::Method;
use redist::transport::Route;
use redist::{Bound, Element, Error, Redistribution, Transport, TypedPlan};

/// One move in this many goes wrong, and one binding.
const FAULTS: usize = 3;

/// Plays one act: draws case, element type and way, binds, and moves a few times. Collective.
///
/// # Errors
/// Elements were lost, or an error is missing or wrong.
///
/// # Panics
/// This rank drew that fault.
pub fn act<C: Transport>(
    setting: &Setting<'_>,
    communicator: &C,
    rank: usize,
    rng: &mut Rng,
) -> Result<Ending, Wrong> {
    let pool = setting.pool;
    let by = (communicator, rank);
    match rng.usize(..4) {
        0 | 1 => of_some_element(setting, by, &pool.lines, rng),
        2 => of_some_element(setting, by, &pool.planes, rng),
        _ => of_some_element(setting, by, &pool.spaces, rng),
    }
}

fn of_some_element<C: Transport, const D: usize>(
    setting: &Setting<'_>,
    by: (&C, usize),
    cases: &[Known<D>],
    rng: &mut Rng,
) -> Result<Ending, Wrong> {
    let [known, other] = [(); 2].map(|()| &cases[rng.usize(..cases.len())]);
    let known = (known, other);
    match rng.usize(..6) {
        0 => plays::<u8, C, D>(setting, by, known, rng),
        1 => plays::<u16, C, D>(setting, by, known, rng),
        2 => plays::<[u8; 3], C, D>(setting, by, known, rng),
        3 => plays::<u32, C, D>(setting, by, known, rng),
        4 => plays::<u64, C, D>(setting, by, known, rng),
        _ => plays::<u128, C, D>(setting, by, known, rng),
    }
}

#[derive(Clone, Copy, Debug)]
struct Binding {
    route: Route,
    method: Option<Method>,
    message_bytes: usize,
}

impl Binding {
    fn drawn(setting: &Setting<'_>, methods: &[Method], rng: &mut Rng) -> Self {
        let route = setting.routes[rng.usize(..setting.routes.len())];
        let method = methods[rng.usize(..methods.len())];
        let is_asked_for = rng.usize(..3) == 0;
        let message_bytes = if rng.bool() { 1 << 20 } else { rng.usize(1..500) };
        Self { route, method: is_asked_for.then_some(method), message_bytes }
    }

    fn bind<T: Element, C: Transport, const D: usize>(
        self,
        plan: &TypedPlan<T, D>,
        communicator: &C,
    ) -> Result<Bound<T, D>, Error> {
        let binder: Binder<'_, _, D> = plan.binder().route(self.route);
        let binder = binder.max_message_bytes(self.message_bytes);
        self.method.into_iter().fold(binder, Binder::method).bind(communicator)
    }
}

fn plays<T: Numbered, C: Transport, const D: usize>(
    setting: &Setting<'_>,
    (communicator, rank): (&C, usize),
    (known, other): (&Known<D>, &Known<D>),
    rng: &mut Rng,
) -> Result<Ending, Wrong> {
    let binding = Binding::drawn(setting, &known.methods, rng);
    let (fault, culprit) = drawn(setting, &Fault::BINDS, rng);
    trace(rank, || (known.plan.to_string(), binding, fault, culprit));
    if let Some(fault) = fault {
        let own = (culprit == rank).then_some(fault);
        let error = binds_wrongly::<T, C, D>(binding, communicator, (known, other), own);
        return told(setting, (fault, culprit == rank), (known, other), error);
    }
    let plan = TypedPlan::<T, D>::from(known.plan);
    let bound = binding.bind(&plan, communicator);
    let bound = bound.map_err(|error| format!("{}, {binding:?}: {error}", known.plan))?;
    trace(rank, || bound.explain());
    setting.tally.add(Counted::Bound, 1);
    let mut scene = Scene::new(setting, known, (bound, rank), rng.u32(..));
    for _ in 0..rng.usize(1..=5) {
        let (fault, culprit) = drawn(setting, &Fault::MOVES, rng);
        trace(rank, || (fault, culprit));
        let outcome = match fault {
            Some(Fault::OtherOrder) => {
                let second =
                    binding.bind(&plan, communicator).map_err(|error| error.to_string())?;
                return scene.in_other_order(second, culprit);
            }
            Some(fault) => scene.goes_wrong(fault, culprit, rng),
            None => scene.moves(rng).map(|()| Ending::GoesOn),
        };
        let ending =
            outcome.map_err(|wrong| format!("{}, {binding:?}, {fault:?}: {wrong}", known.plan))?;
        if ending == Ending::IsOver {
            return Ok(Ending::GoesOn); // a plan that was left in the middle is bound again
        }
    }
    match drawn(setting, &Fault::ENDS, rng) {
        (Some(fault), culprit) => scene.ends(fault, culprit),
        (None, _) => Ok(Ending::GoesOn),
    }
}

fn trace<W: Debug>(rank: usize, what: impl FnOnce() -> W) {
    if std::env::var_os("REDIST_SOAK_TRACE").is_some() {
        eprintln!("rank {rank}: {:?}", what());
    }
}

fn drawn(setting: &Setting<'_>, some: &[Fault], rng: &mut Rng) -> (Option<Fault>, usize) {
    let possible = setting.faults.of(some);
    let (number, culprit) = (rng.usize(..FAULTS * Fault::MOVES.len()), rng.usize(..setting.ranks));
    (possible.get(number).copied(), culprit)
}

fn binds_wrongly<T: Numbered, C: Transport, const D: usize>(
    binding: Binding,
    communicator: &C,
    (known, other): (&Known<D>, &Known<D>),
    fault: Option<Fault>,
) -> Option<Error> {
    let plan = TypedPlan::<T, D>::from(known.plan);
    match fault {
        Some(Fault::OtherPlan) => {
            binding.bind(&TypedPlan::<T, D>::from(other.plan), communicator).map(drop)
        }
        Some(Fault::OtherElement) => {
            binding.bind(&TypedPlan::<[T; 2], D>::from(known.plan), communicator).map(drop)
        }
        Some(_) => {
            let message_bytes = binding.message_bytes + 1;
            Binding { message_bytes, ..binding }.bind(&plan, communicator).map(drop)
        }
        None => binding.bind(&plan, communicator).map(drop),
    }
    .err()
}

fn told<const D: usize>(
    setting: &Setting<'_>,
    (fault, is_culprit): (Fault, bool),
    (known, other): (&Known<D>, &Known<D>),
    error: Option<Error>,
) -> Result<Ending, Wrong> {
    let is_alike = known.plan.digest() == other.plan.digest();
    if setting.ranks == 1 || (fault == Fault::OtherPlan && is_alike) {
        return Ok(Ending::GoesOn);
    }
    if is_culprit {
        setting.tally.fault(fault);
    }
    setting.tally.add(Counted::Errors, 1);
    let wrong = || format!("{}: bound in spite of the fault {fault}", known.plan);
    error.map(|_| Ending::GoesOn).ok_or_else(wrong)
}
