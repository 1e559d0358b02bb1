//! Programs that find each other by a port, if the library has ports.

use crate::coupled::{held, layout, own_ranks};
use redist::layout::Descriptor;
use redist::mpi::{Communicator, Coupling};
use redist::{Error, Redistribution, RuntimePlan, Side};
use redist_mpi_tests::{Case, Outcome, has_ports, programs};

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
fn by_port(world: &Communicator) -> Result<Coupling, Error> {
    let program = programs(world)?.program();
    let own = world.split(program, world.rank()).expect("the world has parts");
    if program == 0 {
        // The lowest rank of program 1 comes after those of this one.
        let send = |name: &str| world.send(name.as_bytes(), own.size(), 0).expect("it is sent");
        return Coupling::accept(&own, Side::Source, send);
    }
    let name = if own.rank() == 0 { received(world).expect("it comes") } else { Vec::new() };
    Coupling::connect(&own, Side::Destination, &String::from_utf8_lossy(&name))
}

fn received(world: &Communicator) -> Result<Vec<u8>, redist_mpi::Error> {
    let message = world.mprobe(Some(0), None)?;
    let mut bytes = vec![0_u8; message.status().count::<u8>()?.unwrap_or(0)];
    message.recv(&mut bytes)?;
    Ok(bytes)
}

fn accept_and_connect(world: &Communicator) -> Outcome {
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

/// The accepting program has the library's error, the connecting one learns that there is no port.
fn no_ports(error: &Error) -> Outcome {
    let text = error.to_string();
    let words = ["rank 0: MPI_Open_port failed", "the other program could not open one"];
    assert!(words.iter().any(|words| text.contains(words)), "{text}");
    Ok(())
}

fn an_empty_name(world: &Communicator) -> Outcome {
    let error = Coupling::connect(world, Side::Destination, "").expect_err("there is no such port");
    assert!(error.to_string().contains("the name of the port is empty"), "{error}");
    Ok(())
}
