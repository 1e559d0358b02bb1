//! Programs that find each other by a port, where the library has ports.

use crate::coupled::{held, layout, own_ranks};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::layout::Descriptor;
use redist::mpi::Coupling;
use redist::{Error, Redistribution, RuntimePlan, Side};
use redist_mpi_tests::{Case, Outcome, programs};

pub const CASES: &[Case] = &[
    Case::new("ports::accept_and_connect", &[1, 2, 3], accept_and_connect)
        .beside(&[1])
        .alone()
        .limit(60),
    Case::new("ports::accept_and_connect", &[1, 3], accept_and_connect)
        .beside(&[4])
        .alone()
        .limit(60),
    Case::new("ports::an_empty_name", &[1, 2, 4], an_empty_name).limit(60),
];

const EXTENTS: [usize; 2] = [11, 13];

/// Couples program 0 as the producer with program 1 as the consumer, which learns the port's name
/// through the world.
fn by_port(world: &SimpleCommunicator) -> Result<Coupling, Error> {
    let program = programs(world)?.program();
    let own = world
        .split_by_color(mpi::topology::Color::with_value(program as i32))
        .expect("every rank has a color");
    if program == 0 {
        // The lowest rank of program 1 comes after those of this one.
        let consumer = world.process_at_rank(own.size());
        return Coupling::accept(&own, Side::Source, |name| consumer.send(name.as_bytes()));
    }
    let name =
        if own.rank() == 0 { world.process_at_rank(0).receive_vec::<u8>().0 } else { Vec::new() };
    Coupling::connect(&own, Side::Destination, &String::from_utf8_lossy(&name))
}

fn accept_and_connect(world: &SimpleCommunicator) -> Outcome {
    let coupling = match by_port(world) {
        Err(error) if !has_ports() => return no_ports(&error),
        coupling => coupling?,
    };
    let dealt = if coupling.role() == Side::Source { "(block, *)" } else { "(*, cyclic(2))" };
    let own = layout(&format!("{dealt} onto {}", own_ranks(&coupling)), coupling.first_rank());
    let (peer, extents) = coupling.handshake(own, Some(EXTENTS))?;
    let (from, to) = if coupling.role() == Side::Source { (own, peer) } else { (peer, own) };
    let mut bound = RuntimePlan::<u64, 2>::new(extents, from, to)?.bind(&coupling)?;
    let held = held(&Descriptor::new(extents, own)?, coupling.rank(), 1);
    let mut received = vec![0; bound.local_len(Side::Destination)];
    bound.run(if coupling.role() == Side::Source { &held[..] } else { &[] }, &mut received)?;
    assert!(coupling.role() == Side::Source || received == held);
    Ok(())
}

/// MPICH over UCX, as Debian builds it, has none.
fn has_ports() -> bool {
    mpi::environment::library_version().is_ok_and(|version| version.contains("Open MPI"))
}

/// The accepting program says what the library said, the connecting one that there is no port.
fn no_ports(error: &Error) -> Outcome {
    let text = error.to_string();
    let words = ["rank 0: MPI_Open_port failed", "the other program could not open one"];
    assert!(words.iter().any(|words| text.contains(words)), "{text}");
    Ok(())
}

fn an_empty_name(world: &SimpleCommunicator) -> Outcome {
    let error = Coupling::connect(world, Side::Destination, "").expect_err("there is no such port");
    assert!(error.to_string().contains("the name of the port is empty"), "{error}");
    Ok(())
}
