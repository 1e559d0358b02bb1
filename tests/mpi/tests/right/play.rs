//! One rank's part of a right program.

use crate::limits::{Growth, Played};
use crate::program::{Binding, Call, Made, Phase, Planned, Program, letter};
use redist::exec::{Binder, JoinedLine};
use redist::mpi::{Communicator, SharedArray};
use redist::plan::schedule::Method;
use redist::transport::Route;
use redist::{Bound, Error, Layout, Redistribution, Side, TypedPlan};
use redist_mpi_tests::{Outcome, doing};
use redist_testing::array::store;
use redist_testing::numbered;
use std::ops::{Deref, DerefMut};
use std::thread;
use std::time::{Duration, Instant};

/// Moves of each plan that are timed, with all of its ranks there at once.
const TIMED: usize = 5;

/// Plays this rank's part of a program, and measures it. Collective.
pub fn play(program: &Program, world: &Communicator) -> Result<Played, Box<dyn std::error::Error>> {
    let mut player = Player::new(program, world)?;
    let allowed = player.allowed();
    world.barrier()?;
    let (growth, begun) = (Growth::begin(), Instant::now());
    for (number, phase) in program.phases.iter().enumerate() {
        player.phase(number, phase)?;
    }
    let (elapsed, grown) = (begun.elapsed(), growth.most());
    doing(|text| text.push_str("the barrier after the program"));
    world.barrier()?;
    Ok(Played { elapsed, worked: player.worked, moved: player.moved(program)?, grown, allowed })
}

/// A local array, in memory of this process or of its node.
enum Array {
    Own(Vec<u64>),
    Shared(SharedArray<u64>),
}

impl Array {
    fn new(bound: &Bound<u64, 1>, side: Side, is_shared: bool) -> Result<Self, Error> {
        Ok(match is_shared {
            true => Self::Shared(bound.shared_array(side)?),
            false => Self::Own(vec![0; bound.local_len(side)]),
        })
    }
}

impl Deref for Array {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        match self {
            Self::Own(array) => array,
            Self::Shared(array) => array,
        }
    }
}

impl DerefMut for Array {
    fn deref_mut(&mut self) -> &mut [u64] {
        match self {
            Self::Own(array) => array,
            Self::Shared(array) => array,
        }
    }
}

/// A plan and its arrays on one rank.
struct Mine {
    bound: Bound<u64, 1>,
    source: Array,
    destination: Array,
    /// Global indices of the elements of both arrays, as the simulator deals them.
    from: Vec<u64>,
    to: Vec<u64>,
    /// Moves that this rank has begun.
    begun: u64,
    is_under_way: bool,
}

impl Mine {
    fn new(plan: &Planned, group: &Communicator) -> Result<Self, Box<dyn std::error::Error>> {
        let [from, to] = [plan.from.to_string(), plan.to.to_string()];
        let planned = TypedPlan::<u64, 1>::parse([plan.extent], &from, &to)?;
        let bound = with(plan.binding, planned.binder()).bind(group)?;
        let source = Array::new(&bound, Side::Source, plan.shared[0])?;
        let destination = Array::new(&bound, Side::Destination, plan.shared[1])?;
        let [from, to] = [from, to].map(|text| indices(plan.extent, &text, group.rank()));
        Ok(Self { bound, source, destination, from: from?, to: to?, begun: 0, is_under_way: false })
    }

    fn fill(&mut self) {
        self.begun += 1;
        numbered::fill(&mut self.source, &self.from, self.begun);
    }

    fn run(&mut self) -> Result<(), Error> {
        let Self { bound, source, destination, .. } = self;
        match (source, destination) {
            (Array::Own(source), Array::Own(destination)) => {
                bound.run(&source[..], &mut destination[..])
            }
            (Array::Own(source), Array::Shared(destination)) => bound.run(&source[..], destination),
            (Array::Shared(source), Array::Own(destination)) => {
                bound.run(source, &mut destination[..])
            }
            (Array::Shared(source), Array::Shared(destination)) => bound.run(source, destination),
        }
    }

    /// Compares every element of the destination.
    fn check(&self) -> Result<(), String> {
        numbered::check(&self.destination, &self.to, self.begun)
    }

    /// Returns the bytes of messages in a move that other ranks send to this one, and of messages
    /// from it.
    fn message_bytes(&self) -> usize {
        let messages = self.bound.incoming().iter().chain(self.bound.outgoing());
        let elements =
            messages.filter(|other| other.rank != self.bound.rank()).map(|other| other.len);
        elements.sum::<usize>() * size_of::<u64>()
    }
}

fn with<'a>(
    binding: Binding,
    binder: Binder<'a, TypedPlan<u64, 1>, 1>,
) -> Binder<'a, TypedPlan<u64, 1>, 1> {
    match binding {
        Binding::Usual => binder,
        Binding::ByMessages => binder.route(Route::Messages),
        Binding::InSteps => binder.method(Method::Caterpillar),
        Binding::Collectively => binder.collectively(),
        Binding::InPieces(bytes) => binder.max_message_bytes(bytes),
    }
}

/// Returns the global index of each element of a rank's local array.
fn indices(
    extent: usize,
    layout: &str,
    rank: usize,
) -> Result<Vec<u64>, Box<dyn std::error::Error>> {
    let stored = store([extent], &layout.parse::<Layout<1>>()?);
    let here = |([index], (owner, offset)): ([usize; 1], (usize, usize))| {
        (owner == rank).then_some((offset, index as u64))
    };
    let mut own: Vec<(usize, u64)> = stored.places.iter().filter_map(here).collect();
    own.sort_unstable();
    Ok(own.into_iter().map(|(_, index)| index).collect())
}

struct Player {
    /// Number of the program.
    number: u64,
    /// This rank's number in the program.
    rank: usize,
    /// Communicators of this rank's groups, by group.
    groups: Vec<Option<Communicator>>,
    /// Plans of its groups, by plan.
    plans: Vec<Option<Mine>>,
    /// Time of this rank's own work.
    worked: Duration,
}

impl Player {
    fn new(program: &Program, world: &Communicator) -> Result<Self, Box<dyn std::error::Error>> {
        let rank = world.rank();
        let mut groups: Vec<Option<Communicator>> = Vec::new();
        for group in &program.groups {
            let place = group.members.iter().position(|member| *member == rank);
            groups.push(match (group.made, place) {
                (Made::Duplicate(None), _) => Some(world.duplicate()?),
                (Made::Duplicate(Some(of)), _) => {
                    groups[of].as_ref().map(Communicator::duplicate).transpose()?
                }
                (Made::Split, place) => {
                    let part = world.split(usize::from(place.is_none()), place.unwrap_or(rank))?;
                    place.map(|_| part)
                }
            });
        }
        let of_group = |plan: &Planned| {
            groups[plan.group].as_ref().map(|group| Mine::new(plan, group)).transpose()
        };
        let plans = program.plans.iter().map(of_group).collect::<Result<_, _>>()?;
        Ok(Self { number: program.number, rank, groups, plans, worked: Duration::ZERO })
    }

    /// Returns the bytes by which memory may grow.
    fn allowed(&self) -> usize {
        Growth::allowed(self.plans.iter().flatten().map(Mine::message_bytes).sum())
    }

    fn phase(&mut self, number: usize, phase: &Phase) -> Outcome {
        self.work(phase.late[self.rank]);
        for turn in 0..phase.times {
            for (at, call) in phase.calls[self.rank].iter().enumerate() {
                self.call(*call, &format_args!("turn {turn} of loop {number}, call {at}"))?;
            }
        }
        (0..self.plans.len()).try_for_each(|plan| {
            self.call(Call::Finish(plan), &format_args!("the end of loop {number}"))
        })
    }

    fn work(&mut self, time: Duration) {
        let begun = Instant::now();
        if time > Duration::ZERO {
            thread::sleep(time);
        }
        self.worked += begun.elapsed();
    }

    fn call(&mut self, call: Call, place: &std::fmt::Arguments<'_>) -> Outcome {
        let number = self.number;
        doing(|text| {
            let _ =
                std::fmt::Write::write_fmt(text, format_args!("program {number}, {place}: {call}"));
        });
        self.calls(call)
            .map_err(|error| format!("program {number}, {place}: {call}: {error}").into())
    }

    fn calls(&mut self, call: Call) -> Outcome {
        let plan = match call {
            Call::Work(time) => {
                self.work(time);
                return Ok(());
            }
            Call::Barrier(group) => {
                self.groups[group].as_ref().map_or(Ok(()), Communicator::barrier)?;
                return Ok(());
            }
            Call::Run(plan)
            | Call::Start(plan)
            | Call::Test(plan)
            | Call::Finish(plan)
            | Call::Poll(plan) => plan,
        };
        let Some(mine) = &mut self.plans[plan] else { return Ok(()) };
        match call {
            Call::Run(_) | Call::Start(_) => {
                let begun = Instant::now();
                mine.fill();
                self.worked += begun.elapsed();
                if call == Call::Run(plan) {
                    mine.run()?;
                    return self.checked(plan);
                }
                // As `Bound::start`, whose value would borrow the plan.
                mine.bound.begin(Ok(()), &mine.source)?;
                mine.is_under_way = true;
            }
            _ if !mine.is_under_way => {}
            Call::Test(_) => {
                mine.bound.test()?;
            }
            _ => {
                while matches!(call, Call::Poll(_)) && !mine.bound.test()? {
                    thread::yield_now();
                }
                mine.is_under_way = false;
                mine.bound.complete(Some(&mut mine.destination[..]))?;
                return self.checked(plan);
            }
        }
        Ok(())
    }

    fn checked(&mut self, plan: usize) -> Outcome {
        let begun = Instant::now();
        let checked = self.plans[plan].as_ref().map_or(Ok(()), Mine::check);
        self.worked += begun.elapsed();
        checked.map_err(|wrong| format!("plan {}: {wrong}", letter(plan)).into())
    }

    /// Returns the time of this rank's moves in a program, by the time of a move that its ranks
    /// begin together. Collective.
    fn moved(&mut self, program: &Program) -> Result<Duration, Box<dyn std::error::Error>> {
        let mut moved = Duration::ZERO;
        for (number, plan) in program.plans.iter().enumerate() {
            let (Some(group), Some(mine)) = (&self.groups[plan.group], &mut self.plans[number])
            else {
                continue;
            };
            let moves = mine.begun;
            let mut times = Vec::new();
            for _ in 0..TIMED {
                mine.fill();
                doing(|text| text.push_str("a move that is timed"));
                group.barrier()?;
                let begun = Instant::now();
                mine.run()?;
                times.push(begun.elapsed());
            }
            times.sort_unstable();
            moved += times[TIMED / 2] * moves as u32;
        }
        Ok(moved)
    }
}
