//! One rank's part.

use crate::{groups, life, messages, together};
use redist_mpi::{Communicator, Error, Threading, initialize_with};
use std::process::ExitCode;
use std::{env, panic};

pub type Fallible = Result<(), Error>;

type Check = fn(&Communicator) -> Fallible;

const CHECKS: &[(&str, Check)] = &[
    ("a library says what it is", life::a_library_says_what_it_is),
    ("another thread is told", life::another_thread_is_told),
    ("initialising twice is told", life::initialising_twice_is_told),
    ("handles come back", life::handles_come_back),
    ("ranks wait for each other", together::barrier),
    ("one rank tells all", together::bcast),
    ("ranks reduce every type", together::allreduce),
    ("ranks reduce by every operation", together::operations),
    ("ranks reduce in the meantime", together::iallreduce),
    ("empty lists have no address", together::nothing),
    ("messages go round", messages::send_and_recv),
    ("requests are waited for", messages::requests),
    ("lists of requests are waited for", messages::lists),
    ("messages are looked for", messages::probes),
    ("a long message is told", messages::truncated),
    ("a rank that is none is told", messages::no_such_rank),
    ("a duplicate is another", groups::duplicate),
    ("ranks split", groups::split),
    ("ranks of a node split", groups::split_shared),
    ("groups translate", groups::ranks_of),
    ("the library tells numbers", groups::numbers),
    ("halves join", groups::halves_join),
    ("programs join by a port", groups::ports),
    ("errors are returned for a while", groups::errors_returned),
    ("values are kept on communicators", groups::attributes),
];

/// The exit code of a rank whose launcher is another library's.
pub const ALONE: i32 = 77;

pub fn play() -> ExitCode {
    let level = if env::var_os("REDIST_MPI_FUNNELED").is_some() {
        Threading::Funneled
    } else {
        Threading::Multiple
    };
    life::before();
    let played = initialize_with(level).and_then(|mpi| {
        let world = mpi.world()?;
        abort_on_panic();
        for (name, check) in CHECKS {
            check(&world).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        let library = mpi.library();
        if world.rank() == 0 {
            let version = library.version().lines().next().unwrap_or_default();
            let short: String = version.chars().take(40).collect();
            let (ranks, flavour) = (world.size(), library.flavour());
            println!("{} checks on {ranks} ranks: {flavour}, {short}", CHECKS.len());
        }
        let own = world.duplicate()?;
        drop(mpi);
        life::after(&world, own);
        Ok(())
    });
    match played {
        Ok(()) => ExitCode::SUCCESS,
        Err(error @ Error::Library(_)) if error.to_string().starts_with("a launcher started 2") => {
            ExitCode::from(ALONE as u8)
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Other ranks would wait for a rank that panics.
fn abort_on_panic() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        usual(info);
        if let Ok(world) = redist_mpi::world() {
            world.abort(101);
        }
    }));
}
