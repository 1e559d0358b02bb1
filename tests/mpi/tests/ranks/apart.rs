//! Mistakes, and the moves after them, so many calls apart. No two calls are taken for one another.

use crate::ahead::resident_bytes;
use fastrand::Rng;
use redist::mpi::{Communicator, Operation};
use redist::{Bound, Error, Redistribution, Side, TypedPlan};
use redist_mpi_tests::{Case, Outcome, nodes, seed};
use std::thread;
use std::time::Duration;

pub const CASES: &[Case] = &[
    Case::new("apart::one_rank_is_calls_ahead", &[3], ahead).limit(60),
    Case::new("apart::one_rank_has_ended", &[3], ended).limit(60).alone(),
    Case::new("apart::a_vote_that_one_rank_has_passed", &[3], passes_a_vote).limit(60),
    Case::new("apart::a_binding_that_one_rank_has_passed", &[3], passes_a_binding).limit(60),
    Case::new("apart::a_message_that_no_rank_received", &[3], left_message).limit(120),
    Case::new("apart::a_message_of_a_later_move", &[3], later_message).limit(120),
    Case::new("apart::a_refusal_before_the_next_message", &[3], refused_before).limit(60),
    Case::new("apart::a_message_after_a_late_mistake", &[3], late_mistake).limit(60),
    Case::new("apart::mistakes_fill_no_memory", &[3], mistakes).limit(120),
];

/// Calls from the mistake to the next move by the same plan.
const APART: [usize; 5] = [1, 63, 64, 65, 130];

/// Elements of messages in one segment, in two, and in more than libraries send unasked.
const LENS: [usize; 3] = [100, 10_000, 200_000];

type Line = Bound<f64, 1>;

/// Three ranks in turned roles, so that each is once on each node.
struct Roles<'w> {
    world: &'w Communicator,
    role: usize,
    turn: usize,
}

impl<'w> Roles<'w> {
    fn all(world: &'w Communicator) -> impl Iterator<Item = Self> {
        (0..3).map(move |turn| Self { world, role: (world.rank() + turn) % 3, turn })
    }

    fn plan(&self, len: usize, from: usize, to: usize) -> Result<TypedPlan<f64, 1>, Error> {
        let on = |role: usize| (role + 3 - self.turn) % 3;
        let side = |role: usize| format!("* onto 1 ranks {}..{}", on(role), on(role) + 1);
        Ok(TypedPlan::parse([len], &side(from), &side(to))?)
    }

    fn bind(&self, len: usize, from: usize, to: usize) -> Result<Line, Error> {
        self.plan(len, from, to)?.bind(self.world)
    }

    /// Binds a plan whose moves have no messages.
    fn alone(&self) -> Result<Line, Error> {
        self.bind(8, 0, 0)
    }
}

/// Moves a value; started and finished, or run.
fn moved(line: &mut Line, value: f64, starts: bool) -> Result<(), Error> {
    let source = vec![value; line.local_len(Side::Source)];
    let mut destination = vec![-1.0; line.local_len(Side::Destination)];
    match starts {
        true => line.start(&source, &mut destination)?.finish()?,
        false => line.run(&source, &mut destination)?,
    }
    let found = destination.iter().find(|found| **found != value);
    assert_eq!(found, None, "the value is {value}");
    Ok(())
}

fn run(line: &mut Line, value: f64) -> Result<(), Error> {
    moved(line, value, false)
}

fn again(line: &mut Line, times: usize) -> Result<(), Error> {
    (0..times).try_for_each(|turn| run(line, turn as f64))
}

/// Meets all ranks in a call of the library, in which they answer each other. They do not answer in
/// calls of MPI, such as the harness makes next.
fn meet(world: &Communicator) -> Outcome {
    Roles { world, role: world.rank(), turn: 0 }.alone()?;
    Ok(())
}

fn differs(what: &str, result: Result<(), Error>) -> Outcome {
    match result {
        Err(Error::DifferentMoves { .. }) => Ok(()),
        other => Err(format!("{what}: {other:?}").into()),
    }
}

fn works(what: &str, result: Result<(), Error>) -> Outcome {
    result.map_err(|error| format!("{what}: {error}").into())
}

/// Rank 1 waits for a message of rank 0, which makes calls of its own, and then waits for rank 1.
fn ahead(world: &Communicator) -> Outcome {
    for (roles, apart) in each(world, &APART) {
        let (mut there, mut back) = (roles.bind(8, 0, 1)?, roles.bind(8, 1, 0)?);
        let mut alone = roles.alone()?;
        let what = format!("{apart} calls apart");
        match roles.role {
            1 => {
                differs(&what, run(&mut there, 1.0))?;
                again(&mut alone, apart - 1)?;
            }
            _ => again(&mut alone, apart)?,
        }
        works(&what, run(&mut back, 2.0))?;
        works(&what, run(&mut there, 3.0))?;
    }
    meet(world)
}

fn ended(world: &Communicator) -> Outcome {
    let roles = Roles { world, role: world.rank(), turn: 0 };
    let (mut there, mut alone) = (roles.bind(8, 0, 1)?, roles.bind(8, 2, 2)?);
    match roles.role {
        1 => differs("its sender has ended", run(&mut there, 1.0)),
        _ => works("alone", again(&mut alone, 100)),
    }
}

/// Ranks 1 and 2 vote; rank 0 makes calls of its own, and then waits for rank 1.
fn passes_a_vote(world: &Communicator) -> Outcome {
    for (roles, apart) in each(world, &[0, 1, 64, 130]) {
        let all = roles.plan(8, 0, 1)?;
        let mut all = all.binder().collectively().bind(world)?;
        let (mut alone, mut back) = (roles.alone()?, roles.bind(8, 1, 0)?);
        let vote = |roles: &Roles<'_>| {
            differs(&format!("{apart} calls, rank {}", roles.role), run(&mut all, 1.0))
        };
        after_a_vote(&roles, apart, vote, (&mut alone, &mut back))?;
    }
    meet(world)
}

fn passes_a_binding(world: &Communicator) -> Outcome {
    for (roles, apart) in each(world, &[0, 1, 64, 130]) {
        let (mut alone, mut back) = (roles.alone()?, roles.bind(8, 1, 0)?);
        let vote = |roles: &Roles<'_>| {
            let bound = roles.bind(8, 0, 1).map(drop);
            differs(&format!("{apart} calls, rank {}", roles.role), bound)
        };
        after_a_vote(&roles, apart, vote, (&mut alone, &mut back))?;
    }
    meet(world)
}

fn after_a_vote(
    roles: &Roles<'_>,
    apart: usize,
    vote: impl FnOnce(&Roles<'_>) -> Outcome,
    (alone, back): (&mut Line, &mut Line),
) -> Outcome {
    if roles.role == 0 {
        again(alone, apart)?;
        match apart {
            0 => differs("the call of the vote", run(back, 2.0))?,
            _ => works("after it", run(back, 2.0))?,
        }
    } else {
        vote(roles)?;
        if apart > 0 {
            again(alone, apart - 1)?;
            works("after the vote", run(back, 2.0))?;
        }
    }
    works("at the end", run(back, 3.0))
}

/// Rank 1 makes a different call in place of a move from rank 0. So many calls later all ranks
/// move.
fn left_message(world: &Communicator) -> Outcome {
    for len in LENS {
        for (roles, apart) in each(world, &APART) {
            for starts in [false, true] {
                let (mut there, mut alone) = (roles.bind(len, 0, 1)?, roles.alone()?);
                match roles.role {
                    1 => again(&mut alone, 1)?,
                    // It may learn of that.
                    _ => drop(moved(&mut there, 1.0, starts)),
                }
                again(&mut alone, apart - 1)?;
                let what = format!("{len} elements, {apart} calls apart, starts: {starts}");
                works(&what, moved(&mut there, 7.0, starts))?;
                works(&what, moved(&mut there, 8.0, starts))?;
            }
        }
    }
    meet(world)
}

/// Rank 1 waits in a move that rank 0 has no part in. Rank 0 has sent the message of a later one.
fn later_message(world: &Communicator) -> Outcome {
    for len in LENS {
        for (roles, apart) in each(world, &APART) {
            for starts in [false, true] {
                let (mut there, mut alone) = (roles.bind(len, 0, 1)?, roles.alone()?);
                let what = format!("{len} elements, {apart} calls apart, starts: {starts}");
                match roles.role {
                    1 => {
                        thread::sleep(Duration::from_millis(20));
                        differs(&what, moved(&mut there, 1.0, starts))?;
                    }
                    _ => again(&mut alone, 1)?,
                }
                again(&mut alone, apart - 1)?;
                works(&what, moved(&mut there, 7.0, starts))?;
                works(&what, moved(&mut there, 8.0, starts))?;
            }
        }
    }
    meet(world)
}

/// Rank 0 refuses a move, and has sent the message of a later one before rank 1 comes to the first.
fn refused_before(world: &Communicator) -> Outcome {
    for len in LENS {
        for (roles, apart) in each(world, &APART) {
            let (mut there, mut alone) = (roles.bind(len, 0, 1)?, roles.alone()?);
            let what = format!("{len} elements, {apart} calls apart");
            match roles.role {
                0 => {
                    let refused = there.run(&vec![0.0; len - 1], &mut []);
                    assert!(matches!(refused, Err(Error::LocalLength { .. })), "{refused:?}");
                }
                1 => {
                    thread::sleep(Duration::from_millis(20));
                    let refused = run(&mut there, 1.0);
                    assert!(matches!(refused, Err(Error::PeerFailed { .. })), "{refused:?}");
                }
                _ => run(&mut there, 1.0)?,
            }
            again(&mut alone, apart - 1)?;
            works(&what, run(&mut there, 7.0))?;
            works(&what, run(&mut there, 8.0))?;
        }
    }
    meet(world)
}

/// A message is dropped for a mistake. Later rank 1 waits for a late rank 2, while a message of a
/// right move comes.
fn late_mistake(world: &Communicator) -> Outcome {
    let len = LENS[2];
    for (roles, apart) in each(world, &APART[1..]) {
        let (mut there, mut alone) = (roles.bind(len, 0, 1)?, roles.alone()?);
        let mut from_late = roles.bind(8, 2, 1)?;
        match roles.role {
            1 => again(&mut alone, 1)?,
            _ => drop(run(&mut there, 1.0)),
        }
        for call in 1..apart {
            if roles.role == 2 && (call == 1 || call + 1 == apart) {
                thread::sleep(Duration::from_millis(100));
            }
            works("from the late rank", run(&mut from_late, call as f64))?;
        }
        let what = format!("{apart} calls apart");
        works(&what, run(&mut there, 7.0))?;
        works(&what, run(&mut there, 8.0))?;
    }
    meet(world)
}

/// The same mistake with a long message again and again.
fn mistakes(world: &Communicator) -> Outcome {
    const TURNS: usize = 20;
    const LEN: usize = 500_000;
    for roles in Roles::all(world) {
        let (mut there, mut back) = (roles.bind(LEN, 0, 1)?, roles.bind(8, 1, 0)?);
        let (mut again, mut alone) = (roles.bind(8, 0, 1)?, roles.alone()?);
        let mut before = 0;
        for turn in 0..TURNS {
            if turn == TURNS / 4 {
                before = resident_bytes();
            }
            match roles.role {
                1 => run(&mut alone, 1.0)?,
                _ => drop(run(&mut there, 1.0)),
            }
            works("back", run(&mut back, 2.0))?;
            works("there again", run(&mut again, 3.0))?;
        }
        let grown = resident_bytes().saturating_sub(before);
        let most = TURNS / 3 * LEN * size_of::<f64>();
        assert!(grown < most, "turn {}: grown by {grown} bytes", roles.turn);
    }
    meet(world)
}

/// Returns each turn of roles with so many calls apart. On several nodes, where each takes many times
/// as long, the seed draws a third of them.
fn each<'w>(
    world: &'w Communicator,
    apart: &'w [usize],
) -> impl Iterator<Item = (Roles<'w>, usize)> {
    // Ranks may still ask those that are here already.
    meet(world).expect("all ranks meet");
    let mut agreed = [0];
    let told = world.allreduce(&[seed()], &mut agreed, Operation::Max);
    told.expect("the library reduces");
    let (mut rng, several) = (Rng::with_seed(agreed[0]), nodes(world) > 1);
    Roles::all(world)
        .flat_map(move |roles| apart.iter().map(move |apart| (Roles { world, ..roles }, *apart)))
        .filter(move |_| !several || rng.usize(..3) == 0)
}
