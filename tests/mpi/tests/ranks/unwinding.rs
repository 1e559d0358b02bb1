//! A rank that panics in the middle of a move, and goes on: what the others learn, and what works afterwards.

use crate::arrays::{case, moves};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::mpi::MpiChannel;
use redist::plan::AnyPlan;
use redist::plan::schedule::Method;
use redist::program::Chunks;
use redist::transport::{Arrived, Channel, Proposal};
use redist::{ElementType, Error, Plan, Program, Side};
use redist_mpi_tests::{Case, Outcome};
use std::panic::{self, AssertUnwindSafe};

pub const CASES: &[Case] = &[Case::new("unwinding::in_a_chunk", &[3, 4, 6], in_a_chunk).limit(30)];

/// Many more chunks than are under way at once.
const LEN: usize = 4_800_000;

/// A channel that moves by chunks.
fn staged(world: &SimpleCommunicator) -> Result<MpiChannel, Box<dyn std::error::Error>> {
    let planned = Plan::<1>::parse([LEN], "block onto 3", "cyclic onto 3")?;
    let plan = AnyPlan::from(planned);
    let rank = world.rank() as usize;
    let [packs, unpacks] = [Side::Source, Side::Destination].map(|side| Program::new(&plan, &[], side, rank));
    let (outgoing, incoming) = (packs.envelopes(), unpacks.envelopes());
    let words = planned.in_words();
    let description = format_args!("{words}");
    let (element, digest, method) = (ElementType::of::<u8>(), plan.digest(), Method::AllAtOnce);
    let proposal = Proposal { element, digest, description, method, steps: None, outgoing, incoming };
    let mut channel: MpiChannel = redist::Transport::open(world, Ok(proposal))?;
    let longest = channel.longest_chunk().ok_or("the ranks share memory")?;
    channel.stage(Chunks::new(&plan, longest).of_rank(&plan, &packs, rank));
    Ok(channel)
}

/// Rank 1 leaves a move in the middle: no rank can copy all of it. Later moves do without chunks, also those of other plans.
fn in_a_chunk(world: &SimpleCommunicator) -> Outcome {
    panic::set_hook(Box::new(|_| ()));
    let (mut channel, gives_up) = (staged(world)?, world.rank() == 1);
    let (source, mut rounds) = (vec![1; LEN / 3], 0);
    let never = &mut |_: &mut [&mut [u8]]| panic!("all ranks run the move");
    let left = panic::catch_unwind(AssertUnwindSafe(|| {
        channel.exchange(Ok(()), &source, &mut [], never, &mut |arrived, _| {
            assert!(matches!(arrived, Arrived::Chunks(_)));
            rounds += 1;
            assert!(!gives_up || rounds < 3, "this rank has had enough");
        })
    }));
    match left {
        Err(_) if gives_up => {}
        Ok(Err(Error::PeerFailed { rank: 1, .. })) if !gives_up => {}
        other => return Err(format!("{other:?}").into()),
    }
    let mut packed = 0;
    let pack = &mut |messages: &mut [&mut [u8]]| packed = messages.len();
    channel.exchange(Ok(()), &source, &mut [], pack, &mut |arrived, _| {
        assert!(matches!(arrived, Arrived::All(_) | Arrived::One(..)), "messages have to come");
    })?;
    assert_eq!(packed, if world.rank() < 3 { 3 } else { 0 });
    let alike = case([10_000], "block onto 3", "cyclic onto 3");
    (0..3).try_for_each(|_| moves::<u64, 1, _>(&alike, world))?;
    Ok(())
}
