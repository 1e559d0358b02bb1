//! Many time steps from a producer to a consumer, each of which knows only its own layout.

use crate::coupled::{couple, held, layout, own_ranks};
use redist::layout::Descriptor;
use redist::mpi::{Communicator, Coupling};
use redist::{Bound, Layout, Redistribution, Side, TypedPlan, redistribute};
use redist_mpi_tests::{Case, Outcome, nodes};

pub const CASES: &[Case] = &[
    Case::new("stream::steps", &[1, 3, 4, 5], steps).beside(&[1]),
    Case::new("stream::steps", &[1, 2, 4], steps).beside(&[2]),
    Case::new("stream::steps", &[1, 2, 4], steps).beside(&[3]),
    Case::new("stream::steps", &[3], steps).beside(&[4]),
    Case::new("stream::steps", &[1], steps).beside(&[5]),
    Case::new("stream::launched_together", &[3], steps).beside(&[4]).alone(),
    Case::new("stream::by_the_macro", &[1, 3, 4], by_the_macro).beside(&[1]),
    Case::new("stream::by_the_macro", &[1, 3], by_the_macro).beside(&[4]),
    Case::new("stream::overlapped", &[1, 2, 3], overlapped).beside(&[2]),
    Case::new("stream::overlapped", &[3], overlapped).beside(&[4]),
    Case::new("stream::one_rank_cannot", &[2, 3], one_rank_cannot).beside(&[2]),
];

const EXTENTS: [usize; 2] = [37, 29];
const STEPS: usize = 50;

/// The producer deals rows, the consumer blocks of columns in Fortran storage; only the producer
/// knows the extents.
fn own_layout(coupling: &Coupling) -> Layout<2> {
    let (ranks, first) = (own_ranks(coupling), coupling.first_rank());
    match coupling.role() {
        Side::Source => layout(&format!("(block, *) onto {ranks}"), first),
        Side::Destination => layout(&format!("(*, cyclic(3)) onto {ranks} storage fortran"), first),
    }
}

type Moves = Bound<u64, 2>;

fn planned(coupling: &Coupling) -> Result<(Moves, Descriptor<2>), Box<dyn std::error::Error>> {
    let (own, known) = (own_layout(coupling), (coupling.role() == Side::Source).then_some(EXTENTS));
    let (peer, extents) = coupling.handshake(own, known)?;
    let (from, to) = if coupling.role() == Side::Source { (own, peer) } else { (peer, own) };
    let bound = TypedPlan::<u64, 2>::new(extents, from, to)?.bind(coupling)?;
    Ok((bound, Descriptor::new(extents, own)?))
}

fn steps(world: &Communicator) -> Outcome {
    let coupling = couple(world)?;
    let (mut bound, own) = planned(&coupling)?;
    run_steps(&coupling, &mut bound, &own)
}

fn run_steps(coupling: &Coupling, bound: &mut Moves, own: &Descriptor<2>) -> Outcome {
    let mut received = vec![0; bound.local_len(Side::Destination)];
    for step in 0..STEPS {
        let held = held(own, coupling.rank(), step);
        match coupling.role() {
            Side::Source => bound.run(&held, &mut received)?,
            Side::Destination => {
                bound.run(&[], &mut received)?;
                assert_eq!(received, held, "step {step}");
            }
        }
    }
    Ok(())
}

redistribute! {
    /// The consumer's plan, which knows only its own side.
    struct Frames(peer: Layout<2>, m: usize, n: usize, first: usize, ranks: usize): [u64; m, n] {
        from: peer,
        to: (*, cyclic(3)) onto ranks ranks first.. storage fortran,
    }
    struct Rows(peer: Layout<2>, m: usize, n: usize, ranks: usize): [u64; m, n] {
        from: (block, *) onto ranks,
        to: peer,
    }
}

fn by_the_macro(world: &Communicator) -> Outcome {
    let coupling = couple(world)?;
    let (own, ranks) = (own_layout(&coupling), own_ranks(&coupling));
    let (peer, [m, n]) = coupling.handshake(own, Some(EXTENTS))?;
    let mut bound = match coupling.role() {
        Side::Source => Rows::new(peer, m, n, ranks)?.bind(&coupling)?,
        Side::Destination => {
            Frames::new(peer, m, n, coupling.first_rank(), ranks)?.bind(&coupling)?
        }
    };
    run_steps(&coupling, &mut bound, &Descriptor::new([m, n], own)?)
}

fn overlapped(world: &Communicator) -> Outcome {
    let coupling = couple(world)?;
    let (mut bound, own) = planned(&coupling)?;
    let is_producer = coupling.role() == Side::Source;
    let mut field = held(&own, coupling.rank(), 0);
    let mut received = vec![0; bound.local_len(Side::Destination)];
    for step in 0..STEPS {
        let mut started = bound.start(if is_producer { &field[..] } else { &[] }, &mut received)?;
        field = held(&own, coupling.rank(), step + usize::from(is_producer));
        while step % 2 == 0 && !started.test()? {}
        started.finish()?;
        assert!(is_producer || received == field, "step {step}");
    }
    Ok(())
}

/// A wrong length on the producer's last rank stops the step on its receivers; the next step works.
fn one_rank_cannot(world: &Communicator) -> Outcome {
    let (coupling, nodes) = (couple(world)?, nodes(world));
    let (mut bound, own) = planned(&coupling)?;
    let mut received = vec![7; bound.local_len(Side::Destination)];
    let source =
        if coupling.role() == Side::Source { held(&own, coupling.rank(), 0) } else { Vec::new() };
    let at_fault = coupling.producers() - 1;
    let wrong = usize::from(coupling.rank() == at_fault);
    let receives = bound.incoming().iter().any(|envelope| envelope.rank == at_fault);
    match bound.run(&source[wrong..], &mut received) {
        Ok(()) => assert!(wrong == 0 && !receives),
        Err(error) => {
            assert!(error.to_string().contains(&format!("rank {at_fault}")), "{error}");
            // Between nodes the elements of other ranks may have come.
            let is_untouched = received.iter().all(|&value| value == 7);
            assert!(is_untouched || nodes > 1, "nothing may move");
        }
    }
    run_steps(&coupling, &mut bound, &own)
}
