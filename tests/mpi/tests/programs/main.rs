//! Several programs in one launch: `mpiexec -n 3 test : -n 4 test`, coupled by `redist`.

mod calls;
mod coupled;
mod handshake;
mod joined;
mod parts;
mod ports;
mod rendezvous;
mod several;
mod stream;

use std::process::ExitCode;

fn main() -> ExitCode {
    redist_mpi_tests::main(
        [
            stream::CASES,
            handshake::CASES,
            calls::CASES,
            several::CASES,
            parts::CASES,
            joined::CASES,
            ports::CASES,
            rendezvous::CASES,
        ]
        .concat(),
    )
}
