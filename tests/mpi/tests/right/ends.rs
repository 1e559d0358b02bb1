//! Drawn orders of ends: ranks drop plans, shared arrays and communicators, and end threads that
//! have bound plans, in orders of their own, around barriers of all. No end waits for another rank.
//! With only MPI, each of these programs ends.

use crate::numbers::{number_in, numbers, print, this_number};
use fastrand::Rng;
use redist::mpi::{Communicator, RawCommunicator, SharedArray};
use redist::{Bound, Redistribution, Side, Transport, TypedPlan};
use redist_mpi_tests::{Case, Outcome, doing};
use std::fmt::{self, Write};
use std::mem;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Programs of a run of one library on some nodes, usually and where all are played. Every third
/// has its own launch.
const SOME: u64 = 6;
const ALL: u64 = 60;

/// Seconds until a program has failed, or `REDIST_RIGHT_PATIENCE`.
const PATIENCE: u64 = 60;

/// Elements of an array.
const EXTENT: usize = 6000;

/// Elements of an array whose messages wait for their receivers.
const LONG: usize = 400_000;

pub fn cases() -> Vec<Case> {
    numbers("REDIST_ENDS", (SOME, ALL)).into_iter().map(case).collect()
}

fn case(number: u64) -> Case {
    let ranks = [2, 3, 3, 4][(number % 4) as usize];
    let limit = number_in("REDIST_RIGHT_PATIENCE").unwrap_or(PATIENCE);
    let name = if is_alone(number) { "ends_of_mpi" } else { "ends" };
    let case = Case::new(format!("{name}::{number}").leak(), vec![ranks].leak(), played);
    let case = case.limit(limit);
    // Threads of its own call MPI, and things live until MPI is finalised.
    if is_alone(number) { case.serialized() } else { case }
}

fn is_alone(number: u64) -> bool {
    number.is_multiple_of(3)
}

/// A thing that a program makes on all ranks of a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Made {
    /// A duplicate of all, or a split into ranks below a number and all further ranks.
    Communicator(Option<usize>),
    /// A plan on the communicator with this index, which moves once.
    Plan(usize),
    /// The array of one side for the plan with this index.
    Array(usize, Side),
    /// A plan on the communicator with this index, whose move each rank starts in a step of its own,
    /// and does not finish.
    Started(usize),
    /// A thread with a plan on a communicator of its own.
    Thread,
}

/// A rank's step behind the making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Starts the move of the plan with this index, and drops it.
    Start(usize),
    /// Ends the thing with this index.
    End(usize),
    Barrier,
    Work(Duration),
}

/// A program: things made in one order, and each rank's steps.
struct Ends {
    number: u64,
    things: Vec<Made>,
    /// By rank; things without an end live until the program's.
    steps: Vec<Vec<Step>>,
}

impl Ends {
    fn drawn(number: u64, ranks: usize) -> Self {
        let rng = &mut Rng::with_seed(number);
        let things = things(ranks, is_alone(number), rng);
        let barriers = rng.usize(1..4);
        let steps = (0..ranks).map(|_| steps(&things, barriers, is_alone(number), rng));
        Self { number, steps: steps.collect(), things }
    }
}

fn things(ranks: usize, has_threads: bool, rng: &mut Rng) -> Vec<Made> {
    let mut things = Vec::new();
    for _ in 0..rng.usize(1..4) {
        let of = things.len();
        things.push(Made::Communicator(rng.bool().then(|| rng.usize(1..ranks))));
        for _ in 0..rng.usize(1..3) {
            let plan = things.len();
            things.push(Made::Plan(of));
            let sides = [Side::Source, Side::Destination].into_iter();
            let sides: Vec<Side> = sides.filter(|_| rng.usize(..3) == 0).collect();
            things.extend(sides.into_iter().map(|side| Made::Array(plan, side)));
        }
    }
    if has_threads && rng.bool() {
        things.push(Made::Thread);
    }
    // No request may be under way where MPI ends, and moves of a communicator are in one order.
    if !has_threads && rng.bool() {
        things.push(Made::Started(0));
    }
    things
}

fn steps(things: &[Made], barriers: usize, leaves: bool, rng: &mut Rng) -> Vec<Step> {
    let ended = (0..things.len()).filter(|_| !(leaves && rng.usize(..4) == 0)).collect::<Vec<_>>();
    let mut steps: Vec<Step> = ended.into_iter().map(Step::End).collect();
    steps.resize(steps.len() + barriers, Step::Barrier);
    for _ in 0..rng.usize(..3) {
        steps.push(Step::Work(Duration::from_millis(rng.u64(1..40))));
    }
    rng.shuffle(&mut steps);
    let started = things.iter().position(|thing| matches!(thing, Made::Started(_)));
    if let Some(thing) = started {
        let end = steps.iter().position(|step| *step == Step::End(thing)).unwrap_or(steps.len());
        steps.insert(rng.usize(..=end), Step::Start(thing));
    }
    steps
}

impl fmt::Display for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "orders of ends {} on {} ranks", self.number, self.steps.len())?;
        for (number, thing) in self.things.iter().enumerate() {
            writeln!(f, "  thing {number}: {thing:?}")?;
        }
        let lines = self.steps.iter().enumerate();
        lines.into_iter().try_for_each(|(rank, steps)| writeln!(f, "  rank {rank}: {steps:?}"))
    }
}

/// A thing that lives.
enum Thing {
    Communicator(Communicator),
    Plan(Box<Bound<u64, 1>>),
    Array(SharedArray<u64>),
    Thread(Sender<()>, JoinHandle<()>),
}

fn played(world: &Communicator) -> Outcome {
    let program = Ends::drawn(this_number()?, world.size());
    if world.rank() == 0 {
        print(&program, "REDIST_ENDS", program.number);
    }
    let mut living: Vec<Option<Thing>> = Vec::new();
    for made in &program.things {
        let thing = make(*made, &living, world)?;
        living.push(Some(thing));
    }
    for (at, step) in program.steps[world.rank()].iter().enumerate() {
        doing(|text| {
            let _ = write!(text, "step {at}: {step:?}");
        });
        match *step {
            Step::Start(thing) => {
                let Some(Thing::Plan(bound)) = &mut living[thing] else {
                    return Err("no plan".into());
                };
                let source = vec![7; bound.local_len(Side::Source)];
                let mut destination = vec![0; bound.local_len(Side::Destination)];
                let _ = bound.start(&source, &mut destination)?;
                assert!(destination.iter().all(|element| *element == 0), "it is not finished");
            }
            Step::End(thing) => end(living[thing].take()),
            Step::Barrier => world.barrier()?,
            Step::Work(time) => thread::sleep(time),
        }
    }
    // In a launch of its own, things live on until MPI ends; a thread would hold up the process.
    let lives_on = |thing: &Thing| !matches!(thing, Thing::Thread(..));
    let (left, ended): (Vec<_>, Vec<_>) = living.into_iter().flatten().partition(lives_on);
    ended.into_iter().for_each(|thing| end(Some(thing)));
    match is_alone(program.number) {
        true => mem::forget(left),
        // The communicator serves on.
        false => moved(world, world.size()).map(drop)?,
    }
    Ok(())
}

fn make(
    made: Made,
    living: &[Option<Thing>],
    world: &Communicator,
) -> Result<Thing, Box<dyn std::error::Error>> {
    Ok(match made {
        Made::Communicator(None) => Thing::Communicator(world.duplicate()?),
        Made::Communicator(Some(below)) => {
            let color = usize::from(world.rank() < below);
            Thing::Communicator(world.split(color, world.rank())?)
        }
        Made::Plan(of) => {
            let Some(Some(Thing::Communicator(ranks))) = living.get(of) else {
                return Err("no communicator".into());
            };
            Thing::Plan(Box::new(moved(ranks, ranks.size())?))
        }
        Made::Started(of) => {
            let Some(Some(Thing::Communicator(ranks))) = living.get(of) else {
                return Err("no communicator".into());
            };
            Thing::Plan(Box::new(plan(LONG, ranks.size()).bind(ranks)?))
        }
        Made::Array(of, side) => {
            let Some(Some(Thing::Plan(bound))) = living.get(of) else {
                return Err("no plan".into());
            };
            Thing::Array(bound.shared_array(side)?)
        }
        Made::Thread => {
            let (ends, ended) = channel();
            let (is_bound, bound) = channel();
            let binds = move || {
                let world = RawCommunicator::world().expect("MPI is there");
                let own = moved(&world, world.size()).expect("the thread's plan moves");
                is_bound.send(()).expect("the rank waits");
                // The rank ends this thread, or itself.
                let _ = ended.recv();
                drop(own);
            };
            let thread = thread::spawn(binds);
            bound.recv()?;
            Thing::Thread(ends, thread)
        }
    })
}

fn plan(extent: usize, size: usize) -> TypedPlan<u64, 1> {
    let [from, to] = ["block", "cyclic"].map(|by| format!("{by} onto {size}"));
    TypedPlan::parse([extent], &from, &to).expect("a plan")
}

/// Binds a plan on so many ranks, and moves by it once.
fn moved<C: Transport>(ranks: &C, size: usize) -> Result<Bound<u64, 1>, redist::Error> {
    let mut bound = plan(EXTENT, size).bind(ranks)?;
    let source = vec![7; bound.local_len(Side::Source)];
    let mut destination = vec![0; bound.local_len(Side::Destination)];
    bound.run(&source, &mut destination)?;
    assert!(destination.iter().all(|element| *element == 7), "elements have arrived");
    Ok(bound)
}

fn end(thing: Option<Thing>) {
    match thing {
        Some(Thing::Communicator(communicator)) => drop(communicator),
        Some(Thing::Plan(bound)) => drop(bound),
        Some(Thing::Array(array)) => drop(array),
        Some(Thing::Thread(ends, thread)) => {
            drop(ends);
            thread.join().expect("the thread ends well");
        }
        None => {}
    }
}
