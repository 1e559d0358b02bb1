//! Couples any number of programs that hold rows of an elevation model with programs that want
//! columns.
//!
//! ```text
//! cargo build --release -p redist-examples --features mpi --example strips
//! mpirun -n 2 target/release/examples/strips : -n 1 target/release/examples/strips : \
//!     -n 3 target/release/examples/strips
//! ```
//!
//! Of P programs the first P / 2, rounded up, hold rows. Programs that are launched apart take
//! their numbers, their count, and a file to find each other. Open MPI needs a server of ports:
//!
//! ```text
//! ompi-server --no-daemonize -r server &
//! mpirun --ompi-server file:server -n 2 target/release/examples/strips 0 2 meeting &
//! mpirun --ompi-server file:server -n 3 target/release/examples/strips 1 2 meeting
//! ```

use landscape::{Dem, Fallible, Spacing};
use redist::exec::{ArrayPart, ProgramPart};
use redist::layout::Descriptor;
use redist::mpi::{Communicator, Programs, abort_on_panic, initialize};
use redist::{Layout, Side};
use std::ops::Range;
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "launch two programs or more: mpirun -n 2 strips : -n 3 strips; \
                     or each by itself, with arguments: strips NUMBER PROGRAMS FILE [SECONDS]";

fn main() -> ExitCode {
    abort_on_panic();
    let Ok((world, _mpi)) = initialize()
        .and_then(|mpi| Ok((mpi.world()?, mpi)))
        .inspect_err(|error| eprintln!("error: {error}"))
    else {
        return ExitCode::FAILURE;
    };
    let played = programs(&world).and_then(|programs| match programs {
        // All ranks are told the same, so none waits for this one.
        Err(error) => Ok(Err(error)),
        Ok(programs) => play(&programs).map(Ok),
    });
    match played {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            if world.rank() == 0 {
                eprintln!("error: {error}");
            }
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            world.abort(1);
        }
    }
}

fn programs(world: &Communicator) -> Fallible<Result<Programs, redist::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let programs = match &arguments[..] {
        [] => Programs::of(world),
        [number, programs, file, limit @ ..] if limit.len() < 2 => {
            let limit = limit.first().map_or(Ok(60), |seconds| seconds.parse())?;
            let (number, programs) = (number.parse()?, programs.parse()?);
            Programs::rendezvous(world, number, programs, file, Duration::from_secs(limit))
        }
        _ => return Err(USAGE.into()),
    };
    Ok(programs)
}

fn play(programs: &Programs) -> Fallible<()> {
    if programs.count() < 2 {
        return Err(USAGE.into());
    }
    let dem = Dem::read(&Dem::shipped(), Spacing::SHIPPED)?;
    let own = part_of(programs, dem.extents)?;
    let mut joined = programs.join_parts::<f64, 2>(Some(own))?;
    let mine: Vec<f64> = elevations(&dem, &own, programs.rank())?;
    let (mut received, mut is_right) = (vec![f64::NAN; joined.local_len(Side::Destination)], true);
    match own.role {
        Side::Source => joined.run(&mine, &mut [][..])?,
        Side::Destination => {
            joined.run(&[][..], &mut received)?;
            is_right = received == mine;
        }
    }
    let (number, rank, others) = (programs.program(), programs.rank(), joined.bound().len());
    if !is_right {
        return Err(format!("program {number}, rank {rank}: elevations are in wrong places").into());
    }
    let what = if own.role == Side::Source { "sent to" } else { "are where they should be, from" };
    println!("program {number}, rank {rank}: {} elevations {what} {others} programs", mine.len());
    Ok(())
}

fn part_of(programs: &Programs, whole: [usize; 2]) -> Fallible<ProgramPart<2>> {
    let (number, ranks) = (programs.program(), programs.size());
    let producers = programs.count().div_ceil(2);
    let consumers = programs.count() - producers;
    let [rows, columns] = whole;
    let (role, rows, columns, dealt) = if number < producers {
        (Side::Source, strip(rows, number, producers), 0..columns, "(block, *)")
    } else {
        let columns = strip(columns, number - producers, consumers);
        (Side::Destination, 0..rows, columns, "(*, cyclic(16))")
    };
    let part = ArrayPart { at: [rows.start, columns.start], extents: [rows.len(), columns.len()] };
    let layout: Layout<2> = format!("{dealt} onto {ranks}").parse()?;
    Ok(ProgramPart { role, whole, part, layout })
}

fn strip(extent: usize, number: usize, count: usize) -> Range<usize> {
    extent * number / count..extent * (number + 1) / count
}

fn elevations(dem: &Dem, own: &ProgramPart<2>, rank: usize) -> Fallible<Vec<f64>> {
    let local = Descriptor::new(own.part.extents, own.layout)?.local(rank);
    let [row, column] = own.part.at;
    let elevation =
        |index: [usize; 2]| dem.elevation[(row + index[0]) * dem.extents[1] + column + index[1]];
    Ok(local.global_indices().map(elevation).collect())
}
