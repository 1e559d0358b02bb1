//! A rank panics in the middle of a move, and goes on: the other ranks' errors, and the moves that
//! work afterwards.

use crate::arrays::{Parts, case, chunk_bytes, moves, plan};
use redist::exec::Calls;
use redist::mpi::Communicator;
use redist::transport::Way;
use redist::{Error, Redistribution};
use redist_mpi_tests::{Case, Outcome, learns};
use std::panic::{self, AssertUnwindSafe};

pub const CASES: &[Case] = &[
    Case::new("unwinding::in_a_chunk", &[3, 4, 6], in_a_chunk).on_one_node().limit(60),
    Case::new("unwinding::before_the_next_move", &[3, 4], before_the_next).on_one_node().limit(60),
    Case::new("unwinding::amid_messages", &[3, 4], amid_messages).on_one_node().limit(30),
];

/// Many more chunks than slots of a long ring, which has room for 4 MiB of a rank.
const LEN: usize = 1_000_000;

/// Rank 1 leaves a move in the middle, so no rank can copy all of it. Later moves do without
/// chunks, also moves of other plans.
fn in_a_chunk(world: &Communicator) -> Outcome {
    panic::set_hook(Box::new(|_| ()));
    let long = case([LEN], "block onto 3", "cyclic onto 3");
    let (parts, gives_up) = (Parts::<u128>::new(&long, world.rank()), world.rank() == 1);
    let mut bound = plan::<u128, 1>(&long).bind(world)?;
    assert_eq!(bound.way(), Way::Chunks);
    let amid = move |calls: Calls| gives_up && calls == Calls { rounds: 3, ..Calls::default() };
    bound.watch(move |calls| assert!(!amid(calls), "this rank has had enough"));
    match panic::catch_unwind(AssertUnwindSafe(|| {
        bound.run(&parts.source(1), &mut parts.untouched())
    })) {
        Err(_) if gives_up => {}
        Ok(Err(Error::PeerFailed { rank: 1, .. })) if !gives_up => {}
        Ok(Ok(())) if !learns(world, 3) => {}
        other => return Err(format!("{other:?}").into()),
    }
    let rounds = bound.calls().rounds;
    parts.moved(&mut bound, 2)?;
    let calls = bound.calls();
    let reads = calls.rounds > rounds;
    assert!(reads == learns(world, 3) && calls.packed == 0, "{calls:?}");
    let alike = case([10_000], "block onto 3", "cyclic onto 3");
    (0..3).try_for_each(|_| moves::<u64, 1, _>(&alike, world))
}

/// Few more chunks than the 8 slots of a ring: the next move's chunks have slots that every rank is
/// through with.
const NEXT_CHUNKS: usize = 12;

/// Rank 1 leaves a move in its first round, and makes the next one at once. No rank takes chunks of
/// that move for the chunks that are left out. A rank beside busy cores has a longer ring, and may
/// have published all chunks before it leaves: then the other ranks' values are right.
fn before_the_next(world: &Communicator) -> Outcome {
    panic::set_hook(Box::new(|_| ()));
    let len = 3 * NEXT_CHUNKS * chunk_bytes(world)? / size_of::<u128>();
    let long = case([len], "block onto 3", "cyclic onto 3");
    let (parts, gives_up) = (Parts::<u128>::new(&long, world.rank()), world.rank() == 1);
    let mut bound = plan::<u128, 1>(&long).bind(world)?;
    assert_eq!(bound.way(), Way::Chunks);
    for round in 0..20 {
        bound.watch(move |_| assert!(!gives_up, "this rank has had enough"));
        let (source, mut destination) = (parts.source(2 * round), parts.untouched());
        let moved = panic::catch_unwind(AssertUnwindSafe(|| bound.run(&source, &mut destination)));
        bound.watch(|_| ());
        match moved {
            Err(_) if gives_up => {}
            Ok(Err(Error::PeerFailed { rank: 1, .. })) if !gives_up => {}
            Ok(Ok(())) if !gives_up => parts.same(&destination, 2 * round)?,
            other => return Err(format!("round {round}: {other:?}").into()),
        }
        parts.moved(&mut bound, 2 * round + 1)?;
    }
    Ok(())
}

/// Rank 1 gives up before it packs messages for ranks that only begin the move, or after it has
/// received theirs. They wait for messages of its own.
fn amid_messages(world: &Communicator) -> Outcome {
    panic::set_hook(Box::new(|_| ()));
    let long = case([LEN], "block onto 3", "cyclic onto 3");
    let (parts, gives_up) = (Parts::<u64>::new(&long, world.rank()), world.rank() == 1);
    for (round, before) in [true, false, true].into_iter().enumerate() {
        let mut bound = plan::<u64, 1>(&long).bind(world)?;
        let amid = move |calls: Calls| if before { calls.rounds > 0 } else { calls.copied > 0 };
        bound.watch(move |calls| assert!(!(gives_up && amid(calls)), "this rank has had enough"));
        let (source, mut destination) = (parts.source(1), parts.untouched());
        let moved = panic::catch_unwind(AssertUnwindSafe(|| match gives_up {
            true => bound.run(&source, &mut destination),
            false => bound.start(&source, &mut destination)?.finish(),
        }));
        match moved {
            Err(_) if gives_up => {}
            Ok(Err(Error::PeerFailed { rank: 1, .. })) if !gives_up => {}
            Ok(Ok(())) if !learns(world, 3) => {}
            other => return Err(format!("round {round}: {other:?}").into()),
        }
        bound.watch(|_| ());
        parts.moved(&mut bound, 2)?;
    }
    Ok(())
}
