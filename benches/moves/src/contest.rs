//! One case: set-ups and first calls apart, then all ways and `memcpy` in turn.

use crate::LEARNING_MOVES;
use crate::arrays::{Scalar, filled, wrong};
use crate::peer::{Context, Geometry, Peer, Ways};
use crate::rows::Visitor;
use crate::wall::wall;
use crate::worker::Worker;
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::{Plan, Redistribution, Side, TypedPlan};
use redist_measuring::{Array, Method, Row, Times, median, perhaps_slower};
use std::convert::Infallible;
use std::hint::black_box;
use std::marker::PhantomData;

/// The column that all others are multiples of.
pub const UNIT: &str = "memcpy × 2";

/// One case, measured by all ranks.
pub struct Contest<'a, W> {
    world: &'static SimpleCommunicator,
    worker: &'a Worker,
    ways: PhantomData<W>,
}

/// One way, with its times.
struct Contestant<T> {
    peer: Box<dyn Peer<T>>,
    times: Times,
}

type Contestants<T> = Vec<(&'static str, Result<Contestant<T>, String>)>;

/// One rank's arrays of a case.
struct Case<'a, T, const D: usize> {
    plan: &'a Plan<D>,
    /// This rank's number.
    rank: usize,
    source: Vec<T>,
    destination: Vec<T>,
}

/// The most seconds of set-ups, and their most.
const SET_UPS: (f64, usize) = (0.1, 9);

impl<'a, W: Ways> Contest<'a, W> {
    pub fn new(world: &'static SimpleCommunicator, worker: &'a Worker) -> Self {
        Self { world, worker, ways: PhantomData }
    }

    /// Runs `element extents | from | to`, perhaps after a name and a colon, planned at run time.
    pub fn users_case(&mut self, text: &str) -> Result<(), String> {
        let (name, case) = text.split_once(": ").unwrap_or((text, text));
        let (array, layouts) =
            case.split_once('|').ok_or("a case is 'element extents | from | to'")?;
        let (from, to) =
            layouts.split_once('|').ok_or("a case is 'element extents | from | to'")?;
        let (element, extents) =
            array.trim().split_once(' ').ok_or("a case begins with 'f64 4096,4096' or the like")?;
        let extents: Result<Vec<usize>, _> =
            extents.split(',').map(|extent| extent.trim().parse()).collect();
        let extents = extents.map_err(|error| format!("the extents of '{case}': {error}"))?;
        match (element, extents[..].try_into(), extents[..].try_into()) {
            ("f64", Ok(extents), _) => self.run_users_case::<f64, 1>(name, extents, from, to),
            ("f32", Ok(extents), _) => self.run_users_case::<f32, 1>(name, extents, from, to),
            ("f64", _, Ok(extents)) => self.run_users_case::<f64, 2>(name, extents, from, to),
            ("f32", _, Ok(extents)) => self.run_users_case::<f32, 2>(name, extents, from, to),
            _ => Err(format!(
                "'{case}': elements are f32 or f64, and arrays have one or two dimensions"
            )),
        }
    }

    fn run_users_case<T: Scalar, const D: usize>(
        &mut self,
        case: &str,
        extents: [usize; D],
        from: &str,
        to: &str,
    ) -> Result<(), String> {
        let plan = Plan::parse(extents, from.trim(), to.trim())
            .map_err(|error| format!("'{case}': {error}"))?;
        self.measure::<T, TypedPlan<T, D>, D>(case, &plan, None);
        Ok(())
    }

    fn measure<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
        &mut self,
        name: &str,
        plan: &Plan<D>,
        planned: Option<&R>,
    ) {
        let rank = Communicator::rank(self.world) as usize;
        let source = filled::<T, D>(plan, Side::Source, rank);
        let destination = vec![T::ZERO; plan.descriptor(Side::Destination).local_len(rank)];
        let mut case = Case { plan, rank, source, destination };
        let mut ways = self.ready(plan, planned, rank);
        for (_, way) in &mut ways {
            let Ok(way) = way else { continue };
            way.result(&mut case.destination).fill(T::ZERO);
            way.times.first =
                wall(self.world, || way.peer.run(&case.source, &mut case.destination));
            way.times.wrong += self.wrong(&mut case, way);
        }
        let unit = self.take_turns(&mut case, &mut ways);
        for (_, way) in &mut ways {
            let Ok(way) = way else { continue };
            way.result(&mut case.destination).fill(T::ZERO);
            way.peer.run(&case.source, &mut case.destination);
            way.times.wrong += self.wrong(&mut case, way);
        }
        if rank == 0 {
            let method = |(name, way): (&str, Result<Contestant<T>, String>)| Method {
                name: name.into(),
                outcome: way.map(|way| way.times),
            };
            let unit = Method { name: UNIT.into(), outcome: Ok(unit) };
            let methods = [unit].into_iter().chain(ways.into_iter().map(method)).collect();
            self.row(name, T::NAME, plan, methods).tell();
        }
    }

    fn ready<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
        &self,
        plan: &Plan<D>,
        planned: Option<&R>,
        rank: usize,
    ) -> Contestants<T> {
        let geometry = Geometry::of(plan);
        let geometry = geometry.as_ref();
        let context = Context { world: self.world, plan, planned, geometry, rank };
        let wanted = W::all::<T, R, D>().into_iter().filter(|(way, _)| self.worker.wants::<W>(way));
        let set_up = |(name, prepare): crate::peer::Way<T, R, D>| {
            let mut ready = None;
            let setup = wall(self.world, || ready = Some(prepare(&context)));
            let way = ready.expect("prepared just now").map(|peer| {
                let setup_again = self.set_up_again(|| prepare(&context));
                Contestant { peer, times: Times { setup, setup_again, ..Times::of(&[]) } }
            });
            (name, way)
        };
        wanted.map(set_up).collect()
    }

    fn set_up_again<P>(&self, mut prepare: impl FnMut() -> P) -> Option<f64> {
        if self.worker.moves_only {
            return None;
        }
        let (mut times, mut spent) = (Vec::new(), 0.0);
        // All ranks see the same times, and stop together.
        while times.is_empty() || (times.len() < SET_UPS.1 && spent < SET_UPS.0) {
            let mut ready = None;
            let time = wall(self.world, || ready = Some(prepare()));
            times.push(time);
            spent += time;
        }
        Some(median(&times))
    }

    /// Runs all ways in turn, with two passes of `memcpy`, whose times it returns.
    fn take_turns<T: Scalar, const D: usize>(
        &self,
        case: &mut Case<'_, T, D>,
        ways: &mut Contestants<T>,
    ) -> Times {
        let Case { source, destination, .. } = case;
        let len = source.len().max(destination.len());
        let (from, mut between, mut to) =
            (vec![T::of_index(1); len], vec![T::ZERO; len], vec![T::ZERO; len]);
        for (_, way) in ways.iter_mut().filter(|(name, _)| name.starts_with("redist")) {
            let Ok(way) = way else { continue };
            (0..LEARNING_MOVES).for_each(|_| way.peer.run(source, destination));
        }
        let mut ready: Vec<&mut Contestant<T>> =
            ways.iter_mut().filter_map(|(_, way)| way.as_mut().ok()).collect();
        let samples = self.worker.turns.take(ready.len() + 1, |number| {
            Ok::<_, Infallible>(match number.checked_sub(1) {
                None => wall(self.world, || {
                    between.copy_from_slice(&from);
                    black_box(&mut between);
                    to.copy_from_slice(&between);
                    black_box(&mut to);
                }),
                Some(way) => wall(self.world, || {
                    perhaps_slower(|| ready[way].peer.run(source, destination));
                }),
            })
        });
        let Ok(samples) = samples;
        for (way, samples) in ready.into_iter().zip(&samples[1..]) {
            let Times { setup, setup_again, first, wrong, .. } = way.times;
            way.times = Times { setup, setup_again, first, wrong, ..Times::of(samples) };
        }
        Times::of(&samples[0])
    }

    fn wrong<T: Scalar, const D: usize>(
        &self,
        case: &mut Case<'_, T, D>,
        way: &mut Contestant<T>,
    ) -> u64 {
        let mine = wrong(case.plan, case.rank, way.result(&mut case.destination));
        let mut all = 0;
        self.world.all_reduce_into(&mine, &mut all, SystemOperation::sum());
        all
    }

    fn row<const D: usize>(
        &self,
        name: &str,
        element: &str,
        plan: &Plan<D>,
        methods: Vec<Method>,
    ) -> Row {
        let bytes = if element == "f32" { 4 } else { 8 };
        let layout = |side| plan.descriptor(side).layout().to_string();
        Row {
            array: Some(Array {
                element: element.into(),
                extents: plan.extents().to_vec(),
                from: layout(Side::Source),
                to: layout(Side::Destination),
            }),
            wire: self.worker.network.as_ref().map(|network| network.wire(plan, bytes)),
            ..Row::plain(name, Communicator::size(self.world) as usize, methods)
        }
    }
}

impl<T> Contestant<T> {
    fn result<'a>(&'a mut self, given: &'a mut [T]) -> &'a mut [T] {
        self.peer.own_destination().unwrap_or(given)
    }
}

impl<W: Ways> Visitor for Contest<'_, W> {
    fn visit<R: Redistribution<D>, const D: usize>(&mut self, name: &str, planned: R)
    where
        R::Element: Scalar,
    {
        self.measure(name, &planned.plan(), Some(&planned));
    }
}
