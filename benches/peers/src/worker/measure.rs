//! One case: set-ups apart, first calls apart, then all methods in turn, again and again.

use super::arrays::{Scalar, filled, wrong};
use crate::cluster;
use crate::measured::{Measured, Method, Times};
use crate::options::Options;
use crate::peer::{self, Geometry, Peer};
use crate::rows::Visitor;
use crate::timing::{median, wall};
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::{Plan, Redistribution, RuntimePlan, Side};
use std::hint::black_box;

/// A rank of the bench.
pub struct Bench {
    world: &'static SimpleCommunicator,
    options: Options,
}

/// A method that is ready, with its times so far.
struct Contestant<T> {
    peer: Box<dyn Peer<T>>,
    times: Times,
    repeated: Vec<f64>,
}

/// Seconds of set-ups after which three of them are enough.
const LONG: f64 = 0.1;

/// The methods, each ready or with a reason why it cannot do this case.
type Methods<T> = [(&'static str, Result<Contestant<T>, String>)];

impl Bench {
    pub fn new(world: &'static SimpleCommunicator, options: Options) -> Self {
        Self { world, options }
    }

    /// `element extents | from | to`, after a name and a colon where it has one: planned at run time
    /// only.
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
        self.measure::<T, RuntimePlan<T, D>, D>(case, &plan, None);
        Ok(())
    }

    fn measure<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
        &mut self,
        name: &str,
        plan: &Plan<D>,
        planned: Option<&R>,
    ) {
        let rank = Communicator::rank(self.world) as usize;
        let geometry = Geometry::of(plan);
        let source = filled::<T, D>(plan, Side::Source, rank);
        let mut destination = vec![T::ZERO; plan.descriptor(Side::Destination).local_len(rank)];
        let mut methods = Vec::new();
        for (method, prepare) in peer::all::<T, R, D>() {
            if !self.options.wants(method) {
                continue;
            }
            let context = peer::Context {
                world: self.world,
                plan,
                planned,
                geometry: geometry.as_ref(),
                rank,
            };
            let mut ready = None;
            let setup = wall(self.world, || ready = Some(prepare(&context)));
            let mut contestant =
                ready.expect("prepared just now").map(|peer| Contestant::new(peer, setup));
            if let Ok(contestant) = &mut contestant {
                contestant.times.setup_again = Some(self.set_up_again(|| prepare(&context)));
            }
            methods.push((method, contestant));
        }
        for (_, contestant) in &mut methods {
            if let Ok(contestant) = contestant {
                contestant.result(&mut destination).fill(T::ZERO);
                contestant.times.first =
                    wall(self.world, || contestant.peer.run(&source, &mut destination));
                contestant.times.wrong +=
                    self.sum(wrong(plan, rank, contestant.result(&mut destination)));
            }
        }
        let memcpy = self.repeat(&source, &mut destination, &mut methods);
        for (_, contestant) in &mut methods {
            if let Ok(contestant) = contestant {
                contestant.result(&mut destination).fill(T::ZERO);
                contestant.peer.run(&source, &mut destination);
                contestant.times.wrong +=
                    self.sum(wrong(plan, rank, contestant.result(&mut destination)));
                contestant.times.median = median(&mut contestant.repeated);
                contestant.times.least = contestant.repeated.first().copied().unwrap_or_default();
            }
        }
        if rank == 0 {
            let outcome = |contestant: Result<Contestant<T>, String>| {
                contestant.map(|contestant| contestant.times)
            };
            let methods = methods.into_iter().map(|(name, contestant)| Method {
                name: name.into(),
                outcome: outcome(contestant),
            });
            self.tell(name, T::NAME, plan, memcpy, methods.collect());
        }
    }

    /// The median time of further set-ups, each of which is gone before the next.
    fn set_up_again<P>(&self, mut prepare: impl FnMut() -> P) -> f64 {
        let (mut times, mut spent) = (Vec::new(), 0.0);
        // All ranks see the same times, and stop together.
        while times.len() < 3 || (times.len() < self.options.repetitions && spent < LONG) {
            let mut ready = None;
            let time = wall(self.world, || ready = Some(prepare()));
            times.push(time);
            spent += time;
        }
        median(&mut times)
    }

    /// All methods in turn, and two passes of `memcpy` in each round. Returns the median of the
    /// latter.
    fn repeat<T: Scalar>(
        &self,
        source: &[T],
        destination: &mut [T],
        methods: &mut Methods<T>,
    ) -> f64 {
        let len = source.len().max(destination.len());
        let (from, mut between, mut to) =
            (vec![T::of_index(1); len], vec![T::ZERO; len], vec![T::ZERO; len]);
        let mut passes = Vec::with_capacity(self.options.repetitions);
        // Round 0 warms up what the first calls of others have pushed out.
        for round in 0..=self.options.repetitions {
            let copied = wall(self.world, || {
                between.copy_from_slice(&from);
                black_box(&mut between);
                to.copy_from_slice(&between);
                black_box(&mut to);
            });
            passes.extend((round > 0).then_some(copied));
            let mut ready: Vec<_> =
                methods.iter_mut().filter_map(|(_, method)| method.as_mut().ok()).collect();
            // Another goes first in every round, so that none always finds what the same one left
            // in the caches.
            let first = round % ready.len().max(1);
            ready.rotate_left(first);
            for contestant in ready {
                let moved = wall(self.world, || contestant.peer.run(source, destination));
                contestant.repeated.extend((round > 0).then_some(moved));
            }
        }
        median(&mut passes)
    }

    fn sum(&self, mine: u64) -> u64 {
        let mut all = 0;
        self.world.all_reduce_into(&mine, &mut all, SystemOperation::sum());
        all
    }

    fn wire<const D: usize>(&self, plan: &Plan<D>, element: &str) -> Option<f64> {
        let bytes = if element == "f32" { 4 } else { 8 };
        let (nodes, link) = (self.options.nodes?, self.options.link.as_ref()?);
        Some(cluster::wire(plan, bytes, nodes, link))
    }

    fn tell<const D: usize>(
        &self,
        name: &str,
        element: &str,
        plan: &Plan<D>,
        memcpy: f64,
        methods: Vec<Method>,
    ) {
        let layout = |side| plan.descriptor(side).layout().to_string();
        let measured = Measured {
            case: name.into(),
            element: element.into(),
            extents: plan.extents().to_vec(),
            from: layout(Side::Source),
            to: layout(Side::Destination),
            ranks: Communicator::size(self.world) as usize,
            memcpy,
            wire: self.wire(plan, element),
            methods,
        };
        println!(
            "{}",
            serde_json::to_string(&measured).expect("numbers and texts have a JSON form")
        );
    }
}

impl<T> Contestant<T> {
    fn new(peer: Box<dyn Peer<T>>, setup: f64) -> Self {
        let times =
            Times { setup, setup_again: None, first: 0.0, median: 0.0, least: 0.0, wrong: 0 };
        Self { peer, times, repeated: Vec::new() }
    }

    /// The array that it moves to.
    fn result<'a>(&'a mut self, given: &'a mut [T]) -> &'a mut [T] {
        self.peer.own_destination().unwrap_or(given)
    }
}

impl Visitor for Bench {
    fn visit<R: Redistribution<D>, const D: usize>(&mut self, name: &str, planned: R)
    where
        R::Element: Scalar,
    {
        self.measure(name, &planned.plan(), Some(&planned));
    }
}
