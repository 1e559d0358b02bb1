//! Programs that find each other by a file; `tests/mpi/apart` launches some separately.

use crate::coupled::{layout, own_ranks};
use redist::exec::{ArrayPart, ProgramPart};
use redist::mpi::{Communicator, Coupling, Programs};
use redist::{Error, Side};
use redist_mpi_tests::{Case, Outcome, has_ports, programs};
use std::env;
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub const CASES: &[Case] = &[
    Case::new("rendezvous::two_programs", &[1, 2], two_programs).beside(&[1]).alone().limit(60),
    Case::new("rendezvous::two_programs", &[3], two_programs).beside(&[2]).alone().limit(60),
    Case::new("rendezvous::three_programs", &[1, 2], three_programs)
        .beside(&[1, 1])
        .alone()
        .limit(60),
    Case::new("rendezvous::a_program_that_never_comes", &[1, 2], never_comes).alone().limit(60),
    Case::new("rendezvous::no_such_program", &[1, 2], no_such_program).limit(60),
];

const LIMIT: Duration = Duration::from_secs(30);

fn file() -> PathBuf {
    let folder = env::var_os("REDIST_MPI_JOB").expect("the harness tells");
    PathBuf::from(folder).join("meeting")
}

fn program(world: &Communicator) -> Result<(Communicator, usize), Error> {
    let program = programs(world)?.program();
    let own = world.split(program, world.rank()).expect("the world has parts");
    Ok((own, program))
}

/// Checks the error of every rank of every program in a library without ports.
fn no_ports<T>(met: Result<T, Error>) -> Outcome {
    match met {
        Err(Error::Rendezvous { file: at, reason }) => {
            assert!(at.starts_with(&file().display().to_string()), "{at}");
            for words in ["this library has no ports", "launch all programs together"] {
                assert!(reason.contains(words), "{reason}");
            }
            Ok(())
        }
        Err(error) => Err(error.into()),
        Ok(_) => Err("there are ports".into()),
    }
}

fn two_programs(world: &Communicator) -> Outcome {
    let (own, program) = program(world)?;
    let role = if program == 0 { Side::Source } else { Side::Destination };
    let met = Coupling::rendezvous(&own, role, file(), LIMIT);
    if !has_ports() {
        return no_ports(met);
    }
    let coupling = met?;
    assert_eq!(coupling.role(), role);
    assert_eq!(own_ranks(&coupling), own.size());
    let own = layout::<1>(&format!("block onto {}", own.size()), coupling.first_rank());
    assert_eq!(coupling.handshake(own, Some([17]))?.1, [17]);
    // No file is left.
    assert!(!file().exists());
    Ok(())
}

/// One program holds an array, two more want half of it each.
fn three_programs(world: &Communicator) -> Outcome {
    let (own, program) = program(world)?;
    let met = Programs::rendezvous(&own, program, 3, file(), LIMIT);
    if !has_ports() {
        return no_ports(met);
    }
    let programs = met?;
    assert_eq!((programs.program(), programs.count()), (program, 3));
    assert_eq!((programs.rank(), programs.size()), (own.rank(), own.size()));
    let (role, at, extent) = match program {
        0 => (Side::Source, 0, 20),
        1 => (Side::Destination, 0, 10),
        _ => (Side::Destination, 10, 10),
    };
    let part = ArrayPart { at: [at], extents: [extent] };
    let dealt = format!("block onto {}", own.size()).parse()?;
    let part = ProgramPart { role, whole: [20], part, layout: dealt };
    let mut joined = programs.join_parts::<u64, 1>(Some(part))?;
    // Blocks of equal lengths, but for the last rank's.
    let block = extent.div_ceil(own.size());
    let first = (at + block * own.rank()) as u64;
    let full = |side| (first..).take(joined.local_len(side)).collect::<Vec<u64>>();
    let (source, expected) = (full(Side::Source), full(Side::Destination));
    let mut destination = vec![0; expected.len()];
    joined.run(&source, &mut destination)?;
    assert_eq!(destination, expected);
    Ok(())
}

fn never_comes(world: &Communicator) -> Outcome {
    for role in [Side::Source, Side::Destination] {
        let begun = Instant::now();
        let met = Coupling::rendezvous(world, role, file(), Duration::from_millis(300));
        if !has_ports() {
            no_ports(met)?;
            continue;
        }
        let told = met.expect_err("there is no other program");
        let text = told.to_string();
        assert!(matches!(told, Error::Rendezvous { .. }), "{text}");
        assert!(text.contains(&file().display().to_string()), "{text}");
        let words = if role == Side::Source { "has connected" } else { "has accepted there" };
        assert!(text.contains(words) && text.contains("within 300ms"), "{text}");
        assert!(begun.elapsed() >= Duration::from_millis(300));
        world.barrier()?;
        assert!(!file().exists());
    }
    Ok(())
}

fn no_such_program(world: &Communicator) -> Outcome {
    let met = Programs::rendezvous(world, 3, 3, file(), LIMIT);
    let text = met.map(drop).expect_err("programs are numbered from 0").to_string();
    assert!(text.contains("there is no program 3 of 3"), "{text}");
    Ok(())
}
