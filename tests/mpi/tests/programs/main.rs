//! Several programs coupled by `redist`. Mostly ranks of one launch represent them. The programs of
//! `launched_together` are started as `mpiexec -n 3 test : -n 4 test`.

mod calls;
mod coupled;
mod handshake;
mod joined;
mod rendezvous;
mod several;
mod stream;

use std::process::ExitCode;

fn main() -> ExitCode {
    redist_mpi_tests::main_in_lists(
        &[
            stream::CASES,
            handshake::CASES,
            calls::CASES,
            several::CASES,
            joined::CASES,
            rendezvous::CASES,
        ]
        .concat(),
    )
}
