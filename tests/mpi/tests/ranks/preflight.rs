//! Ranks that disagree fail together, and nothing moves.

use crate::FROM_THREE;
use crate::arrays::{Parts, case, moves, plan};
use redist::mpi::{Communicator, Operation};
use redist::{Error, Redistribution, Side};
use redist_mpi_tests::{Case, Outcome, learns};
use redist_testing::strategies;

pub const CASES: &[Case] = &[
    Case::new("preflight::another_plan", FROM_THREE, another_plan).limit(30),
    Case::new("preflight::another_element", FROM_THREE, another_element).limit(30),
    Case::new("preflight::another_version", FROM_THREE, another_version).limit(30),
    Case::new("preflight::too_few_ranks", &[1, 2, 3, 4], too_few_ranks).limit(30),
    Case::new("preflight::too_few_for_one_rank", FROM_THREE, too_few_for_one_rank).limit(30),
    Case::new("preflight::wrong_source_length", FROM_THREE, wrong_source_length).limit(30),
    Case::new("preflight::wrong_destination_length", FROM_THREE, wrong_destination_length)
        .limit(30),
    Case::new("preflight::wrong_lengths_on_two_ranks", FROM_THREE, wrong_on_two).limit(30),
    Case::new("preflight::exchanged_arrays", FROM_THREE, exchanged_arrays).limit(30),
];

fn line() -> strategies::Case<1> {
    case([100], "block onto 3", "cyclic(2) onto 3")
}

fn says<T>(result: Result<T, Error>, expected: Error) -> Outcome {
    match result.err() {
        Some(error) if error == expected => Ok(()),
        other => Err(format!("{other:?}, should be {expected:?}").into()),
    }
}

fn still_works(world: &Communicator) -> Outcome {
    moves::<u64, 1, _>(&line(), world)
}

fn another_plan(world: &Communicator) -> Outcome {
    let other = case([100], "block onto 3", "cyclic(3) onto 3");
    let mine = if world.rank() == 2 { other } else { line() };
    let [theirs, ours] = [other, line()].map(|case| case.plan().in_words().to_string());
    says(
        plan::<u64, 1>(&mine).bind(world),
        Error::DifferentPlan { rank: 2, theirs, here: 0, ours },
    )?;
    still_works(world)
}

fn another_element(world: &Communicator) -> Outcome {
    let told = match world.rank() {
        1 => plan::<f32, 1>(&line()).bind(world).map(drop),
        _ => plan::<u32, 1>(&line()).bind(world).map(drop),
    };
    says(
        told,
        Error::DifferentElement { rank: 1, theirs: "f32".into(), here: 0, ours: "u32".into() },
    )?;
    still_works(world)
}

/// A version of the wire format far above ours, which counts up with every change.
const THEIRS: u64 = 1000;

/// The last rank plays a program of a later version. It makes the call of any version:
/// a reduction of a fixed number of words.
fn another_version(world: &Communicator) -> Outcome {
    let (rank, last) = (world.rank(), world.size() - 1);
    if rank == last {
        // No context to propose, by its number and its calls; then the head of a plan.
        let mut words = [0, !0, 0, !0].into_iter().chain([0; 16]).collect::<Vec<u64>>();
        (words[4], words[5]) = (THEIRS, !THEIRS);
        world.allreduce(&words, &mut [0; 20], Operation::Min)?;
        return Ok(());
    }
    match plan::<u64, 1>(&line()).bind(world).err() {
        Some(Error::DifferentWire { here, ours: 1..THEIRS, theirs: THEIRS }) if here == rank => {
            Ok(())
        }
        other => Err(format!("{other:?}, should tell rank {rank} of version {THEIRS}").into()),
    }
}

fn too_few_ranks(world: &Communicator) -> Outcome {
    let size = world.size();
    let wide = case([100], &format!("block onto {}", size + 1), "cyclic onto 1");
    says(plan::<u64, 1>(&wide).bind(world), Error::TooFewRanks { needed: size + 1, size })
}

/// One rank's plan needs more ranks than there are. It reports to all ranks why it is out.
fn too_few_for_one_rank(world: &Communicator) -> Outcome {
    let own = Error::TooFewRanks { needed: 40, size: world.size() };
    let told = Error::PeerFailed { rank: 1, reason: own.reason() };
    let (mine, expected) = match world.rank() {
        1 => (case([100], "block onto 40", "cyclic onto 1"), own),
        _ => (line(), told),
    };
    says(plan::<u64, 1>(&mine).bind(world), expected)?;
    still_works(world)
}

/// Ranks in `at` pass one element. Their receivers learn of it, and the next run works.
fn wrong_length(world: &Communicator, at: &[usize], side: Side) -> Outcome {
    let rank = world.rank();
    let parts = Parts::<u64>::new(&line(), rank);
    let mut bound = plan(&line()).bind(world)?;
    let (mut source, mut destination) = (parts.source(1), parts.untouched());
    let wrong = if side == Side::Source { &mut source } else { &mut destination };
    let expected = wrong.len();
    wrong.truncate(if at.contains(&rank) { 1 } else { usize::MAX });
    let error = bound.run(&source, &mut destination).err();
    match (error, at.contains(&rank)) {
        (Some(Error::LocalLength { rank: told, expected: right, found: 1, .. }), true) => {
            assert_eq!((told, right), (rank, expected));
        }
        (Some(Error::PeerFailed { rank: told, reason }), false) => {
            assert!(at.contains(&told), "{told} {reason}");
            let (has, names) =
                (format!("the local {side} array must hold "), "; see `Bound::local_len`");
            assert!(reason.starts_with(&has) && reason.ends_with(names), "{reason}");
        }
        (None, false) if !learns(world, 3) => {}
        (other, _) => return Err(format!("{other:?}").into()),
    }
    assert!(parts.untouched().starts_with(&destination), "nothing may move");
    (2..5).try_for_each(|round| parts.moved(&mut bound, round))
}

fn wrong_source_length(world: &Communicator) -> Outcome {
    wrong_length(world, &[1], Side::Source)
}

fn wrong_destination_length(world: &Communicator) -> Outcome {
    wrong_length(world, &[0], Side::Destination)
}

fn wrong_on_two(world: &Communicator) -> Outcome {
    wrong_length(world, &[0, 2], Side::Source)
}

/// Rank 0 brings its destination first. Rank 1, which gets all, is told so.
fn exchanged_arrays(world: &Communicator) -> Outcome {
    let (rank, gather) = (world.rank(), case([100], "block onto 3", "* ranks 1..2"));
    let parts = Parts::<u64>::new(&gather, rank);
    let mut bound = plan(&gather).bind(world)?;
    let (mut source, mut destination) = (parts.source(1), parts.untouched());
    if rank == 0 {
        std::mem::swap(&mut source, &mut destination);
    }
    let told = bound.run(&source, &mut destination).err().map(|error| error.to_string());
    let words = "rank 0: the local source array must hold 34 elements, found 0, which fits the destination: the arrays \
                 seem exchanged, so bring the source first; see `Bound::local_len`";
    match told {
        Some(told) if told == words => {}
        None if rank > 1 => {}
        other => return Err(format!("{other:?}").into()),
    }
    (2..5).try_for_each(|round| parts.moved(&mut bound, round))
}
