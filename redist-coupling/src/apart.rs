//! Programs of several launches: they find each other by a file, and a port joins them.

use crate::notice::Notice;
use crate::rendezvous::Rendezvous;
use redist_mpi::{Intercommunicator, Port};
use redist_runtime::Error;
use redist_runtime::transport::mpi::groups::{OwnCommunicator, told};
use std::env;
use std::path::Path;
use std::time::Duration;

const TOGETHER: &str = "launch all programs together, as in `mpirun -n 3 producer : -n 4 consumer`";

/// Joins these ranks with the ranks of a program in the opposite role: one program accepts, whose
/// ranks come first, and one connects.
pub fn meet(
    own: &OwnCommunicator,
    accepts: bool,
    file: &Path,
    limit: Duration,
) -> Result<OwnCommunicator, Error> {
    let failed = |reason| Error::Rendezvous { file: file.display().to_string(), reason };
    // The connecting program opens a port, too, so that it never waits for a program that cannot
    // accept.
    let port = open_port(own).map_err(|error| failed(no_ports(&error)))?;
    let ours = notice(own, port.as_ref().filter(|_| accepts))?;
    let there = Rendezvous::at(file, limit);
    let found = match (own.rank(), accepts) {
        (0, true) => there.accept(ours).map(|()| String::new()),
        (0, false) => there.connect(ours),
        _ => Ok(String::new()),
    };
    let reason = own.broadcast_text(0, found.as_ref().err().map_or("", String::as_str))?;
    if !reason.is_empty() {
        return Err(failed(reason));
    }
    let both = if accepts {
        own.accept(port.as_ref())
    } else {
        drop(port);
        own.connect(&own.broadcast_text(0, found.as_deref().unwrap_or_default())?)
    };
    merged(own.check(both)?, !accepts)
}

/// Joins both groups in one communicator; the group that passes `high` comes second. Collective.
pub fn merged(both: Intercommunicator, high: bool) -> Result<OwnCommunicator, Error> {
    both.merge(high).map(OwnCommunicator::adopt).map_err(|why| told(0, why))
}

/// Opens a port on rank 0. All ranks fail alike.
fn open_port(own: &OwnCommunicator) -> Result<Option<Port>, Error> {
    let port = (own.rank() == 0).then(|| own.check(open())).transpose();
    let failed = port.as_ref().err().map(Error::to_string).unwrap_or_default();
    let reason = own.broadcast_text(0, &failed)?;
    if port.is_ok() && !reason.is_empty() {
        Err(Error::PeerFailed { rank: 0, reason })
    } else {
        port
    }
}

fn open() -> Result<Port, redist_mpi::Error> {
    let (world, alone) = (redist_mpi::world()?, redist_mpi::this_rank()?);
    // Libraries differ in the communicator on which they report errors.
    let _guards = [world.errors_returned()?, alone.errors_returned()?];
    Port::open()
}

fn no_ports(error: &Error) -> String {
    format!("this library has no ports ({}); {TOGETHER}, or use one that has", error.reason())
}

/// Returns the notice of this program: its launch, as far as that limits its partners. Collective.
/// Launchers of Open MPI up to version 4 set environment variables; other launchers set none.
fn notice(own: &OwnCommunicator, port: Option<&Port>) -> Result<Notice, Error> {
    let known = |name: &str| env::var(name).unwrap_or_default();
    let launch = known("OMPI_MCA_orte_hnp_uri");
    // A rank on another node reports to a daemon there.
    let is_beside = launch == known("OMPI_MCA_orte_local_daemon_uri");
    let [is_beside] = own.minima([u64::from(is_beside)])?;
    let obstacle = if launch.is_empty() {
        String::new()
    } else if known("OMPI_MCA_pmix_server_uri").is_empty() {
        format!(
            "was launched without a server of ports, which Open MPI needs to join launches: start \
             `ompi-server --no-daemonize -r FILE`, and give `--ompi-server file:FILE` to the launcher of each \
             program, or {TOGETHER}"
        )
    } else if is_beside == 0 {
        format!(
            "has ranks on other nodes than its launcher's, and Open MPI 4 cannot join such a launch to another: \
             launch each program on one node, from there, or {TOGETHER}"
        )
    } else {
        String::new()
    };
    let port = port.map_or(String::new(), |port| port.name().to_owned());
    Ok(Notice { port, launch, obstacle, ..Notice::default() })
}
